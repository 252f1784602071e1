// A bridge, a browser that is paired with it, and pages of strangers in the same browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { chromium } = createRequire(join(process.env.MODULES, 'index.js'))('playwright-core');

/** Asks the running bridge at its control socket, as `sluice serve …` does. */
export async function control(folder, request) {
  const socket = connect(join(folder, 'control.sock'));
  socket.write(`${JSON.stringify(request)}\n`);
  let text = '';
  for await (const piece of socket) text += piece;
  const answer = JSON.parse(text);
  assert.ok('ok' in answer, text);
  return answer.ok;
}

async function bridge() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-hostile-'));
  const [program, ...rest] = process.env.SLUICE_DOOR.split(' ');
  const child = spawn(program, [...rest, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /(http:\/\/127\.0\.0\.1:(\d+))\/#pair=([A-Z2-9-]+)/.exec(line);
    if (!found) continue;
    child.stdout.resume();
    const end = async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    };
    return { folder, origin: found[1], port: Number(found[2]), code: found[3], end };
  }
  throw new Error('the bridge printed no address');
}

/** A stranger's page, whatever its address. */
async function stranger() {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>stranger</title><body></body>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, asked, end: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}

/** Runs `use` with a paired browser. `evil.test` and `rebound.test` lead to this machine in it. */
export async function lab(use) {
  const [door, foreign] = await Promise.all([bridge(), stranger()]);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.test 127.0.0.1', '--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessSendPreflights,BlockInsecurePrivateNetworkRequests'],
  });
  try {
    const context = await browser.newContext();
    const own = await context.newPage();
    await own.goto(`${door.origin}/api/health`);
    const paired = await own.evaluate(pair, door.code);
    assert.equal(paired, 200);
    // Another origin altogether, and another port of the same machine, to which the cookie goes too.
    const pages = [];
    for (const host of ['evil.test', '127.0.0.1', 'localhost']) {
      const page = await context.newPage();
      await page.goto(`http://${host}:${foreign.port}/`);
      pages.push(page);
    }
    await use({ ...door, context, own, pages, foreign });
  } finally {
    await browser.close();
    await foreign.end();
    await door.end();
  }
}

/** In a page of ours: pairs this browser. */
export async function pair(code) {
  const answer = await fetch('/api/pair', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code, device: 'browser' }) });
  return answer.status;
}

/** In a page of ours: whether its device is still known. */
export async function known() {
  return (await fetch('/ws')).status === 426;
}

/** In any page: opens a socket, says how that went. */
export function openSocket(address) {
  return new Promise((done) => {
    const socket = new WebSocket(address);
    socket.onmessage = (event) => done(`message ${event.data}`);
    socket.onclose = (event) => done(`closed ${event.code}`);
  });
}
