// Messages of an agent, for the scripted sessions of the fake bridge.
let count = 0;
const next = (prefix) => `${prefix}_${String(++count).padStart(6, '0')}`;

export const ids = { message: () => next('msg'), call: () => next('toolu'), uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}` };

export const init = (over = {}) => ({
  type: 'system',
  subtype: 'init',
  cwd: '/home/ada/tidepool',
  session_id: 'p-1',
  model: 'opus-4-6',
  permissionMode: 'default',
  tools: ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Task', 'TodoWrite', 'WebFetch', 'AskUserQuestion', 'ExitPlanMode', 'mcp__postgres__query'],
  slash_commands: ['compact', 'context', 'cost', 'commit-message', 'review'],
  mcp_servers: [
    { name: 'postgres', status: 'connected' },
    { name: 'github', status: 'needs-auth' },
  ],
  agents: ['general-purpose', 'bisect'],
  claude_code_version: '2.1.325',
  uuid: ids.uuid(),
  ...over,
});

export const prompt = (text, over = {}) => ({
  type: 'sluice_prompt',
  uuid: ids.uuid(),
  text,
  images: [],
  state: 'delivered',
  by: 'You',
  device: 'd-1',
  ...over,
});

export const assistant = (content, over = {}) => ({
  type: 'assistant',
  session_id: 'p-1',
  uuid: ids.uuid(),
  parent_tool_use_id: null,
  message: {
    id: ids.message(),
    type: 'message',
    role: 'assistant',
    model: 'opus-4-6',
    content,
    stop_reason: null,
    usage: { input_tokens: 12, output_tokens: 240, cache_read_input_tokens: 90_000, cache_creation_input_tokens: 1_200 },
  },
  ...over,
});
export const text = (value, over) => assistant([{ type: 'text', text: value }], over);
export const thinking = (value, over) => assistant([{ type: 'thinking', thinking: value, signature: 'x' }], over);
export const call = (name, input, id = ids.call(), over) => assistant([{ type: 'tool_use', id, name, input }], over);

export const result = (id, content, toolResult, over = {}) => ({
  type: 'user',
  session_id: 'p-1',
  uuid: ids.uuid(),
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...(over.is_error ? { is_error: true } : {}) }] },
  tool_use_result: toolResult,
  ...over,
});

export const end = (over = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 134_000,
  duration_api_ms: 98_000,
  num_turns: 6,
  result: 'Done.',
  session_id: 'p-1',
  uuid: ids.uuid(),
  total_cost_usd: 1.84,
  usage: { input_tokens: 120, output_tokens: 4_200, cache_read_input_tokens: 310_000, cache_creation_input_tokens: 22_000 },
  modelUsage: {
    'opus-4-6': {
      inputTokens: 120,
      outputTokens: 4_200,
      cacheReadInputTokens: 310_000,
      cacheCreationInputTokens: 22_000,
      costUSD: 1.71,
      contextWindow: 200_000,
    },
    'haiku-4-5': { inputTokens: 900, outputTokens: 310, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0.13, contextWindow: 200_000 },
  },
  permission_denials: [],
  ...over,
});

/** A whole turn with a read, a search, a command, an edit and some text. */
export function turn(words, files = ['crates/pool/src/reaper.rs', 'crates/pool/src/lease.rs']) {
  const out = [prompt(words), init(), thinking('The failure is a race between two clocks. First find who reads the time, then make the test fail on purpose.')];
  for (const file of files) {
    const id = ids.call();
    out.push(call('Read', { file_path: `/home/ada/tidepool/${file}` }, id));
    out.push(
      result(id, '     1→use std::time::{Duration, Instant};\n     2→\n     3→use tokio::time::interval;', {
        type: 'text',
        file: {
          filePath: `/home/ada/tidepool/${file}`,
          content: 'use std::time::{Duration, Instant};\n\nuse tokio::time::interval;',
          numLines: 3,
          startLine: 1,
          totalLines: 142,
        },
      }),
    );
  }
  const grep = ids.call();
  out.push(call('Grep', { pattern: 'last_used', path: 'crates/pool', output_mode: 'content' }, grep));
  out.push(
    result(grep, 'crates/pool/src/lease.rs:12:    last_used: Instant,\ncrates/pool/src/reaper.rs:43:        c.last_used', {
      mode: 'content',
      numFiles: 2,
      filenames: [],
      content: 'crates/pool/src/lease.rs:12:    last_used: Instant,\ncrates/pool/src/reaper.rs:43:        c.last_used',
      numLines: 2,
    }),
  );
  const bash = ids.call();
  out.push(call('Bash', { command: 'cargo test -p tidepool-pool --test reaper', description: 'Run the reaper tests' }, bash));
  out.push(
    result(bash, 'running 7 tests\n\u001b[32mtest result: ok\u001b[0m. 7 passed; 0 failed', {
      stdout: 'running 7 tests\n\u001b[32mtest result: ok\u001b[0m. 7 passed; 0 failed',
      stderr: '',
      interrupted: false,
      isImage: false,
    }),
  );
  out.push(
    text(
      'Reproduced on run 37. The sweep wakes on tokio’s timer but measures age with `std::time::Instant`.\n\n- Under load the two disagree by a fraction of a millisecond.\n- The connection survives one sweep too many.\n\n```rust\nlet now = tick.tick().await;\n```',
    ),
  );
  out.push(end());
  return out;
}
