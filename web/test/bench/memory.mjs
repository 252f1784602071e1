// An hour of work in a few minutes: the tab's memory must not grow.
import { FakeSession } from '../fake/sessions.mjs';
import * as make from '../fake/messages.mjs';
import { measured } from './probe.mjs';
import { median } from './table.mjs';

const ANSWER =
  'Reproduced on run 37. The sweep wakes on **the timer** but measures age with `Instant`.\n\n- Under load the two disagree.\n- The connection survives one sweep too many.\n\n```rust\nlet now = tick.tick().await;\n```\n\nSo it is the clock. ';

/** `turns`: an hour has 240, one per quarter of a minute, each with 300 deltas and a dozen items. */
export async function measureMemory(table, { browser, fake, turns }) {
  const session = new FakeSession('s-hour', 'An hour');
  // Starts with the maximum number of items.
  for (let n = 0; session.items.length < 7_000; n += 1)
    for (const one of [...make.turn(`Before ${n}`).slice(0, -2), make.text(ANSWER.repeat(8)), make.end()]) session.push(one);
  session.idle();
  fake.bridge.sessions.set('s-hour', session);
  const one = await measured(browser, { serviceWorkers: 'block' });
  try {
    const { page } = one;
    await page.goto(`${fake.url}/#/s/s-hour`);
    await page.locator('.trow').last().waitFor();
    // Find loads all of them; when it is closed and the reader is at the end, the oldest are dropped again.
    await page.locator('.stream').focus();
    await page.keyboard.press('Control+f');
    await page.locator('.findbar input').fill('Before 0');
    await page.waitForFunction(() => /^\d+ of [1-9]/.test(document.querySelector('.findbar [role=status]')?.textContent ?? ''));
    await page.keyboard.press('Escape');
    await page.locator('.stream').focus();
    await page.keyboard.press('End');
    const samples = [];
    const began = Date.now();
    for (let turn = 0; turn < turns; turn += 1) {
      const last = `The words of turn ${turn} end here.`;
      await play(fake.bridge, session, turn, last);
      await page.waitForFunction((words) => document.querySelector('.stream')?.textContent.includes(words), last);
      if (turn % Math.max(1, Math.floor(turns / 24)) === 0) {
        const { JSHeapUsedSize, Nodes, JSEventListeners } = await one.collect();
        samples.push({ turn, heap: JSHeapUsedSize / 1e6, nodes: Nodes, listeners: JSEventListeners });
      }
    }
    report(table, samples, turns, (Date.now() - began) / 1000, session.items.length);
  } finally {
    await one.close();
  }
}

function report(table, samples, turns, seconds, items) {
  // The page fills its caches first: it holds some thousand items and drops the oldest in one batch.
  const steady = samples.filter((one) => one.turn >= turns / 4);
  const half = steady.length >> 1;
  const of = (name) => {
    const early = median(steady.slice(0, half).map((one) => one[name]));
    return { early, late: median(steady.slice(half).map((one) => one[name])), change: 0 };
  };
  const heap = of('heap');
  const nodes = of('nodes');
  const listeners = of('listeners');
  const off = ({ early, late }) => Math.abs((late - early) / early) * 100;
  const middle = median(samples.map((one) => one.heap));
  table.count('an hour of stream: heap, farthest from its median', Math.max(...samples.map((one) => Math.abs(one.heap / middle - 1))) * 100, '%', 10);
  table.count(
    'an hour of stream: heap, second half against the first',
    off(heap),
    '%',
    10,
    `${heap.early.toFixed(1)} → ${heap.late.toFixed(1)} MB after collection, ${samples.map((one) => one.heap.toFixed(0)).join(' ')}; ${turns} turns, ${items} items, ${(turns * 300).toLocaleString('en')} deltas in ${Math.round(seconds)} s`,
  );
  table.count('an hour of stream: nodes', off(nodes), '%', 10, `${nodes.early} → ${nodes.late}`);
  table.count('an hour of stream: listeners', off(listeners), '%', 10, `${listeners.early} → ${listeners.late}`);
}

/** One turn as fast as the connection allows, with a pause of one frame after every 30 deltas. */
async function play(bridge, session, turn, last) {
  session.run('thinking');
  const whole = make.turn(`Turn ${turn}`);
  for (const one of whole.slice(0, -2)) bridge.add(session, one);
  const item = bridge.open(session);
  const text = `${ANSWER.repeat(8)}\n\n${last}`;
  const size = Math.ceil(text.length / 300);
  for (let at = 0, n = 0; at < text.length; at += size, n += 1) {
    bridge.delta(session, item, text.slice(at, at + size));
    if (n % 30 === 29)
      await new Promise((done) => {
        setTimeout(done, 17);
      });
  }
  bridge.finish(session, item);
  bridge.add(session, make.end());
  session.idle();
  bridge.publish(session);
}
