// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CaughtUp, Item } from '../api/types';
import { MAX_ITEMS, SessionStore, type Change } from './session';
import { item, testClient } from './testing';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const store = () => {
  const flushes: (() => void)[] = [];
  const one = new SessionStore('s', (flush) => flushes.push(flush));
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
const ids = (one: SessionStore) => one.items.map((it) => it.id);
const missed = (items: Item[], over: Partial<CaughtUp> = {}) => ({
  items,
  removed: [],
  revision: items.at(-1)?.revision ?? 0,
  reset: true,
  more: false,
  ...over,
});
const text = (one: SessionStore, id: number) => (one.item(id)?.body as { text?: string } | undefined)?.text;
const streaming = (id: number, words: string) => item(id, { type: 'text', text: words, synthetic: false }, { status: 'streaming' });

/** A seeded generator, so that a failure can be reproduced. */
const random = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

/** A session at the bridge: items by id, each change with a new revision. */
class Source {
  revision = 0;
  readonly items = new Map<number, Item>();
  readonly removed = new Map<number, number>();
  private last = 0;

  change(next: () => number): { items: Item[]; removed: number[] } {
    this.revision += 1;
    const known = [...this.items.keys()];
    const one = known[Math.floor(next() * known.length)];
    if (one !== undefined && next() < 0.15) {
      this.items.delete(one);
      this.removed.set(one, this.revision);
      return { items: [], removed: [one] };
    }
    const id = one !== undefined && next() < 0.5 ? one : (this.last += 1);
    const made = item(id, { type: 'text', text: `revision ${this.revision}`, synthetic: false }, { revision: this.revision });
    this.items.set(id, made);
    return { items: [made], removed: [] };
  }

  since(revision: number): ReturnType<typeof missed> {
    const items = [...this.items.values()].filter((one) => one.revision > revision);
    const removed = [...this.removed].filter(([, at]) => at > revision).map(([id]) => id);
    return { items, removed, revision: this.revision, reset: false, more: false };
  }
}

test('a client has the items of the bridge, however often the connection breaks', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = random(seed);
    const source = new Source();
    const { one, told, frame } = store();
    const shown = new Map<number, Item>();
    one.applyCaughtUp({ ...source.since(0), reset: true });
    let up = true;
    for (let step = 0; step < 60; step += 1) {
      const change = source.change(next);
      if (up) one.applyItems(change.items, change.removed, source.revision);
      if (next() < 0.1) {
        if (up) one.cut();
        else one.applyCaughtUp(source.since(one.revision ?? 0));
        up = !up;
      }
      if (next() < 0.3) frame();
    }
    if (!up) one.applyCaughtUp(source.since(one.revision ?? 0));
    frame();
    const wanted = [...source.items.values()].sort((a, b) => a.id - b.id);
    expect(one.items, `seed ${seed}`).toEqual(wanted);
    // Whoever follows the changes has the same.
    for (const change of told) {
      if (change.reset) shown.clear();
      for (const [id, it] of change.items) shown.set(id, it);
      for (const id of change.removed) shown.delete(id);
    }
    expect(
      [...shown.values()].sort((a, b) => a.id - b.id),
      `seed ${seed}`,
    ).toEqual(wanted);
  }
});

test('what caught_up contains is not applied twice', () => {
  const { one } = store();
  one.applyCaughtUp(missed([item(1), item(2)]));
  one.applyItems([item(1, { type: 'text', text: 'older', synthetic: false })], [], 2);
  expect(text(one, 1)).toBe('text 1');
});

test('a reset replaces everything', () => {
  const { one, told, frame } = store();
  one.applyCaughtUp(missed([item(1), item(2), item(3)]));
  frame();
  one.applyCaughtUp(missed([item(7)], { more: true }));
  frame();
  expect([ids(one), one.more, one.revision, told.at(-1)?.reset]).toEqual([[7], true, 7, true]);
});

test('deltas are published once per frame and only for their item', () => {
  const { one, told, frame } = store();
  one.applyCaughtUp(missed([streaming(1, 'He')]));
  frame();
  told.length = 0;
  for (const more of ['l', 'l', 'o']) one.applyDelta(1, 'text', more);
  one.applyDelta(9, 'text', 'unknown');
  frame();
  expect(told.length).toBe(1);
  expect([...(told[0]?.grown.values() ?? [])].map((it) => it.body)).toMatchObject([{ text: 'Hello' }]);
  expect([told[0]?.items.size, one.items.map((it) => it.body), one.pulse]).toMatchObject([0, [{ text: 'Hello' }], 1]);
});

test('an item replaces its streamed text, and its revision is not that of the deltas', () => {
  const { one } = store();
  one.applyCaughtUp(missed([streaming(1, 'Hel')]));
  one.applyDelta(1, 'text', 'lo');
  one.applyItems([item(1, { type: 'text', text: 'Hello there', synthetic: false }, { revision: 2 })], [], 2);
  expect([text(one, 1), one.revision]).toEqual(['Hello there', 2]);
});

test('an item of a turn that is not loaded is ignored', () => {
  const { one } = store();
  one.applyCaughtUp(missed([item(10), item(11)], { more: true }));
  one.applyItems([item(4, undefined, { revision: 12 }), item(12)], [], 12);
  expect(ids(one)).toEqual([10, 11, 12]);
  one.applyHistory([item(4), item(9)], false);
  expect([ids(one), one.more]).toEqual([[4, 9, 10, 11, 12], false]);
});

test('old turns are dropped from memory and can be loaded again', () => {
  const { one, frame } = store();
  one.applyCaughtUp(missed([]));
  // Every fifth item is that of a subagent, which belongs to no turn.
  const all = Array.from({ length: MAX_ITEMS + 1 }, (_, n) => item(n + 1, undefined, { turn: n % 5 === 4 ? null : Math.ceil((n + 1) / 10) }));
  one.applyItems(all, [], all.length);
  frame();
  expect(one.items.length).toBeLessThan(MAX_ITEMS);
  const first = one.items[0]?.id ?? 0;
  expect(first % 10).toBe(1);
  expect((one.snapshot()?.items[0]?.id ?? 0) % 10).toBe(1);
  expect(one.more).toBe(true);
  one.applyHistory(all.slice(0, first + 5), false);
  expect(ids(one)).toEqual(all.map((it) => it.id));
});

test('nothing is dropped while the user reads above', () => {
  const { one } = store();
  one.applyCaughtUp(missed([]));
  one.setReading(true);
  const all = Array.from({ length: MAX_ITEMS + 50 }, (_, n) => item(n + 1, undefined, { turn: n }));
  one.applyItems(all, [], all.length);
  expect(one.items.length).toBe(MAX_ITEMS + 50);
  one.setReading(false);
  expect(one.items.length).toBeLessThan(MAX_ITEMS);
});

const caughtUp = (items: Item[], over: object = {}) => ({ type: 'caught_up', sessionId: 's', s: 1, ...missed(items), ...over });

test('a warm session is resumed with its revision in the hello', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  client.open('s');
  await vi.advanceTimersByTimeAsync(1);
  expect(last().of('subscribe')[0]).toMatchObject({ sessionId: 's', revision: null });
  last().say(caughtUp([item(1), item(2)]));
  last().say({ type: 'items', s: 1, revision: 3, items: [item(3)], removed: [] });
  last().cut();
  await vi.advanceTimersByTimeAsync(3_600_000);
  last().open();
  expect(last().sent[0]).toMatchObject({ type: 'hello', revisions: { s: 3 } });
  last().welcome();
  last().say(caughtUp([item(4)], { s: 7, reset: false }));
  last().say({ type: 'items', s: 7, revision: 5, items: [item(5)], removed: [] });
  await vi.advanceTimersByTimeAsync(1);
  expect(ids(client.open('s').store)).toEqual([1, 2, 3, 4, 5]);
  expect(last().of('subscribe')).toEqual([]);
});

test('the cached state is shown before the bridge answers', async () => {
  const first = testClient();
  first.client.connection.start();
  first.last().welcome();
  first.client.open('s');
  await vi.advanceTimersByTimeAsync(1);
  first.last().say(caughtUp([item(1), item(2)], { more: true }));
  await first.client.cache.flush();
  const chest = (first.client.cache as unknown as { chest: never }).chest;
  const second = testClient({ chest, shelf: first.client.shelf });
  second.client.connection.start();
  const { store: again, ready } = second.client.open('s');
  await ready;
  expect(ids(again)).toEqual([1, 2]);
  expect([again.phase, again.more]).toEqual(['kept', true]);
  second.last().welcome();
  await vi.advanceTimersByTimeAsync(1);
  const revisions = [
    ...second
      .last()
      .of('hello')
      .map((hello) => hello.revisions?.['s']),
    ...second
      .last()
      .of('subscribe')
      .map((one) => one.revision),
  ];
  expect(revisions).toContain(2);
});

test('a session subscribed by the early connection is not subscribed again', async () => {
  const { client, last } = testClient();
  client.connection.start();
  client.begun('theirs', 'first-1');
  last().welcome();
  const moved: unknown[] = [];
  client.moved.listen((to) => moved.push(to));
  const { store } = client.open('theirs');
  last().say(caughtUp([item(1), item(2)], { sessionId: 'theirs', more: true }));
  last().say({ type: 'receipt', id: 'first-1', ok: true, data: { sessionId: 'ours' }, error: null });
  await vi.advanceTimersByTimeAsync(1);
  expect(ids(store)).toEqual([1, 2]);
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
      .flatMap((hello) => Object.keys(hello.revisions ?? {})),
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
