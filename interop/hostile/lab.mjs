// Test setup: a bridge, a browser that is paired with it, and pages of foreign origins in the same browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';

const { chromium } = createRequire(join(process.env.MODULES, 'index.js'))('playwright-core');

/** Sends a request to the control socket of the running bridge, like `sluice serve …`. */
export async function control(folder, request) {
  const socket = connect(join(folder, 'control.sock'));
  socket.write(`${JSON.stringify(request)}\n`);
  let text = '';
  for await (const piece of socket) text += piece;
  const answer = JSON.parse(text);
  assert.ok('ok' in answer, text);
  return answer.ok;
}

/** Starts the bridge with a separate home. In extra arguments, @home is replaced by the path of that home. */
export async function bridge(...extra) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'sluice-hostile-')));
  const folder = join(home, 'state');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC_|CLAUDE|SLUICE_)/.test(name)));
  for (const word of extra) if (word.startsWith('@home/')) await mkdir(join(home, word.slice(6)), { recursive: true });
  const log = openSync(join(home, 'log'), 'a');
  const child = spawn(process.env.SLUICE_BIN, ['serve', '--port', '0', '--state', folder, ...extra.map((word) => word.replace('@home', home))], { env: { ...env, HOME: home }, stdio: ['ignore', 'pipe', log] });
  const ended = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /(http:\/\/127\.0\.0\.1:(\d+))\/#pair=([A-Z2-9-]+)/.exec(line);
    if (!found) continue;
    child.stdout.resume();
    const end = async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    };
    return { home, folder, origin: found[1], port: Number(found[2]), code: found[3], log: () => readFileSync(join(home, 'log'), 'utf8'), end };
  }
  throw new Error('the bridge printed no URL');
}

/** Starts a server that serves a foreign page at every path. */
async function foreignServer() {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>foreign</title><body></body>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, requests, end: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}

let opened;
/** The browser for all attacks, each in a separate context. `evil.test` and `rebound.test` resolve to this machine. */
const browser = () => (opened ??= chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1', '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights,BlockInsecurePrivateNetworkRequests'],
}));
after(async () => { await (await opened)?.close(); });

/** Runs `use` with a paired page and foreign pages in the same browser. */
export async function lab(use) {
  const [door, foreign] = await Promise.all([bridge(), foreignServer()]);
  const context = await (await browser()).newContext();
  try {
    const own = await context.newPage();
    await own.goto(`${door.origin}/api/health`);
    const paired = await own.evaluate(pair, door.code);
    assert.equal(paired, 200);
    // A different host, and other ports of the same hosts, to which the browser also sends the cookie.
    const pages = [];
    for (const host of ['evil.test', '127.0.0.1', 'localhost']) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${foreign.port}/`);
      pages.push(page);
    }
    await use({ ...door, context, own, pages, foreign });
  } finally {
    await context.close();
    await foreign.end();
    await door.end();
  }
}

/** Runs in a page of the bridge: pairs this browser. Returns the status. */
export async function pair(code) {
  const answer = await fetch('/api/pair', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code, device: 'browser' }) });
  return answer.status;
}

/** Runs in a page of the bridge: returns whether its device is still accepted. */
export async function known() {
  return (await fetch('/ws')).status === 426;
}

/** Runs in any page: opens a WebSocket and returns the outcome. */
export function openSocket(address) {
  return new Promise((done) => {
    const socket = new WebSocket(address);
    socket.onmessage = (event) => done(`message ${event.data}`);
    socket.onclose = (event) => done(`closed ${event.code}`);
  });
}

/** Runs in a page of the bridge: sends hello and one command, and returns the receipt. */
export function command(request) {
  return new Promise((done) => {
    const socket = new WebSocket(`ws://${location.host}/ws`);
    socket.onopen = () => socket.send(JSON.stringify({ type: 'hello', version: 2, client: 'hostile', build: null, capabilities: [], revisions: {} }));
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.type === 'welcome') socket.send(JSON.stringify({ ...request, id: 'request' }));
      if (message.type === 'receipt' && message.id === 'request') { socket.close(); done(message); }
    };
    socket.onclose = (event) => done({ closed: event.code });
  });
}

/** Writes the transcript of a session of another program to this home. All its messages contain `text`. */
export async function externalSession(home, text) {
  const id = randomUUID();
  const cwd = join(home, 'work');
  const project = join(home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'));
  await mkdir(cwd, { recursive: true });
  await mkdir(project, { recursive: true });
  const line = (type, message, uuid, parentUuid) => JSON.stringify({ parentUuid, isSidechain: false, userType: 'external', cwd, sessionId: id, version: '2.1.325', type, message, uuid, timestamp: new Date().toISOString() });
  const promptUuid = randomUUID();
  await writeFile(join(project, `${id}.jsonl`), [line('user', { role: 'user', content: text }, promptUuid, null), line('assistant', { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } }, randomUUID(), promptUuid)].join('\n') + '\n');
  return id;
}
