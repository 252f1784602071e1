// What a person does with the folder of a session: git, files, the queue of a stopped turn, a failed turn, templates.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFinds } from './browser.mjs';
import { ask, assert, begin, box, decide, folderWith, says, stageFor, stands, until } from './journey.mjs';

const held = (name) => [[{ text: `Working on ${name}. ` }, { gate: name }, { text: `The end of ${name}.` }]];
const deaths = new Set(['die once']);
const GH = '#!/bin/sh\necho "$@" >> "$HOME/gh.log"\necho https://github.example/pull/7\n';
const { journey } = stageFor({
  'hold wide': held('hold wide'), 'hold phone': held('hold phone'),
  'die once': (prompt) => (deaths.delete(prompt) ? [[{ text: 'I am at work. ' }, { gate: 'die' }, { text: 'never said' }]] : [[{ text: 'It worked the second time.' }]]),
  'where is the bug': [[{ text: 'It is in `src/pool.rs:3`, and lib.rs:1 calls it. Outside: `/etc/passwd:1`.' }]],
  'run a command': [[{ tool: 'Bash', input: { command: 'echo made > by-command.txt', description: 'Make a file' } }], [{ text: 'It is made.' }]],
}, { programs: { gh: GH } });
const SIZES = [['wide', { viewport: { width: 1440, height: 900 } }], ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]];

const numbered = (edit = {}) => Array.from({ length: 30 }, (_, i) => edit[i + 1] ?? `line ${i + 1}`).join('\n') + '\n';
/** A repository with one commit, and a way to ask git about it. */
function repository(stage, name) {
  const folder = folderWith(stage, name, { 'pool.rs': numbered(), '.gitignore': '*.log\n' });
  const git = (...words) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], { cwd: folder, env: stage.env, encoding: 'utf8' }).trim();
  writeFileSync(join(stage.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'First');
  return { folder, git };
}
const confirm = async (page, name = 'Run') => {
  const sheet = page.getByRole('dialog').filter({ has: page.getByRole('button', { name, exact: true }) });
  const commands = await sheet.locator('pre').innerText();
  await sheet.getByRole('button', { name, exact: true }).click();
  await sheet.waitFor({ state: 'hidden' });
  return commands;
};
/** Sends by the button: on a phone Enter makes a line. */
const type = async (page, text) => { await box(page).fill(text); await page.locator('.sendbtn').click(); await until('the box is empty', async () => (await box(page).inputValue()) === ''); };
const wider = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const [size, visitor] of SIZES) {
  journey(`changes of commands are shown, discarded by hunk and file, committed, pushed and proposed (${size})`, async ({ guest, page, stage }) => {
    const { folder, git } = repository(stage, `git-${size}`);
    execFileSync('git', ['init', '-q', '--bare', `bare-${size}.git`], { cwd: stage.home, env: stage.env });
    git('remote', 'add', 'origin', join(stage.home, `bare-${size}.git`));
    const id = await begin(guest, 'run a command', folder);
    await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
    await stands(page, 'idle');
    writeFileSync(join(folder, 'pool.rs'), numbered({ 2: 'second', 28: '28th' }));
    writeFileSync(join(folder, 'scratch.txt'), 'not needed\n');
    await guest.go(`#/s/${id}/changes`);
    const file = (name) => page.locator('.fbox', { has: page.getByText(name, { exact: true }) });
    await file('by-command.txt').getByText('made').first().waitFor();
    assert.deepEqual(await axeFinds(page), []);
    assert.ok((await wider(page)) <= 1, 'nothing is wider than the screen');
    // One hunk, then one file.
    await file('pool.rs').getByRole('button', { name: 'Discard this change' }).first().click();
    await confirm(page);
    await until('one hunk is gone', () => readFileSync(join(folder, 'pool.rs'), 'utf8') === numbered({ 28: '28th' }));
    await file('scratch.txt').getByRole('button', { name: 'Discard changes of scratch.txt' }).click();
    await confirm(page);
    await until('the file is gone', () => !existsSync(join(folder, 'scratch.txt')));
    // The suggested message is used as it is.
    await page.getByRole('button', { name: 'Commit 2 files' }).click();
    assert.match(await confirm(page), /^git add -A -- .*\ngit commit -q -m 'Update pool\.rs, add by-command\.txt' --only -- /);
    await page.getByText('No changes since the last commit.').waitFor();
    assert.equal(git('log', '-1', '--format=%an %s'), 'Ada Update pool.rs, add by-command.txt');
    await page.getByRole('button', { name: 'Push', exact: true }).click();
    await confirm(page);
    await page.getByText('origin/main').waitFor();
    await page.getByRole('button', { name: 'Pull request…' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Fix the pool');
    await page.getByRole('button', { name: 'Open pull request' }).click();
    await confirm(page);
    await page.getByText('https://github.example/pull/7').first().waitFor();
    assert.match(readFileSync(join(stage.home, 'gh.log'), 'utf8'), /pr create --head main --title Fix the pool/);
    // Each step is in the audit, with its commands.
    await guest.go('#/settings/devices');
    await page.getByText(/git commit -q -m/).first().waitFor();
    await page.getByText(/git push/).first().waitFor();
  }, { limit: 120_000, ...visitor });

  journey(`a path in the transcript opens the file at its line; the tree marks what is ignored (${size})`, async ({ guest, page, stage }) => {
    const folder = folderWith(stage, `files-${size}`, { 'src/pool.rs': 'fn pool() {\n    // two\n    reap();\n}\n', 'lib.rs': 'mod pool;\n', 'noise.log': 'x\n', '.gitignore': '*.log\n' });
    symlinkSync('/etc/passwd', join(folder, 'way-out'));
    const id = await begin(guest, 'where is the bug', folder);
    await stands(page, 'idle');
    await page.locator('.stream').getByRole('link', { name: 'src/pool.rs:3' }).click();
    const line = page.locator('.source tr.here');
    await line.getByText('reap').waitFor();
    assert.equal(await line.getAttribute('data-line'), '3');
    await page.locator('.source .code span').first().waitFor();
    assert.deepEqual(await axeFinds(page), []);
    assert.ok((await wider(page)) <= 1, 'nothing is wider than the screen');
    await page.goBack();
    await page.locator('.stream').getByRole('link', { name: '/etc/passwd:1' }).click();
    await page.getByText(/Outside the folder of this session|outside the folder of this session/).waitFor();
    await guest.go(`#/s/${id}/files`);
    const tree = page.getByRole('navigation', { name: 'Files' });
    await tree.getByRole('link', { name: /noise\.log/ }).getByText('ignored by git').waitFor({ state: 'attached' });
    await tree.getByRole('button', { name: 'src' }).click();
    await tree.getByRole('link', { name: 'pool.rs' }).click();
    await page.locator('.source').getByText('two').waitFor();
  }, visitor);

  journey(`a turn is stopped and its queue held until it is released (${size})`, async ({ guest, page, model }) => {
    await begin(guest, `hold ${size}`);
    await model.reached(`hold ${size}`);
    await type(page, 'and then this');
    await page.locator('.queue li', { hasText: 'and then this' }).waitFor();
    await page.getByRole('button', { name: 'Ways to stop' }).click();
    await page.getByRole('menuitem', { name: 'Stop and hold the queued message' }).click();
    await page.locator('.queue').getByText(/1 message is held/).waitFor();
    await stands(page, 'idle');
    model.open(`hold ${size}`);
    // A new message goes out; the held one stays, also after a reload.
    await type(page, 'first do that');
    await says(page, 'You said: first do that');
    await page.reload();
    await page.locator('.queue').getByText(/1 message is held/).waitFor();
    assert.equal(await page.locator('.stream').getByText('You said: and then this').count(), 0);
    await page.getByRole('button', { name: 'Release' }).click();
    await says(page, 'You said: and then this');
    await until('nothing waits', async () => (await page.locator('.queue li').count()) === 0);
  }, visitor);
}

/** Whether a process is an agent that works in a folder. */
const agentIn = (pid, folder) => { try { return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('stream-json') && readlinkSync(`/proc/${pid}/cwd`) === folder; } catch { return false; } };

journey('a turn in which the agent died is tried again with its message', async ({ guest, page, model, stage }) => {
  const folder = folderWith(stage, 'dies-once');
  await begin(guest, 'die once', folder);
  await model.reached('die');
  await says(page, 'I am at work.');
  for (const pid of stage.rest().filter((one) => agentIn(one, folder))) { try { process.kill(pid, 'SIGKILL'); } catch { /* it has ended */ } }
  await stands(page, 'crashed');
  await page.getByRole('button', { name: 'Resume and send the message again' }).click();
  await says(page, 'It worked the second time.');
  await stands(page, 'idle');
});

journey('a template is written on the page and offered after a slash at once', async ({ guest, page, stage }) => {
  await begin(guest, 'hello there');
  await stands(page, 'idle');
  const session = page.url();
  await guest.go('#/settings/templates');
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByLabel('Name', { exact: true }).fill('heron');
  await page.getByLabel('Text', { exact: true }).fill('Look at the herons.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  assert.equal(readFileSync(join(stage.home, '.claude/commands/heron.md'), 'utf8'), 'Look at the herons.');
  await page.goto(session);
  await box(page).pressSequentially('/her');
  await page.getByRole('option', { name: /^\/heron/ }).waitFor();
  await page.keyboard.press('Enter');
  await until('the template is in the box', async () => /Look at the herons\.|\/heron/.test(await box(page).inputValue()));
  await guest.go('#/settings/templates');
  await page.getByRole('button', { name: 'Delete heron' }).click();
  await until('the file is gone', () => !existsSync(join(stage.home, '.claude/commands/heron.md')));
});

journey('the address of a closed port is reported at once', async ({ guest, page }) => {
  await guest.go('#/settings/agents');
  await page.getByLabel('Address', { exact: false }).first().fill('http://127.0.0.1:9');
  const began = Date.now();
  await page.getByRole('button', { name: 'Check the address' }).click();
  await page.getByText(/Does not work/).first().waitFor();
  assert.ok(Date.now() - began < 5_000, `${Date.now() - began} ms`);
});
