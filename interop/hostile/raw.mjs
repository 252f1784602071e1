// Hand-written HTTP and WebSocket clients, so that arbitrary requests can be sent.
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

/** Sends a request. The status is 0 if the connection was closed without a response. */
export function request(port, { method = 'GET', path = '/', host = `127.0.0.1:${port}`, type, headers = {}, body = '' }) {
  const all = { host, connection: 'close', ...(type === undefined ? {} : { 'content-type': type }), ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) }), ...headers };
  return exchange(port, `${method} ${path} HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`).then(({ text }) => parse(text));
}

/** Requests a WebSocket, returns the response and disconnects. */
export const handshake = (port, path, headers = {}) => exchange(port, upgrade(port, path, headers), true).then(({ text }) => parse(text));

function upgrade(port, path, headers) {
  const all = { host: `127.0.0.1:${port}`, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': randomBytes(16).toString('base64'), ...headers };
  return `GET ${path} HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

function exchange(port, text, headOnly = false) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const end = () => { socket.destroy(); done({ text: received }); };
    socket.on('data', (part) => { received += part.toString('latin1'); if (headOnly && received.includes('\r\n\r\n')) end(); });
    socket.once('end', end);
    socket.once('error', end);
    socket.once('close', end);
    socket.write(text);
  });
}

function parse(text) {
  const at = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = (at < 0 ? text : text.slice(0, at)).split('\r\n');
  return { status: Number(/^HTTP\/1\.[01] (\d+)/.exec(first)?.[1] ?? 0), headers: Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()])), body: at < 0 ? '' : text.slice(at + 4) };
}

/** Opens a WebSocket and sends hello. `ask` sends a command and waits for its receipt. */
export async function session(port, headers) {
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map();
  let greet; let gone;
  const greeted = new Promise((done) => { greet = done; });
  const ended = new Promise((done) => { gone = done; });
  socket.on('error', () => {});
  socket.once('close', () => { gone(); greet(false); for (const done of waiting.values()) done({ ok: false, gone: true }); });
  let received = Buffer.alloc(0); let upgraded = false;
  const take = (message) => {
    if (message.type === 'welcome') greet(true);
    if (message.type === 'receipt') { waiting.get(message.id)?.(message); waiting.delete(message.id); }
  };
  socket.on('data', (part) => {
    received = Buffer.concat([received, part]);
    if (!upgraded) {
      const at = received.indexOf('\r\n\r\n');
      if (at < 0) return;
      upgraded = true;
      received = received.subarray(at + 4);
      write(JSON.stringify({ type: 'hello', version: 2, client: 'hostile', build: null, capabilities: [], revisions: {} }));
    }
    for (;;) {
      if (received.length < 2) return;
      const short = received[1] & 127;
      const head = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (received.length < head) return;
      const length = short === 126 ? received.readUInt16BE(2) : short === 127 ? Number(received.readBigUInt64BE(2)) : short;
      if (received.length < head + length) return;
      const kind = received[0] & 15;
      const body = received.subarray(head, head + length).toString('utf8');
      received = received.subarray(head + length);
      if (kind === 8) socket.end();
      if (kind === 1) take(JSON.parse(body));
    }
  });
  function write(text) {
    const body = Buffer.from(text);
    const mask = randomBytes(4);
    const head = body.length < 126 ? Buffer.from([0x81, 0x80 | body.length]) : body.length < 65_536 ? Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255]) : Buffer.concat([Buffer.from([0x81, 0xff]), (() => { const size = Buffer.alloc(8); size.writeBigUInt64BE(BigInt(body.length)); return size; })()]);
    for (let i = 0; i < body.length; i += 1) body[i] ^= mask[i & 3];
    if (socket.writable) socket.write(Buffer.concat([head, mask, body]));
  }
  socket.write(upgrade(port, '/ws', headers));
  if (!(await greeted)) throw new Error(`no connection: ${received.toString('latin1').slice(0, 200)}`);
  let count = 0;
  return { ended, write, close: () => socket.destroy(), ask: (request) => new Promise((done) => { count += 1; waiting.set(`w${count}`, done); write(JSON.stringify({ ...request, id: `w${count}` })); }) };
}
