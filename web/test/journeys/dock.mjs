// A new page at the fake bridge for each test of the file that imports this. The page is $SLUICE_DIST or web/dist.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { startFake } from '../fake-bridge.mjs';
import { BROKEN_LINE, launch } from './browser.mjs';
import { forwardClock } from './rooms.mjs';

export let fake;
export let browser;
export let context;
export let page;
export let errors;

before(async () => {
  fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
  browser = await launch();
});
after(async () => {
  await context?.close();
  await browser?.close();
  await fake?.close();
});
// No test may leave an error in the console.
afterEach(() => assert.deepEqual(errors, []));
beforeEach(async () => {
  await context?.close();
  fake.control({ do: 'reset' });
  fake.bridge.options.neverStops = false;
  await fresh({});
});

export async function fresh(options) {
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', serviceWorkers: 'block', ...options });
  // Keys are ignored in the first moments of a request: tests advance the clock instead of waiting.
  await context.addInitScript(forwardClock);
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
  errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !BROKEN_LINE.test(message.text())) errors.push(message.text());
  });
}
export const open = async (id) => {
  await page.goto(`${fake.url}/#/s/${id}`);
  await page.waitForSelector('.dockbox [data-standing], .dockbox .askbox');
};
/** Waits for the form of the request, and advances the clock until keys are accepted. */
export async function settled() {
  await page.waitForFunction(() => document.querySelector('[data-form="loading"]') === null);
  await page.evaluate(() => window.__forward(1_000));
}
export const log = (type) => fake.bridge.log.filter((one) => one.type === type);
export const box = () => page.locator('#message');
/** The role, id or tag of the focused element. */
export const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.id ?? document.activeElement?.tagName);
/** The number of visible key hints below an element. */
export const seenCaps = (where) => page.locator(where).locator('.keys').filter({ visible: true }).count();
