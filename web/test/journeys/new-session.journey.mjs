// A new session and its first messages: the folder, the message box, the keyboard and the phone.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, assert, begin, box, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';

const { journey } = stageFor({
  'say the word': [[{ text: 'The word is heliotrope.' }]],
  'keys only': [[{ tool: 'Bash', input: { command: 'touch by-keys', description: 'Make a file' } }], [{ text: 'Made by keys.' }]],
});
const item = (page, name) => page.getByRole('menuitem', { name });

journey('the folder field works with the keyboard alone', async ({ guest, page, stage }) => {
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
  // Tab completes a partial name and then moves the focus.
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

journey('folders are completed with Tab, missing ones are reported, and used ones are offered first', async ({ guest, page, stage }) => {
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
});

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
  // A key in the first moments is ignored on purpose and restarts the waiting time.
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
  'phone: start, read, allow, and nothing is wider than the screen',
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

journey('commands and files are completed while typing', async ({ guest, page, stage }) => {
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
  // Some agents add text about the picture.
  await until(
    'it is answered',
    async () =>
      (await page
        .locator('.stream')
        .getByText(/^You said:/)
        .count()) === 2,
  );
});

journey('the permission mode is changed in the message box', async ({ guest, page }) => {
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
