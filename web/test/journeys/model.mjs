// A scripted model: the Messages API on loopback, streamed. A prompt is answered by the scene whose name is a prefix of
// it; a scene is a list of replies, one per round of tool calls. A reply is a list of pieces: {text} {thinking} {tool,
// input} {gate: name} {status, error}. A gate pauses the stream until the test opens it, so that no test depends on the
// speed of the machine.
import { createServer } from 'node:http';

export async function startModel(scenes) {
  const gates = new Map();
  const gate = (name) => {
    if (!gates.has(name)) {
      const one = { name };
      one.reached = new Promise((resolve) => {
        one.arrive = resolve;
      });
      one.opened = new Promise((resolve) => {
        one.open = resolve;
      });
      gates.set(name, one);
    }
    return gates.get(name);
  };
  const asked = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => void answer(request, response, body).catch(() => response.destroy()));
  });
  async function answer(request, response, body) {
    if (request.method !== 'POST') return void response.writeHead(200).end();
    const wish = JSON.parse(body);
    if (request.url.includes('count_tokens')) return json(response, 200, { input_tokens: 100 });
    const { prompt, round } = read(wish);
    const name = Object.keys(scenes)
      .filter((key) => prompt.startsWith(key))
      .sort((a, b) => b.length - a.length)[0];
    const main = Array.isArray(wish.tools) && wish.tools.length > 0;
    asked.push({ prompt, round, main, model: wish.model });
    if (!main || !name) return stream(response, wish.model, [{ text: main ? `You said: ${prompt}` : 'A title' }]);
    const scene = scenes[name];
    const replies = typeof scene === 'function' ? scene(prompt, wish) : scene;
    return stream(response, wish.model, replies[Math.min(round, replies.length - 1)] ?? [{ text: 'Done.' }]);
  }
  let count = 0;
  async function stream(response, model, pieces) {
    const refusal = pieces.find((piece) => piece.status);
    if (refusal) return json(response, refusal.status, { type: 'error', error: { type: 'api_error', message: refusal.error } });
    count += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${count}` });
    const send = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    send('message_start', {
      message: {
        id: `msg_${process.pid}_${Date.now()}_${count}`,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1200, output_tokens: 1, cache_read_input_tokens: 800, cache_creation_input_tokens: 0 },
      },
    });
    let index = -1;
    let open = null;
    const close = () => {
      if (open) send('content_block_stop', { index });
      open = null;
    };
    const begin = (kind, block) => {
      close();
      index += 1;
      open = kind;
      send('content_block_start', { index, content_block: block });
    };
    for (const piece of pieces) {
      if (response.destroyed) return;
      if (piece.gate) {
        const one = gate(piece.gate);
        one.arrive();
        await one.opened;
        continue;
      }
      if (piece.text !== undefined) {
        if (open !== 'text') begin('text', { type: 'text', text: '' });
        for (const word of piece.text.match(/\s*\S+\s*|\s+/g) ?? []) send('content_block_delta', { index, delta: { type: 'text_delta', text: word } });
      } else if (piece.thinking !== undefined) {
        begin('thinking', { type: 'thinking', thinking: '', signature: '' });
        send('content_block_delta', { index, delta: { type: 'thinking_delta', thinking: piece.thinking } });
        send('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2ln' } });
      } else if (piece.tool) {
        count += 1;
        begin('tool', { type: 'tool_use', id: `toolu_${process.pid}_${Date.now()}_${count}`, name: piece.tool, input: {} });
        send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: JSON.stringify(piece.input) } });
      }
    }
    const tools = pieces.some((piece) => piece.tool);
    close();
    send('message_delta', { delta: { stop_reason: tools ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 40 } });
    send('message_stop', {});
    response.end();
  }
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    reached: (name) => gate(name).reached,
    open: (name) => gate(name).open(),
    close: () => {
      for (const one of gates.values()) one.open();
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

function json(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** The last message of the user, and the number of rounds of tool calls since. */
function read(wish) {
  let round = 0;
  for (let at = wish.messages.length - 1; at >= 0; at -= 1) {
    const message = wish.messages[at];
    if (message.role !== 'user') continue;
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    const texts = blocks
      .filter((block) => block.type === 'text' && !block.text.startsWith('<system-reminder>') && !block.text.startsWith('[Request interrupted'))
      .map((block) => block.text);
    if (texts.length > 0) return { prompt: texts.at(-1).trim(), round };
    if (blocks.some((block) => block.type === 'tool_result')) round += 1;
  }
  return { prompt: '', round };
}
