// The other places of the page: the list, search, what can be done with a session, usage, settings, devices, keys.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask, assert, begin, box, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';
import { axeFinds } from './browser.mjs';
import { BIN } from './stage.mjs';

let target = '';
const { journey } = stageFor({
  'say the word': [[{ text: 'The word is heliotrope.' }]],
  'change the file': () => [
    [{ tool: 'Read', input: { file_path: target } }],
    [{ tool: 'Write', input: { file_path: target, content: 'after\n' } }],
    [{ text: 'Changed.' }],
  ],
  'keys only': [[{ tool: 'Bash', input: { command: 'touch by-keys', description: 'Make a file' } }], [{ text: 'Made by keys.' }]],
  many: [[{ text: Array.from({ length: 80 }, (_, n) => `Line ${n + 1} of the long answer.`).join('\n\n') }]],
});
const menu = (page, title) => page.getByRole('button', { name: `Menu of ${title}` }).first();
const item = (page, name) => page.getByRole('menuitem', { name });

journey('search finds what was said and goes to the place', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  await guest.go('#/');
  await page.getByLabel('Search all sessions').last().fill('heliotrope');
  await page.locator('.hit').first().click();
  await page.waitForURL(/#\/s\/[^/]+\/\d+$/);
  await says(page, 'heliotrope');
});

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `the title of a session is edited where it is shown (${size})`,
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

journey('the folder field is used with the keyboard alone', async ({ guest, page, stage }) => {
  for (const name of ['keys/alpha', 'keys/beta']) folderWith(stage, name);
  await guest.go('#/new');
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  const field = page.getByRole('textbox', { name: 'Folder' });
  const chosen = () =>
    page
      .locator('.folds input:checked')
      .evaluate((one) => one.closest('label')?.textContent ?? '')
      .catch(() => '');
  await field.fill('~/keys/');
  await page.locator('.folds label', { hasText: 'keys/beta' }).waitFor();
  await field.press('ArrowDown');
  await until('the first is chosen', async () => (await chosen()).includes('keys/alpha'));
  await field.press('ArrowDown');
  await until('the second is chosen', async () => (await chosen()).includes('keys/beta'));
  await field.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'message');
  // Tab completes a part of a name and then moves on.
  await field.fill('~/keys/al');
  await until('one is offered', async () => (await page.locator('.folds label').count()) === 1);
  await field.press('Tab');
  await until('completed', async () => (await field.inputValue()) === '~/keys/alpha/');
  await field.press('Tab');
  assert.equal(await field.evaluate((one) => document.activeElement === one), false);
  await field.focus();
  await field.press('Escape');
  assert.equal(await field.inputValue(), '');
});

journey('a session that is deleted from its own page leads to the list, without an error', async ({ guest, page }) => {
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

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `a session has the title of its first message without the greeting, and another one once it is renamed (${size})`,
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

journey('a session is renamed, archived, brought back and deleted', async ({ guest, page }) => {
  await begin(guest, 'rename me');
  // Before the first turn it is idle too; a row that goes to another group takes its open menu with it.
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
  // Whoever kept its address is told that it is gone, and where to go.
  await guest.go(`#/s/${id}`);
  await page.getByRole('heading', { name: 'Session not found', level: 1 }).waitFor();
  await until('the title says so too', async () => (await page.title()).startsWith('Session not found'));
  assert.equal(await page.getByText('Session without a title').count(), 0);
  await page.getByRole('main').getByRole('button', { name: 'New session' }).waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Show sessions' }).click();
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
});

journey('a session is forked: the new one knows what was said and has its own life', async ({ guest, page }) => {
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

journey('a session is exported as markdown, as one page and as records', async ({ guest, page }) => {
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

journey('rewind shows what would change on disk, then does it', async ({ guest, page, stage }) => {
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

journey('usage shows what was spent, by day, folder and model, also as a table', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  await guest.go('#/usage');
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  // By the name its agent announced; the id is its title.
  await page.getByText('Opus 5.5', { exact: true }).first().waitFor();
  await page.locator('.hb [title="claude-opus-5-5"]', { hasText: 'Opus 5.5' }).waitFor();
  await page.getByRole('heading', { name: 'Cost per' }).waitFor();
  for (const by of ['Day', 'Turn', 'Session', 'Folder', 'Model']) {
    await page.getByRole('radio', { name: by, exact: true }).click();
    // Every bar is a stack of models, and says what it is.
    await page.locator('svg.stacks rect').first().waitFor({ state: 'attached' });
    await page.locator('.bars').getByRole('button', { name: /\$/ }).last().waitFor();
    await page.locator('.legend').getByText('Opus 5.5').waitFor();
  }
  await page.getByText('Show as a table').click();
  await page
    .getByRole('row', { name: /Opus 5\.5/ })
    .first()
    .waitFor();
});

journey('fast mode is one press in the settings, and the next session uses it', async ({ guest, page, model }) => {
  await guest.go('#/settings');
  await page.getByText('Fast mode', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Use haiku' }).click();
  await until('it stands in the field above', async () => (await page.getByLabel('Model', { exact: true }).inputValue()) === 'haiku');
  await page.reload();
  await until('it is kept', async () => (await page.getByLabel('Model', { exact: true }).inputValue()) === 'haiku');
  await begin(guest, 'say the word quickly');
  await says(page, 'heliotrope');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Model: Haiku/ })
    .waitFor();
  assert.match(model.asked.find((one) => one.main && one.prompt === 'say the word quickly').model, /haiku/);
});

journey('theme and language are chosen, kept, and hold after a reload', async ({ guest, page }) => {
  await guest.go('#/settings/appearance');
  await page.getByRole('radio', { name: 'Dark' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Aussehen' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Aussehen' }).waitFor();
  assert.deepEqual(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]), ['dark', 'de']);
  await guest.go('#/');
  await page.getByRole('heading', { name: 'Sitzungen', level: 1 }).waitFor();
});

journey('another device is paired by a code that is made here, is listed, and is put out again', async ({ guest, page, another }) => {
  await guest.go('#/settings/devices');
  await page.getByRole('button', { name: 'Pair another device' }).click();
  await page.getByRole('button', { name: 'Show the code for this machine' }).click();
  await page.getByText('View only').click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const code = (await page.locator('.pairbox .code').innerText()).trim();
  const guestbook = await another({ cookies: null, allowed: /401|WebSocket/ });
  await guestbook.go(`#pair=${code}`);
  await guestbook.page.getByLabel('Name of this device').fill('Borrowed tablet');
  await guestbook.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await guestbook.page.locator('.app').waitFor();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: /Borrowed tablet/ });
  await row.getByText('View only').waitFor();
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await guestbook.page.getByText('Access for this device was revoked').waitFor();
  await row.waitFor({ state: 'detached' });
});

journey('a session another program made is listed as such, and can be read', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'elsewhere');
  await promisify(execFile)(BIN, ['-p', 'say the word'], { cwd: folder, env: stage.env });
  await guest.go('#/');
  await page.getByRole('heading', { name: /Found on this machine/ }).waitFor();
  const row = page.locator('.lrow', { hasText: 'elsewhere' }).first();
  await row
    .getByText(/Created in a terminal|from the terminal/)
    .first()
    .waitFor();
  await row.getByRole('link').first().click();
  await says(page, 'heliotrope');
});

journey('find goes through everything said, also what is not on the screen', async ({ guest, page }) => {
  await begin(guest, 'many lines');
  await says(page, 'Line 80 of the long answer.');
  await stands(page, 'idle');
  await page.locator('header.head h1').click();
  await page.keyboard.press('Control+f');
  await page.getByLabel('Find in this session').fill('Line 3 of');
  await page.locator('#main').getByText('1 of 1').waitFor();
  await page.keyboard.press('Enter');
  await until('it is on the screen', () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.stream p')].some(
        (it) => it.textContent === 'Line 3 of the long answer.' && it.getBoundingClientRect().top > 0 && it.getBoundingClientRect().bottom < innerHeight,
      ),
    ),
  );
});

journey(
  'a folder is found by the beginning of its path and taken by Tab; one that is not there is said to be none; used once, it is offered first',
  async ({ guest, page, stage }) => {
    const folder = folderWith(stage, 'estuary/gauges', { 'README.md': '# Gauges\n' });
    folderWith(stage, 'estuary/gates');
    await guest.go('#/new');
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
    const field = page.getByRole('textbox', { name: 'Folder' });
    const offered = page.locator('.folds label');
    await field.fill('~/estuary/nothing');
    await page.getByText(/No such folder/).waitFor();
    await field.fill('~/estuary/ga');
    await until('both are offered', async () => (await offered.count()) === 2);
    await field.fill('~/estuary/gau');
    await until('one is left', async () => (await offered.count()) === 1);
    await field.press('Tab');
    await until('it is filled in', async () => (await field.inputValue()) === '~/estuary/gauges/');
    await box(page).fill('say the word');
    await page
      .locator('.comp')
      .getByRole('button', { name: /^Start/ })
      .click();
    await page.waitForURL(/#\/s\//);
    await says(page, 'heliotrope');
    assert.equal(await page.locator('header.head .where span[title]').getAttribute('title'), folder);
    await guest.go('#/new');
    await page.reload();
    await until('it is offered first', async () => (await offered.first().textContent())?.includes('~/estuary/gauges'));
  },
);

journey('keyboard only: start, type, send, allow', async ({ guest, page }) => {
  await guest.go('#/');
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor();
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  await until('the box has the focus', () => page.evaluate(() => document.activeElement?.id === 'message'));
  await until('a folder is chosen', () => page.locator('.folds input:checked').count());
  await page.keyboard.type('keys only');
  await page.keyboard.press('Enter');
  await until('the ask has the focus', () => page.evaluate(() => document.activeElement?.closest('.askbox') !== null));
  // A key within the first moment is ignored on purpose, and starts that moment again.
  await until('allowed', async () => {
    if (!(await ask(page).count())) return true;
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          setTimeout(resolve, 400);
        }),
    );
    await page.keyboard.press('Control+Enter');
    return !(await ask(page).count());
  });
  await says(page, 'Made by keys.');
  await stands(page, 'idle');
  for (const key of ['g', 's']) {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press(key);
  }
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

journey(
  'phone: start, read, allow, without anything wider than the screen',
  async ({ guest, page }) => {
    await begin(guest, 'keys only, on a phone');
    await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
    await says(page, 'Made by keys.');
    const id = sessionOf(page);
    for (const language of ['English', 'Deutsch']) {
      await guest.go('#/settings/appearance');
      await page.getByRole('radio', { name: language }).click();
      for (const hash of [
        '#/',
        '#/usage',
        '#/settings',
        '#/settings/devices',
        '#/help',
        '#/keys',
        '#/new',
        `#/s/${id}/changes`,
        `#/s/${id}/overview`,
        `#/s/${id}`,
      ]) {
        await guest.go(hash);
        await page.locator('h1').first().waitFor();
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1, `${hash} is too wide in ${language}`);
      }
    }
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);

journey('commands and files are offered while one types', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'typed', { 'src/heron.rs': 'fn main() {}\n' });
  await begin(guest, 'hello there', folder);
  await stands(page, 'idle');
  await box(page).pressSequentially('/com');
  await page.getByRole('option', { name: /^\/compact/ }).waitFor();
  await box(page).fill('');
  await box(page).pressSequentially('look at @her');
  await page.getByRole('option', { name: /heron\.rs/ }).waitFor();
  await page.keyboard.press('Enter');
  assert.match(await box(page).inputValue(), /@src\/heron\.rs/);
});

journey('a picture is attached and sent', async ({ guest, page, stage }) => {
  await begin(guest, 'hello there');
  await stands(page, 'idle');
  const file = join(stage.root, 'dot.png');
  writeFileSync(file, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC', 'base64'));
  await page.locator('input[type=file]').setInputFiles(file);
  await page
    .locator('.comp')
    .getByText(/10 × 10/)
    .or(page.locator('.comp img'))
    .first()
    .waitFor();
  await send(page, 'look at this');
  await page.locator('.stream .saidpics img').first().waitFor();
  // Some agents put words about the picture beside it.
  await until(
    'it is answered',
    async () =>
      (await page
        .locator('.stream')
        .getByText(/^You said:/)
        .count()) === 2,
  );
});

journey('the agent’s mode and model are changed from the message box', async ({ guest, page }) => {
  await begin(guest, 'hello there');
  await stands(page, 'idle');
  await page.getByRole('button', { name: /^Permission mode/ }).click();
  await page
    .getByRole('menuitemradio', { name: /Accept edits/ })
    .or(item(page, /Accept edits/))
    .first()
    .click();
  await page.getByRole('button', { name: /Permission mode: Accept edits/ }).waitFor();
});

journey('effort, thinking and output style are chosen in the panel, and hold after a reload', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  const chosen = page.locator('.chosen').first();
  const unfold = () =>
    until('Settings are open', async () => {
      if (await chosen.isVisible()) return true;
      await page
        .locator('details', { has: page.locator('.chosen') })
        .locator('summary')
        .first()
        .click();
      return chosen.isVisible();
    });
  await unfold();
  await chosen.getByLabel('Thinking').selectOption('10000');
  await chosen.getByLabel('Output style').selectOption('Explanatory');
  await page
    .getByText(/Saved for this folder/)
    .first()
    .waitFor();
  // A field shows what was chosen once it is saved.
  await until('the style is saved', async () => (await chosen.getByLabel('Output style').inputValue()) === 'Explanatory');
  await chosen.getByLabel('Effort').selectOption('high');
  await until('the effort is set', async () => (await chosen.getByLabel('Effort').inputValue()) === 'high');
  await page.getByRole('link', { name: 'Transcript' }).click();
  await page.locator('.comp .sel.effort', { hasText: 'High' }).waitFor();
  await guest.go(`#/s/${id}/overview`);
  await page.reload();
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor();
  await unfold();
  await until(
    'and again after a reload',
    async () => (await chosen.getByLabel('Effort').inputValue()) === 'high' && (await chosen.getByLabel('Thinking').inputValue()) === '10000',
  );
  await guest.go(`#/s/${id}`);
  await page.locator('.comp .sel.effort', { hasText: 'High' }).waitFor();
  // From the message box as well.
  await page.locator('.comp .sel.effort').click();
  await page
    .getByRole('menuitemradio', { name: /^Low/ })
    .or(page.getByRole('menuitem', { name: /^Low/ }))
    .first()
    .click();
  await page.locator('.comp .sel.effort', { hasText: 'Low' }).waitFor();
});

journey('find reaches what was never fetched: the beginning of a session of many turns', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  for (let n = 0; n < 16; n += 1) {
    await send(page, `turn number ${n}`);
    await says(page, `You said: turn number ${n}`);
    await stands(page, 'idle');
  }
  // Afresh, with nothing kept on the device: only the last turns come.
  await page.evaluate(
    () =>
      new Promise((done) => {
        localStorage.clear();
        const gone = indexedDB.deleteDatabase('sluice');
        gone.onsuccess = gone.onerror = gone.onblocked = done;
      }),
  );
  await guest.go('#/');
  await guest.go(`#/s/${id}`);
  await says(page, 'You said: turn number 15');
  assert.equal(await page.locator('.stream').getByText('turn number 0', { exact: true }).count(), 0);
  await page.locator('.stream').focus();
  await page.keyboard.press('Control+f');
  await page.getByLabel('Find in this session').fill('turn number 0');
  await until('both are found', async () => /of 2/.test(await page.locator('.findbar [role=status]').innerText()));
  await page.keyboard.press('Enter');
  await until('it is on the screen', () =>
    page.evaluate(() =>
      [...document.querySelectorAll('.stream .trow')].some(
        (it) => /turn number 0(?!\d)/.test(it.textContent) && it.getBoundingClientRect().top > 0 && it.getBoundingClientRect().bottom < innerHeight,
      ),
    ),
  );
});

journey('help lists what the agent announced: commands, tools, agents, skills and plugins', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'with-skill', {
    '.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Puts a drawer in order\n---\nTidy it.\n',
    '.claude/agents/gardener.md': '---\nname: gardener\ndescription: Waters plants\n---\nWater.\n',
  });
  await begin(guest, 'say the word', folder);
  await stands(page, 'idle');
  await guest.go('#/help');
  for (const title of ['Commands', 'Tools', 'Agents', 'Skills', 'Plugins', 'Versions']) await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await page.locator('.help').getByText('Bash', { exact: true }).first().waitFor();
  await page.locator('.help').getByText('general-purpose', { exact: true }).waitFor();
  const skills = page.locator('ul', { has: page.getByText('tidy', { exact: true }) });
  await skills.getByText('Puts a drawer in order').first().waitFor();
  // What is looked for narrows all of it.
  await page.getByLabel(/Find/).first().fill('drawer');
  await page.locator('.help').getByText('tidy').first().waitFor();
  assert.equal(await page.locator('.help').getByText('general-purpose', { exact: true }).count(), 0);
});

journey('the panels of a session answer: context, cost, rules, settings, hooks, what was not understood', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  for (const title of ['Context', 'Cost', 'Rules', 'Settings', 'MCP servers', 'Unknown messages'])
    await page.getByText(title, { exact: true }).first().waitFor();
  assert.equal(await page.getByText(/Could not be loaded/).count(), 0);
  await page.getByText('No unknown messages from the agent.').waitFor();
});
