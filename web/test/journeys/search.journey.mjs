// Search in all sessions, find in one session, and sessions of other programs.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { assert, begin, folderWith, says, send, stageFor, stands, until } from './journey.mjs';
import { BIN } from './stage.mjs';

const { journey } = stageFor({
  'say the word': [[{ text: 'The word is heliotrope.' }]],
  many: [[{ text: Array.from({ length: 80 }, (_, n) => `Line ${n + 1} of the long answer.`).join('\n\n') }]],
});

journey('search finds a message and opens it', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  await guest.go('#/');
  await page.getByLabel('Search all sessions').last().fill('heliotrope');
  await page.locator('.hit').first().click();
  await page.waitForURL(/#\/s\/[^/]+\/\d+$/);
  await says(page, 'heliotrope');
});

journey('find covers the whole transcript, also what is not rendered', async ({ guest, page }) => {
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

journey('find covers records that are not loaded yet', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  for (let n = 0; n < 16; n += 1) {
    await send(page, `turn number ${n}`);
    await says(page, `You said: turn number ${n}`);
    await stands(page, 'idle');
  }
  // Without the cache of the device: only the last turns are loaded.
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

journey('a session of another program is marked as such and can be read', async ({ guest, page, stage }) => {
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
