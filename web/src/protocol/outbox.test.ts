// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from './commands';
import { MemoryChest, MemoryShelf } from './storage';
import { TestBridge, testClient } from './testing';

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(1_000_000);
});
afterEach(() => vi.useRealTimers());
/** Advances the time until `check` is true. */
const until = async (check: () => boolean) => {
  for (let n = 0; n < 200 && !check(); n += 1) await vi.advanceTimersByTimeAsync(100);
};
const settle = () => vi.advanceTimersByTimeAsync(1);

test('messages sent while offline are delivered once and in order', async () => {
  const bridge = new TestBridge();
  const { client, last } = testClient();
  client.connection.start();
  void client.outbox.keep({ sessionId: 's', text: 'one' });
  void client.outbox.keep({ sessionId: 's', text: 'two' });
  expect(client.outbox.of('s').map((entry) => [entry.text, entry.state])).toEqual([
    ['one', 'kept'],
    ['two', 'kept'],
  ]);
  bridge.take(last());
  last().welcome();
  await settle();
  expect(bridge.effects.filter((one) => one.type === 'input').map((one) => one.type === 'input' && one.text)).toEqual(['one', 'two']);
  expect(client.outbox.all()).toEqual([]);
});

test('messages survive a reload', async () => {
  const shelf = new MemoryShelf();
  const first = testClient({ shelf });
  void first.client.outbox.keep({ sessionId: 's', text: 'kept' });
  const bridge = new TestBridge();
  const second = testClient({ shelf });
  expect(second.client.outbox.of('s').map((entry) => entry.text)).toEqual(['kept']);
  second.client.connection.start();
  bridge.take(second.last());
  second.last().welcome();
  await settle();
  expect(bridge.effects.length).toBe(1);
  expect(testClient({ shelf }).client.outbox.all()).toEqual([]);
});

test('lost receipts never cause a message to be sent twice', async () => {
  const bridge = new TestBridge();
  const { client, last } = testClient();
  client.connection.start();
  const taken = client.outbox.keep({ sessionId: 's', text: 'once' });
  for (let n = 0; n < 5; n += 1) {
    bridge.take(last(), true);
    last().welcome();
    await settle();
    await until(() => !last().closed);
  }
  expect(client.outbox.of('s').length).toBe(1);
  bridge.take(last());
  last().welcome();
  await settle();
  expect(await taken).toBe(null);
  expect(bridge.effects.filter((one) => one.type === 'input').length).toBe(1);
});

test('a message stored in two tabs has one effect', async () => {
  const shelf = new MemoryShelf();
  const bridge = new TestBridge();
  const a = testClient({ shelf });
  void a.client.outbox.keep({ sessionId: 's', text: 'once' });
  const b = testClient({ shelf });
  for (const tab of [a, b]) {
    tab.client.connection.start();
    bridge.take(tab.last());
    tab.last().welcome();
  }
  await settle();
  expect(bridge.effects.length).toBe(1);
  expect(shelf.length === 0 || ![...Array(shelf.length).keys()].some((n) => shelf.key(n)?.startsWith('sluice.outbox.'))).toBe(true);
});

test('a refused message stays with its reason and is retried with another id', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const problem = client.outbox.keep({ sessionId: 's', text: 'hello' });
  await settle();
  const [input] = last().of('input');
  last().say({ type: 'receipt', id: input?.id, ok: false, error: { code: 'stopped', message: 'the agent is not running' } });
  expect((await problem)?.code).toBe('stopped');
  const [entry] = client.outbox.of('s');
  expect(entry?.state).toBe('failed');
  client.outbox.retry(entry?.id ?? '');
  await settle();
  const again = last().of('input')[1];
  expect(again?.id).not.toBe(input?.id);
  expect(again?.uuid).toBe(input?.uuid);
});

test('a message without a receipt is reported as unanswered, not as lost', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  void client.outbox.keep({ sessionId: 's', text: 'hello' });
  await settle();
  expect(client.outbox.of('s')[0]?.state).toBe('sent');
  expect(client.outbox.takeBack(client.outbox.of('s')[0]?.id ?? '')).toBe(null);
  for (let n = 0; n < 2; n += 1) {
    await vi.advanceTimersByTimeAsync(9_000);
    last().say({ type: 'ping', at: 1 });
  }
  expect(client.outbox.of('s')[0]?.state).toBe('unanswered');
});

test('stored messages can be edited and removed', () => {
  const { client } = testClient();
  void client.outbox.keep({ sessionId: 's', text: 'hello' });
  const id = client.outbox.of('s')[0]?.id ?? '';
  expect(client.outbox.edit(id, 'goodbye')).toBe(true);
  expect(client.outbox.takeBack(id)?.text).toBe('goodbye');
  expect(client.outbox.all()).toEqual([]);
});

test('pictures stored while offline are uploaded before the message is sent', async () => {
  const chest = new MemoryChest();
  const upload = vi.fn(async () => ({ hash: 'abc', mimeType: 'image/png' }));
  const { client, last } = testClient({ chest, upload });
  await client.drafts.putPicture('p1', new Blob(['x'], { type: 'image/png' }));
  client.connection.start();
  void client.outbox.keep({ sessionId: 's', text: 'look', pictures: ['p1'] });
  last().welcome();
  await settle();
  expect(last().of('input')[0]?.images).toEqual([{ hash: 'abc', mimeType: 'image/png' }]);
  expect(await client.drafts.getPicture('p1')).toBe(null);
});

test('a full storage is reported and the message is sent anyway', async () => {
  const bridge = new TestBridge();
  const { client, last } = testClient({ shelf: new MemoryShelf(10) });
  client.connection.start();
  void client.outbox.keep({ sessionId: 's', text: 'hello' });
  bridge.take(last());
  last().welcome();
  await settle();
  expect(bridge.effects.length).toBe(1);
});

test('a command without a receipt is sent again with the same id after a reconnect', async () => {
  const bridge = new TestBridge();
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const answer = client.commands.send({ type: 'rename', sessionId: 's', title: 'x' });
  last().cut();
  await vi.advanceTimersByTimeAsync(0);
  bridge.take(last());
  last().welcome();
  await settle();
  expect(await answer).toBe(null);
  expect(bridge.effects.length).toBe(1);
});

test('a command ends once, with an answer, a refusal or a timeout', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const refused = client.commands.send({ type: 'delete', sessionId: 's' });
  last().say({ type: 'receipt', id: last().of('delete')[0]?.id, ok: false, error: { code: 'scope', message: 'no', hint: 'ask' } });
  await expect(refused).rejects.toMatchObject({ code: 'scope', hint: 'ask' });
  const late = client.commands.send({ type: 'devices' }, { timeout: 1_000 });
  const seen = late.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await seen).toBeInstanceOf(Refusal);
  last().say({ type: 'receipt', id: last().of('devices')[0]?.id, ok: true, data: { devices: [] } });
  const wrong = client.commands.send({ type: 'status' });
  last().say({ type: 'error', code: 'field', message: 'bad', requestId: last().of('status')[0]?.id });
  await expect(wrong).rejects.toMatchObject({ code: 'field' });
  expect(client.commands.waiting).toBe(0);
});
