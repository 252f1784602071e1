// A minimal bridge for protocol tests: the test opens and cuts the connections and sends on them.
import type { ClientMessage, Command, Item, ItemBody, Receipt, ServerMessage, SessionInfo, SessionState, Welcome } from '../api/types';
import { Client, type ClientOptions } from './client';
import type { Wire } from './connection';
import { MemoryChest, MemoryShelf } from './storage';

export class TestWire implements Wire {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  readonly sent: Command[] = [];
  closed = false;
  heard: (message: Command) => void = () => undefined;

  send(text: string): void {
    const message = JSON.parse(text) as Command;
    this.sent.push(message);
    this.heard(message);
  }
  close(): void {
    this.closed = true;
  }
  open(): void {
    this.onopen?.();
  }
  say(message: ServerMessage | object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  cut(code = 1006, reason = ''): void {
    this.closed = true;
    this.onclose?.({ code, reason });
  }
  welcome(over: Partial<Welcome> = {}): void {
    this.open();
    this.say(welcome(over));
  }
  of<T extends ClientMessage['type']>(type: T): Extract<Command, { type: T }>[] {
    return this.sent.filter((one): one is Extract<Command, { type: T }> => one.type === type);
  }
}

export const welcome = (over: Partial<Welcome> = {}): ServerMessage => ({
  type: 'welcome',
  version: 2,
  bridge: '0',
  build: null,
  capabilities: [],
  scopes: ['view', 'operate', 'approve', 'admin'],
  agents: [],
  roots: [],
  home: '/',
  scratch: '/',
  now: Date.now(),
  unknown: [],
  device: { id: 'd', name: 'Laptop', kind: 'cookie', scope: 'admin', createdAt: 0, lastSeenAt: 0, online: true },
  limits: { frame: 1, upload: 1, heavy: 1, pingEvery: 15_000, queue: 50 },
  ...over,
});

export const info = (over: Partial<SessionInfo> = {}): SessionInfo => ({
  sessionId: 's',
  projectPath: '/home/ada/tidepool',
  title: 'A session',
  status: 'idle',
  standing: 'idle',
  about: null,
  since: 0,
  lastSign: null,
  model: null,
  permissionMode: 'default',
  startedAt: 0,
  lastActivityAt: 0,
  pendingAsks: 0,
  queue: 0,
  cost: 0,
  turns: 0,
  providerSessionId: null,
  agent: 'claude',
  archived: false,
  external: false,
  preview: null,
  activity: [],
  revision: 0,
  finishedAt: null,
  ask: null,
  branch: null,
  context: null,
  ...over,
});

export const state = (over: Partial<SessionState> = {}): SessionState => ({
  sessionId: 's',
  info: info(over.info),
  now: 0,
  process: { state: 'up', since: 0, code: null, signal: null, stderr: [], version: '2.1.325' },
  transport: { state: 'connected', since: null },
  activity: { state: 'idle', since: 0, evidence: null, seen: null, deadline: null, rung: null },
  turn: null,
  retry: null,
  asks: [],
  queue: [],
  calls: [],
  tasks: [],
  todos: [],
  cost: { total: 0, turn: null, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, byModel: null },
  context: { tokens: 0, window: null },
  model: null,
  permissionMode: 'default',
  effort: null,
  thinking: null,
  limits: null,
  drift: { unknown: 0, garbled: 0, repeated: 0, foreign: 0 },
  providerSessionIds: [],
  worktree: null,
  ...over,
});

export const item = (id: number, body: ItemBody = { type: 'text', text: `text ${id}`, synthetic: false }, over: Partial<Item> = {}): Item => ({
  id,
  revision: id,
  turn: 0,
  parent: null,
  at: id,
  status: 'done',
  body,
  ...over,
});

/** A client whose connections are controlled by the test. */
export function testClient(over: Partial<ClientOptions> = {}): { client: Client; wires: TestWire[]; last: () => TestWire } {
  const wires: TestWire[] = [];
  const client = new Client({
    open: () => {
      const wire = new TestWire();
      wires.push(wire);
      return wire;
    },
    client: 'test',
    random: () => 0.5,
    shelf: new MemoryShelf(),
    chest: new MemoryChest(),
    schedule: (flush) => flush(),
    upload: async () => ({ hash: 'h' }),
    ...over,
  });
  return {
    client,
    wires,
    last: () => {
      const wire = wires.at(-1);
      if (!wire) throw new Error('no wire');
      return wire;
    },
  };
}

/** Answers every command like the bridge: once, and with the same receipt for the same id. */
export class TestBridge {
  readonly effects: Command[] = [];
  private readonly receipts = new Map<string, Receipt>();

  take(wire: TestWire, lose = false): void {
    wire.heard = (command) => {
      if (!command.id) return;
      let receipt = this.receipts.get(command.id);
      if (!receipt) {
        this.effects.push(command);
        receipt = { id: command.id, ok: true, data: null, error: null };
        this.receipts.set(command.id, receipt);
      }
      if (lose) queueMicrotask(() => wire.cut());
      else queueMicrotask(() => wire.say({ type: 'receipt', ...receipt }));
    };
  }
}
