#!/usr/bin/env node
// A minimal agent that crashes in its first turn with a message on standard error.
import { createInterface } from 'node:readline';

if (process.argv.includes('--version')) {
  console.log('9.9.9 (frail)');
  process.exit(0);
}
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const session = process.argv[process.argv.indexOf('--session-id') + 1] ?? '11111111-2222-4333-8444-555555555555';
createInterface(process.stdin).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'control_request')
    return send({
      type: 'control_response',
      response: { subtype: 'success', request_id: message.request_id, response: { commands: [], models: [], account: {} } },
    });
  if (message.type !== 'user') return undefined;
  send({
    type: 'system',
    subtype: 'init',
    session_id: session,
    cwd: process.cwd(),
    tools: [],
    mcp_servers: [],
    model: 'frail-1',
    permissionMode: 'default',
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: '9.9.9',
  });
  send({
    type: 'assistant',
    session_id: session,
    parent_tool_use_id: null,
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'frail-1',
      content: [{ type: 'text', text: 'I begin.' }],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  });
  process.stderr.write('warning: the lamp is low\nthread main panicked: out of oil\n', () => process.exit(101));
  return undefined;
});
