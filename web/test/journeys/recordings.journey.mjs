// Recordings of the reference agent in the real page: no message is shown as unknown that should be known. Those that one
// prompt plays; the tests of `host` project all of them. Skipped without the recordings, which are next to the repository
// (../shared).
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, pair, visit } from './browser.mjs';
import { BIN, startStage } from './stage.mjs';

const SHARED = fileURLToPath(new URL('../../../../shared/wire/recordings', import.meta.url));
const skip = existsSync(SHARED) ? false : 'there are no recordings in ../shared';

const read = (file) =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => {
          try {
            const what = JSON.parse(line);
            return typeof what === 'object' && what !== null && !Array.isArray(what) ? [what] : [];
          } catch {
            return [];
          }
        })
    : [];
const recordings = skip
  ? []
  : readdirSync(SHARED)
      .flatMap((version) =>
        readdirSync(join(SHARED, version))
          .sort()
          .map((scenario) => ({
            name: `${version}/${scenario}`,
            version,
            folder: join(SHARED, version, scenario),
            said: read(join(SHARED, version, scenario, 'stdout.ndjson')),
          })),
      )
      .filter((one) => one.said.length > 0);

let browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(async () => {
  await browser?.close();
});

/** Everything shown as unknown, with the name of its recording. */
const unknownRows = (page) =>
  page.evaluate(() => {
    const found = [];
    let about = '';
    for (const row of document.querySelectorAll('.stream .trow')) {
      if (row.classList.contains('r-prompt')) about = /recording (\S+)/.exec(row.textContent)?.[1] ?? about;
      for (const one of [row, ...row.querySelectorAll('.r-unknown')].filter((it) => it.classList.contains('r-unknown')))
        found.push({ about, kind: one.querySelector('.tg')?.textContent ?? '?' });
    }
    return { found, rows: document.querySelectorAll('.stream .trow').length };
  });

/** The kinds of messages and names of tools in a recording. */
const kindsOf = (said) =>
  new Set(
    said.flatMap((what) => [
      `${what.type}/${what.subtype ?? ''}`,
      ...(what.type === 'assistant' && Array.isArray(what.message?.content)
        ? what.message.content.map((block) => `block ${block.type} ${block.name ?? ''}`)
        : []),
    ]),
  );

/** True if the recording has one prompt and no other interaction of the host. */
const asksOnce = (folder) => {
  const lines = read(join(folder, 'stdin.ndjson'));
  return lines.filter((line) => line.type === 'user').length === 1 && lines.every((line) => line.type === 'user' || line.request?.subtype === 'initialize');
};

/** A minimal set of recordings that contains every kind, of those with a single prompt. */
function fewest(version) {
  const able = recordings
    .filter(
      (one) =>
        one.version === version &&
        existsSync(join(one.folder, 'stdin.ndjson')) &&
        asksOnce(one.folder) &&
        one.said.some((what) => what.type === 'result') &&
        !one.said.some((what) => what.type === 'control_request'),
    )
    .map((one) => ({ ...one, kinds: kindsOf(one.said) }));
  const chosen = [];
  const had = new Set();
  for (;;) {
    const gain = (one) => [...one.kinds].filter((kind) => !had.has(kind)).length;
    const best = able.reduce((most, one) => (most === null || gain(one) > gain(most) ? one : most), null);
    if (!best || gain(best) === 0) return chosen;
    chosen.push(best);
    for (const kind of best.kinds) had.add(kind);
  }
}

test('recordings of every kind of message work through the real bridge', { skip, timeout: 300_000 }, async () => {
  const chosen = ['2.1.38', '2.1.325'].flatMap(fewest).slice(0, 30);
  assert.ok(chosen.length >= 8, String(chosen.length));
  // The bridge passes flags to an agent; the recording player accepts none.
  const players = mkdtempSync(join(tmpdir(), 'sluice-players-'));
  const agents = chosen.map((one, n) => {
    const file = join(players, `player-${n}`);
    writeFileSync(file, `#!/bin/sh\nexec '${BIN}' sim agent '${one.folder}'\n`, { mode: 0o755 });
    return file;
  });
  const stage = await startStage({ extra: agents.flatMap((file) => ['--agent', file]) });
  const guest = await visit(browser, stage, { viewport: { width: 1200, height: 10_000 }, deviceScaleFactor: 0.05, reducedMotion: 'reduce' });
  try {
    await pair(guest, stage.code);
    const unknown = [];
    for (const [n, one] of chosen.entries()) {
      const started = await guest.page.evaluate(startWith, { projectPath: stage.folder, agent: `player-${n}`, text: `recording ${one.name}` });
      assert.ok(started.sessionId, `${one.name}: ${JSON.stringify(started)}`);
      await guest.go(`#/s/${started.sessionId}`);
      await guest.page
        .locator('.stream .trow.r-end')
        .first()
        .waitFor()
        .catch(() => assert.fail(`${one.name} was not played to its end`));
      const { found, rows } = await unknownRows(guest.page);
      assert.ok(rows > 1, `${one.name}: nothing is shown`);
      unknown.push(...found.map((row) => `${one.name}: ${row.kind}`));
    }
    assert.deepEqual(unknown, []);
    guest.clean();
  } finally {
    await guest.close();
    await stage.close();
    rmSync(players, { recursive: true, force: true });
  }
});

/** In the page: starts a session with an agent. */
function startWith({ projectPath, agent, text }) {
  return new Promise((done) => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', version: 2, client: 'test', build: null, capabilities: [], revisions: {} }));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === 'welcome') socket.send(JSON.stringify({ type: 'start', id: 'start', projectPath, agent, text, uuid: crypto.randomUUID() }));
      if (message.type === 'receipt' && message.id === 'start') {
        socket.close();
        done(message.ok ? message.data : message.error);
      }
    };
  });
}
