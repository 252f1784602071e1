// Attacks without a browser: requests that no browser would send, and stolen secrets.
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { bridge, control } from './lab.mjs';
import { handshake, request, session } from './raw.mjs';

/** Defines a test with a bridge and the cookie of a paired device. */
const attack = (name, use, ...extra) => test(name, async () => {
  const door = await bridge(...extra);
  try {
    const paired = await request(door.port, { method: 'POST', path: '/api/pair', type: 'application/json', body: JSON.stringify({ code: door.code, device: 'Laptop' }) });
    assert.equal(paired.status, 200, paired.body);
    const [cookie] = paired.headers['set-cookie'].split(';');
    await use({ ...door, cookie, own: { cookie, origin: door.origin } });
  } finally { await door.end(); }
});

attack('foreign origins cannot open a WebSocket with a cookie or a token', async ({ port, origin, folder, cookie }) => {
  const { token } = await control(folder, { do: 'token', name: 'robot', scope: 'admin' });
  assert.equal((await handshake(port, '/ws', { cookie, origin })).status, 101);
  assert.equal((await handshake(port, '/ws', { authorization: `Bearer ${token}` })).status, 101);
  for (const foreign of ['http://evil.test', 'null', 'http://localhost', `https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.test`, '']) {
    assert.equal((await handshake(port, '/ws', { cookie, origin: foreign })).status, 403, foreign);
    assert.equal((await handshake(port, '/ws', { authorization: `Bearer ${token}`, origin: foreign })).status, 403, foreign);
  }
  assert.equal((await handshake(port, '/ws', { cookie })).status, 403, 'a cookie without an origin');
});

attack('forms whose body is valid JSON are rejected', async ({ port, own, folder }) => {
  const { code } = await control(folder, { do: 'pair' });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '', 'application/jsonx']) {
    const answer = await request(port, { method: 'POST', path: '/api/pair', type, headers: own, body: JSON.stringify({ code, device: 'x' }) });
    assert.ok(answer.status === 415 || answer.status === 400 || answer.status === 403, `${type}: ${answer.status}`);
  }
  assert.equal((await control(folder, { do: 'devices' })).devices.length, 1);
});

attack('requests with a foreign host name are rejected', async ({ port, own }) => {
  for (const host of ['evil.test', `evil.test:${port}`, `127.0.0.1.evil.test:${port}`, `127.0.0.1:${port}@evil.test`, '0.0.0.0', `127.0.0.1:${port + 1}`, '169.254.169.254', '']) {
    for (const path of ['/', '/api/health', '/metrics', '/api/sessions/a/export.md']) {
      const answer = await request(port, { path, host, headers: own });
      assert.ok(answer.status === 403 || answer.status === 400 || answer.status === 421, `${host} ${path}: ${answer.status}`);
    }
  }
});

attack('the cookie of a revoked device is rejected', async ({ port, own, folder }) => {
  const line = await session(port, own);
  const [device] = (await control(folder, { do: 'devices' })).devices;
  await control(folder, { do: 'revoke', device: device.id });
  await line.ended;
  assert.equal((await handshake(port, '/ws', own)).status, 401);
  for (const path of ['/metrics', `/api/blobs/${'a'.repeat(64)}`, '/api/sessions/a/export.md']) assert.equal((await request(port, { path, headers: own })).status, 401, path);
  assert.equal((await request(port, { method: 'POST', path: '/api/upload', type: 'image/png', headers: own, body: 'x' })).status, 401);
});

attack('pairing codes cannot be guessed: wrong codes also delay the right one', async ({ port, folder }) => {
  const { code } = await control(folder, { do: 'pair' });
  const guess = (text) => request(port, { method: 'POST', path: '/api/pair', type: 'application/json', body: JSON.stringify({ code: text, device: 'guesser' }) });
  const seen = [];
  for (let i = 0; i < 40 && !seen.includes(429); i += 1) seen.push((await guess(`AAAA-${String(i).padStart(4, '2').replace(/[01]/g, '7')}`)).status);
  assert.ok(seen.includes(429), `never rate limited: ${seen.join(' ')}`);
  assert.ok(!seen.includes(200));
  assert.equal((await guess(code)).status, 429);
  assert.equal((await control(folder, { do: 'devices' })).devices.length, 1);
});

attack('path traversal is not possible', async ({ port, own, home }) => {
  await writeFile(join(home, 'secret.txt'), 'the secret of this home');
  const up = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '..\\', '....//', '%252e%252e%252f', '..%c0%af', './../'];
  const roots = ['/', '/assets/', '/api/blobs/', '/api/sessions/', '/api/sessions/a/export.', '/metrics/', '/ws/', '/sw.js/', '/api/'];
  for (const root of roots) {
    for (const step of up) {
      for (const target of ['secret.txt', 'etc/passwd', 'state/bridge.db']) {
        const answer = await request(port, { path: root + step.repeat(8) + target, headers: own });
        assert.ok(!/the secret of this home|root:x?:0:0|SQLite format/.test(answer.body), `${root}${step}${target}: ${answer.status}`);
      }
    }
  }
});

attack('folders outside the roots are not accessible, not even through links', async ({ port, own, home }) => {
  const outside = join(home, 'outside');
  const root = join(home, 'root');
  await mkdir(join(outside, 'deep'), { recursive: true });
  await writeFile(join(outside, 'secret.txt'), 'outside');
  await symlink(outside, join(root, 'link'));
  await symlink('/', join(root, 'all'));
  await mkdir(join(root, 'inside', 'known'), { recursive: true });
  await writeFile(join(root, 'inside', 'open.txt'), 'inside');
  const line = await session(port, own);
  // Control: all of this works inside the root.
  assert.equal((await line.ask({ type: 'start', projectPath: join(root, 'inside') })).ok, true);
  assert.match(JSON.stringify(await line.ask({ type: 'files', folder: join(root, 'inside'), query: 'open' })), /open\.txt/);
  assert.match(JSON.stringify(await line.ask({ type: 'folders', prefix: `${join(root, 'inside')}/` })), /known/);
  const refused = [outside, join(root, 'link'), join(root, 'link', 'deep'), join(root, 'all', 'etc'), join(root, '..'), join(root, '..', 'outside'), `${root}/../outside`, '/', '/etc', 'relative', `${root}\0`, join(home, 'rootless')];
  for (const projectPath of refused) {
    const started = await line.ask({ type: 'start', projectPath, text: 'hello' });
    assert.equal(started.ok, false, `started in ${projectPath}`);
    const found = await line.ask({ type: 'files', folder: projectPath, query: 'secret' });
    assert.ok(!found.ok || JSON.stringify(found.data).includes('secret.txt') === false, `files of ${projectPath}`);
    const listed = await line.ask({ type: 'folders', prefix: `${projectPath}/` });
    assert.ok(!listed.ok || !/deep|passwd/.test(JSON.stringify(listed.data)), `folders of ${projectPath}`);
  }
  line.close();
}, '--root', '@home/root');

attack('oversized requests are rejected before they are read', async ({ port, own }) => {
  const big = await request(port, { path: '/', headers: { ...own, 'x-large': 'x'.repeat(64 * 1024) } });
  assert.ok(big.status === 431 || big.status === 0, String(big.status));
  const many = await request(port, { path: '/', headers: { ...own, ...Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`x-${n}`, 'y'])) } });
  assert.ok(many.status === 431 || many.status === 400 || many.status === 0, String(many.status));
  assert.equal((await request(port, { method: 'POST', path: '/api/pair', type: 'application/json', body: JSON.stringify({ code: 'x'.repeat(64 * 1024) }) })).status, 413);
  assert.equal((await request(port, { method: 'POST', path: '/api/upload', type: 'image/png', headers: { ...own, 'content-length': String(64 * 1024 * 1024) }, body: '' })).status, 413);
  // An oversized frame closes the connection, not the bridge.
  const line = await session(port, own);
  line.write('{"type":"ping","x":"' + 'y'.repeat(30 * 1024 * 1024) + '"}');
  await line.ended;
  assert.equal((await request(port, { path: '/api/health', headers: own })).status, 200);
});

attack('a hundred endless requests do not block others and are closed', async ({ port, own }) => {
  const slow = Array.from({ length: 100 }, () => { const socket = connect(port, '127.0.0.1'); socket.on('error', () => {}); socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '); const ended = new Promise((done) => { socket.once('close', done); socket.once('end', () => { socket.destroy(); done(); }); socket.resume(); }); return { socket, ended }; });
  // A byte sent now and then does not extend the timeout.
  const drip = setInterval(() => { for (const { socket } of slow) if (socket.writable) socket.write('a'); }, 500);
  try {
    for (let i = 0; i < 5; i += 1) assert.equal((await request(port, { path: '/api/health', headers: own })).status, 200);
    const line = await session(port, own);
    line.close();
    await Promise.all(slow.map((one) => one.ended));
    assert.equal((await request(port, { path: '/api/health', headers: own })).status, 200);
  } finally { clearInterval(drip); for (const { socket } of slow) socket.destroy(); }
});

attack('secrets in URLs are not accepted and not logged', async ({ port, origin, folder, cookie, log }) => {
  const { token } = await control(folder, { do: 'token', name: 'robot', scope: 'admin' });
  const value = cookie.slice(cookie.indexOf('=') + 1);
  for (const query of [`token=${token}`, `access_token=${token}`, `auth=${token}`, `cookie=${value}`, `key=${token}`, `authorization=Bearer%20${token}`]) {
    assert.equal((await handshake(port, `/ws?${query}`, { origin })).status, 401, query);
    for (const path of ['/metrics', '/api/sessions/a/export.md', `/api/blobs/${'a'.repeat(64)}`]) assert.equal((await request(port, { path: `${path}?${query}`, headers: { origin } })).status, 401, `${path} ${query}`);
  }
  assert.ok(!log().includes(token) && !log().includes(value), 'the log contains a secret');
});
