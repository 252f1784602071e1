// Items of the scripted sessions of the fake bridge: `{ body, ...fields of the item }`.
let count = 0;
const next = (prefix) => `${prefix}_${String(++count).padStart(6, '0')}`;

export const ids = { call: () => next('toolu'), uuid: () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}` };

export const prompt = (text, over = {}) => ({
  body: {
    type: 'prompt',
    uuid: ids.uuid(),
    text,
    images: [],
    source: 'host',
    sender: { name: 'You', device: 'd-1' },
    delivery: 'delivered',
    steered: false,
    ...over,
  },
});
export const text = (value, over = {}) => ({ body: { type: 'text', text: value, synthetic: false }, ...over });
export const thinking = (value, over = {}) => ({ body: { type: 'thinking', text: value, duration: 2_000, tokens: null }, ...over });

const card = (title, verb, subject, body) => ({ title, verb, subject, body });
const path = (value) => ({ type: 'path', value });

/** What a call does, by the kind of its card. */
export const cards = {
  shell: (command, over = {}) =>
    card(
      'Bash',
      'run',
      { type: 'command', value: command },
      { type: 'shell', action: 'run', command, about: null, output: null, stderr: null, exitCode: null, timedOut: false, task: null, moved: false, ...over },
    ),
  read: (file, lines) =>
    card('Read', 'read', path(file), {
      type: 'file_read',
      path: file,
      content: lines === undefined ? null : { type: 'lines', first: 1, count: lines.split('\n').length, total: 142, text: lines },
    }),
  grep: (pattern, within, lines) =>
    card(
      'Grep',
      'find',
      { type: 'text', value: { pattern, within } },
      { type: 'search', kind: 'text', pattern, hits: lines.split('\n').length, files: 2, ignoreCase: false, lines, names: null },
    ),
  edit: (file, old, fresh) =>
    card('Edit', 'edit', path(file), {
      type: 'file_change',
      path: file,
      content: null,
      edits: [{ old, new: fresh, all: false }],
      created: false,
      hunks: [],
    }),
  write: (file, content) => card('Write', 'edit', path(file), { type: 'file_change', path: file, content, edits: [], created: false, hunks: [] }),
  fetch: (url, question) =>
    card('WebFetch', 'fetch', { type: 'url', value: url }, { type: 'web', kind: 'fetch', url, prompt: question, code: null, bytes: null, answer: null }),
  mcp: (server, tool, input) => {
    const all = Object.entries(input).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? { type: 'text', value } : { type: 'json', value: JSON.stringify(value) },
    }));
    return card(
      `${server}/${tool}`,
      'use',
      { type: 'arguments', value: all },
      { type: 'mcp', server, tool, serverTitle: null, toolTitle: null, arguments: all },
    );
  },
  agent: (description, over = {}) =>
    card(
      'Agent',
      'delegate',
      { type: 'phrase', value: description },
      { type: 'subagent', kind: null, description, prompt: '', report: null, duration: null, calls: null, tokens: null, ...over },
    ),
  question: (questions) =>
    card('AskUserQuestion', 'ask', { type: 'phrase', value: questions[0] ?? '' }, { type: 'question', questions, answers: [], response: null }),
  plan: (plan) => card('ExitPlanMode', 'plan', { type: 'none' }, { type: 'plan', text: plan }),
};

/** A call; `over` are fields of the item, `more` those of the call. */
export const call = (made, over = {}, more = {}) => ({
  body: {
    type: 'tool_call',
    id: ids.call(),
    tool: made.title,
    card: made,
    written: null,
    folder: null,
    original: null,
    permission: null,
    task: null,
    started: 0,
    ended: null,
    result: null,
    ...more,
  },
  status: 'running',
  ...over,
});
/** A call with its result, which took this many milliseconds. */
export const done = (made, result, took = 800, over = {}) => call(made, { status: 'done', took, ...over }, { result: { text: result, images: [] } });

export const end = (over = {}) => ({
  body: {
    type: 'turn_end',
    outcome: { type: 'completed' },
    errors: [],
    duration: 134_000,
    waited: 0,
    api: 98_000,
    cost: 0.31,
    tokens: { input: 120, output: 4_200, cacheRead: 310_000, cacheWrite: 22_000 },
    calls: 4,
    denials: 0,
    files: [],
    ...over,
  },
});

export const usage = {
  'opus-4-6': { inputTokens: 120, outputTokens: 4_200, cacheReadInputTokens: 310_000, cacheCreationInputTokens: 22_000, costUSD: 1.71, contextWindow: 200_000 },
  'haiku-4-5': { inputTokens: 900, outputTokens: 310, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: 0.13, contextWindow: 200_000 },
};

/** A whole turn with a read, a search, a command, an edit and some text. */
export function turn(words, files = ['crates/pool/src/reaper.rs', 'crates/pool/src/lease.rs']) {
  const source = 'use std::time::{Duration, Instant};\n\nuse tokio::time::interval;';
  const hits = 'crates/pool/src/lease.rs:12:    last_used: Instant,\ncrates/pool/src/reaper.rs:43:        c.last_used';
  const output = 'running 7 tests\n\u001b[32mtest result: ok\u001b[0m. 7 passed; 0 failed';
  return [
    prompt(words),
    thinking('The failure is a race between two clocks. First find who reads the time, then make the test fail on purpose.'),
    ...files.map((file) => done(cards.read(`/home/ada/tidepool/${file}`, source), source)),
    done(cards.grep('last_used', 'crates/pool', hits), hits),
    done(cards.shell('cargo test -p tidepool-pool --test reaper', { about: 'Run the reaper tests', output }), output),
    text(
      'Reproduced on run 37. The sweep wakes on tokio’s timer but measures age with `std::time::Instant`.\n\n- Under load the two disagree by a fraction of a millisecond.\n- The connection survives one sweep too many.\n\n```rust\nlet now = tick.tick().await;\n```',
    ),
    end(),
  ];
}
