// Setup shared by the journeys: one bridge and one browser per file, a new visitor per test.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { keepPicture, launch, pair, until, visit } from './browser.mjs';
import { startModel } from './model.mjs';
import { startStage } from './stage.mjs';

export { assert, until };

/** `scenes`: the answers of the scripted model; null for the demo model. */
export function stageFor(scenes, options = {}) {
  const set = { browser: null, stage: null, model: null, cookies: null };
  before(async () => {
    if (scenes) set.model = await startModel(scenes);
    [set.stage, set.browser] = await Promise.all([startStage({ model: set.model?.url ?? null, ...options }), launch()]);
    const guest = await visit(set.browser, set.stage);
    await pair(guest, set.stage.code);
    set.cookies = await guest.context.cookies();
    await guest.close();
  });
  after(async () => {
    await set.browser?.close();
    await set.model?.close();
    await set.stage?.close();
  });

  /** One journey: a new context that is paired already, unless `stranger`. The console and the CSP are checked at its end. */
  set.journey = (name, go, { stranger = false, limit = 90_000, ...visitor } = {}) =>
    test(name, { timeout: limit }, async () => {
      const guest = await visit(set.browser, set.stage, { cookies: stranger ? null : set.cookies, ...visitor });
      const extra = [];
      try {
        await go({
          ...guest,
          guest,
          stage: set.stage,
          model: set.model,
          another: async (more = {}) => {
            const one = await visit(set.browser, set.stage, { cookies: set.cookies, ...more });
            extra.push(one);
            return one;
          },
        });
        for (const one of [guest, ...extra]) one.clean();
      } catch (error) {
        await keepPicture(guest.page, name);
        if (guest.faults.length) error.message += `\n  seen in the page: ${guest.faults.join('\n  ')}`;
        throw error;
      } finally {
        for (const one of [guest, ...extra]) await one.close();
      }
    });
  return set;
}

/** Creates a folder with files in the home of the bridge. */
export function folderWith(stage, name, files = {}) {
  const folder = join(stage.home, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const box = (page) => page.locator('#message');
export const ask = (page) => page.locator('.askbox');
export const stands = (page, standing) => page.locator(`.gate[data-standing="${standing}"]`).waitFor();
export const says = (page, text) => page.locator('.stream').getByText(text).first().waitFor();

/** Starts a session in a folder with a first message, as a user does. Returns its id. */
export async function begin({ page, go, stage }, text, folder = stage.folder) {
  await go(`#/new?folder=${encodeURIComponent(folder)}`);
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await box(page).fill(text);
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.waitForURL(/#\/s\//);
  return sessionOf(page);
}
export const sessionOf = (page) => decodeURIComponent(/#\/s\/([^/?]+)/.exec(page.url())[1]);

/** Sends a message in the open session. */
export async function send(page, text) {
  await box(page).fill(text);
  await box(page).press('Enter');
  await until('the box is empty', async () => (await box(page).inputValue()) === '');
}
/** Presses a button of the open request until it is answered: presses in its first moments are ignored on purpose. */
export async function decide(page, button) {
  const title = page.locator('.askbox:not(.frozen) [id^="ask-title-"]');
  await title.first().waitFor({ state: 'attached' });
  const id = await title.first().getAttribute('id');
  const open = page.locator(`.askbox:not(.frozen) [id="${id}"]`);
  // Only the button of this request: a press that still waits when the request is gone must not meet the next one.
  const own = button.and(page.locator('.askbox:not(.frozen)', { has: page.locator(`[id="${id}"]`) }).locator('*'));
  await until(`decided: ${id}`, async () => {
    // A press takes as long as the machine needs; it is given up only when the request is gone.
    const gone = open.waitFor({ state: 'detached' }).catch(() => {});
    await Promise.race([own.click().catch(() => {}), gone]);
    return (await open.count()) === 0;
  });
}
