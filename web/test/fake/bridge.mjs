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

  record(session, what) {
    const record = session.push(what);
    session.state.info.lastSign = Date.now();
    if (what.type === 'assistant') for (const [b, block] of session.blocks) if (block.message === what.message.id) session.blocks.delete(b);
    for (const client of this.subscribers(session)) this.send(client, { type: 'record', ...record });
    return record;
  }

  decide(session, ask, outcome) {
    session.patch({ asks: session.state.asks.filter((one) => one !== ask) });
    this.record(session, {
      type: 'sluice_ask',
      ask: ask.ask,
      toolUseId: ask.toolUseId,
      kind: ask.kind,
      toolName: ask.toolName,
      outcome: 'allowed',
      by: null,
      device: null,
      message: null,
      rules: [],
      destination: null,
      answers: null,
      changed: false,
      ...outcome,
    });
    const next = session.state.asks[0];
    session.patch({
      info: { standing: next ? 'waiting' : 'running', about: next?.toolName ?? ask.toolName, since: next?.at ?? Date.now(), lastSign: Date.now() },
      activity: { state: next ? 'waiting' : 'running', since: Date.now(), evidence: 'said', seen: Date.now() },
    });
    this.publish(session);
  }

  block(session, message, kind, index, over = {}) {
    const block = { b: session.nextBlock++, message, parent: null, index, kind, id: null, name: null, text: '', ...over };
    session.blocks.set(block.b, block);
    for (const client of this.subscribers(session)) this.send(client, { type: 'block', s: client.subscribed.get(session.id), ...block });
    return block;
  }

  delta(session, block, text) {
    block.text += text;
    for (const client of this.subscribers(session)) this.send(client, { type: 'delta', s: client.subscribed.get(session.id), b: block.b, text });
  }

  stream(session, text, { chunk = 12, every = 30, kind = 'text' } = {}, done = () => {}) {
    const message = make.ids.message();
    const block = this.block(session, message, kind, 0);
    let at = 0;
    const step = () => {
      if (at >= text.length) {
        const content = kind === 'thinking' ? { type: 'thinking', thinking: text, signature: 'x' } : { type: 'text', text };
        const what = make.assistant([content]);
        what.message.id = message;
        session.blocks.delete(block.b);
        this.record(session, what);
        done();
        return;
      }
      this.delta(session, block, text.slice(at, at + chunk));
      at += chunk;
      session.patch({ info: { lastSign: Date.now() } });
      this.later(every, step);
    };
    step();
  }

  /** Answers a prompt with thinking, text and the end of the turn; then the next one in the queue. */
  converse(session, prompt) {
    this.record(session, prompt);
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
      turn: { turn: session.turnNow, began: Date.now(), prompts: [prompt.uuid], origin: null, calls: 0 },
    });
    this.record(session, make.init());
    this.publish(session);
    this.stream(session, 'The person asks something small. Answer in two sentences.', { kind: 'thinking' }, () => {
      this.stream(session, `You said: **${prompt.text}**\n\nThis answer is scripted. It streams block by block, as a model would write it.`, {}, () => {
        this.record(session, make.end());
        const [next, ...rest] = session.state.queue;
        session.idle();
        session.patch({ queue: rest });
        this.publish(session);
        if (next) this.converse(session, make.prompt(next.text, { uuid: next.uuid, by: next.by }));
      });
    });
  }

  subscribe(client, session, cursor, turns = 20) {
    client.subscribed.delete(session.id);
    const s = ++client.numbers;
    const fits = cursor && cursor.epoch === session.epoch && cursor.seq <= session.records.length && session.records.length - cursor.seq <= 2_000;
    if (fits) {
      this.send(client, { type: 'caught_up', sessionId: session.id, s, verdict: 'ok', cursor: session.cursor });
      for (const record of session.records.slice(cursor.seq)) this.send(client, { type: 'record', ...record });
    } else {
      const from = Math.max(0, session.turnNow - turns + 1);
      const records = session.records.filter((one) => (one.turn ?? 0) >= from);
      this.send(client, { type: 'caught_up', sessionId: session.id, s, verdict: 'gap', cursor: session.cursor });
      this.send(client, { type: 'snapshot', sessionId: session.id, s, cursor: session.cursor, records, more: records.length < session.records.length });
    }
    client.subscribed.set(session.id, s);
    for (const block of session.blocks.values()) this.send(client, { type: 'block', s, ...block });
    session.state.now = Date.now();
    this.send(client, { type: 'state', ...session.state });
    this.send(client, { type: 'facts', ...session.facts });
  }

  hello(client, hello) {
    client.hello = hello;
    const known = Object.entries(hello.cursors ?? {});
    const scopes = ['view', 'operate', 'approve', 'admin'];
    this.send(client, {
      type: 'welcome',
      version: 1,
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
    for (const [id, cursor] of known) if (this.sessions.has(id)) this.subscribe(client, this.sessions.get(id), cursor);
    client.pinging = setInterval(() => this.send(client, { type: 'ping', at: Date.now() }), this.pingEvery);
  }

  receive(client, message) {
    if (this.silent) return;
    if (message.type === 'hello') return this.hello(client, message);
    if (message.type === 'ping') return this.send(client, { type: 'pong', at: Date.now() });
    if (message.type === 'pong') return;
    if (message.type === 'subscribe') {
      const session = this.sessions.get(message.sessionId);
      if (message.id)
        this.send(
          client,
          session
            ? { type: 'receipt', id: message.id, ok: true }
            : {
                type: 'receipt',
                id: message.id,
                ok: false,
                error: { code: 'session', message: `no session ${message.sessionId}`, hint: null, resolved: null },
              },
        );
      if (session) this.subscribe(client, session, message.cursor, message.turns ?? 20);
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
