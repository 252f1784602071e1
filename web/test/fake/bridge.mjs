// The fake bridge without its HTTP server: sessions, clients and the messages between them.
import { control } from './control.mjs';
import { run } from './commands.mjs';
import * as make from './messages.mjs';
import { sessions } from './sessions.mjs';

export class FakeBridge {
  constructor(options = {}) {
    this.options = { neverStops: false, unpaired: false, build: null, ...options };
    this.clients = new Set();
    this.blobs = new Map();
    this.reset();
    if (options.scope) this.device.scope = options.scope;
  }

  reset() {
    for (const timer of this.timers ?? []) clearTimeout(timer);
    Object.assign(this, {
      sessions: sessions(),
      receipts: new Map(),
      log: [],
      lose: 0,
      slow: 0,
      silent: false,
      offline: false,
      pingEvery: 15_000,
      timers: new Set(),
    });
    this.device = { id: 'd-1', name: 'Laptop', kind: 'cookie', scope: 'admin', createdAt: Date.now() - 86_400_000, lastSeenAt: Date.now(), online: true };
    for (const client of this.clients) client.socket.terminate();
  }

  later(ms, act) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, ms);
    this.timers.add(timer);
  }

  send(client, message) {
    if (!this.silent && client.socket.readyState === 1) client.socket.send(JSON.stringify(message));
  }
  broadcast(message) {
    for (const client of this.clients) if (client.hello) this.send(client, message);
  }
  subscribers(session) {
    return [...this.clients].filter((client) => client.subscribed.has(session.id));
  }

  /** Sends the folded state to subscribers and the summary to all clients. */
  publish(session) {
    this.broadcast({ type: 'session', session: session.state.info });
    for (const client of this.subscribers(session)) this.send(client, { type: 'state', ...session.state });
  }

  /** Sends items that changed to the subscribers. */
  changed(session, ...items) {
    for (const client of this.subscribers(session))
      this.send(client, { type: 'items', s: client.subscribed.get(session.id), revision: session.revision, items, removed: [] });
  }

  /** Appends an item. */
  add(session, entry) {
    const item = session.push(entry);
    session.state.info.lastSign = Date.now();
    this.changed(session, item);
    return item;
  }

  decide(session, ask, { outcome, by = null, message = null, changed = false }) {
    session.patch({ asks: session.state.asks.filter((one) => one !== ask) });
    const who = { type: 'person', sender: by ? { name: by, device: by === this.device.name ? 'd-1' : 'd-2' } : null };
    const permission = {
      request: ask.ask,
      outcome,
      by: outcome === 'allowed' || outcome === 'denied' ? who : null,
      reason: null,
      asked: ask.at,
      decided: Date.now(),
      message,
      rules: [],
      destination: null,
      changedBy: changed ? who : null,
    };
    const item = session.itemOf(ask);
    if (item) {
      item.status = outcome === 'denied' ? 'denied' : 'running';
      item.body = { ...item.body, permission };
      session.touch(item);
      this.changed(session, item);
    } else this.add(session, { body: { type: 'request', from: ask.toolName, permission } });
    const next = session.state.asks[0];
    session.patch({
      info: { standing: next ? 'waiting' : 'running', about: next?.toolName ?? ask.toolName, since: next?.at ?? Date.now(), lastSign: Date.now() },
      activity: { state: next ? 'waiting' : 'running', since: Date.now(), evidence: 'said', seen: Date.now() },
    });
    this.publish(session);
  }

  /** Begins a text that is streamed with `delta` and completed with `finish`. */
  open(session, type = 'text') {
    return this.add(session, { ...(type === 'text' ? make.text('') : make.thinking('')), status: 'streaming' });
  }

  delta(session, item, text) {
    item.body = { ...item.body, text: item.body.text + text };
    for (const client of this.subscribers(session))
      this.send(client, { type: 'item_delta', s: client.subscribed.get(session.id), item: item.id, field: item.body.type, text });
  }

  finish(session, item) {
    item.status = 'done';
    session.touch(item);
    this.changed(session, item);
  }

  stream(session, text, { chunk = 12, every = 30, kind = 'text' } = {}, done = () => {}) {
    const item = this.open(session, kind);
    let at = 0;
    const step = () => {
      if (at >= text.length) {
        this.finish(session, item);
        done();
        return;
      }
      this.delta(session, item, text.slice(at, at + chunk));
      at += chunk;
      session.patch({ info: { lastSign: Date.now() } });
      this.later(every, step);
    };
    step();
  }

  /** Answers a prompt with thinking, text and the end of the turn; then the next one in the queue. */
  converse(session, prompt) {
    this.add(session, prompt);
    session.run('thinking', {
      info: {
        standing: 'running',
        about: 'thinking',
        since: Date.now(),
        lastSign: Date.now(),
        activity: Array(60)
          .fill(0)
          .map((_, n) => n % 5),
      },
      turn: { turn: session.turns - 1, began: Date.now(), prompts: [prompt.body.uuid], origin: null, calls: 0 },
    });
    this.publish(session);
    this.stream(session, 'The person asks something small. Answer in two sentences.', { kind: 'thinking' }, () => {
      this.stream(session, `You said: **${prompt.body.text}**\n\nThis answer is scripted. It streams block by block, as a model would write it.`, {}, () => {
        this.add(session, make.end());
        const [next, ...rest] = session.state.queue;
        session.idle();
        session.patch({ queue: rest });
        this.publish(session);
        if (next) this.converse(session, make.prompt(next.text, { uuid: next.uuid, sender: { name: next.by, device: next.device } }));
      });
    });
  }

  subscribe(client, session, revision, turns = 20) {
    const s = ++client.numbers;
    const missed = session.items.filter((one) => one.revision > (revision ?? 0));
    const reset = revision == null || revision < session.rewritten || missed.length > 2_000;
    const from = Math.max(0, session.turns - turns);
    const first = session.items.findIndex((one) => (one.turn ?? 0) >= from);
    const items = reset ? session.items.slice(Math.max(0, first)) : missed;
    client.subscribed.set(session.id, s);
    this.send(client, { type: 'caught_up', sessionId: session.id, s, reset, more: reset && first > 0, revision: session.revision, items, removed: [] });
    session.state.now = Date.now();
    this.send(client, { type: 'state', ...session.state });
    this.send(client, { type: 'facts', ...session.facts });
  }

  hello(client, hello) {
    client.hello = hello;
    const known = Object.entries(hello.revisions ?? {});
    const scopes = ['view', 'operate', 'approve', 'admin'];
    this.send(client, {
      type: 'welcome',
      version: 2,
      bridge: '0.2.0',
      build: this.options.build,
      capabilities: [],
      device: this.device,
      scopes: scopes.slice(0, scopes.indexOf(this.device.scope) + 1),
      agents: [
        { name: 'claude', command: 'claude', version: '2.1.325', available: true, pays: 'account', paysDetail: 'your account', default: true },
        { name: 'demo', command: 'sluice demo', version: '0.2.0', available: true, pays: 'demo', paysDetail: 'nobody, it is scripted', default: false },
      ],
      roots: ['/home/ada'],
      home: '/home/ada',
      scratch: '/home/ada/.local/state/sluice/scratch',
      limits: { frame: 25_165_824, upload: 20_971_520, heavy: 65_536, pingEvery: this.pingEvery, queue: 50 },
      now: Date.now(),
      unknown: known.filter(([id]) => !this.sessions.has(id)).map(([id]) => id),
    });
    this.send(client, { type: 'session_list', sessions: [...this.sessions.values()].map((one) => one.state.info) });
    for (const [id, revision] of known) if (this.sessions.has(id)) this.subscribe(client, this.sessions.get(id), revision);
    client.pinging = setInterval(() => this.send(client, { type: 'ping', at: Date.now() }), this.pingEvery);
  }

  receive(client, message) {
    if (this.silent) return;
    if (message.type === 'hello') return this.hello(client, message);
    if (message.type === 'ping') return this.send(client, { type: 'pong', at: Date.now() });
    if (message.type === 'pong') return;
    if (message.type === 'subscribe') {
      const session = this.sessions.get(message.sessionId);
      const error = { code: 'session', message: `no session ${message.sessionId}`, hint: null, resolved: null };
      if (session) this.subscribe(client, session, message.revision, message.turns ?? 20);
      if (message.id) this.send(client, { type: 'receipt', id: message.id, ok: session !== undefined, data: null, error: session ? null : error });
      return;
    }
    if (message.type === 'unsubscribe') client.subscribed.delete(message.sessionId);
    let receipt = this.receipts.get(message.id);
    if (!receipt) {
      try {
        const data = run(this, message, this.device.name);
        receipt = { type: 'receipt', id: message.id, ok: true, ...(data === null ? {} : { data }) };
      } catch (error) {
        receipt = {
          type: 'receipt',
          id: message.id,
          ok: false,
          error: { code: error.code ?? 'internal', message: error.message, hint: error.hint ?? null, resolved: error.resolved ?? null },
        };
      }
      this.log.push(message);
      if (message.id) this.receipts.set(message.id, receipt);
      if (this.lose > 0) {
        this.lose -= 1;
        client.socket.terminate();
        return;
      }
    }
    if (message.id) {
      if (this.slow) this.later(this.slow, () => this.send(client, receipt));
      else this.send(client, receipt);
    }
  }

  connect(socket) {
    const client = { socket, hello: null, subscribed: new Map(), numbers: 0, pinging: null };
    this.clients.add(client);
    // As the bridge does, for clients without a hello message.
    this.send(client, { type: 'session_list', sessions: [] });
    socket.on('message', (data) => this.receive(client, JSON.parse(String(data))));
    socket.on('close', () => {
      clearInterval(client.pinging);
      this.clients.delete(client);
    });
  }

  control(body) {
    return control(this, body);
  }
}
