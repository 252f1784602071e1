// Every view of the page at the fake bridge, wide and on a phone: nothing moves after it was shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startFake } from '../fake-bridge.mjs';
import { launch } from './browser.mjs';
import { ROOMS } from './rooms.mjs';

const MAX_SHIFT = 0.02;
const SIZES = { wide: { viewport: { width: 1440, height: 900 } }, phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } };
let fake;
let browser;
before(async () => {
  fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await fake?.close();
});

/** Sums the layout shifts that no input caused, and records what moved. */
function watchShifts() {
  window.__shifts = { sum: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const one of list.getEntries())
      if (!one.hadRecentInput) {
        window.__shifts.sum += one.value;
        window.__shifts.moved.push(`${one.value.toFixed(3)} ${one.sources.map((source) => source.node?.className ?? '').join(', ')}`);
      }
  }).observe({ type: 'layout-shift', buffered: true });
}

async function shiftOf(room, size) {
  fake.control({ do: 'reset' });
  const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block', ...size });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchShifts);
    await page.goto(`${fake.url}/${room.at}`);
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
    if (room.ready && !(size.isMobile && room.at.includes('beside'))) await page.locator(room.ready).first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    await page.waitForFunction(() => document.querySelector('.forming') === null);
    await page.evaluate(
      () =>
        new Promise((done) => {
          requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(done)));
        }),
    );
    return await page.evaluate(() => window.__shifts);
  } finally {
    await context.close();
  }
}

for (const [name, size] of Object.entries(SIZES)) {
  test(`nothing moves after a view was opened, ${name}`, { timeout: 300_000 }, async () => {
    const found = [];
    for (const room of ROOMS.filter((one) => !one.act)) {
      const { sum, moved } = await shiftOf(room, size);
      if (sum > MAX_SHIFT) found.push(`${room.at}: ${sum.toFixed(3)} (${moved.join('; ')})`);
    }
    assert.deepEqual(found, []);
  });
}
