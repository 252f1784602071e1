#!/usr/bin/env node
// A bridge that is only a script: it serves the built page and speaks level 1 with made-up sessions, so that the page
// can be looked at and tested without an agent.
//
//   node test/fake-bridge.mjs [--port 4747] [--dist dist] [--unpaired] [--scope view|operate|approve|admin]
//
// With the vite server (`npm run dev`) leave it on port 4747: vite passes /api and /ws on to it.
// From a test: `import { startFake } from '../test/fake-bridge.mjs'; const fake = await startFake({ port: 0 });`
// gives { url, port, bridge, control(body), close() }.
//
// Sessions (test/fake/sessions.mjs): s-permission (two asks), s-bash, s-hidden, s-write, s-mcp, s-question, s-plan,
// s-elicitation, s-link, s-dialog, s-crashed, s-running (with a queue), s-agents, s-retrying, s-limited, s-stalled,
// s-stopping, s-starting, s-unread, s-idle, s-bypass, s-full, s-external, s-lost, s-stopped, s-long (10,000 messages).
// A message to an idle session is answered with a streamed turn. Pairing code: K7QF-2M9X.
//
// `POST /control` with JSON drives it; `do` is one of
//   reset                                   everything as at the start
//   offline {on}                            cuts all lines and takes no new ones until {on:false}
//   drop                                    cuts all lines once
//   silence {on}                            lines stay open but nothing is sent or answered
//   bye {reason}                            restarting, stopping, reload
//   frame {message}                         sends any message to everybody
//   record {sessionId, what}                appends a record
//   patch {sessionId, state}                changes the folded state
//   ask {sessionId, kind}                   edit bash hidden write fetch mcp question plan elicitation link dialog
//   decide {sessionId, ask?, outcome, by}   an ask is answered elsewhere (allowed, denied), or cancelled, expired
//   stream {sessionId, text, chunk?, every?} streams a block by deltas, then its record
//   deltas {sessionId, perSecond, seconds}  a flood of deltas
//   epoch {sessionId}                       history was rewritten: a new epoch, a snapshot for everybody
//   scope {scope}                           what the device may do (drops lines)
//   lose {receipts}                         runs the next N commands but cuts the line instead of a receipt
//   slow {ms}                               receipts come late
//   options {neverStops}                    an interrupt has no effect
//   ping {every}                            milliseconds between pings (for new lines)
// `GET /control/log` gives the commands that had an effect; `GET /control/state` the sessions.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as make from './fake/messages.mjs';
import { run } from './fake/commands.mjs';
import { sessions } from './fake/sessions.mjs';

// Not by its name: test runners resolve that as for a browser.
const need = createRequire(import.meta.url);
const { WebSocketServer } = need(join(dirname(need.resolve('ws/package.json')), 'index.js'));
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
};
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sluice-worker";

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
  hearers(session) {
    return [...this.clients].filter((client) => client.subscribed.has(session.id));
  }

  /** The folded state to those who listen, the summary to all. */
  tell(session) {
    this.broadcast({ type: 'session', session: session.state.info });
    for (const client of this.hearers(session)) this.send(client, { type: 'state', ...session.state });
  }

  record(session, what) {
    const record = session.push(what);
    session.state.info.lastSign = Date.now();
    if (what.type === 'assistant') for (const [b, block] of session.blocks) if (block.message === what.message.id) session.blocks.delete(b);
    for (const client of this.hearers(session)) this.send(client, { type: 'record', ...record });
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
    this.tell(session);
  }

  block(session, message, kind, index, over = {}) {
    const block = { b: session.nextBlock++, message, parent: null, index, kind, id: null, name: null, text: '', ...over };
    session.blocks.set(block.b, block);
    for (const client of this.hearers(session)) this.send(client, { type: 'block', s: client.subscribed.get(session.id), ...block });
    return block;
  }

  delta(session, block, text) {
    block.text += text;
    for (const client of this.hearers(session)) this.send(client, { type: 'delta', s: client.subscribed.get(session.id), b: block.b, text });
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

  /** A prompt that is answered with thinking, words and the end of the turn; then the next in the queue. */
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
    this.tell(session);
    this.stream(session, 'The person asks something small. Answer in two sentences.', { kind: 'thinking' }, () => {
      this.stream(session, `You said: **${prompt.text}**\n\nThis answer is scripted. It streams block by block, as a model would write it.`, {}, () => {
        this.record(session, make.end());
        const [next, ...rest] = session.state.queue;
        session.idle();
        session.patch({ queue: rest });
        this.tell(session);
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
    // As the bridge does, for clients that never say hello.
    this.send(client, { type: 'session_list', sessions: [] });
    socket.on('message', (data) => this.receive(client, JSON.parse(String(data))));
    socket.on('close', () => {
      clearInterval(client.pinging);
      this.clients.delete(client);
    });
  }

  control(body) {
    const session = this.sessions.get(body.sessionId);
    const cut = () => {
      for (const client of this.clients) client.socket.terminate();
    };
    switch (body.do) {
      case 'reset':
        this.reset();
        break;
      case 'offline':
        this.offline = body.on !== false;
        if (this.offline) cut();
        break;
      case 'drop':
        cut();
        break;
      case 'silence':
        this.silent = body.on !== false;
        break;
      case 'bye':
        for (const client of this.clients) {
          this.send(client, { type: 'bye', reason: body.reason, message: body.message ?? '' });
          client.socket.close();
        }
        break;
      case 'frame':
        this.broadcast(body.message);
        break;
      case 'record':
        return this.record(session, body.what);
      case 'patch':
        session.patch(body.state);
        this.tell(session);
        break;
      case 'ask': {
        const ask = session.ask(body.kind, body.age ?? 0);
        const last = session.records.at(-1);
        for (const client of this.hearers(session)) this.send(client, { type: 'record', ...last });
        this.tell(session);
        return { ask: ask.ask };
      }
      case 'decide': {
        const ask = session.state.asks.find((one) => !body.ask || one.ask === body.ask);
        if (ask) this.decide(session, ask, { outcome: body.outcome ?? 'allowed', by: body.by ?? null, device: body.by ? 'd-2' : null });
        break;
      }
      case 'stream':
        this.stream(session, body.text, body);
        break;
      case 'deltas': {
        const block = this.block(session, make.ids.message(), 'text', 0);
        const until = Date.now() + (body.seconds ?? 5) * 1000;
        const step = () => {
          this.delta(session, block, 'words that come quickly ');
          if (Date.now() < until) this.later(1000 / (body.perSecond ?? 100), step);
        };
        step();
        break;
      }
      case 'epoch':
        session.epoch += 1;
        session.records = session.records.map((one) => ({ ...one, epoch: session.epoch }));
        session.state.info.cursor = session.cursor;
        for (const client of this.hearers(session)) this.subscribe(client, session, null);
        break;
      case 'scope':
        this.device.scope = body.scope;
        cut();
        break;
      case 'lose':
        this.lose = body.receipts ?? 1;
        break;
      case 'slow':
        this.slow = body.ms ?? 0;
        break;
      case 'options':
        Object.assign(this.options, body);
        break;
      case 'ping':
        this.pingEvery = body.every;
        break;
      default:
        throw new Error(`unknown control ${body.do}`);
    }
    return {};
  }
}

const read = (request) =>
  new Promise((resolve) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => resolve(Buffer.concat(parts)));
  });

export async function startFake({ port = 4747, dist = fileURLToPath(new URL('../dist', import.meta.url)), ...options } = {}) {
  const bridge = new FakeBridge(options);
  const paired = (request) => !bridge.options.unpaired || /(?:^|; )sluice=/.test(request.headers.cookie ?? '');
  const json = (response, status, body, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    try {
      if (url.pathname === '/control' && request.method === 'POST') return json(response, 200, bridge.control(JSON.parse(String(await read(request)))) ?? {});
      if (url.pathname === '/control/log') return json(response, 200, bridge.log);
      if (url.pathname === '/control/state')
        return json(
          response,
          200,
          [...bridge.sessions.values()].map((one) => one.state),
        );
      if (bridge.offline) return request.socket.destroy();
      if (url.pathname === '/api/health') return json(response, 200, { ok: true, version: '0.2.0' });
      if (url.pathname === '/api/pair' && request.method === 'POST') {
        const { code } = JSON.parse(String(await read(request)));
        if (
          String(code)
            .toUpperCase()
            .replace(/[^A-Z0-9]/g, '') !== 'K7QF2M9X'
        )
          return json(response, 403, { error: { code: 'pairing', message: 'this code is not valid' } });
        return json(response, 200, { device: bridge.device }, { 'set-cookie': 'sluice=fake; HttpOnly; SameSite=Strict; Path=/' });
      }
      if (url.pathname === '/ws') return json(response, paired(request) ? 426 : 401, {});
      if (url.pathname === '/api/upload' && request.method === 'POST') {
        const body = await read(request);
        const hash = createHash('sha256').update(body).digest('hex');
        bridge.blobs.set(hash, { body, type: request.headers['content-type'] });
        return json(response, 200, { hash, width: 640, height: 480, bytes: body.length, mimeType: request.headers['content-type'] });
      }
      if (url.pathname.startsWith('/api/blobs/')) {
        const blob = bridge.blobs.get(url.pathname.slice(11));
        if (!blob) return json(response, 404, {});
        response.writeHead(200, { 'content-type': blob.type });
        return response.end(blob.body);
      }
      if (url.pathname.startsWith('/api/sessions/')) {
        response.writeHead(200, { 'content-type': 'text/plain' });
        return response.end('an export');
      }
      const name = normalize(url.pathname).replace(/^\/+/, '');
      const file = name && extname(name) ? name : 'index.html';
      const body = await readFile(join(dist, file));
      response.writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        'content-security-policy': CSP,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      });
      response.end(body);
    } catch (error) {
      json(response, error.code === 'ENOENT' ? 404 : 500, { error: String(error.message) });
    }
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (bridge.offline) return socket.destroy();
    if (!paired(request)) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    sockets.handleUpgrade(request, socket, head, (ws) => bridge.connect(ws));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const at = server.address();
  const real = typeof at === 'object' && at ? at.port : port;
  return {
    bridge,
    port: real,
    url: `http://127.0.0.1:${real}`,
    control: (body) => bridge.control(body),
    close: () =>
      new Promise((resolve) => {
        for (const timer of bridge.timers) clearTimeout(timer);
        for (const client of bridge.clients) client.socket.terminate();
        server.closeAllConnections();
        server.close(resolve);
      }),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const flag = (name) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? undefined : process.argv[at + 1];
  };
  const fake = await startFake({
    port: Number(flag('port') ?? 4747),
    ...(flag('dist') ? { dist: flag('dist') } : {}),
    ...(flag('scope') ? { scope: flag('scope') } : {}),
    unpaired: process.argv.includes('--unpaired'),
  });
  console.log(fake.url);
}
