// A folder with hooks, rules and servers: what is disabled is shown where a session starts or runs, and the user trusts
// the folder there.
import { readFileSync } from 'node:fs';
import { axeFinds } from './browser.mjs';
import { assert, begin, box, folderWith, says, stageFor, stands, until } from './journey.mjs';

const { journey } = stageFor({ hello: [[{ text: 'Answered hello.' }]], again: [[{ text: 'Answered again.' }]] });
const trusted = (stage, folder) => {
  try {
    return JSON.parse(readFileSync(`${stage.home}/.claude.json`, 'utf8')).projects?.[folder]?.hasTrustDialogAccepted === true;
  } catch {
    return false;
  }
};
const settings = (extra = {}) => ({
  '.claude/settings.json': JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'touch hook-ran' }] }] },
    permissions: { allow: ['Bash(ls)'] },
    ...extra,
  }),
});
const note = (page) => page.getByText('is not trusted. Some of its settings are held back');
const dialog = (page) => page.getByRole('dialog', { name: 'Trust this folder?' });

journey('a new session lists what an untrusted folder enables, and the trust is remembered', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'brings', {
    ...settings({ env: { MY_TOOL: '1' } }),
    '.mcp.json': JSON.stringify({ mcpServers: { tracker: { command: 'tracker-mcp' } } }),
  });
  const plain = folderWith(stage, 'plain', { 'README.md': 'nothing' });
  await guest.go(`#/new?folder=${encodeURIComponent(plain)}`);
  await page.getByRole('radio', { name: /plain/ }).waitFor();
  await page.getByLabel('Folder', { exact: false }).first().fill(folder);
  await note(page).waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  for (const what of ['hooks (UserPromptSubmit)', 'permissions.allow (1)', 'env (MY_TOOL)', 'servers (tracker)']) await dialog(page).getByText(what).waitFor();
  await dialog(page).getByText('Show content').first().click();
  await dialog(page).getByText('touch hook-ran').waitFor();
  assert.deepEqual(await axeFinds(page), []);
  assert.equal(trusted(stage, folder), false);
  await dialog(page).getByRole('button', { name: 'Trust this folder' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  await note(page).waitFor({ state: 'detached' });
  assert.equal(trusted(stage, folder), true);
  // A folder without settings needs no trust.
  await page.getByLabel('Folder', { exact: false }).first().fill(plain);
  await page.getByRole('radio', { name: /plain/ }).waitFor();
  assert.equal(await note(page).count(), 0);
});

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `trusting the folder of a session restarts the agent and enables its hooks (${size})`,
    async ({ guest, page, stage }) => {
      const folder = folderWith(stage, `hooked-${size}`, settings());
      const ran = () => {
        try {
          readFileSync(`${folder}/hook-ran`);
          return true;
        } catch {
          return false;
        }
      };
      await begin(guest, 'hello there', folder);
      await says(page, 'Answered hello.');
      await stands(page, 'idle');
      assert.equal(ran(), false, 'the hook is held back');
      await note(page).waitFor();
      await page.getByRole('button', { name: 'Review' }).click();
      await dialog(page).getByRole('button', { name: 'Trust and restart the agent' }).click();
      await page.getByText('The agent restarted with its settings.').first().waitFor();
      await note(page).waitFor({ state: 'detached' });
      await stands(page, 'idle');
      await box(page).waitFor();
      await box(page).fill('again please');
      await page.locator('.sendbtn').click();
      await says(page, 'Answered again.');
      await until('the hook ran', async () => ran());
    },
    visitor,
  );
}
