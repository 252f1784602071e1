// A flood of deltas at the end of a long transcript while the user types. Uses the fake bridge, since no agent is that
// fast.
import { FakeSession } from '../fake/sessions.mjs';
import * as make from '../fake/messages.mjs';
import { measured } from './probe.mjs';
import { median, quantile } from './table.mjs';

const WORDS = [
  'The sweep ',
  'wakes on **the timer** ',
  'but measures age ',
  'with `Instant`, ',
  'so that the two ',
  'disagree under load. ',
  '\n\n- first ',
  'a lease ends, ',
  '\n- then `reap()` ',
  'looks at it ',
  '\n\n',
  'and nothing else ',
  'happens for a while. ',
];

/** A session with this many rows that are in the page at once. */
export function rowsOf(id, rows) {
  const session = new FakeSession(id, `${rows} rows`);
  for (let turn = 0; turn < 12; turn += 1) {
    session.push(make.prompt(`Part ${turn + 1} of ${id}`));
    for (let i = 0; i < Math.ceil(rows / 12); i += 1)
      session.push(make.text(`Row ${i} of part ${turn + 1} of ${id}: a short answer with \`code\` and **weight**.`));
    session.push(make.end());
  }
  session.idle();
  return session;
}

export async function measureStream(table, { browser, fake, seconds }) {
  fake.bridge.sessions.set('s-rows', rowsOf('s-rows', 5_000));
  const one = await measured(browser, { serviceWorkers: 'block' });
  try {
    const { page } = one;
    await page.goto(`${fake.url}/#/s/s-rows`);
    await page.locator('.trow').last().waitFor();
    const session = fake.bridge.sessions.get('s-rows');
    fake.bridge.add(session, make.prompt('Go on'));
    session.run('thinking');
    fake.bridge.publish(session);
    // The same page without messages: the cost of frames and of measuring.
    await page.locator('.gate[data-standing="running"]').waitFor();
    const still = await one.metrics();
    await sample(page, 2000);
    const base = ((await one.metrics()).TaskDuration - still.TaskDuration) / 2;
    let sent = 0;
    let text = fake.bridge.open(session);
    const began = Date.now();
    // A hundred per second, independent of timer accuracy; a text ends after a thousand, as a model's would.
    const timer = setInterval(() => {
      for (const due = (Date.now() - began) / 10; sent < due; sent += 1) {
        if (sent % 1000 === 999) {
          fake.bridge.finish(session, text);
          text = fake.bridge.open(session);
        }
        fake.bridge.delta(session, text, WORDS[sent % WORDS.length]);
      }
    }, 5);
    try {
      await page.waitForFunction(() => document.querySelector('.stream')?.textContent.includes('disagree under load'));
      const before = await one.metrics();
      const quiet = await sample(page, seconds * 1000);
      const after = await one.metrics();
      const spent = (...names) => (names.reduce((sum, name) => sum + after[name] - before[name], 0) * 1000) / quiet.streamed;
      const parts = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
      // Processor time, so that other load on the machine is not counted. The limit applies to the page's own work. The
      // whole main thread, less its work in the same time without messages, is reported as well: it includes painting
      // and the network, which without a GPU are as much again.
      const all = ((after.TaskDuration - before.TaskDuration - base * (quiet.took / 1000)) * 1000) / quiet.streamed;
      table.time(
        '5,000 rows, 100 deltas a second: script, style and layout of a streamed frame',
        spent(...parts),
        'ms',
        2,
        `${parts.map((name) => `${name.replace('Duration', '')} ${spent(name).toFixed(2)}`).join(', ')}; ${quiet.streamed} frames with ${Math.round(seconds * 100)} deltas in ${seconds} s`,
      );
      table.note('all of the main thread a streamed frame, with paint and the line', all, 'ms', `less ${(base * 1000).toFixed(0)} ms a second of a still page`);
      table.time('longest task meanwhile', Math.max(0, ...quiet.long), 'ms', 100);
      table.count('the end stays in view, pixels off', quiet.off, '', 2);
      await type(table, page);
    } finally {
      clearInterval(timer);
    }
  } finally {
    await one.close();
  }
}

/** Frames in which the transcript changed, during `ms`. */
const sample = (page, ms) =>
  page.evaluate(async (wait) => {
    window.__seen.long.length = 0;
    let streamed = 0;
    let dirty = false;
    const box = document.querySelector('.stream');
    const watch = new MutationObserver(() => {
      dirty = true;
    });
    watch.observe(box, { subtree: true, childList: true, characterData: true });
    const from = performance.now();
    const end = from + wait;
    await new Promise((done) => {
      const step = (now) => {
        if (dirty) streamed += 1;
        dirty = false;
        if (now > end) done();
        else requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });
    watch.disconnect();
    return {
      streamed: Math.max(1, streamed),
      took: performance.now() - from,
      long: [...window.__seen.long],
      off: Math.abs(box.scrollHeight - box.scrollTop - box.clientHeight),
    };
  }, ms);

async function type(table, page) {
  await page.locator('#message').click();
  await page.evaluate(() => {
    window.__keys = [];
    // From the key to the end of the frame that shows it: handlers, style, layout; without waiting for the next frame.
    document.querySelector('#message').addEventListener('keydown', (event) => {
      const at = event.timeStamp;
      document.querySelector('#message').addEventListener(
        'input',
        () => {
          const handled = performance.now() - at;
          requestAnimationFrame((frame) => {
            const from = Math.max(frame, at);
            const channel = new MessageChannel();
            channel.port1.onmessage = () => window.__keys.push({ handled, shown: handled + Math.max(0, performance.now() - Math.max(from, at + handled)) });
            channel.port2.postMessage(null);
          });
        },
        { once: true },
      );
    });
  });
  const text = 'what the reaper does while the flood goes on and on '.repeat(2);
  for (const char of text) await page.keyboard.type(char, { delay: 30 });
  await page.waitForFunction((n) => window.__keys.length >= n, text.length - 2);
  const keys = await page.evaluate(() => window.__keys);
  if ((await page.locator('#message').inputValue()) !== text) throw new Error('keys were lost');
  const shown = keys.map((one) => one.shown);
  table.time(
    'typing meanwhile: from key to frame, 95 of 100',
    quantile(shown, 0.95),
    'ms',
    16,
    `handlers, style, layout and paint, without the wait for the next frame; median ${median(shown).toFixed(1)}, longest ${Math.max(...shown).toFixed(1)}; until the letter is in the box ${median(keys.map((one) => one.handled)).toFixed(1)}`,
  );
}
