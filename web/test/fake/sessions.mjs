// The scripted sessions: one in every state of the design, one with 10,000 messages, one with subagents.
import * as make from './messages.mjs';
import { kinds } from './asks.mjs';

export const facts = (sessionId) => ({
  sessionId,
  commands: [
    { name: 'compact', description: 'Summarise the conversation to free context', hint: '[what to keep]' },
    { name: 'context', description: 'What fills the window', hint: null },
    { name: 'cost', description: 'What this session cost', hint: null },
    { name: 'commit-message', description: 'Skill · from staged changes', hint: null },
    { name: 'review', description: 'Reviews a pull request', hint: '<number>' },
    { name: 'init', description: 'Writes a CLAUDE.md', hint: null },
  ],
  models: [
    { value: 'opus-4-6', name: 'Opus 4.6' },
    { value: 'sonnet-4-5', name: 'Sonnet 4.5' },
    { value: 'haiku-4-5', name: 'Haiku 4.5' },
  ],
  tools: ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Task', 'AskUserQuestion', 'mcp__postgres__query'],
  agents: ['general-purpose', 'bisect'],
  skills: ['review', 'release-notes'],
  plugins: [{ name: 'tidepool-tools', path: '/home/ada/.claude/plugins/tidepool-tools' }],
  servers: [
    { name: 'postgres', status: 'connected' },
    { name: 'github', status: 'needs-auth' },
  ],
  style: 'default',
  capabilities: [],
  version: '2.1.325',
  cwd: '/home/ada/tidepool',
});

const FLOW = [
  3, 5, 5, 2, 0, 0, 0, 0, 0, 3, 6, 9, 6, 0, 2, 3, 4, 0, 2, 0, 0, 3, 0, 0, 4, 4, 2, 1, 0, 0, 1, 3, 5, 2, 0, 1, 0, 0, 2, 4, 3, 3, 1, 0, 0, 2, 1, 0, 0, 3, 2, 5, 1,
  0, 0, 2, 2, 0, 1, 1,
];

export class FakeSession {
  constructor(sessionId, title, over = {}) {
    const now = Date.now();
    this.items = [];
    /** The revision of the last change, and the last one that clients cannot continue from. */
    this.revision = 0;
    this.rewritten = 0;
    this.turns = 0;
    this.state = {
      sessionId,
      now,
      process: { state: 'up', since: now - 900_000, code: null, signal: null, stderr: [], version: '2.1.325' },
      transport: { state: 'connected', since: null },
      activity: { state: 'idle', since: now - 60_000, evidence: null, seen: null, deadline: null, rung: null },
      turn: null,
      retry: null,
      asks: [],
      queue: [],
      calls: [],
      tasks: [],
      todos: [],
      cost: { total: 1.84, turn: 0.31, input: 1020, output: 4510, cacheRead: 310_000, cacheWrite: 22_000, byModel: make.usage },
      context: { tokens: 121_800, window: 200_000 },
      model: 'opus-4-6',
      permissionMode: 'default',
      effort: 'high',
      thinking: null,
      limits: null,
      drift: { unknown: 0, garbled: 0, repeated: 0, foreign: 0 },
      providerSessionIds: ['p-1'],
      worktree: null,
      info: {
        sessionId,
        projectPath: '/home/ada/tidepool',
        title,
        status: 'idle',
        standing: 'idle',
        about: null,
        since: now - 60_000,
        lastSign: now - 60_000,
        model: 'opus-4-6',
        permissionMode: 'default',
        startedAt: now - 3_600_000,
        lastActivityAt: now - 60_000,
        pendingAsks: 0,
        queue: 0,
        cost: 1.84,
        turns: 0,
        providerSessionId: 'p-1',
        agent: 'claude',
        archived: false,
        external: false,
        preview: null,
        ask: null,
        branch: null,
        context: null,
        activity: [],
        revision: 0,
        finishedAt: null,
      },
    };
    this.facts = facts(sessionId);
    this.patch(over);
  }

  get id() {
    return this.state.sessionId;
  }
  /** Appends an item and returns it. */
  push({ body, took, ...over }, at = Date.now()) {
    if (body.type === 'prompt' && !body.steered) this.turns += 1;
    const item = { id: this.items.length + 1, revision: 0, turn: this.turns ? this.turns - 1 : null, parent: null, at, status: 'done', body, ...over };
    if (body.type === 'tool_call') Object.assign(body, { started: at, ended: took === undefined ? null : at + took });
    this.items.push(item);
    this.touch(item);
    this.state.info.turns = this.turns;
    this.state.info.lastActivityAt = at;
    return item;
  }

  /** Gives an item a new revision. */
  touch(item) {
    this.revision += 1;
    item.revision = this.revision;
    this.state.info.revision = this.revision;
  }

  /** The item of the call of a request. */
  itemOf(ask) {
    return this.items.find((one) => one.id === ask.item);
  }

  /** Merges `over` into the state: the status objects are merged, the rest is replaced. */
  patch(over) {
    for (const [key, value] of Object.entries(over)) {
      const old = this.state[key];
      const merge =
        value && old && typeof value === 'object' && !Array.isArray(value) && ['info', 'process', 'transport', 'activity', 'context', 'cost'].includes(key);
      this.state[key] = merge ? { ...old, ...value } : value;
    }
    const { info } = this.state;
    info.pendingAsks = this.state.asks.length;
    info.ask = this.state.asks[0] ? briefOf(this.state.asks[0]) : null;
    info.queue = this.state.queue.length;
    info.status = this.state.asks.length ? 'waiting_approval' : info.standing === 'idle' ? 'idle' : 'running';
    info.model = this.state.model;
    info.permissionMode = this.state.permissionMode;
    info.cost = this.state.cost.total;
    this.state.now = Date.now();
  }

  run(about, over = {}) {
    const now = Date.now();
    this.patch({
      info: { standing: 'running', about, since: now - 38_000, lastSign: now - 1_000, activity: FLOW },
      activity: { state: 'running', since: now - 38_000, evidence: 'calling', seen: now - 1_000, deadline: now + 600_000, rung: null },
      turn: { turn: Math.max(0, this.turns - 1), began: now - 38_000, prompts: [], origin: null, calls: 4 },
      ...over,
    });
    return this;
  }

  ask(kind, ageMs = 42_000) {
    const now = Date.now();
    const ask = { ask: `ask-${this.id}-${kind}-${this.state.asks.length + 1}`, at: now - ageMs, card: null, item: null, ...kinds[kind]() };
    if (ask.card) {
      const waits = { request: ask.ask, outcome: 'waiting', by: null, reason: null, asked: ask.at, decided: null, message: null, rules: [] };
      const permission = { ...waits, destination: null, changedBy: null };
      ask.item = this.push(make.call(ask.card, { status: 'waiting' }, { id: ask.toolUseId, permission }), now - ageMs).id;
    }
    this.patch({
      asks: [...this.state.asks, ask],
      info: { standing: 'waiting', about: ask.toolName, since: this.state.asks[0]?.at ?? ask.at, lastSign: ask.at },
      activity: { state: 'waiting', since: ask.at, evidence: 'said' },
      turn: { turn: Math.max(0, this.turns - 1), began: now - 90_000, prompts: [], origin: null, calls: 4 },
    });
    return ask;
  }

  idle(over = {}) {
    const now = Date.now();
    this.patch({
      info: { standing: 'idle', about: null, since: now, finishedAt: now, activity: [], ...over },
      activity: { state: 'idle', since: now, evidence: null, seen: null, deadline: null, rung: null },
      turn: null,
      retry: null,
      calls: [],
    });
  }
}

/** A request as the session list contains it. */
function briefOf({ ask, kind, toolName, at, request }) {
  const input = request.input ?? {};
  const about =
    [
      input.command,
      input.file_path,
      input.notebook_path,
      input.path,
      input.url,
      input.query,
      input.pattern,
      input.questions?.[0]?.question,
      request.message,
    ].find((one) => typeof one === 'string') ?? '';
  return {
    ask,
    kind,
    toolName,
    about,
    at,
    whole: kind === 'tool' && toolName === 'Bash' && typeof input.command === 'string' && request.default_to_no !== true,
  };
}

const queued = (text, over = {}) => ({
  uuid: make.ids.uuid(),
  text,
  images: 0,
  state: 'queued',
  by: 'You',
  device: 'd-1',
  at: Date.now() - 20_000,
  since: Date.now() - 20_000,
  ...over,
});

const story = (session, turns = 2) => {
  const words = [
    'Why is the reaper test flaky?',
    'Yes, switch it to the runtime’s clock. Keep the public API as it is.',
    'Now run it under load.',
    'And the lease table?',
  ];
  let at = Date.now() - turns * 180_000;
  for (let n = 0; n < turns; n += 1) for (const one of make.turn(words[n % words.length])) session.push(one, (at += 9_000));
  return session;
};

/** The items of a turn that is still running. */
const opened = (session) => {
  story(session, 1);
  session.push(
    make.prompt('Yes, switch it to the runtime’s clock. Keep the public API as it is.', { sender: { name: 'Phone', device: 'd-2' } }),
    Date.now() - 90_000,
  );
  session.push(
    make.text(
      'Next the reaper itself. `Interval::tick()` returns the instant the tick was due, so the sweep can use it directly instead of asking a second clock.',
    ),
    Date.now() - 60_000,
  );
  return session;
};

function long() {
  const session = new FakeSession('s-long', 'Ten thousand messages');
  let at = Date.now() - 86_400_000;
  // A turn is thirteen messages of an agent.
  for (let n = 0; n < 770; n += 1) for (const one of make.turn(`Step ${n + 1}: look at the next crate.`)) session.push(one, (at += 900));
  session.idle({ finishedAt: at });
  return session;
}

function subagents() {
  const session = new FakeSession('s-agents', 'Bisect the CI runs');
  session.push(make.prompt('Bisect the CI runs that failed'));
  const task = session.push(make.call(make.cards.agent('Bisect the CI runs that failed', { prompt: 'Find the first bad commit', kind: 'bisect' })));
  const inner = { parent: task.id, turn: null };
  session.push(make.text('I start with the newest run.', inner));
  session.push(make.done(make.cards.shell('git bisect start HEAD v0.13.0', { output: 'Bisecting: 37 revisions left' }), '', 800, inner));
  session.run('Agent', {
    calls: [{ id: task.body.id, name: 'Agent', since: Date.now() - 100_000, parent: null, item: task.id }],
    tasks: [
      {
        id: 't-1',
        kind: 'local_bash',
        description: 'cargo test --workspace',
        toolUseId: null,
        agent: null,
        background: true,
        state: 'running',
        began: Date.now() - 192_000,
        ended: null,
        tokens: 0,
        calls: 0,
        lastTool: null,
        summary: null,
      },
      {
        id: 't-2',
        kind: 'local_agent',
        description: 'Bisect the CI runs that failed',
        toolUseId: task.body.id,
        agent: 'bisect',
        background: false,
        state: 'running',
        began: Date.now() - 100_000,
        ended: null,
        tokens: 18_000,
        calls: 11,
        lastTool: 'Bash',
        summary: null,
      },
    ],
  });
  return session;
}

const todos = [
  { id: '1', subject: 'Reproduce the failure under load', active: null, status: 'completed', blockedBy: [] },
  { id: '2', subject: 'Find every writer of last_used', active: null, status: 'completed', blockedBy: [] },
  { id: '3', subject: 'Move the reaper to the runtime’s clock', active: 'Moving the reaper to the runtime’s clock', status: 'in_progress', blockedBy: [] },
  { id: '4', subject: 'Move reaper.rs tests to the paused clock', active: null, status: 'pending', blockedBy: [] },
  { id: '5', subject: 'Run 200 times in release', active: null, status: 'pending', blockedBy: ['3', '4'] },
];

/** All sessions, by id. */
export function sessions() {
  const all = [];
  const add = (session) => {
    all.push(session);
    return session;
  };
  const now = Date.now();
  const asking = (id, title, ...which) => {
    const s = add(opened(new FakeSession(id, title, { todos })));
    for (const [n, kind] of which.entries()) s.ask(kind, 42_000 - n * 34_000);
    return s;
  };

  asking('s-permission', 'Fix flaky reaper test', 'edit', 'bash');
  asking('s-bash', 'Save a flamegraph', 'bash');
  asking('s-hidden', 'A command that hides something', 'hidden');
  asking('s-write', 'Write the changelog', 'write');
  asking('s-mcp', 'Query the leases', 'mcp');
  asking('s-question', 'Choose a clock', 'question');
  asking('s-plan', 'Plan the move', 'plan').patch({ permissionMode: 'plan' });
  asking('s-elicitation', 'Try the migration', 'elicitation');
  asking('s-link', 'Sign in to GitHub', 'link');
  asking('s-dialog', 'A dialog nobody knows', 'dialog');

  const crashed = add(opened(new FakeSession('s-crashed', 'Bench under memory pressure')));
  const stderr = ['   Compiling tidepool-bench v0.14.0', 'memory allocation of 536870912 bytes failed'];
  crashed.push({ body: { type: 'process', change: 'exited', exit: { code: null, signal: 9 }, cause: 'crashed', reason: null, stderr } });
  crashed.patch({
    info: { standing: 'crashed', about: 'signal 9', since: now - 180_000 },
    process: { state: 'exited', since: now - 180_000, signal: 9, stderr },
    turn: { turn: 1, began: now - 400_000, prompts: [], origin: null, calls: 3 },
    queue: [queued('Then run it 200 times in release and tell me the slowest run.')],
  });

  const running = add(opened(new FakeSession('s-running', 'Port the CLI to clap 5', { todos })));
  const bash = running.push(make.call(make.cards.shell('cargo test -p tidepool-pool', { about: 'Run the tests' })), now - 38_000);
  running.run('Bash', {
    calls: [{ id: bash.body.id, name: 'Bash', since: now - 38_000, parent: null, item: bash.id }],
    queue: [queued('Then run it 200 times in release and tell me the slowest run.'), queued('And write the changelog entry.', { by: 'Phone', device: 'd-2' })],
  });

  add(subagents());

  add(opened(new FakeSession('s-retrying', 'Model is overloaded'))).run('overloaded', {
    info: { standing: 'retrying', about: 'overloaded', since: now - 9_000, lastSign: now - 2_000, activity: FLOW },
    retry: { attempt: 2, max: 10, until: now + 45_000, error: 'overloaded_error', status: 529 },
  });
  add(opened(new FakeSession('s-limited', 'Out of tokens until five'))).run('rate limit', {
    info: { standing: 'retrying', about: 'rate limit', since: now - 60_000, lastSign: now - 60_000, activity: [] },
    retry: { attempt: 1, max: null, until: now + 2_460_000, error: 'rate_limit', status: 429 },
    limits: { status: 'rejected', resetsAt: Math.round((now + 2_460_000) / 1000), rateLimitType: 'five_hour' },
  });
  const stalled = add(opened(new FakeSession('s-stalled', 'Waiting for a build')));
  const shell = stalled.push(make.call(make.cards.shell('cargo test')), now - 140_000);
  stalled.run('Bash', {
    info: { standing: 'stalled', about: 'Bash', since: now - 130_000, lastSign: now - 130_000, activity: [...FLOW.slice(0, 20), ...Array(40).fill(0)] },
    activity: { state: 'stalled', since: now - 130_000, seen: now - 130_000, evidence: 'calling', deadline: now - 70_000, rung: null },
    calls: [{ id: shell.body.id, name: 'Bash', since: now - 140_000, parent: null, item: shell.id }],
  });
  add(opened(new FakeSession('s-stopping', 'Being stopped'))).run('Bash', {
    info: { standing: 'stopping', about: 'Bash', since: now - 4_000, lastSign: now - 4_000, activity: FLOW },
    activity: { state: 'interrupting', since: now - 4_000, rung: 'asked' },
  });
  add(
    new FakeSession('s-starting', 'Just begun', {
      info: { standing: 'starting', since: now - 400, about: '2.1.325' },
      process: { state: 'starting', since: now - 400 },
    }),
  );

  add(story(new FakeSession('s-unread', 'Explain the lease table'))).patch({
    info: { finishedAt: now - 540_000, since: now - 540_000, preview: 'The lease table is a ring of slots.' },
  });
  add(story(new FakeSession('s-idle', 'Upgrade sqlx to 0.9'), 4)).patch({
    info: {
      finishedAt: now - 3_600_000,
      since: now - 3_600_000,
      projectPath: '/home/ada/ledger',
      agent: 'sluice',
      preview: 'All queries compile against 0.9.',
    },
  });
  add(story(new FakeSession('s-bypass', 'A sandbox without questions'), 1)).patch({ permissionMode: 'bypassPermissions' });
  add(story(new FakeSession('s-full', 'Nearly out of context'), 1)).patch({ context: { tokens: 193_000, window: 200_000 } });
  add(story(new FakeSession('s-external', 'Docs: pool sizing guide'), 1)).patch({
    info: { standing: 'external', external: true, since: now - 172_800_000 },
    process: { state: 'none' },
  });
  add(story(new FakeSession('s-lost', 'On another machine'), 1)).patch({
    info: { standing: 'lost', since: now - 60_000 },
    transport: { state: 'lost', since: now - 60_000 },
  });
  add(story(new FakeSession('s-stopped', 'Put away for today'), 1)).patch({
    info: { standing: 'stopped', since: now - 7_200_000 },
    process: { state: 'none' },
  });
  add(long());
  return new Map(all.map((session) => [session.id, session]));
}
