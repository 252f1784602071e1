// Scroll position in a long session: it is stable when rows are added before it, after it or inside of it. Uses the fake bridge.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { startFake } from '../fake-bridge.mjs';
import * as make from '../fake/messages.mjs';
import { launch, until } from './browser.mjs';

let fake;
let browser;
let context;
let page;
let errors;
before(async () => {
  fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
  browser = await launch();
});
after(async () => {
  await context?.close();
  await browser?.close();
  await fake?.close();
});
beforeEach(async () => {
  await context?.close();
  fake.control({ do: 'reset' });
  context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', serviceWorkers: 'block', reducedMotion: 'reduce' });
  page = await context.newPage();
  page.setDefaultTimeout(15_000);
  errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${fake.url}/#/s/s-long`);
  await page.locator('.stream .trow').last().waitFor();
  await still();
});

/** Waits until nothing in the list moves any more. */
const still = () =>
  page.evaluate(async () => {
    const box = document.querySelector('.stream');
    const shape = () => `${box.scrollTop} ${box.scrollHeight} ${box.querySelectorAll('.trow').length}`;
    for (let same = 0, last = ''; same < 4; ) {
      await new Promise((done) => {
        requestAnimationFrame(() => setTimeout(done));
      });
      const now = shape();
      same = now === last ? same + 1 : 0;
      last = now;
    }
  });
const rest = () =>
  page.evaluate(() => {
    const box = document.querySelector('.stream');
    return box.scrollHeight - box.scrollTop - box.clientHeight;
  });
const scrollBy = async (dy) => {
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, dy);
  await still();
};
/** A visible row and its position. */
const seen = () =>
  page.evaluate(() => {
    const edge = document.querySelector('.stream').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.stream [data-row]')].find((one) => one.getBoundingClientRect().top > edge + 20);
    return { key: row.dataset.row, top: row.getBoundingClientRect().top };
  });
const topOf = (key) => page.evaluate((name) => document.querySelector(`[data-row="${CSS.escape(name)}"]`)?.getBoundingClientRect().top ?? null, key);

test('a session opens at the end with few elements, and scrolling moves rows by the same distance', async () => {
  await page.locator('.stream').focus();
  await page.keyboard.press('End');
  await still();
  assert.ok((await rest()) <= 1);
  for (let step = 0; step < 8; step += 1) {
    const before = await seen();
    const from = await page.evaluate(() => document.querySelector('.stream').scrollTop);
    await page.evaluate(() => {
      document.querySelector('.stream').scrollTop -= 280;
    });
    await still();
    const moved = (await topOf(before.key)) - before.top;
    assert.ok(Math.abs(moved - 280) <= 2, `step ${step}: moved ${moved} from ${from}`);
    assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) <= 2_000);
  }
  assert.deepEqual(errors, []);
});

test('new rows do not move a reader elsewhere; a button counts them and scrolls to the end', async () => {
  await scrollBy(-600);
  const before = await seen();
  for (let n = 0; n < 5; n += 1) fake.control({ do: 'add', sessionId: 's-long', item: make.text(`Something new, ${n}.`) });
  await page.locator('.pill', { hasText: '5' }).waitFor();
  await still();
  assert.ok(Math.abs((await topOf(before.key)) - before.top) <= 1);
  await page.locator('.pill').click();
  await page.locator('.stream').getByText('Something new, 4.').waitFor();
  await still();
  assert.ok((await rest()) <= 1);
});

test('older rows added above do not move the visible ones', async () => {
  const first = () => page.evaluate(() => Math.min(...[...document.querySelectorAll('.stream [data-item]')].map((row) => Number(row.dataset.item))));
  await page.locator('.stream').focus();
  await page.keyboard.press('Home');
  await still();
  const here = await seen();
  const oldest = await first();
  assert.ok(oldest > 1, 'there is something older');
  // Scrolling near the top loads older items.
  await page.evaluate(() => {
    document.querySelector('.stream').scrollTop -= 5;
  });
  await until('older parts came', async () => {
    const now = await first();
    return now < oldest || ((await topOf(here.key)) !== null && page.evaluate(() => document.querySelector('.stream').scrollTop > 2_000));
  });
  await still();
  assert.ok(Math.abs((await topOf(here.key)) - here.top - 5) <= 2, `${await topOf(here.key)} instead of ${here.top} + 5`);
});

test('a row that is opened at the end stays in place', async () => {
  const summary = page.locator('.stream .call > summary').last();
  await summary.scrollIntoViewIfNeeded();
  await still();
  const before = await summary.evaluate((it) => it.getBoundingClientRect().top);
  await summary.click();
  await still();
  const now = await summary.evaluate((it) => it.getBoundingClientRect().top);
  assert.ok(Math.abs(now - before) <= 1, `${before} → ${now}`);
});

test('streaming is followed at the end until the user scrolls up', async () => {
  const session = fake.bridge.sessions.get('s-long');
  session.run('thinking');
  await page.locator('.stream').focus();
  await page.keyboard.press('End');
  const text = fake.bridge.open(session);
  for (let n = 0; n < 40; n += 1) fake.bridge.delta(session, text, `Words ${n} of a stream that goes on.\n\n`);
  await page.locator('.stream').getByText('Words 39 of a stream').waitFor();
  await still();
  assert.ok((await rest()) <= 2);
  await scrollBy(-500);
  // The whole stream is one row: checks a paragraph in it.
  const line = () => page.locator('.stream p', { hasText: 'Words 30 of' }).evaluate((it) => it.getBoundingClientRect().top);
  const before = await line();
  for (let n = 40; n < 80; n += 1) fake.bridge.delta(session, text, `Words ${n} of a stream that goes on.\n\n`);
  await until('it grew', () =>
    page.evaluate(() => {
      const box = document.querySelector('.stream');
      return box.scrollHeight - box.scrollTop - box.clientHeight > 1_200;
    }),
  );
  await still();
  assert.ok(Math.abs((await line()) - before) <= 1);
  assert.deepEqual(errors, []);
});
