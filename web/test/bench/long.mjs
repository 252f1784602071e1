// A session of ten thousand messages written by another program: opened cold, scrolled to its beginning, searched.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { measured } from './probe.mjs';
import { median } from './table.mjs';

const MESSAGES = 10_000;
export const LAST = 'These are the last words of all.';
const NEEDLE = 'a heliotrope on the sill';

/** Writes the transcript as an agent in a terminal would. Returns its id. */
export function writeLong({ home, folder }) {
  const id = randomUUID();
  const lines = [];
  let parent = null;
  let at = Date.now() - 86_400_000;
  const put = (type, message, more = {}) => {
    const uuid = randomUUID();
    lines.push(
      JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        userType: 'external',
        cwd: folder,
        sessionId: id,
        version: '2.1.325',
        type,
        message,
        uuid,
        timestamp: new Date((at += 4_000)).toISOString(),
        ...more,
      }),
    );
    parent = uuid;
  };
  const message = (n, content) =>
    put('assistant', {
      id: `msg_${n}_${lines.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: null,
      usage: { input_tokens: 1200, output_tokens: 40 },
    });
  for (let n = 0; lines.length < MESSAGES; n += 1) {
    put('user', { role: 'user', content: `Step ${n + 1}: look at the next crate.` });
    for (let i = 0; i < 4; i += 1) {
      const call = `toolu_${n}_${i}`;
      message(n, [{ type: 'tool_use', id: call, name: 'Bash', input: { command: `cargo test -p crate-${n} --test part-${i}`, description: `Run part ${i}` } }]);
      put(
        'user',
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: `running 7 tests\ntest result: ok. 7 passed in ${n}.${i} s` }] },
        { toolUseResult: { stdout: `running 7 tests\ntest result: ok. 7 passed in ${n}.${i} s`, stderr: '', interrupted: false, isImage: false } },
      );
    }
    const last = lines.length >= MESSAGES - 1;
    message(n, [
      {
        type: 'text',
        text: last
          ? LAST
          : `Crate ${n} is in order${n === 17 ? `, with ${NEEDLE}` : ''}.\n\n- \`part-1\` takes the longest, about ${n % 9} s.\n- The rest is quick.\n\n\`\`\`rust\nlet now = tick.tick().await;\n\`\`\``,
      },
    ]);
  }
  const project = join(home, '.claude', 'projects', folder.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, `${id}.jsonl`), `${lines.join('\n')}\n`);
  return { id, messages: lines.length };
}

export async function measureLong(table, { browser, stage, cookies, long, runs }) {
  const painted = [];
  const tasks = [];
  let nodes = 0;
  for (let i = 0; i <= runs; i += 1) {
    const one = await measured(browser, { cookies, ready: '.trow.r-text', text: LAST });
    try {
      await one.page.goto(`${stage.url}/#/s/${long.id}`, { waitUntil: 'commit' });
      await one.there;
      const seen = await one.page.evaluate(() => ({ ...window.__seen, nodes: document.querySelectorAll('*').length }));
      nodes = Math.max(nodes, seen.nodes);
      // The first visit imports the session from the file of the other program and gives it another id.
      if (i === 0) {
        await one.page.waitForURL((url) => url.hash.startsWith('#/s/') && !url.hash.endsWith(long.id));
        long.id = new URL(one.page.url()).hash.slice(4);
      } else {
        painted.push(seen.painted);
        tasks.push(0, ...seen.long);
      }
      if (i < runs) continue;
      await all(table, one);
    } finally {
      await one.close();
    }
  }
  table.time(
    `${long.messages.toLocaleString('en')} messages: painted, from a cold start`,
    median(painted),
    'ms',
    300,
    `median of ${runs}: ${painted.map(Math.round).join(', ')}`,
  );
  table.count('elements in the document', nodes, '', 2000);
  table.time('longest task until it is painted', Math.max(...tasks), 'ms', 100);
}

/** Loads the whole session into the page by searching for something at its beginning. */
async function all(table, { page }) {
  await page.evaluate(() => {
    window.__seen.long.length = 0;
  });
  await page.locator('.stream').focus();
  const began = Date.now();
  await page.keyboard.press('Control+f');
  await page.locator('.findbar input').fill(NEEDLE);
  await page.waitForFunction(() => /1 of 1/.test(document.querySelector('.findbar [role=status]')?.textContent ?? ''));
  const found = Date.now() - began;
  await page.waitForFunction(
    (needle) =>
      [...document.querySelectorAll('.trow')].some((row) => {
        const box = row.getBoundingClientRect();
        return row.textContent.includes(needle) && box.top >= 0 && box.top < innerHeight;
      }),
    NEEDLE,
  );
  const seen = await page.evaluate(() => ({ long: window.__seen.long, nodes: document.querySelectorAll('*').length }));
  table.note('words of its beginning found, with all of it fetched first', found, 'ms');
  table.time(
    'longest task while all of it is fetched and searched',
    Math.max(0, ...seen.long),
    'ms',
    100,
    seen.long.length ? `tasks over 50 ms: ${seen.long.join(', ')}` : '',
  );
  table.count('elements in the document with all of it in memory', seen.nodes, '', 2000);
}
