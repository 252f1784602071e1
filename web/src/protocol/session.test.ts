// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Record } from '../api/types';
import { GAP_TIMEOUT, FINAL_GAP_TIMEOUT, MAX_RECORDS, SessionStore, type Change } from './session';
import { record, testClient } from './testing';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const store = (lost: (one: SessionStore) => void = () => undefined) => {
  const flushes: (() => void)[] = [];
  const one = new SessionStore('s', (flush) => flushes.push(flush), lost);
  const changes: Change[] = [];
  one.changes.listen((change) => changes.push(change));
  return {
    one,
    told: changes,
    frame: () => {
      for (const flush of flushes.splice(0)) flush();
    },
  };
};
const seqs = (one: SessionStore) => one.records.map((r) => r.seq);

/** A seeded generator, so that a failure can be reproduced. */
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

test('records arrive once and in order, whatever the order of frames', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = random(seed);
    const { one, told, frame } = store();
    one.applySnapshot(
      { epoch: 1, seq: 10 },
      Array.from({ length: 10 }, (_, n) => record(n + 1)),
      false,
    );
    const frames: Record[] = [];
    for (let seq = 5; seq <= 60; seq += 1) for (let copies = 1 + Math.floor(next() * 3); copies > 0; copies -= 1) frames.push(record(seq));
    for (let n = 0; n < frames.length; n += 1) {
      const m = Math.min(frames.length - 1, n + Math.floor(next() * 12));
      const a = frames[n];
      const b = frames[m];
      if (a && b) {
        frames[n] = b;
        frames[m] = a;
      }
    }
    for (const one_ of frames) {
      one.applyRecord(one_);
      if (next() < 0.2) frame();
    }
    frame();
    expect(seqs(one), `seed ${seed}`).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    const applied = told.flatMap((change) => change.appended.map((r) => r.seq));
    expect(applied, `seed ${seed}`).toEqual(Array.from({ length: 50 }, (_, n) => n + 11));
  }
});

test('a gap is requested again, and the records behind it follow', () => {
  const lost = vi.fn();
  const { one } = store(lost);
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  one.applyRecord(record(1));
  one.applyRecord(record(3));
  expect(lost).not.toHaveBeenCalled();
  vi.advanceTimersByTime(GAP_TIMEOUT);
  expect(lost).toHaveBeenCalledTimes(1);
  expect(one.cursor).toEqual({ epoch: 1, seq: 1 });
  one.applyRecord(record(2));
  expect(seqs(one)).toEqual([1, 2, 3]);
});

test('missed records are accepted before and after caught_up', () => {
  for (const order of ['before', 'after']) {
    const { one } = store();
    one.applySnapshot({ epoch: 1, seq: 1 }, [record(1)], false);
    one.cut();
    one.asked();
    if (order === 'after') one.applyCaughtUp('ok', { epoch: 1, seq: 3 });
    if (order === 'after') expect(one.phase).toBe('catching');
    one.applyRecord(record(2));
    one.applyRecord(record(3));
    if (order === 'before') one.applyCaughtUp('ok', { epoch: 1, seq: 3 });
    expect([order, seqs(one), one.phase]).toEqual([order, [1, 2, 3], 'live']);
  }
});

test('an unused sequence number is requested once, then skipped', () => {
  const lost = vi.fn();
  const { one } = store(lost);
  one.applySnapshot({ epoch: 1, seq: 1 }, [record(1)], false);
  one.applyRecord(record(3));
  one.applyRecord(record(4));
  vi.advanceTimersByTime(GAP_TIMEOUT);
  expect([lost.mock.calls.length, seqs(one)]).toEqual([1, [1]]);
  one.applyCaughtUp('ok', { epoch: 1, seq: 4 });
  one.applyRecord(record(3));
  vi.advanceTimersByTime(FINAL_GAP_TIMEOUT);
  expect([lost.mock.calls.length, seqs(one)]).toEqual([1, [1, 3, 4]]);
  one.applyRecord(record(5));
  expect(seqs(one)).toEqual([1, 3, 4, 5]);
});

test('another epoch replaces everything', () => {
  const lost = vi.fn();
  const { one, told, frame } = store(lost);
  one.applySnapshot({ epoch: 1, seq: 3 }, [record(1), record(2), record(3)], false);
  frame();
  one.applyRecord(record(2, undefined, { epoch: 2 }));
  expect(lost).toHaveBeenCalledTimes(1);
  one.applySnapshot({ epoch: 2, seq: 2 }, [record(1, undefined, { epoch: 2 }), record(2, undefined, { epoch: 2 })], false);
  one.applyRecord(record(4));
  frame();
  expect(one.records.map((r) => [r.epoch, r.seq])).toEqual([
    [2, 1],
    [2, 2],
  ]);
  expect(told.at(-1)?.reset).toBe(true);
});

test('deltas are published once per frame and only for their block', () => {
  const { one, told, frame } = store();
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  one.applyBlock({ s: 1, b: 1, message: 'm', parent: null, index: 0, kind: 'text', id: null, name: null, text: 'He' });
  frame();
  told.length = 0;
  for (const text of ['l', 'l', 'o']) one.applyDelta(1, text);
  one.applyDelta(9, 'unknown');
  frame();
  expect(told.length).toBe(1);
  expect([...(told[0]?.grown ?? [])].map((draft) => draft.text)).toEqual(['Hello']);
  expect(one.pulse).toBe(1);
});

const assistantMessage = (message: string, content: object[], parent: string | null = null) => ({
  type: 'assistant',
  parent_tool_use_id: parent,
  message: { id: message, content },
});
const block = (b: number, over: object = {}) => ({ s: 1, b, message: 'm', parent: null, index: 0, kind: 'text', id: null, name: null, text: 'x', ...over });

test('a record replaces its own draft, not the next one', () => {
  const { one } = store();
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  one.applyBlock(block(1, { kind: 'thinking' }));
  one.applyBlock(block(2, { index: 1 }));
  one.applyBlock(block(3, { message: 'n', parent: 'agent' }));
  one.applyRecord(record(1, assistantMessage('m', [{ type: 'thinking', thinking: 'x' }])));
  expect(one.drafts.map((draft) => draft.key)).toEqual([2, 3]);
  one.applyRecord(record(2, assistantMessage('m', [{ type: 'text', text: 'x' }])));
  expect(one.drafts.map((draft) => draft.key)).toEqual([3]);
  one.applyVoid('agent');
  expect(one.drafts).toEqual([]);
});

test('a call is replaced by its id', () => {
  const { one } = store();
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  one.applyBlock(block(1, { kind: 'call', id: 'a' }));
  one.applyBlock(block(2, { kind: 'call', id: 'b', index: 1 }));
  one.applyRecord(record(1, assistantMessage('m', [{ type: 'tool_use', id: 'a' }])));
  expect(one.drafts.map((draft) => draft.id)).toEqual(['b']);
});

test('old turns are dropped from memory and can be loaded again', () => {
  const { one, frame } = store();
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  for (let seq = 1; seq <= MAX_RECORDS + 1; seq += 1) one.applyRecord(record(seq, undefined, { turn: Math.ceil(seq / 10) }));
  frame();
  expect(one.records.length).toBeLessThan(MAX_RECORDS);
  const first = one.records[0]?.seq ?? 0;
  expect(first % 10).toBe(1);
  expect(one.more).toBe(true);
  one.applyHistory(
    Array.from({ length: first + 5 }, (_, n) => record(n + 1)),
    false,
  );
  expect(seqs(one)).toEqual(Array.from({ length: MAX_RECORDS + 1 }, (_, n) => n + 1));
});

test('nothing is dropped while the user reads above', () => {
  const { one } = store();
  one.applySnapshot({ epoch: 1, seq: 0 }, [], false);
  one.setReading(true);
  for (let seq = 1; seq <= MAX_RECORDS + 50; seq += 1) one.applyRecord(record(seq, undefined, { turn: seq }));
  expect(one.records.length).toBe(MAX_RECORDS + 50);
  one.setReading(false);
  expect(one.records.length).toBeLessThan(MAX_RECORDS);
});

test('a warm session is resumed with its cursor in the hello', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  client.open('s');
  await vi.advanceTimersByTimeAsync(1);
  expect(last().of('subscribe')[0]).toMatchObject({ sessionId: 's', cursor: null });
  last().say({ type: 'caught_up', sessionId: 's', s: 1, verdict: 'gap', cursor: { epoch: 1, seq: 2 } });
  last().say({ type: 'snapshot', sessionId: 's', s: 1, cursor: { epoch: 1, seq: 2 }, records: [record(1), record(2)], more: false });
  last().say({ type: 'record', ...record(3) });
  last().cut();
  await vi.advanceTimersByTimeAsync(3_600_000);
  last().open();
  expect(last().sent[0]).toMatchObject({ type: 'hello', cursors: { s: { epoch: 1, seq: 3 } } });
  last().welcome();
  last().say({ type: 'record', ...record(4) });
  last().say({ type: 'caught_up', sessionId: 's', s: 1, verdict: 'ok', cursor: { epoch: 1, seq: 4 } });
  await vi.advanceTimersByTimeAsync(1);
  expect(seqs(client.open('s').store)).toEqual([1, 2, 3, 4]);
  expect(last().of('subscribe')).toEqual([]);
});

test('the cached state is shown before the bridge answers', async () => {
  const first = testClient();
  first.client.connection.start();
  first.last().welcome();
  first.client.open('s');
  await vi.advanceTimersByTimeAsync(1);
  first.last().say({ type: 'snapshot', sessionId: 's', s: 1, cursor: { epoch: 1, seq: 2 }, records: [record(1), record(2)], more: true });
  await first.client.cache.flush();
  const chest = (first.client.cache as unknown as { chest: never }).chest;
  const second = testClient({ chest, shelf: first.client.shelf });
  second.client.connection.start();
  const { store: again, ready } = second.client.open('s');
  await ready;
  expect(seqs(again)).toEqual([1, 2]);
  expect([again.phase, again.more]).toEqual(['kept', true]);
  second.last().welcome();
  await vi.advanceTimersByTimeAsync(1);
  const records = [
    ...second
      .last()
      .of('hello')
      .map((hello) => hello.cursors?.['s']),
    ...second
      .last()
      .of('subscribe')
      .map((one) => one.cursor),
  ];
  expect(records).toContainEqual({ epoch: 1, seq: 2 });
});

test('a session subscribed by the early connection is not subscribed again', async () => {
  const { client, last } = testClient();
  client.connection.start();
  client.begun('theirs', 'first-1');
  last().welcome();
  const moved: unknown[] = [];
  client.moved.listen((to) => moved.push(to));
  const { store } = client.open('theirs');
  last().say({ type: 'snapshot', sessionId: 'theirs', s: 1, cursor: { epoch: 1, seq: 2 }, records: [record(1), record(2)], more: true });
  last().say({ type: 'receipt', id: 'first-1', ok: true, data: { sessionId: 'ours' }, error: null });
  await vi.advanceTimersByTimeAsync(1);
  expect(seqs(store)).toEqual([1, 2]);
  expect(last().of('subscribe')).toEqual([]);
  expect(moved).toEqual([{ from: 'theirs', to: 'ours' }]);
  last().cut();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(last().of('hello')).toEqual([]);
  last().welcome();
  await vi.advanceTimersByTimeAsync(1);
  expect([
    ...last()
      .of('hello')
      .flatMap((hello) => Object.keys(hello.cursors ?? {})),
    ...last()
      .of('subscribe')
      .map((one) => one.sessionId),
  ]).toContain('theirs');
});

test('only the most recently used sessions stay subscribed', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  for (let n = 0; n < 10; n += 1) {
    const { close } = client.open(`s${n}`);
    await vi.advanceTimersByTimeAsync(1);
    close();
  }
  expect(
    last()
      .of('unsubscribe')
      .map((one) => one.sessionId),
  ).toEqual(['s0', 's1', 's2', 's3', 's4', 's5']);
});

test('a session the bridge does not know is gone', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const { store: one } = client.open('s');
  await vi.advanceTimersByTimeAsync(1);
  last().say({ type: 'receipt', id: last().of('subscribe')[0]?.id, ok: false, error: { code: 'session', message: 'no such session' } });
  await vi.advanceTimersByTimeAsync(1);
  expect(one.phase).toBe('gone');
});
