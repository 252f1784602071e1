// @vitest-environment node
// The client over real sockets against the fake bridge, with connections that are cut at random.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Item } from '../api/types';
import { Client } from './client';
import type { Wire } from './connection';
import { MemoryChest, MemoryShelf } from './storage';

// Not by name: vitest would resolve the browser version.
const need = createRequire(import.meta.url);
const { WebSocket } = need(join(dirname(need.resolve('ws/package.json')), 'index.js')) as typeof import('ws');

interface FakeSession {
  id: string;
  items: Item[];
  revision: number;
  state: { queue: { text: string }[] };
}
interface Fake {
  url: string;
  control: (body: object) => unknown;
  close: () => Promise<void>;
  bridge: { log: { type: string; text?: string }[]; sessions: Map<string, FakeSession> };
}
let fake: Fake;

beforeAll(async () => {
  const { startFake } = (await import(/* @vite-ignore */ new URL('../../test/fake-bridge.mjs', import.meta.url).href)) as {
    startFake: (options: object) => Promise<Fake>;
  };
  fake = await startFake({ port: 0 });
});
afterAll(() => fake.close());

const until = async (what: string, check: () => boolean) => {
  const end = Date.now() + 15_000;
  while (!check()) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
};

function connect(shelf = new MemoryShelf()): Client {
  const client = new Client({
    open: () => new WebSocket(`${fake.url.replace('http', 'ws')}/ws`) as unknown as Wire,
    client: 'test',
    random: () => 0,
    shelf,
    chest: new MemoryChest(),
    schedule: (flush) => queueMicrotask(flush),
  });
  // A socket that is cut while connecting also reports an error; only the close event matters.
  const open = client.connection['options'].open;
  client.connection['options'].open = () => {
    const wire = open();
    (wire as unknown as InstanceType<typeof WebSocket>).on('error', () => undefined);
    return wire;
  };
  client.connection.start();
  return client;
}

test('items and messages are neither lost nor duplicated, however often the connection breaks', async () => {
  fake.control({ do: 'reset' });
  let seed = 7;
  const random = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const client = connect();
  const ids = ['s-running', 's-idle', 's-agents'];
  /** The items as somebody has them who follows the changes. */
  const seen = new Map<string, Map<number, unknown>>();
  const stores = ids.map((id) => {
    const { store } = client.open(id);
    const all = new Map<number, unknown>();
    seen.set(id, all);
    store.changes.listen((change) => {
      if (change.reset) {
        all.clear();
        for (const one of store.items) all.set(one.id, one);
      }
      for (const one of [...change.items.values(), ...change.grown.values()]) all.set(one.id, one);
      for (const one of change.removed) all.delete(one);
    });
    return store;
  });
  await until('all are live', () => stores.every((store) => store.phase === 'live'));
  const sent: string[] = [];
  for (let step = 0; step < 150; step += 1) {
    const id = ids[Math.floor(random() * ids.length)] ?? 's-idle';
    const dice = random();
    if (dice < 0.3) fake.control({ do: 'add', sessionId: id, item: { body: { type: 'text', text: `step ${step}`, synthetic: false } } });
    else if (dice < 0.6) fake.control({ do: 'stream', sessionId: id, text: `words of step ${step}`, chunk: 4, every: 1 });
    else if (dice < 0.75) {
      const text = `message ${step}`;
      sent.push(text);
      void client.outbox.keep({ sessionId: 's-running', text });
    } else if (dice < 0.85) fake.control({ do: 'lose', receipts: 1 });
    else if (dice < 0.95) fake.control({ do: 'drop' });
    await new Promise((resolve) => {
      setTimeout(resolve, Math.floor(random() * 12));
    });
    // No delay between attempts: the more connections are cut, the better.
    client.connection.tryNow();
  }
  fake.control({ do: 'lose', receipts: 0 });
  client.connection.tryNow();
  const whole = (id: string) => fake.bridge.sessions.get(id)?.items ?? [];
  await until(
    'everything arrived',
    () =>
      client.outbox.all().length === 0 &&
      stores.every(
        (store) =>
          store.phase === 'live' &&
          whole(store.id).every((one) => one.status !== 'streaming') &&
          store.revision === fake.bridge.sessions.get(store.id)?.revision,
      ),
  );
  for (const store of stores) {
    const wanted = JSON.parse(JSON.stringify(whole(store.id).slice(-store.items.length))) as unknown;
    expect(store.items).toEqual(wanted);
    expect([...(seen.get(store.id)?.values() ?? [])]).toEqual(wanted);
  }
  expect(fake.bridge.log.filter((one) => one.type === 'input').map((one) => one.text)).toEqual(sent);
  client.connection.stop();
}, 30_000);

test('messages stored by a closed page are sent by the next one', async () => {
  fake.control({ do: 'reset' });
  fake.control({ do: 'offline', on: true });
  const shelf = new MemoryShelf();
  const first = connect(shelf);
  void first.outbox.keep({ sessionId: 's-running', text: 'from the page before' });
  first.connection.stop();
  fake.control({ do: 'offline', on: false });
  const second = connect(shelf);
  await until('sent', () => second.outbox.all().length === 0);
  expect(fake.bridge.log.filter((one) => one.type === 'input').map((one) => one.text)).toEqual(['from the page before']);
  second.connection.stop();
});
