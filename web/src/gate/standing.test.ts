// @vitest-environment node
import { afterEach, expect, test } from 'vitest';
import type { AskInfo } from '../api/types';
import { make } from '../gallery/Script';
import { info, state } from '../protocol/testing';
import { setLocale } from '../text';
import { askWords, standingOf, toolWords, windowTitle } from './standing';

const now = new Date(2026, 10, 15, 14, 31, 0).getTime();
const up = { phase: 'up', since: 0 } as const;
const of = (over: Parameters<typeof info>[0], more: Partial<Parameters<typeof standingOf>[1]> = {}) =>
  standingOf(info({ since: now - 42_000, lastActivityAt: now - 42_000, ...over }), { now, line: up, ...more });
const ask = (over: Partial<AskInfo> = {}): AskInfo => ({
  ask: 'a',
  kind: 'tool',
  toolName: 'Edit',
  toolUseId: 't',
  agent: null,
  at: now - 42_000,
  request: {},
  card: null,
  item: null,
  ...over,
});

afterEach(() => setLocale('en'));

test('each state has its glyph, text, style and group', () => {
  const rows = [
    of({}),
    of({ finishedAt: now }, { unread: true }),
    of({ standing: 'starting' }),
    of({ standing: 'running', about: 'Bash', lastSign: now - 3_000 }),
    of({ standing: 'waiting', about: 'Edit', pendingAsks: 1 }),
    of({ standing: 'stalled', about: 'cargo test', lastSign: now - 130_000 }),
    of({ standing: 'stopping' }),
    of({ standing: 'crashed' }),
    of({ standing: 'external' }),
    of({ standing: 'lost' }),
  ].map((one) => [one.name, one.shape, one.word, one.ground, one.group]);
  expect(rows).toEqual([
    ['idle', 'idle', 'Idle', 'neutral', 'idle'],
    ['unread', 'unread', 'Finished, unread', 'neutral', 'idle'],
    ['starting', 'starting', 'Starting', 'neutral', 'running'],
    ['running', 'flow', 'Running', 'run', 'running'],
    ['waiting', 'down', 'Permission needed: Edit', 'warn', 'needs'],
    ['stalled', 'still', 'No activity for 2 m 10 s', 'warn', 'running'],
    ['stopping', 'still', 'Stopping', 'neutral', 'running'],
    ['crashed', 'broken', 'Agent exited', 'bad', 'needs'],
    ['external', 'dots', 'Created in a terminal', 'neutral', 'idle'],
    ['lost', 'broken', 'Unreachable', 'bad', 'needs'],
  ]);
});

test('a running session shows the age of its last activity', () => {
  const running = (at: number) => standingOf(info({ standing: 'running', about: 'Edit', lastSign: now - 1_000 }), { now: now + at, line: up });
  expect([0, 1_000, 9_000, 71_000].map((at) => running(at).evidence)).toEqual([
    'last activity 1 s ago',
    'last activity 2 s ago',
    'last activity 10 s ago',
    'last activity 1 m 12 s ago',
  ]);
  expect(running(2_000).short).toBe('Edit · 3 s ago');
});

test('the block being streamed is shown instead of the tool', () => {
  expect(of({ standing: 'running', about: 'Bash', lastSign: now }, { writing: 'thinking' })).toMatchObject({ word: 'Thinking', about: null });
  expect(of({ standing: 'running', about: 'Bash', lastSign: now }, { writing: 'text' }).word).toBe('Writing');
});

test('a running call is shown by its command, or by its name and subject', () => {
  expect(of({ standing: 'running', about: 'Bash', lastSign: now }, { target: 'cargo test' })).toMatchObject({ about: 'cargo test', short: 'Bash · 0 s ago' });
  expect(of({ standing: 'running', about: 'Edit', lastSign: now }, { target: 'Edit · src/a.rs' }).about).toBe('Edit · src/a.rs');
  expect(of({ standing: 'stalled', about: 'Bash', lastSign: now }, { target: 'cargo test' }).about).toBe('cargo test');
  expect(of({ standing: 'running', about: 'mcp__postgres__query', lastSign: now }).about).toBe('postgres › query');
});

test('the session list shows the kind of the pending request', () => {
  const brief = { ask: { kind: 'elicitation', toolName: 'postgres', at: now - 5_000 } } as object;
  expect(of({ standing: 'waiting', about: 'postgres', pendingAsks: 1, ...brief })).toMatchObject({ word: 'Input needed: postgres', evidence: '5 s' });
});

test('a retry counts down, a limit shows when it ends', () => {
  const retrying = (over: object) =>
    of(
      { standing: 'retrying' },
      {
        state: state({
          info: info({ standing: 'retrying' }),
          retry: { attempt: 2, max: 10, until: now + 3_200, error: 'overloaded_error', status: 529, ...over },
        }),
      },
    );
  expect(retrying({})).toMatchObject({ name: 'retrying', about: 'overloaded (529)', evidence: 'next try in 4 s, attempt 2 of 10', ground: 'warn' });
  expect(retrying({ until: now - 5 }).evidence).toBe('retrying now, attempt 2 of 10');
  expect(retrying({ status: 429, error: 'rate_limit', until: now + 2_460_000 })).toMatchObject({ name: 'limited', word: 'Rate limit', short: 'Resets 15:12' });
});

test('a request is described by its kind', () => {
  expect(askWords(ask({ toolName: 'mcp__postgres__query' }))).toBe('Permission needed: postgres › query');
  expect(askWords(ask({ card: make.mcp('postgres', 'query', {}) }))).toBe('Permission needed: postgres › query');
  expect(askWords(ask({ kind: 'question', card: make.question({ a: '', b: '' }) }))).toBe('2 questions for you');
  expect(askWords(ask({ kind: 'plan' }))).toBe('Plan ready for review');
  expect(askWords(ask({ kind: 'elicitation', toolName: 'postgres' }))).toBe('Input needed: postgres');
  expect(of({ standing: 'waiting', pendingAsks: 1, ask: { ...ask({ kind: 'question' }), about: '', whole: false } }).word).toBe('1 question for you');
  expect(of({}, { state: state({ asks: [ask()] }) })).toMatchObject({ name: 'waiting', evidence: '42 s', title: 'Permission needed: Edit' });
  expect(toolWords('Bash')).toBe('Bash');
});

test('while disconnected every session shows its last known status', () => {
  const lost = { phase: 'lost', since: now - 14_000 } as const;
  const was = (standing: 'running' | 'waiting' | 'idle' | 'stalled') => of({ standing, about: 'Edit' }, { line: lost });
  expect(was('running')).toMatchObject({ word: 'Was running at 14:30', shape: 'dots', known: false, title: null, ground: 'off' });
  expect(was('waiting')).toMatchObject({ word: 'Was waiting for you at 14:30', group: 'needs' });
  expect(was('idle').word).toBe('Was idle at 14:30');
  // The first two seconds of a lost connection are not reported.
  expect(of({ standing: 'running', lastSign: now }, { line: { phase: 'connecting', since: now } }).word).toBe('Running');
});

test('catching up shows its progress', () => {
  expect(of({ standing: 'running' }, { catching: { have: 1_204, of: 3_877 } })).toMatchObject({
    name: 'catching',
    evidence: '1\u202f204 of 3\u202f877 records',
    ground: 'off',
  });
});

test('the window title counts the sessions that need the user', () => {
  const edit = of({ standing: 'waiting', about: 'Edit', pendingAsks: 1 });
  expect(windowTitle('Sluice', [edit, of({ standing: 'crashed' })])).toBe('(2) Permission needed: Edit · Sluice');
  expect(windowTitle('Sluice', [])).toBe('Sluice');
});

test('statuses are translated to German', async () => {
  await setLocale('de');
  expect(of({ standing: 'waiting', about: 'Edit', pendingAsks: 1 }).word).toBe('Berechtigung nötig: Edit');
});
