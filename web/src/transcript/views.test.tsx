import { For } from 'solid-js';
import { render } from 'solid-js/web';
import { expect, test, vi } from 'vitest';
import type { CardBody, Item, ItemBody } from '../api/types';
import { cards } from '../gallery/cards';
import { allowed, make, Script } from '../gallery/Script';
import { session } from '../gallery/sessions';
import { Folds, FoldsProvider, Rows, Transcript, TranscriptServicesProvider, type TranscriptServices } from '.';
import { nameOf } from '../screens/models';
import './cards/bodies';
import { foldOf } from './services';
import { viewOf } from './StreamRows';

const services: TranscriptServices = {
  sessionId: 's',
  cwd: () => '/w/tidepool',
  highlight: () => Promise.reject(new Error('none')),
  diffOf: () => Promise.reject(new Error('none')),
  blobText: () => Promise.resolve('all of it, to the end'),
  blobUrl: (hash) => `/api/blobs/${hash}`,
  permalink: (item) => `#/s/s/${item}`,
  rawOf: () => Promise.resolve([{ type: ATTACK, [ATTACK]: [ATTACK] }]),
  modelName: (id) =>
    nameOf(id, [
      { value: 'opus', name: 'Opus' },
      { value: 'haiku', name: 'Haiku' },
    ]),
};

/** Renders items with every row open. */
async function show(items: readonly Item[]): Promise<HTMLElement> {
  const folds = new Folds();
  const transcript = new Transcript(items);
  const rows = new Rows().of(transcript);
  for (const row of rows) {
    const key = foldOf(row);
    if (key) folds.set(key, true);
  }
  for (const item of items) if (item.body.type === 'tool_call') folds.set(`call:${item.id}`, true);
  const host = document.createElement('div');
  document.body.append(host);
  render(
    () => (
      <TranscriptServicesProvider value={services}>
        <FoldsProvider value={folds}>
          <For each={rows}>{(row) => viewOf(row)}</For>
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
    const host = await show(script.items);
    expect(host.textContent, title).not.toMatch(ODD);
    expect(host.querySelectorAll('details, .mark').length, title).toBeGreaterThan(0);
    host.remove();
  }
});

test('a path inside the folder is shown relative to it', async () => {
  const host = await show(session(false).items);
  expect([...host.querySelectorAll('.call .path')].map((path) => path.textContent)).toContain('crates/pool/src/reaper.rs');
  host.remove();
});

const ATTACK = '<img src=x onerror="alert(1)">';

/** A value with every text replaced, except those with a fixed set of values. */
function hostile<T>(value: T, key = ''): T {
  const fixed = /^(type|kind|action|status|outcome|verb|edit|change|cause|level|reason|delivery|source|mimeType)$/.test(key);
  if (typeof value === 'string') return (fixed ? value : ATTACK) as T;
  if (Array.isArray(value)) return value.map((one) => hostile(one)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hostile(one, name)])) as T;
}

const LINE = { id: '1', subject: 'x', active: 'x', status: 'in_progress' as const, after: [] };
/** One body of each type. */
const BODIES: CardBody[] = [
  make.shell('x', { output: 'x', stderr: 'x', task: 'x' }).body,
  make.read('x', make.lines('x', 1)).body,
  make.read('x', { type: 'notebook', cells: [{ kind: 'markdown', run: 1, source: 'x' }] }).body,
  make.change('x', 'x', { edits: [{ old: 'x', new: 'y', all: false }] }).body,
  make.change('x', 'x', { content: 'x' }).body,
  make.notebook('x', { source: 'x', old: 'x' }).body,
  make.search('x', 'text', 'x', 'x', { lines: 'x:1:x' }).body,
  make.search('x', 'names', 'x', 'x', { names: ['x'] }).body,
  make.fetch('x', 'x', 'x').body,
  make.webSearch('x', [{ title: 'x', url: 'javascript:alert(1)' }]).body,
  make.agent('x', { prompt: 'x', report: 'x', kind: 'x' }).body,
  make.tasks({ list: [LINE], before: [LINE] }).body,
  make.question({ x: 'x' }).body,
  make.plan('# x').body,
  make.skill('x', 'x').body,
  { type: 'findings', findings: [{ file: 'x', line: 1, summary: 'x', scenario: 'x', confirmed: true }] },
  make.mcp('x', 'x', { x: 'x' }).body,
  make.generic('x', 'use', { x: ['x'] }).body,
];
const OTHERS: ItemBody[] = [
  { type: 'command', name: 'x', arguments: 'x', output: 'x', failed: false },
  { type: 'compaction', manual: false, before: 2, after: 1, duration: null, summary: 'x', error: null },
  { type: 'error', kind: 'x', text: 'x', status: null, retries: 1 },
  { type: 'hook', name: 'x', event: 'x', outcome: 'failed', exitCode: 1, output: 'x' },
  { type: 'model_change', from: 'x', to: 'x', reason: 'chosen', text: '' },
  { type: 'notice', kind: 'message', level: 'warning', text: 'x', call: null },
  { type: 'process', change: 'exited', exit: { code: 1, signal: null }, cause: 'crashed', reason: 'x', stderr: ['x'] },
  { type: 'request', from: 'x', permission: { ...allowed, message: 'x' } },
  { type: 'task_end', task: 'x', call: null, outcome: 'failed', subject: 'x', summary: 'x', output: 'x' },
  { type: 'unknown', rawType: 'x' },
];

test('text of agents and tools never becomes an element', async () => {
  const script = new Script();
  script.prompt(ATTACK, ATTACK).say(ATTACK).think(ATTACK);
  for (const body of BODIES) {
    const card = { title: 'x', verb: 'use' as const, subject: { type: 'phrase' as const, value: 'x' }, body };
    for (const status of ['done', 'failed', 'denied', 'streaming'] as const) script.call({ card, status, result: ATTACK, over: { permission: allowed } });
  }
  for (const body of OTHERS) script.item(body);
  const host = await show(script.items.map((item) => ({ ...item, body: hostile(item.body) })));
  expect(host.textContent?.split(ATTACK).length).toBeGreaterThan(100);
  expect(host.querySelector('img, script, iframe')).toBeNull();
  for (const anchor of host.querySelectorAll('a')) expect(anchor.getAttribute('href')).toMatch(/^(https?:|mailto:|#\/|\/api\/blobs\/)/);
  host.remove();
});

test('a body stored on the server shows its beginning and is loaded on request', async () => {
  const blob = { $blob: { hash: 'abc', bytes: 90_000, mime: 'text/plain', head: 'the beginning', tail: 'the end', lines: 2000 } };
  const script = new Script();
  script.prompt('see').call({ card: make.shell('cat big', { output: blob }) });
  const [prompt] = script.items;
  if (prompt?.body.type === 'prompt') prompt.body.images = [{ mimeType: 'image/png', data: { $blob: { hash: 'pic', bytes: 5, mime: 'image/png' } } }];
  const host = await show(script.items);
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
  const change: ItemBody = { type: 'model_change', from: 'claude-opus-5-5', to: 'claude-haiku-4-5', reason: 'unavailable', text: '' };
  const host = await show(new Script().item(change).items);
  expect(host.querySelector('.mark')?.textContent).toBe('Model changed from Opus 5.5 to Haiku 4.5.');
  host.remove();
});

test('a message of an unknown kind shows the lines behind it', async () => {
  const host = await show(new Script().item({ type: 'unknown', rawType: 'system/brand_new' }).items);
  const row = host.querySelector('details');
  row?.setAttribute('open', '');
  row?.dispatchEvent(new Event('toggle'));
  await vi.waitFor(() => expect(host.querySelector('.json')?.textContent).toContain(ATTACK));
  host.remove();
});

test('a retry that ends in an error becomes the row of the error', async () => {
  const script = new Script();
  script.prompt('go').item({ type: 'retry', error: 'overloaded', status: 529, attempt: 2, max: 10, next: Date.now() + 60_000 }, { status: 'running' });
  const transcript = new Transcript(script.items);
  const [, row] = new Rows().of(transcript);
  const host = document.createElement('div');
  render(() => <TranscriptServicesProvider value={services}>{row && viewOf(row)}</TranscriptServicesProvider>, host);
  expect(host.textContent).toContain('attempt 2 of 10');
  const retry = script.items[1] as Item;
  transcript.apply([{ ...retry, status: 'failed', body: { type: 'error', kind: 'overloaded', text: '', status: 529, retries: 10 } }]);
  expect(host.textContent).toBe('The model is overloaded. Retried 10 times.');
});
