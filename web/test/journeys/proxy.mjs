// Serves the page from a folder in front of a bridge that was built without it (or with an older one):
// SLUICE_DIST=web/dist. Everything but files is forwarded to the bridge.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
};

export async function startProxy(dist, port) {
  const bridge = `127.0.0.1:${port}`;
  const headers = (request) => ({ ...request.headers, host: bridge, ...(request.headers.origin ? { origin: `http://${bridge}` } : {}) });
  const sockets = new Set();
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, 'http://x').pathname);
    const file = join(dist, path === '/' ? 'index.html' : path);
    const mine = !path.startsWith('/api') && path !== '/ws' && existsSync(file) && statSync(file).isFile();
    const up = ask({ host: '127.0.0.1', port, method: request.method, path: mine ? '/' : request.url, headers: headers(request) }, (answer) => {
      if (!mine) {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
        return;
      }
      answer.resume();
      const kept = Object.fromEntries(
        Object.entries(answer.headers).filter(([name]) => !/^(content-|etag|transfer|vary|last-modified)/.test(name) || name === 'content-security-policy'),
      );
      const small = /\bbr\b/.test(request.headers['accept-encoding'] ?? '') && existsSync(`${file}.br`);
      response
        .writeHead(200, { ...kept, 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...(small ? { 'content-encoding': 'br' } : {}) })
        .end(readFileSync(small ? `${file}.br` : file));
    });
    up.on('error', () => response.destroy());
    request.pipe(up);
  });
  server.on('upgrade', (request, socket, head) => {
    const lines = Object.entries(headers(request))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n');
    const up = connect(port, '127.0.0.1', () => {
      up.write(`GET ${request.url} HTTP/1.1\r\n${lines}\r\n\r\n`);
      up.write(head);
      up.pipe(socket);
      socket.pipe(up);
    });
    for (const one of [up, socket]) {
      sockets.add(one);
      one.on('close', () => {
        sockets.delete(one);
        up.destroy();
        socket.destroy();
      });
      one.on('error', () => {});
    }
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      for (const one of sockets) one.destroy();
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
