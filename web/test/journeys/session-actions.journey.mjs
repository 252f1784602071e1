// Actions on a session: rename, archive, delete, fork, export, rewind.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, assert, begin, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';
import { axeFinds } from './browser.mjs';

let target = '';
const { journey } = stageFor({
  'say the word': [[{ text: 'The word is heliotrope.' }]],
  'change the file': () => [
    [{ tool: 'Read', input: { file_path: target } }],
    [{ tool: 'Write', input: { file_path: target, content: 'after\n' } }],
    [{ text: 'Changed.' }],
  ],
});
const menu = (page, title) => page.getByRole('button', { name: `Menu of ${title}` }).first();
const item = (page, name) => page.getByRole('menuitem', { name, exact: true });

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `the title of a session is edited in the header (${size})`,
    async ({ guest, page }) => {
      await begin(guest, `title me ${size}`);
      await says(page, `You said: title me ${size}`);
      await stands(page, 'idle');
      const title = page.locator('header.head h1');
      await title.getByRole('button').click();
      await page.getByRole('textbox', { name: 'Title' }).fill('not this');
      await page.keyboard.press('Escape');
      await title.getByRole('button', { name: `title me ${size}` }).click();
      await page.getByRole('textbox', { name: 'Title' }).fill(`A better title ${size}`);
      await page.keyboard.press('Enter');
      await title.getByText(`A better title ${size}`).waitFor();
      await page.reload();
      await title.getByText(`A better title ${size}`).waitFor();
      assert.deepEqual(await axeFinds(page, 'header.head'), []);
    },
    visitor,
  );
}

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `a session is titled with its first message without the greeting, until it is renamed (${size})`,
    async ({ guest, page }) => {
      await begin(guest, `Hi, can you please fix test ${size}? It fails.`);
      await stands(page, 'idle');
      const title = `Fix test ${size}?`;
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      await menu(page, title).click();
      await item(page, 'Rename').click();
      await page.getByLabel('Title').fill(`Renamed ${size}`);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: `Renamed ${size}`, level: 1 }).waitFor();
      await guest.go('#/');
      await page.locator('a.title', { hasText: `Renamed ${size}` }).waitFor();
    },
    visitor,
  );
}

journey('deleting the open session leads to the list without an error', async ({ guest, page }) => {
  await begin(guest, 'delete me here');
  await says(page, 'You said: delete me here');
  await stands(page, 'idle');
  await menu(page, 'delete me here').click();
  await item(page, 'Delete…').click();
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('textbox').fill('delete me here');
  await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  guest.clean();
});

journey('a session is renamed, archived, restored and deleted', async ({ guest, page }) => {
  await begin(guest, 'rename me');
  // The session is idle before the first turn too; a row that moves to another group closes its menu.
  await says(page, 'You said: rename me');
  await stands(page, 'idle');
  await menu(page, 'rename me').click();
  await item(page, 'Rename').click();
  await page.getByLabel('Title').fill('Another name');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Another name', level: 1 }).waitFor();
  const id = sessionOf(page);
  await guest.go('#/');
  const link = page.getByRole('link', { name: 'Another name' }).and(page.locator('.lrow a'));
  await page.locator('.lrow').getByRole('button', { name: 'Menu of Another name' }).click();
  await item(page, 'Archive').click();
  await link.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await link.waitFor();
  await page.locator('.lrow').getByRole('button', { name: 'Menu of Another name' }).click();
  await item(page, 'Delete…').click();
  const sheet = page.getByRole('dialog');
  assert.ok(await sheet.getByRole('button', { name: 'Delete', exact: true }).isDisabled());
  await sheet.getByRole('textbox').fill('Another name');
  await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
  await link.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor();
  assert.equal(await link.count(), 0);
  // Its old address shows that it does not exist and offers the session list.
  await guest.go(`#/s/${id}`);
  await page.getByRole('heading', { name: 'Session not found', level: 1 }).waitFor();
  await until('the title says so too', async () => (await page.title()).startsWith('Session not found'));
  assert.equal(await page.getByText('Session without a title').count(), 0);
  await page.getByRole('main').getByRole('button', { name: 'New session' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Show sessions' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
});

journey('a fork has the history of its session and continues independently', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  const first = sessionOf(page);
  await page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .click();
  await item(page, 'Fork').click();
  await until('another session', () => sessionOf(page) !== first);
  await says(page, 'heliotrope');
  await send(page, 'only in the fork');
  await says(page, 'You said: only in the fork');
});

journey('a session is exported as Markdown, as one page and as records', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  for (const [name, ending] of [
    ['Markdown', 'md'],
    ['One page', 'html'],
    ['Records', 'jsonl'],
  ]) {
    await page
      .locator('header.head')
      .getByRole('button', { name: /^Menu of/ })
      .click();
    await item(page, 'Export…').click();
    await page.getByRole('dialog').getByText(name, { exact: true }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`\\.${ending}$`));
    assert.match(readFileSync(await download.path(), 'utf8'), /heliotrope/);
    if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

journey('rewind shows the effect on files before it is done', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'rewinds', { 'file.txt': 'before\n' });
  target = join(folder, 'file.txt');
  await begin(guest, 'change the file', folder);
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'Changed.');
  await stands(page, 'idle');
  assert.equal(readFileSync(target, 'utf8'), 'after\n');
  await page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .click();
  await item(page, 'Rewind…').click();
  await page.getByRole('dialog').getByText('file.txt').first().waitFor();
  assert.equal(readFileSync(target, 'utf8'), 'after\n');
  await page.getByRole('dialog').getByText('Files only').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rewind', exact: true }).click();
  await until('the file is as before', () => readFileSync(target, 'utf8') === 'before\n');
});
