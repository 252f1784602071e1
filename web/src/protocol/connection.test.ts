// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testClient, welcome, type TestWire } from './testing';

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(1_000_000);
});
afterEach(() => vi.useRealTimers());

const phases = (client: ReturnType<typeof testClient>['client']) => {
  const seen: string[] = [];
  client.connection.line.listen((line) => {
    if (seen.at(-1) !== line.phase) seen.push(line.phase);
  });
  return seen;
};

test('a connection is up after the welcome message', () => {
  const { client, last } = testClient();
  client.connection.start();
  expect(client.connection.line.value.phase).toBe('connecting');
  last().open();
  expect(last().sent[0]).toMatchObject({ type: 'hello', version: 2, revisions: {} });
  expect(client.connection.up).toBe(false);
  last().welcome({ now: 1_000_500 });
  expect(client.connection.line.value.phase).toBe('up');
  expect(client.connection.now()).toBe(1_000_500);
});

test('an interruption of less than two seconds is not reported', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  last().welcome();
  const seen = phases(client);
  last().cut();
  vi.advanceTimersByTime(1_900);
  expect(wires.length).toBe(2);
  last().welcome();
  vi.advanceTimersByTime(10_000);
  expect(seen).toEqual(['connecting', 'up']);
});

test('a lost connection reports since when, the number of attempts and the next one', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  vi.advanceTimersByTime(5_000);
  last().cut();
  const at = Date.now();
  vi.advanceTimersByTime(0);
  last().cut();
  vi.advanceTimersByTime(500);
  last().cut();
  vi.advanceTimersByTime(1_500);
  expect(client.connection.line.value).toMatchObject({ phase: 'lost', since: at, tries: 3 });
  last().cut();
  expect(client.connection.line.value.nextTry).toBe(Date.now() + 2_000);
});

test('reconnecting never stops and waits at most 18 seconds', () => {
  const { client, wires, last } = testClient({ random: () => 1 });
  client.connection.start();
  for (let n = 0; n < 200; n += 1) {
    last().cut();
    vi.advanceTimersByTime(18_000);
  }
  expect(wires.length).toBeGreaterThan(200);
});

test('an attempt without an answer times out', () => {
  const { client, wires } = testClient();
  client.connection.start();
  vi.advanceTimersByTime(10_000);
  expect(wires[0]?.closed).toBe(true);
  vi.advanceTimersByTime(600);
  expect(wires.length).toBe(2);
});

test('a silent connection is closed after two and a half ping intervals', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const wire = last();
  vi.advanceTimersByTime(37_000);
  expect(wire.closed).toBe(false);
  wire.say({ type: 'ping', at: 1 });
  expect(wire.of('pong').length).toBe(1);
  vi.advanceTimersByTime(37_000);
  expect(wire.closed).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(wire.closed).toBe(true);
});

test('reached() resolves with a pong, and never if the connection ends first', async () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  const reached: string[] = [];
  void client.connection.reached().then(() => reached.push('first'));
  expect(last().of('ping').length).toBe(1);
  last().say({ type: 'session_list', sessions: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(reached).toEqual([]);
  last().cut();
  await vi.advanceTimersByTimeAsync(1_000);
  last().welcome();
  void client.connection.reached().then(() => reached.push('second'));
  last().say({ type: 'pong', at: 1 });
  await vi.advanceTimersByTimeAsync(0);
  expect(reached).toEqual(['second']);
});

test('returning to the foreground probes the connection without reopening it', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  last().welcome();
  client.connection.background();
  vi.advanceTimersByTime(10_000);
  client.connection.foreground();
  expect(last().of('ping').length).toBe(1);
  vi.advanceTimersByTime(100);
  last().say({ type: 'pong', at: 1 });
  vi.advanceTimersByTime(6_000);
  expect(wires.length).toBe(1);
  client.connection.foreground();
  vi.advanceTimersByTime(5_001);
  expect(wires.length).toBe(2);
});

test('connections without a welcome message do not count as up', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  last().cut();
  const at = Date.now();
  for (let n = 0; n < 4; n += 1) {
    vi.advanceTimersByTime(1_000);
    last().open();
    last().cut();
  }
  expect(client.connection.line.value).toMatchObject({ phase: 'lost', since: at });
  expect(client.connection.line.value.tries).toBeGreaterThan(2);
});

test('a hidden page does not reconnect until it is visible', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  last().welcome();
  client.connection.background();
  last().cut();
  vi.advanceTimersByTime(600_000);
  expect(wires.length).toBe(1);
  client.connection.foreground();
  expect(wires.length).toBe(2);
});

test('going online reconnects at once', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  for (let n = 0; n < 8; n += 1) {
    last().cut();
    vi.advanceTimersByTime(20_000);
  }
  last().cut();
  const before = wires.length;
  client.connection.online();
  expect(wires.length).toBe(before + 1);
});

const bye = (wire: TestWire, reason: string) => wire.say({ type: 'bye', reason, message: '' });

test('a restarting bridge is expected back soon', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  last().welcome();
  bye(last(), 'restarting');
  for (let n = 0; n < 10; n += 1) {
    vi.advanceTimersByTime(1_001);
    last().cut();
  }
  expect(wires.length).toBeGreaterThan(8);
  expect(client.connection.line.value.bye).toBe('restarting');
});

test('a revoked device is unpaired and does not reconnect', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  last().welcome();
  last().cut(1008, 'revoked');
  vi.advanceTimersByTime(60_000);
  expect(client.connection.line.value.phase).toBe('unpaired');
  expect(wires.length).toBe(1);
});

test('after pairing again the same connection object continues', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  last().cut(1008, 'revoked');
  client.connection.start();
  expect(client.connection.line.value.phase).toBe('connecting');
  last().welcome();
  expect(client.connection.line.value.phase).toBe('up');
});

test('tryNow() restarts an attempt that hangs', () => {
  const { client, wires } = testClient();
  client.connection.start();
  client.connection.tryNow();
  expect(wires.length).toBe(1);
  vi.advanceTimersByTime(3_000);
  client.connection.tryNow();
  expect([wires.length, wires[0]?.closed]).toEqual([2, true]);
});

test('a device the bridge does not know is unpaired', async () => {
  const { client, last } = testClient({ paired: async () => false });
  client.connection.start();
  last().cut();
  await vi.advanceTimersByTimeAsync(10);
  expect(client.connection.line.value.phase).toBe('unpaired');
});

test('a page of another build reloads', () => {
  const reload = vi.fn();
  const { client, last } = testClient({ build: 'a', reload });
  client.connection.start();
  last().welcome({ build: 'a' });
  expect(reload).not.toHaveBeenCalled();
  last().cut();
  vi.advanceTimersByTime(0);
  last().welcome({ build: 'b' });
  expect(reload).toHaveBeenCalledWith('b');
});

test('messages before the welcome are ignored', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().open();
  last().say({ type: 'session_list', sessions: [] });
  expect(client.list.current).toBe(false);
  last().say(welcome());
  last().say({ type: 'session_list', sessions: [] });
  expect(client.list.current).toBe(true);
});

test('a page that must reload keeps its connection', () => {
  const reload = vi.fn();
  const { client, wires, last } = testClient({ build: 'a', reload });
  client.connection.start();
  last().welcome({ build: 'b' });
  bye(last(), 'reload');
  vi.advanceTimersByTime(5_000);
  expect(reload.mock.calls).toEqual([['b'], ['b']]);
  expect([client.connection.up, wires.length]).toEqual([true, 1]);
});

test('reconnecting backs off from a bridge that drops connections after the welcome', () => {
  const { client, wires, last } = testClient();
  client.connection.start();
  for (let n = 0; n < 100; n += 1) {
    if (!last().closed) {
      last().welcome();
      last().cut();
    }
    vi.advanceTimersByTime(100);
  }
  expect(wires.length).toBeLessThan(10);
});

test('invalid messages are ignored', () => {
  const { client, last } = testClient();
  client.connection.start();
  last().welcome();
  last().onmessage?.({ data: 'nonsense' });
  last().onmessage?.({ data: '[]' });
  last().onmessage?.({ data: '{"type":3}' });
  expect(client.connection.up).toBe(true);
});
