import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { For } from 'solid-js';
import { render } from 'solid-js/web';
import { expect, test, vi } from 'vitest';
import type { Record as Rec } from '../api/types';
import { cards } from '../gallery/cards';
import { session } from '../gallery/sessions';
import { Folds, FoldsProvider, ItemView, Rows, Transcript, TranscriptServicesProvider, type Item, type TranscriptServices } from '.';
import { nameOf } from '../screens/models';
import './cards/bodies';
import { BreakLine, Looked, OriginBox, TurnEndLine } from './items';

const services: TranscriptServices = {
  sessionId: 's',
  cwd: () => '/w/tidepool',
  highlight: () => Promise.reject(new Error('none')),
  diffOf: () => Promise.reject(new Error('none')),
  blobText: () => Promise.resolve('all of it, to the end'),
  blobUrl: (hash) => `/api/blobs/${hash}`,
  permalink: (seq) => `#/session/s/${seq}`,
  modelName: (id) =>
    nameOf(id, [
      { value: 'opus', name: 'Opus' },
      { value: 'haiku', name: 'Haiku' },
    ]),
};

/** Renders a transcript with every row open. */
async function show(transcript: Transcript): Promise<HTMLElement> {
  const folds = new Folds();
  const openAll = (items: readonly Item[]) => {
    for (const item of items) {
      if (item.kind === 'call') {
        folds.set(`call:${item.id}`, true);
        openAll(item.children);
      }
      if (item.kind === 'thinking') folds.set(`think:${item.key}`, true);
      if (item.kind === 'command') folds.set(`cmd:${item.key}`, true);
    }
  };
  for (const entry of transcript.entries) if (entry.kind === 'turn') openAll(entry.items);
  const rows = new Rows().of(transcript);
  const host = document.createElement('div');
  document.body.append(host);
  render(
    () => (
      <TranscriptServicesProvider value={services}>
        <FoldsProvider value={folds}>
          <For each={rows}>
            {(row) =>
              row.item ? (
                <ItemView item={row.item} />
              ) : row.kind === 'looked' ? (
                <Looked items={row.items} />
              ) : row.cut ? (
                <BreakLine cut={row.cut} />
              ) : row.kind === 'origin' && row.turn ? (
                <OriginBox turn={row.turn} />
              ) : row.turn ? (
                <TurnEndLine turn={row.turn} />
              ) : null
            }
          </For>
        </FoldsProvider>
      </TranscriptServicesProvider>
    ),
    host,
  );
  // Bodies are loaded on demand.
  await vi.waitFor(
    () => {
      if (host.querySelector('.call > .body:empty')) throw new Error('a body did not come');
    },
    { timeout: 30_000 },
  );
  return host;
}

const ODD = /\[object |\bundefined\b|\bNaN\b|transcript\.\w+/;

test('every card of the gallery renders while open', async () => {
  for (const { title, script } of cards()) {
    const transcript = new Transcript();
    transcript.apply(script.records);
    const host = await show(transcript);
    expect(host.textContent, title).not.toMatch(ODD);
    expect(host.querySelectorAll('details, .mark').length, title).toBeGreaterThan(0);
    host.remove();
  }
});

test('a path inside the folder is shown relative to it', async () => {
  const transcript = new Transcript();
  transcript.apply(session(false).records);
  const host = await show(transcript);
  expect([...host.querySelectorAll('.call .path')].map((path) => path.textContent)).toContain('crates/pool/src/reaper.rs');
  host.remove();
});

const ATTACK = '<img src=x onerror="alert(1)">';

test('text of agents and tools never becomes an element', async () => {
  const transcript = new Transcript();
  let seq = 0;
  const take = (what: object) => transcript.apply([{ sessionId: 's', epoch: 1, seq: (seq += 1), at: seq, turn: null, what: what as Rec['what'] }]);
  take({ type: 'sluice_prompt', uuid: 'p', text: ATTACK, images: [], state: 'delivered', by: ATTACK, device: ATTACK });
  const names = [
    'Bash',
    'Read',
    'Edit',
    'Write',
    'Grep',
    'Glob',
    'WebFetch',
    'WebSearch',
    'TodoWrite',
    'AskUserQuestion',
    'ExitPlanMode',
    'Skill',
    'NotebookEdit',
    'Agent',
    'TaskList',
    'ReportFindings',
    `mcp__${ATTACK}__${ATTACK}`,
    ATTACK,
  ];
  for (const [index, name] of names.entries()) {
    const id = `c${index}`;
    const fields = Object.fromEntries(
      [
        'command',
        'file_path',
        'notebook_path',
        'old_string',
        'new_string',
        'content',
        'pattern',
        'path',
        'url',
        'query',
        'prompt',
        'description',
        'plan',
        'skill',
        'subject',
        'new_source',
        ATTACK,
      ].map((key) => [key, ATTACK]),
    );
    take({
      type: 'assistant',
      message: {
        id: `m${index}`,
        content: [
          {
            type: 'tool_use',
            id,
            name,
            input: {
              ...fields,
              todos: [{ content: ATTACK, status: ATTACK, activeForm: ATTACK }],
              questions: [{ question: ATTACK, header: ATTACK, options: [] }],
              findings: [{ file: ATTACK, summary: ATTACK, failure_scenario: ATTACK }],
            },
          },
        ],
      },
      parent_tool_use_id: null,
    });
    take({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: ATTACK }] },
      parent_tool_use_id: null,
      tool_use_result: {
        stdout: ATTACK,
        stderr: ATTACK,
        type: 'text',
        file: { content: ATTACK, numLines: 1, startLine: 1, totalLines: 1 },
        mode: 'content',
        content: ATTACK,
        filenames: [ATTACK],
        numFiles: 1,
        result: ATTACK,
        results: [{ content: [{ title: ATTACK, url: 'javascript:alert(1)', snippet: ATTACK }] }],
        newTodos: [{ content: ATTACK, status: 'pending' }],
        answers: { [ATTACK]: ATTACK },
        plan: ATTACK,
        tasks: [{ subject: ATTACK, status: 'pending' }],
      },
    });
  }
  take({ type: 'system', subtype: ATTACK, x: ATTACK });
  take({ type: 'system', subtype: 'informational', content: ATTACK, level: 'warning' });
  take({ type: 'assistant', error: ATTACK, message: { id: 'e', content: [{ type: 'text', text: ATTACK }] }, parent_tool_use_id: null });
  const host = await show(transcript);
  expect(host.querySelector('img, script, iframe')).toBeNull();
  for (const anchor of host.querySelectorAll('a')) expect(anchor.getAttribute('href')).toMatch(/^(https?:|mailto:|#\/|\/api\/blobs\/)/);
  host.remove();
});

test('a body stored on the server shows its beginning and is loaded on request', async () => {
  const transcript = new Transcript();
  const blob = { $blob: { hash: 'abc', bytes: 90_000, mime: 'text/plain', head: 'the beginning', tail: 'the end', lines: 2000 } };
  const whats = [
    {
      type: 'assistant',
      message: { id: 'm', content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'cat big' } }] },
      parent_tool_use_id: null,
    },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: blob }] },
      parent_tool_use_id: null,
      tool_use_result: { stdout: blob, stderr: '' },
    },
    {
      type: 'sluice_prompt',
      uuid: 'p',
      text: 'see',
      images: [{ hash: 'pic', bytes: 5, mime: 'image/png', head: null, tail: null, lines: null }],
      state: 'delivered',
      by: '',
      device: '',
    },
  ];
  transcript.apply(whats.map((what, i) => ({ sessionId: 's', epoch: 1, seq: i, at: i, turn: null, what: what as unknown as Rec['what'] })));
  const host = await show(transcript);
  expect(host.querySelector('.term')?.textContent).toContain('the beginning');
  expect(host.textContent).toContain('90 kB');
  expect(host.querySelector('.said img')?.getAttribute('src')).toBe('/api/blobs/pic');
  [...host.querySelectorAll('button')].find((button) => button.textContent === 'Load all')?.click();
  await new Promise((done) => setTimeout(done));
  expect(host.querySelector('.term')?.textContent).toContain('all of it, to the end');
  expect(host.textContent).not.toContain('90 kB');
  host.remove();
});

test('a fallback model is shown by its name, also if the agent does not report it', async () => {
  const transcript = new Transcript();
  transcript.apply([
    {
      sessionId: 's',
      epoch: 1,
      seq: 1,
      at: 1,
      turn: null,
      what: { type: 'system', subtype: 'model_fallback', original_model: 'claude-opus-5-5', fallback_model: 'claude-haiku-4-5' } as unknown as Rec['what'],
    },
  ]);
  const host = await show(transcript);
  expect(host.querySelector('.mark')?.textContent).toBe('Model changed from Opus 5.5 to Haiku 4.5.');
  host.remove();
});

const RECORDINGS = join(import.meta.dirname, '../../../../shared/wire/recordings');

test.skipIf(!existsSync(RECORDINGS))('every recording of the reference agent renders (skipped without ../shared)', { timeout: 60_000 }, async () => {
  let shown = 0;
  for (const version of readdirSync(RECORDINGS)) {
    for (const scenario of readdirSync(join(RECORDINGS, version))) {
      const file = join(RECORDINGS, version, scenario, 'stdout.ndjson');
      if (!existsSync(file)) continue;
      const transcript = new Transcript();
      let seq = 0;
      for (const line of readFileSync(file, 'utf8').split('\n')) {
        let what: unknown;
        try {
          what = JSON.parse(line);
        } catch {
          continue;
        }
        if (typeof what === 'object' && what !== null && !Array.isArray(what))
          transcript.apply([{ sessionId: 's', epoch: 1, seq: (seq += 1), at: seq * 1000, turn: null, what: what as Rec['what'] }]);
      }
      const host = await show(transcript);
      expect(host.querySelector('.call[class*=undefined]'), scenario).toBeNull();
      shown += 1;
      host.remove();
    }
  }
  expect(shown).toBeGreaterThan(100);
});
