import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PAGE_TURNS } from '../protocol/client';
import { VERSION } from '../protocol/connection';

const SOURCE = readFileSync(join(process.cwd(), 'src/boot/first.js'), 'utf8');

class Socket {
  static made: Socket[] = [];
  sent: { type: string; [name: string]: unknown }[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  private opened = (): void => undefined;
  constructor(readonly address: string) {
    Socket.made.push(this);
  }
  addEventListener(name: string, act: () => void): void {
    if (name === 'open') this.opened = act;
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Socket['sent'][number]);
  }
  open(): Socket {
    this.opened();
    return this;
  }
}

/** Runs the script at `hash` and returns what it left for the page. */
function run(hash: string): { socket: Socket; heard: string[]; session: string | null; id: string } | undefined {
  const page: { sluiceFirst?: never } = {};
  const place = { hash, host: 'bridge:1', protocol: 'http:' };
  new Function('window', 'location', 'WebSocket', 'localStorage', 'document', SOURCE)(page, place, Socket, localStorage, document);
  return page.sluiceFirst;
}

beforeEach(() => {
  Socket.made = [];
  localStorage.clear();
});

test('the early connection sends hello and subscribes to the session in the address', () => {
  const first = run('#/s/a%20b/12?beside=c');
  expect(first?.socket.address).toBe('ws://bridge:1/ws');
  const sent = first?.socket.open().sent ?? [];
  expect(sent[0]).toMatchObject({ type: 'hello', version: VERSION, client: 'sluice-web', revisions: {} });
  expect(sent[1]).toEqual({ type: 'subscribe', id: first?.id, sessionId: 'a b', revision: null, turns: PAGE_TURNS });
  first?.socket.onmessage?.({ data: 'x' });
  expect(first?.heard).toEqual(['x']);
});

test('cached sessions, other screens and invalid addresses are not subscribed', () => {
  localStorage.setItem('sluice.kept', '["s-1"]');
  expect(
    run('#/s/s-1')
      ?.socket.open()
      .sent.map((one) => one.type),
  ).toEqual(['hello']);
  expect(
    run('#/usage')
      ?.socket.open()
      .sent.map((one) => one.type),
  ).toEqual(['hello']);
  expect(run('#/s/%E0%A4%A')).toBeUndefined();
});

test('no connection is opened with a pairing code in the address', () => {
  expect(run('#pair=K7QF-2M9X')).toBeUndefined();
  expect(Socket.made).toEqual([]);
});
