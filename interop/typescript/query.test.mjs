// All methods of the Query object of the SDK.
import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { all, call, conversation, init, lab, outcomes, query, result, texts, test, text } from './lab.mjs';

const put = async (path, content) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const SERVER = `
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: 'tides', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'tide', description: 'The tide', inputSchema: { type: 'object', properties: {} } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'the tide is high' }] }),
    'resources/list': () => ({ resources: [{ uri: 'ui://tide/now', name: 'now', mimeType: 'text/plain' }] }),
    'resources/read': () => ({ contents: [{ uri: params.uri, mimeType: 'text/plain', text: 'high water' }] }),
  };
  send(id, (answers[method] ?? (() => ({})))());
});
`;

test('initializationResult, reinitialize, supported commands, models and agents, accountInfo', () =>
  lab([text('hi')], async ({ cwd, options }) => {
    await put(join(cwd, '.claude/commands/report.md'), '---\ndescription: Reports\nargument-hint: [what]\n---\nReport.\n');
    const agents = { helper: { description: 'Helps', prompt: 'You help.' } };
    const talk = conversation({ ...options, agents });
    const { session } = talk;
    const first = await session.initializationResult();
    assert.ok(first.commands.some(({ name, description }) => name === 'report' && description.includes('Reports')));
    assert.ok((await session.supportedCommands()).some(({ name }) => name === 'report'));
    const models = await session.supportedModels();
    assert.ok(models.length > 0 && models.every(({ value, displayName }) => value && displayName));
    assert.ok((await session.supportedAgents()).some(({ name }) => name === 'helper'));
    assert.equal(typeof (await session.accountInfo()), 'object');
    await talk.turn('ping');
    assert.ok((await session.reinitialize()).commands.some(({ name }) => name === 'report'));
    await talk.end();
  }));

test('setPermissionMode, setModel, setMaxThinkingTokens', () => {
  const trial = text('yes', { when: 'Hi', repeat: true });
  return lab([trial, text('one'), text('two')], async ({ options }) => {
    const talk = conversation({ ...options, permissionMode: 'default' });
    const first = await talk.turn('one');
    await talk.session.setPermissionMode('plan');
    await talk.session.setModel('claude-haiku-4-5');
    await talk.session.setMaxThinkingTokens(2000);
    const second = await talk.turn('two');
    await talk.session.setModel();
    await talk.session.setMaxThinkingTokens(null);
    await talk.end();
    assert.deepEqual([init(first), init(second)].map(({ permissionMode }) => permissionMode), ['default', 'plan']);
    assert.equal(second.find(({ type }) => type === 'assistant').message.model, 'claude-haiku-4-5');
  });
});

test('applyFlagSettings and updateSettings', () =>
  lab([text('one'), call('Bash', { command: 'touch made.txt' }), text('two')], async ({ cwd, options }) => {
    const talk = conversation(options);
    await talk.turn('one');
    await talk.session.applyFlagSettings({ permissions: { allow: ['Bash(touch:*)'] } });
    await talk.session.updateSettings('localSettings', { outputStyle: 'Explanatory' });
    const second = await talk.turn('two');
    await talk.end();
    assert.equal(outcomes(second)[0].is_error ?? false, false);
    const kept = JSON.parse(await readFile(join(cwd, '.claude/settings.local.json'), 'utf8'));
    assert.equal(kept.outputStyle, 'Explanatory');
  }));

test('getContextUsage, usage, readFile, seedReadState', () =>
  lab([text('one')], async ({ cwd, options }) => {
    const file = await put(join(cwd, 'notes.txt'), 'high water\n');
    const talk = conversation(options);
    await talk.turn('one');
    const usage = await talk.session.getContextUsage();
    assert.ok(usage.totalTokens > 0 && usage.maxTokens > usage.totalTokens && usage.categories.length > 0);
    assert.equal(typeof (await talk.session.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET()), 'object');
    const read = await talk.session.readFile('notes.txt');
    assert.equal(read.contents ?? read.content, 'high water\n');
    assert.equal(await talk.session.readFile('not-there.txt'), null);
    await talk.session.seedReadState(file, Math.floor((await stat(file)).mtimeMs));
    await talk.end();
  }));

test('reloadPlugins, reloadSkills, reloadOutputStyles', () =>
  lab([text('one'), text('two')], async ({ cwd, options }) => {
    const plugin = join(cwd, 'extra');
    await put(join(plugin, '.claude-plugin/plugin.json'), { name: 'extra', description: 'More', version: '1.0.0' });
    await put(join(plugin, 'commands/greet.md'), 'Greet.\n');
    const talk = conversation({ ...options, plugins: [{ type: 'local', path: plugin }] });
    const first = await talk.turn('one');
    assert.ok(init(first).slash_commands.includes('extra:greet'));
    await put(join(plugin, 'commands/part.md'), 'Part.\n');
    await put(join(cwd, '.claude/skills/tidal/SKILL.md'), '---\nname: tidal\ndescription: Knows tides\n---\nTides.\n');
    await put(join(cwd, '.claude/output-styles/calm.md'), '---\nname: calm\ndescription: Calmly\n---\nBe calm.\n');
    const plugins = await talk.session.reloadPlugins();
    assert.ok(plugins.commands.some(({ name }) => name === 'extra:part'));
    assert.ok((await talk.session.reloadSkills()).skills.some(({ name }) => name === 'tidal'));
    assert.equal(typeof (await talk.session.reloadOutputStyles()), 'object');
    const second = await talk.turn('two');
    assert.ok(init(second).slash_commands.includes('extra:part') && init(second).skills.includes('tidal'));
    await talk.end();
  }));

test('rewindFiles, with and without a dry run', () => {
  const path = '$REQ{file:(/[^ "]+)}';
  const replies = [call('Read', { file_path: path }), call('Write', { file_path: path, content: 'changed\n' }), text('done')];
  return lab(replies, async ({ cwd, options }) => {
    const file = await put(join(cwd, 'notes.txt'), 'as it was\n');
    const talk = conversation({
      ...options,
      enableFileCheckpointing: true,
      permissionMode: 'acceptEdits',
      extraArgs: { 'replay-user-messages': null },
    });
    const messages = await talk.turn(`file:${file} please`);
    const prompt = messages.find(({ type, isReplay }) => type === 'user' && isReplay).uuid;
    const tried = await talk.session.rewindFiles(prompt, { dryRun: true });
    assert.deepEqual([tried.canRewind, await readFile(file, 'utf8')], [true, 'changed\n']);
    const done = await talk.session.rewindFiles(prompt);
    assert.deepEqual([done.canRewind, await readFile(file, 'utf8')], [true, 'as it was\n']);
    await talk.end();
  });
});

test('servers: status, reconnect, toggle, resources, set, permission override', () =>
  lab([call('mcp__tides__tide', {}), text('done'), text('again')], async ({ cwd, options }) => {
    const script = await put(join(cwd, 'tides.cjs'), SERVER);
    const tides = { type: 'stdio', command: process.execPath, args: [script] };
    const talk = conversation({ ...options, mcpServers: { tides }, allowedTools: ['mcp__tides'] });
    const { session } = talk;
    const messages = await talk.turn('tide?');
    assert.match(JSON.stringify(outcomes(messages)[0].content), /the tide is high/);
    const statuses = async () => (await session.mcpServerStatus()).map(({ name, status }) => `${name} ${status}`);
    assert.deepEqual(await statuses(), ['tides connected']);
    await session.toggleMcpServer('tides', false);
    assert.deepEqual(await statuses(), ['tides disabled']);
    await session.toggleMcpServer('tides', true);
    await session.reconnectMcpServer('tides');
    assert.deepEqual(await statuses(), ['tides connected']);
    const { contents } = await session.readMcpResource('tides', 'ui://tide/now');
    assert.equal(contents[0].text, 'high water');
    assert.equal(typeof (await session.setMcpPermissionModeOverride('tides', 'default')), 'object');
    const set = await session.setMcpServers({ more: tides });
    assert.deepEqual([set.added, set.errors], [['more'], {}]);
    assert.ok((await statuses()).includes('more connected'));
    await talk.turn('again?');
    await talk.end();
  }));

test('servers in initialize and their errors', () =>
  lab([call('mcp__tides__tide', {}), text('done')], async ({ cwd, options }) => {
    const script = await put(join(cwd, 'tides.cjs'), SERVER);
    const tides = { type: 'stdio', command: process.execPath, args: [script] };
    const mcpServers = { tides, pigeon: { type: 'carrier-pigeon' } };
    const talk = conversation({ ...options, mcpServers, mcpServersDelivery: 'initialize', allowedTools: ['mcp__tides'] });
    const messages = await talk.turn('tide?');
    assert.match(JSON.stringify(outcomes(messages)[0].content), /the tide is high/);
    assert.equal((await talk.session.initializationResult()).mcp_servers_applied, true);
    const { mcp_servers, mcp_server_errors } = init(messages);
    assert.deepEqual(mcp_servers.map(({ name, status }) => `${name} ${status}`), ['tides connected']);
    assert.deepEqual(mcp_server_errors.map(({ name, type }) => `${name} ${type}`), ['pigeon unknown_type']);
    await talk.end();
  }));

test('stopTask and backgroundTasks', () =>
  lab([call('Bash', { command: 'sleep 300', run_in_background: true }), text('started'), text('noted', { repeat: true })], async ({ options }) => {
    const talk = conversation({ ...options, allowedTools: ['Bash'] });
    const messages = await talk.turn('go');
    const started = messages.find(({ subtype }) => subtype === 'task_started');
    assert.ok(started?.task_id);
    await talk.session.stopTask(started.task_id);
    assert.equal(typeof (await talk.session.backgroundTasks()), 'boolean');
    await talk.end();
  }));

test('streamInput, interrupt and close', () =>
  lab([text('one'), text('two'), text('word '.repeat(400), { delay: 0.05 })], async ({ options }) => {
    async function* only(content) {
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    }
    const talk = conversation(options);
    await talk.turn('one');
    talk.session.streamInput(only('two')).catch(() => {});
    const second = await talk.turn();
    assert.deepEqual(texts(second), ['two']);
    talk.session.close();
    const late = conversation(options);
    const stopped = await late.turn('talk', async ({ type, subtype }) => {
      if (type === 'system' && subtype === 'init') await late.session.interrupt();
    });
    assert.equal(result(stopped).subtype, 'error_during_execution');
    late.session.close();
  }));

test('hooks and permission callbacks', () =>
  lab([call('Bash', { command: 'touch made.txt' }), call('Bash', { command: 'touch other.txt' }), text('done')], async ({ options }) => {
    const seen = [];
    const hook = async (input, id) => {
      seen.push([input.hook_event_name, id]);
      return input.tool_input.command.includes('other')
        ? { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'policy 7' } }
        : {};
    };
    const canUseTool = async (_name, input) => ({ behavior: 'allow', updatedInput: input });
    const talk = conversation({ ...options, canUseTool, hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } });
    const messages = await talk.turn('go');
    await talk.end();
    assert.deepEqual(seen.map(([event]) => event), ['PreToolUse', 'PreToolUse']);
    assert.deepEqual(outcomes(messages).map(({ is_error }) => is_error ?? false), [false, true]);
    assert.match(JSON.stringify(outcomes(messages)[1].content), /policy 7/);
  }));

test('resume by the host', () =>
  lab([text('one'), text('You said $REQ{(violet-[0-9]+)}')], async ({ options }) => {
    const first = await all(query({ prompt: 'remember violet-42', options }));
    const second = await all(query({ prompt: 'what?', options: { ...options, resume: result(first).session_id } }));
    assert.deepEqual([texts(second), result(second).session_id], [['You said violet-42'], result(first).session_id]);
  }));
