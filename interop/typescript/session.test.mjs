// Conversations: turns, partial messages, interrupts, permission requests, errors.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { all, call, conversation, delta, lab, outcomes, prewarm, query, result, texts, test, text } from './lab.mjs';

test('one-shot query', () =>
  lab([text('Hello there')], async ({ options }) => {
    const messages = await all(query({ prompt: 'ping', options }));
    assert.deepEqual(texts(messages), ['Hello there']);
    const { subtype, is_error, result: answer, num_turns } = messages.at(-1);
    assert.deepEqual([subtype, is_error, answer, num_turns], ['success', false, 'Hello there', 1]);
  }));

test('conversation of three turns', () =>
  lab([text('one'), text('You said $REQ{(violet-[0-9]+)}'), text('three')], async ({ options }) => {
    const talk = conversation(options);
    const turns = [];
    for (const prompt of ['remember violet-42', 'what did I say?', 'thanks']) turns.push(await talk.turn(prompt));
    await talk.end();
    assert.deepEqual(turns.map(texts), [['one'], ['You said violet-42'], ['three']]);
    assert.equal(new Set(turns.map((turn) => result(turn).session_id)).size, 1);
    assert.deepEqual(turns.map((turn) => result(turn).subtype), ['success', 'success', 'success']);
  }));

test('partial messages add up', () => {
  const sentence = 'A sentence that comes in several pieces, one after the other.';
  return lab([text(sentence)], async ({ options }) => {
    const messages = await all(query({ prompt: 'ping', options: { ...options, includePartialMessages: true } }));
    const pieces = messages.filter(delta).map(({ event }) => event.delta.text ?? '');
    assert.ok(pieces.length > 1);
    assert.equal(pieces.join(''), sentence);
    const events = messages.filter(({ type }) => type === 'stream_event').map(({ event }) => event.type);
    assert.deepEqual([events[0], events.at(-1)], ['message_start', 'message_stop']);
    assert.deepEqual(texts(messages), [sentence]);
  });
});

test('interrupted session continues', () =>
  lab([text('word '.repeat(400), { delay: 0.05 }), text('Still here')], async ({ options }) => {
    const talk = conversation({ ...options, includePartialMessages: true });
    const started = Date.now();
    let stopped = false;
    const first = await talk.turn('talk', async (message) => {
      if (!delta(message) || stopped) return;
      stopped = true;
      await talk.session.interrupt();
    });
    assert.ok(stopped && Date.now() - started < 15_000, 'the turn was not interrupted');
    assert.equal(result(first).subtype, 'error_during_execution');
    const second = await talk.turn('are you there?');
    await talk.end();
    assert.deepEqual([texts(second), result(second).subtype], [['Still here'], 'success']);
  }));

test('model and mode between turns', () => {
  // An agent may send a test request before it switches the model.
  const trial = text('yes', { when: 'Hi', repeat: true });
  const write = call('Write', { file_path: '$REQ{write-to:(/[^ "]+)}', content: 'made\n' });
  return lab([trial, text('first'), text('second'), write, text('third')], async ({ cwd, options }) => {
    const requested = [];
    const canUseTool = async (name) => {
      requested.push(name);
      return { behavior: 'deny', message: 'no' };
    };
    const talk = conversation({ ...options, canUseTool, model: 'claude-opus-4-5', permissionMode: 'default' });
    const first = await talk.turn('one');
    await talk.session.setModel('claude-sonnet-4-5');
    const second = await talk.turn('two');
    await talk.session.setPermissionMode('acceptEdits');
    const made = join(cwd, 'made.txt');
    const third = await talk.turn(`write-to:${made} please`);
    await talk.end();
    const model = (messages) => messages.find(({ type }) => type === 'assistant').message.model;
    assert.deepEqual([model(first), model(second)], ['claude-opus-4-5', 'claude-sonnet-4-5']);
    const mode = (messages) => messages.find(({ type, subtype }) => type === 'system' && subtype === 'init').permissionMode;
    assert.deepEqual([mode(second), mode(third)], ['default', 'acceptEdits']);
    assert.deepEqual([texts(third), await readFile(made, 'utf8'), requested], [['third'], 'made\n', []]);
  });
});

test('permission request: allow, deny and changed input', () => {
  const commands = ['touch allowed.txt && echo done-it', 'touch denied.txt', 'touch changed.txt'];
  const replies = commands.map((command) => call('Bash', { command, description: 'make a file' }));
  return lab([...replies, text('All tried')], async ({ cwd, options }) => {
    const asks = [];
    const canUseTool = async (name, input, { toolUseID }) => {
      asks.push([name, input.command, typeof toolUseID]);
      if (input.command.includes('denied')) return { behavior: 'deny', message: 'not today' };
      if (input.command.includes('changed')) return { behavior: 'allow', updatedInput: { ...input, command: 'touch other.txt' } };
      return { behavior: 'allow', updatedInput: input };
    };
    const talk = conversation({ ...options, canUseTool });
    const messages = await talk.turn('go');
    await talk.end();
    assert.deepEqual(asks, commands.map((command) => ['Bash', command, 'string']));
    assert.deepEqual((await readdir(cwd)).sort(), ['allowed.txt', 'other.txt']);
    const [allowed, denied, changed] = outcomes(messages);
    assert.match(JSON.stringify(allowed.content), /done-it/);
    assert.match(JSON.stringify(denied.content), /not today/);
    assert.deepEqual([allowed, denied, changed].map(({ is_error }) => is_error ?? false), [false, true, false]);
    const end = result(messages);
    assert.deepEqual([end.subtype, end.result], ['success', 'All tried']);
    assert.deepEqual(end.permission_denials.map(({ tool_name }) => tool_name), ['Bash']);
  });
});

async function* passed(messages) {
  for await (const message of messages) yield message;
}

test('a permission callback comes after the message with its input', () => {
  const calls = Array.from({ length: 20 }, (_, n) => call('Bash', { command: `touch ${n}.txt`, description: 'make a file' }));
  return lab([...calls, text('done')], async ({ options }) => {
    const seen = [];
    const canUseTool = async (name, input) => {
      seen.push(`ask ${input.command}`);
      return { behavior: 'allow', updatedInput: input };
    };
    async function* prompts() {
      yield { type: 'user', message: { role: 'user', content: 'go' }, parent_tool_use_id: null };
      await ended;
    }
    let end;
    const ended = new Promise((resolve) => (end = resolve));
    // As in an adapter, a message passes through several layers before it is handled.
    let messages = query({ prompt: prompts(), options: { ...options, canUseTool } });
    for (let layer = 0; layer < 8; layer++) messages = passed(messages);
    for await (const message of messages) {
      if (message.type === 'assistant')
        for (const block of message.message.content) if (block.type === 'tool_use') seen.push(`call ${block.input.command}`);
      if (message.type === 'result') end();
    }
    const expected = calls.flatMap(([{ input }]) => [`call ${input.command}`, `ask ${input.command}`]);
    assert.deepEqual(seen, expected);
  });
});

test('model that does not exist', () =>
  lab([{ error: 404, kind: 'not_found_error', message: 'model: nobody', repeat: true }], async ({ options }) => {
    const talk = conversation(options);
    const messages = await talk.turn('ping');
    await talk.end().catch(() => {});
    const end = result(messages);
    assert.deepEqual([end.is_error, end.num_turns], [true, 1]);
    assert.deepEqual(texts(messages), [end.result]);
  }));

test('several sessions at once', async () => {
  const sessions = new Set();
  const one = (number) =>
    lab([call('Bash', { command: `echo number-${number} > out.txt` }), text(`I am ${number}`)], async ({ cwd, options }) => {
      const messages = await all(query({ prompt: 'who are you?', options: { ...options, allowedTools: ['Bash'] } }));
      assert.deepEqual(texts(messages), [`I am ${number}`]);
      assert.ok(existsSync(join(cwd, 'out.txt')));
      assert.equal((await readFile(join(cwd, 'out.txt'), 'utf8')).trim(), `number-${number}`);
      sessions.add(messages.at(-1).session_id);
    });
  await Promise.all([0, 1, 2, 3].map(one));
  assert.equal(sessions.size, 4);
});

test('a prewarmed process is claimed for a folder', () =>
  lab([call('Bash', { command: 'pwd' }), text('There')], async ({ cwd, home, options }) => {
    const { cwd: _, ...hostOptions } = options;
    const requested = [];
    const canUseTool = async (name, input) => {
      requested.push(name);
      return { behavior: 'allow', updatedInput: input };
    };
    const spare = await prewarm({ options: { ...hostOptions, canUseTool } });
    const talk = spare.claim({ prompt: 'where are you?', options: { cwd, title: 'Claimed', permissionMode: 'default' } });
    const messages = await all(talk);
    const claimed = await spare.claimed;
    assert.equal(claimed.cwd, cwd);
    const init = messages.find(({ type, subtype }) => type === 'system' && subtype === 'init');
    assert.deepEqual([init.cwd, init.session_id], [cwd, claimed.sessionId]);
    assert.deepEqual(texts(messages), ['There']);
    const [title] = messages.filter(({ subtype }) => subtype === 'session_title_changed');
    assert.equal(title.title, 'Claimed');
    assert.ok((await talk.initializationResult()).commands.length > 0);
    assert.equal(existsSync(join(home, '.claude', 'projects')), true);
  }));

test('a claim for a folder that does not exist is refused', () =>
  lab([], async ({ cwd, options }) => {
    const { cwd: _, ...hostOptions } = options;
    const spare = await prewarm({ options: hostOptions });
    const talk = spare.claim({ prompt: 'where are you?', options: { cwd: join(cwd, 'missing') } });
    const refused = assert.rejects(spare.claimed, /claim_failed.*missing/);
    await all(talk).catch(() => {});
    await refused;
  }));
