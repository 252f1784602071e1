#!/usr/bin/env node
// A scripted bridge: serves the built page and implements level 1 of the API with made-up sessions, to view and test the
// page without an agent.
//
//   node test/fake-bridge.mjs [--port 4747] [--dist dist] [--unpaired] [--scope view|operate|approve|admin]
//
// For the development server (`npm run dev`) use port 4747, to which it forwards /api and /ws.
// From a test: `import { startFake } from '../test/fake-bridge.mjs'; const fake = await startFake({ port: 0 });`
// returns { url, port, bridge, control(body), close() }.
//
// Sessions (test/fake/sessions.mjs): s-permission (two requests), s-bash, s-hidden, s-write, s-mcp, s-question, s-plan,
// s-elicitation, s-link, s-dialog, s-crashed, s-running (with a queue), s-agents, s-retrying, s-limited, s-stalled,
// s-stopping, s-starting, s-unread, s-idle, s-bypass, s-full, s-external, s-lost, s-stopped, s-long (10,000 messages).
// A message to an idle session starts a streamed turn. Pairing code: K7QF-2M9X.
//
// `POST /control` with JSON controls it; `do` is one of
//   reset                                   restores the initial state
//   offline {on}                            closes all connections and refuses new ones until {on:false}
//   drop                                    closes all connections once
//   silence {on}                            connections stay open, but nothing is sent or answered
//   bye {reason}                            restarting, stopping, reload
//   frame {message}                         sends any message to all clients
//   add {sessionId, item}                   appends an item
//   patch {sessionId, state}                changes the folded state
//   ask {sessionId, kind}                   edit bash hidden write fetch mcp question plan elicitation link dialog
//   decide {sessionId, ask?, outcome, by}   answers a request elsewhere (allowed, denied), or cancels or expires it
//   stream {sessionId, text, chunk?, every?} streams a block by deltas, then completes it
//   deltas {sessionId, perSecond, seconds}  a flood of deltas
//   rewrite {sessionId}                     rewrites the history: all clients drop what they have
//   scope {scope}                           sets the scope of the device (closes connections)
//   lose {receipts}                         runs the next N commands, but closes the connection instead of sending a receipt
//   slow {ms}                               delays receipts
//   options {neverStops}                    interrupts have no effect
//   ping {every}                            milliseconds between pings (for new connections)
// `GET /control/log` returns the commands that had an effect; `GET /control/state` the sessions.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FakeBridge } from './fake/bridge.mjs';

// Not by name: vitest would resolve the browser version.
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
