// Options of the SDK, and its functions for saved sessions.
import assert from 'node:assert/strict';
import { join } from 'node:path';

import { all, call, conversation, createSdkMcpServer, init, lab, outcomes, query, result, texts, sdk, test, text, tool, z } from './lab.mjs';

const run = (options, prompt = 'go') => all(query({ prompt, options }));
const missing = { error: 404, kind: 'not_found_error', message: 'model: claude-nowhere' };

test('in-process tools', () =>
  lab([call('mcp__calc__add', { a: 2, b: 3 }), call('mcp__calc__fail', {}), text('done'), text('never')], async ({ options }) => {
    const ran = [];
    const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => {
      ran.push([a, b]);
      return { content: [{ type: 'text', text: `sum is ${a + b}` }] };
    });
    const fail = tool('fail', 'Fails', {}, async () => {
      throw new Error('cannot do that');
    });
    const calc = createSdkMcpServer({ name: 'calc', version: '1.0.0', instructions: 'Count with it.', tools: [add, fail] });
    const allowedTools = ['mcp__calc__add', 'mcp__calc__fail'];
    const talk = conversation({ ...options, mcpServers: { calc }, allowedTools });
    const messages = await talk.turn('add');
    assert.deepEqual(ran, [[2, 3]]);
    const [sum, failure] = outcomes(messages);
    assert.match(JSON.stringify(sum.content), /sum is 5/);
    assert.ok(failure.is_error && /cannot do that/.test(JSON.stringify(failure.content)));
    assert.deepEqual(init(messages).mcp_servers.map(({ name, status }) => `${name} ${status}`), ['calc connected']);
    const [{ tools }] = await talk.session.mcpServerStatus();
    assert.deepEqual(tools.map(({ name }) => name), ['add', 'fail']);
    await talk.end();
  }));

test('permission policies of in-process tools', () =>
  lab([call('mcp__calc__add', {}), call('mcp__calc__fail', {}), text('done')], async ({ options }) => {
    const ran = [];
    const made = (name) => tool(name, name, {}, async () => (ran.push(name), { content: [{ type: 'text', text: name }] }));
    const calc = createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [made('add'), made('fail')] });
    calc.tools = [
      { name: 'add', permission_policy: 'always_ask' },
      { name: 'fail', permission_policy: 'always_deny' },
    ];
    const requested = [];
    const canUseTool = async (name, input) => (requested.push(name), { behavior: 'allow', updatedInput: input });
    const allowedTools = ['mcp__calc__add', 'mcp__calc__fail'];
    const talk = conversation({ ...options, mcpServers: { calc }, allowedTools, canUseTool });
    const [, failure] = outcomes(await talk.turn('go'));
    assert.deepEqual([requested, ran], [['mcp__calc__add'], ['add']]);
    assert.ok(failure.is_error);
    await talk.end();
  }));

test('agent definition of the host applies to the main session', () =>
  lab([text('led')], async ({ options }) => {
    const pilot = { description: 'Leads', prompt: 'You are the pilot.', model: 'haiku', tools: ['Read'] };
    const messages = await run({ ...options, agent: 'pilot', agents: { pilot } });
    assert.deepEqual([init(messages).model, init(messages).tools], ['claude-haiku-5-5', ['Read']]);
    assert.ok(init(messages).agents.includes('pilot'));
    assert.equal(result(messages).result, 'led');
  }));

test('fallback model replaces a missing model', () =>
  lab([missing, text('taken over')], async ({ options }) => {
    const messages = await run({ ...options, model: 'claude-nowhere', fallbackModel: 'claude-sonnet-4-5' });
    const { trigger, fallback_model: model } = messages.find(({ subtype }) => subtype === 'model_fallback');
    assert.deepEqual([trigger, model], ['model_not_found', 'claude-sonnet-4-5']);
    assert.deepEqual(texts(messages), ['taken over']);
  }));

test('tool aliases', () =>
  lab([call('Shell', { command: 'echo routed' }), text('done')], async ({ options }) => {
    const messages = await run({ ...options, toolAliases: { Shell: 'Bash' }, allowedTools: ['Bash'] });
    assert.equal(outcomes(messages)[0].content, 'routed');
  }));

test('answer with a JSON schema', () =>
  lab([call('StructuredOutput', { n: 'x' }), call('StructuredOutput', { n: 7 }), text('done')], async ({ options }) => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const messages = await run({ ...options, outputFormat: { type: 'json_schema', schema } });
    assert.deepEqual(result(messages).structured_output, { n: 7 });
  }));

test('limits end in an error', () =>
  lab([call('Bash', { command: 'echo 1' }), text('never')], async ({ options }) => {
    const seen = [];
    const limited = async () => {
      for await (const message of query({ prompt: 'go', options: { ...options, maxTurns: 1, allowedTools: ['Bash'] } })) seen.push(message);
    };
    await assert.rejects(limited, /maximum number of turns/);
    assert.equal(result(seen).subtype, 'error_max_turns');
  }));

test('an abort ends the process', () =>
  lab([call('Bash', { command: 'sleep 300' }), text('never')], async ({ options }) => {
    const abortController = new AbortController();
    const aborted = async () => {
      for await (const message of query({ prompt: 'go', options: { ...options, abortController, allowedTools: ['Bash'] } })) {
        if (message.type === 'assistant') abortController.abort();
      }
    };
    await aborted().catch((error) => assert.match(`${error.name} ${error.message}`, /abort/i));
    assert.ok(abortController.signal.aborted);
  }));

test('prewarmed session', () =>
  lab([text('ready')], async ({ options }) => {
    const prepared = await sdk.startup({ options });
    assert.deepEqual(texts(await all(prepared.query('go'))), ['ready']);
  }));

test('sessions are listed, read, named, forked and deleted', () =>
  lab([text('one'), text('two'), text('three')], async ({ cwd, home, options }) => {
    const before = process.env.CLAUDE_CONFIG_DIR;
    process.env.CLAUDE_CONFIG_DIR = join(home, '.claude');
    try {
      const kept = { ...options, env: { ...options.env, CLAUDE_CONFIG_DIR: join(home, '.claude') } };
      const here = { dir: cwd };
      const first = await run({ ...kept, title: 'Tides' }, 'first');
      const id = result(first).session_id;
      assert.equal(first.find(({ subtype }) => subtype === 'session_title_changed').title, 'Tides');
      assert.equal((await sdk.getSessionInfo(id, here)).customTitle, 'Tides');
      assert.equal(result(await run({ ...kept, resume: id }, 'second')).session_id, id);
      assert.notEqual(result(await run({ ...kept, resume: id, forkSession: true }, 'third')).session_id, id);
      await run({ ...kept, persistSession: false }, 'unseen').catch(() => {});
      assert.equal((await sdk.listSessions(here)).length, 2);
      const spoken = (await sdk.getSessionMessages(id, here)).map(({ type }) => type);
      assert.deepEqual(spoken, ['user', 'assistant', 'user', 'assistant']);
      await sdk.renameSession(id, 'Ebb', here);
      await sdk.tagSession(id, 'keep', here);
      const { customTitle, tag } = await sdk.getSessionInfo(id, here);
      assert.deepEqual([customTitle, tag], ['Ebb', 'keep']);
      const fork = await sdk.forkSession(id, here);
      assert.equal((await sdk.getSessionMessages(fork.sessionId, here)).length, 4);
      await sdk.deleteSession(fork.sessionId, here);
      assert.equal((await sdk.listSessions(here)).length, 2);
    } finally {
      if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
      else process.env.CLAUDE_CONFIG_DIR = before;
    }
  }));

test('session is resumed from a store', () =>
  lab([text('one'), text('two')], async ({ options }) => {
    const sessionStore = new sdk.InMemorySessionStore();
    const id = result(await run({ ...options, sessionStore }, 'first')).session_id;
    const again = result(await run({ ...options, sessionStore, resume: id }, 'second'));
    assert.deepEqual([again.session_id, again.result], [id, 'two']);
  }));
