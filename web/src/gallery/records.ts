// Records as a session would send them, for the gallery and its pictures.
import type { Diff, Record as Rec } from '../api/types';

const START = new Date(2026, 10, 15, 14, 5).getTime();

export class Script {
  readonly records: Rec[] = [];
  private at = START;
  private turn: number | null = null;
  private seq = 0;
  private calls = 0;
  private messages = 0;
  /** The message that calls of the same moment share. */
  private shared: string | undefined;

  wait(seconds: number): this {
    this.at += seconds * 1000;
    return this;
  }
  record(what: object): this {
    this.records.push({ sessionId: 'gallery', epoch: 1, seq: (this.seq += 1), at: this.at, turn: this.turn, what: what as Rec['what'] });
    return this;
  }
  prompt(text: string, by = 'Phone'): this {
    return this.record({ type: 'sluice_prompt', uuid: `p${this.seq}`, text, images: [], state: 'delivered', by, device: by });
  }
  private message(content: object, parent: string | null, extra: object = {}): this {
    const id = this.shared ?? `m${(this.messages += 1)}`;
    return this.record({ type: 'assistant', message: { id, model: 'claude-opus-4-6', content: [content] }, parent_tool_use_id: parent, ...extra });
  }
  say(text: string, parent: string | null = null): this {
    return this.message({ type: 'text', text }, parent);
  }
  think(text: string): this {
    return this.message({ type: 'thinking', thinking: text, signature: 'x' }, null);
  }
  error(error: string, text: string): this {
    return this.record({
      type: 'assistant',
      error,
      message: { id: `m${(this.messages += 1)}`, model: '<synthetic>', content: [{ type: 'text', text }] },
      parent_tool_use_id: null,
    });
  }
  /** A call that is still running; its id. */
  begin(name: string, input: object, parent: string | null = null): string {
    const id = `call${(this.calls += 1)}`;
    this.message({ type: 'tool_use', id, name, input }, parent);
    return id;
  }
  finish(id: string, content: unknown, structured?: unknown, error?: boolean, parent: string | null = null, extra: object = {}): this {
    return this.record({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...(error === undefined ? {} : { is_error: error }) }] },
      parent_tool_use_id: parent,
      tool_use_result: structured,
      ...extra,
    });
  }
  call(name: string, input: object, content: unknown, structured?: unknown, seconds = 1, parent: string | null = null): this {
    const id = this.begin(name, input, parent);
    return this.wait(seconds).finish(id, content, structured, undefined, parent);
  }
  fail(name: string, input: object, text: string, seconds = 1): this {
    const id = this.begin(name, input);
    return this.wait(seconds).finish(id, text, `Error: ${text}`, true);
  }
  together(work: (script: this) => void): this {
    this.shared = `m${(this.messages += 1)}`;
    work(this);
    this.shared = undefined;
    return this;
  }
  system(subtype: string, extra: object = {}): this {
    return this.record({ type: 'system', subtype, ...extra });
  }
  ask(toolUseId: string, outcome: string, extra: object = {}): this {
    return this.record({
      type: 'sluice_ask',
      ask: `a${this.seq}`,
      toolUseId,
      kind: 'tool',
      toolName: '',
      outcome,
      by: 'you',
      device: 'Phone',
      message: null,
      rules: [],
      destination: null,
      answers: null,
      changed: false,
      ...extra,
    });
  }
  end(total: number, seconds = 10, extra: object = {}): this {
    return this.record({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: seconds * 1000,
      total_cost_usd: total,
      usage: { input_tokens: 4000, cache_read_input_tokens: 44000, output_tokens: 3100 },
      ...extra,
    });
  }
}

export const REAPER: Diff = {
  path: '/w/tidepool/crates/pool/src/reaper.rs',
  kind: 'edit',
  added: 3,
  removed: 3,
  problem: null,
  lang: 'rust',
  hunks: [
    {
      oldStart: 38,
      newStart: 38,
      lines: [
        {
          t: ' ',
          old: 38,
          new: 38,
          parts: [
            ['', '    ', false],
            ['key', 'pub', false],
            ['', ' ', false],
            ['key', 'async', false],
            ['', ' ', false],
            ['key', 'fn', false],
            ['', ' ', false],
            ['fn', 'run', false],
            ['', '(', false],
            ['key', 'self', false],
            ['', ', shared: ', false],
            ['type', 'Arc', false],
            ['', '<', false],
            ['type', 'Shared', false],
            ['', '>) {', false],
          ],
        },
        {
          t: ' ',
          old: 39,
          new: 39,
          parts: [
            ['', '        ', false],
            ['key', 'let', false],
            ['', ' ', false],
            ['key', 'mut', false],
            ['', ' tick = ', false],
            ['fn', 'interval', false],
            ['', '(', false],
            ['key', 'self', false],
            ['', '.every);', false],
          ],
        },
        {
          t: '+',
          old: null,
          new: 40,
          parts: [
            ['', '        tick.', false],
            ['fn', 'set_missed_tick_behavior', false],
            ['', '(', false],
            ['type', 'MissedTickBehavior', false],
            ['', '::', false],
            ['type', 'Delay', false],
            ['', ');', false],
          ],
        },
        {
          t: ' ',
          old: 40,
          new: 41,
          parts: [
            ['', '        ', false],
            ['key', 'loop', false],
            ['', ' {', false],
          ],
        },
        {
          t: '-',
          old: 41,
          new: null,
          parts: [
            ['', '            tick.', false],
            ['fn', 'tick', false],
            ['', '().', false],
            ['key', 'await', false],
            ['', ';', true],
          ],
        },
        {
          t: '-',
          old: 42,
          new: null,
          parts: [
            ['', '            ', false],
            ['key', 'let', false],
            ['', ' now = ', false],
            ['type', 'Instant', true],
            ['', '::', true],
            ['fn', 'now', true],
            ['', '()', true],
            ['', ';', false],
          ],
        },
        {
          t: '-',
          old: 43,
          new: null,
          parts: [
            ['', '            shared.idle.', false],
            ['fn', 'lock', false],
            ['', '().', false],
            ['fn', 'retain', false],
            ['', '(|c| now ', false],
            ['', '-', true],
            ['', ' c.last_used < ', false],
            ['key', 'self', false],
            ['', '.max_idle);', false],
          ],
        },
        {
          t: '+',
          old: null,
          new: 42,
          parts: [
            ['', '            ', false],
            ['key', 'let', false],
            ['', ' now = ', false],
            ['', 'tick.', true],
            ['fn', 'tick', true],
            ['', '().', true],
            ['key', 'await', true],
            ['', ';', false],
          ],
        },
        {
          t: '+',
          old: null,
          new: 43,
          parts: [
            ['', '            shared.idle.', false],
            ['fn', 'lock', false],
            ['', '().', false],
            ['fn', 'retain', false],
            ['', '(|c| now', false],
            ['', '.', true],
            ['fn', 'duration_since', true],
            ['', '(', true],
            ['', 'c.last_used', false],
            ['', ')', true],
            ['', ' < ', false],
            ['key', 'self', false],
            ['', '.max_idle);', false],
          ],
        },
        { t: ' ', old: 44, new: 44, parts: [['', '        }', false]] },
        { t: ' ', old: 45, new: 45, parts: [['', '    }', false]] },
      ],
    },
  ],
};

const LEASE = 'pub struct Lease {\n    conn: Conn,\n    last_used: Instant,\n}\n';
const E = '\u001b';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Every card, in the order of the design's sheet. Each part is one figure. */
export function cards(): { title: string; script: Script; open?: boolean }[] {
  const make = (title: string, work: (script: Script) => void, open = false) => {
    const script = new Script();
    work(script);
    return { title, script, open };
  };
  return [
    make('Bash: folded, open, long, background, failed', (s) => {
      s.call('Bash', { command: 'git status --short' }, ' M a\n M b\n?? c', { stdout: ' M a\n M b\n?? c', stderr: '', interrupted: false }, 0.1);
      s.call(
        'Bash',
        { command: 'cargo build --workspace' },
        '',
        {
          stdout: `   ${E}[32mCompiling${E}[0m tidepool-pool v0.14.0\n${E}[33mwarning${E}[0m: unused import: \`std::time::Instant\`\n    ${E}[32mFinished${E}[0m \`dev\` profile in 41.20s`,
          stderr: '',
          interrupted: false,
        },
        41,
      );
      s.call(
        'Bash',
        { command: 'seq 400' },
        '',
        { stdout: Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join('\n'), stderr: '', interrupted: false },
        2,
      );
      const id = s.begin('Bash', { command: 'cargo test --workspace', run_in_background: true });
      s.system('task_started', { task_id: 'b1', tool_use_id: id, is_backgrounded: true, task_type: 'local_bash', description: 'run' });
      s.finish(id, 'running in background', { stdout: '', stderr: '', backgroundTaskId: 'b1' });
      s.fail('Bash', { command: 'cargo clippy -- -D warnings' }, `Exit code 101\n${E}[31;1merror${E}[0m: unused variable: \`x\`\n  --> src/lib.rs:3:9`, 9);
    }),
    make(
      'Read: text, picture',
      (s) => {
        s.call('Read', { file_path: '/w/tidepool/crates/pool/src/lease.rs' }, LEASE, {
          type: 'text',
          file: { filePath: '', content: LEASE, numLines: 4, startLine: 1, totalLines: 142 },
        });
        s.call('Read', { file_path: '/w/tidepool/target/flamegraph.png' }, [], {
          type: 'image',
          file: { base64: PIXEL, type: 'image/png', originalSize: 96000, dimensions: { originalWidth: 1240, originalHeight: 820 } },
        });
      },
      true,
    ),
    make(
      'Edit, Write: change, new file, failed',
      (s) => {
        const id = s.begin('Edit', { file_path: '/w/tidepool/crates/pool/src/reaper.rs', old_string: 'a', new_string: 'b' });
        s.ask(id, 'allowed').finish(id, 'updated', {
          filePath: '',
          structuredPatch: [{ oldStart: 38, newStart: 38, lines: ['+a', '+b', '+c', '-d', '-e', '-f'] }],
        });
        s.call(
          'Write',
          { file_path: '/w/tidepool/crates/pool/src/age.rs', content: 'use tokio::time::Instant;\n\n/// Age of a lease.\npub fn age() {}\n' },
          'created',
          {
            type: 'create',
            filePath: '',
            content: 'use tokio::time::Instant;\n\n/// Age of a lease.\npub fn age() {}\n',
            structuredPatch: [],
            originalFile: null,
          },
        );
        s.fail(
          'Edit',
          { file_path: '/w/tidepool/crates/pool/src/lease.rs', old_string: 'x', new_string: 'y' },
          '<tool_use_error>String to replace not found in file.</tool_use_error>',
        );
      },
      true,
    ),
    make(
      'Grep, Glob',
      (s) => {
        s.call('Grep', { pattern: 'Instant::now|sleep\\(', path: 'crates/pool', output_mode: 'content', '-n': true }, '', {
          mode: 'content',
          numFiles: 5,
          filenames: [],
          numLines: 14,
          content:
            'crates/pool/src/reaper.rs:42:            let now = Instant::now();\ncrates/pool/tests/reaper.rs:16:    std::thread::sleep(Duration::from_millis(120));\ncrates/pool/tests/reaper.rs:47:    std::thread::sleep(Duration::from_millis(80));',
        });
        s.call('Glob', { pattern: '**/tests/*.rs' }, '', {
          filenames: ['/w/tidepool/crates/pool/tests/reaper.rs', '/w/tidepool/crates/pool/tests/lease.rs'],
          numFiles: 11,
          durationMs: 4,
          truncated: false,
        });
      },
      true,
    ),
    make(
      'Web',
      (s) => {
        s.call('WebFetch', { url: 'https://docs.rs/tokio/latest/tokio/time/fn.pause.html', prompt: 'What does it need?' }, '', {
          bytes: 48000,
          code: 200,
          codeText: 'OK',
          result: 'It needs the **current-thread** runtime.',
          durationMs: 600,
          url: '',
        });
        s.call('WebSearch', { query: 'tokio pause multi thread runtime' }, '', {
          query: '',
          results: [
            {
              tool_use_id: 'x',
              content: [
                { title: 'pause in tokio::time', url: 'https://docs.rs/tokio' },
                { title: 'Testing with paused time', url: 'https://tokio.rs/topics/testing' },
              ],
            },
          ],
          durationSeconds: 1.1,
        });
      },
      true,
    ),
    make(
      'Notebook cells',
      (s) => {
        s.call('NotebookEdit', { notebook_path: '/w/tidepool/bench/runs.ipynb', cell_id: '4', new_source: 'df.groupby("run").wall.quantile([.5, .99])' }, '', {
          new_source: 'df.groupby("run").wall.quantile([.5, .99])',
          old_source: 'df.groupby("run").wall.mean()',
          cell_type: 'code',
          language: 'python',
          edit_mode: 'replace',
        });
        s.call(
          'NotebookEdit',
          {
            notebook_path: '/w/tidepool/bench/runs.ipynb',
            cell_id: '5',
            cell_type: 'markdown',
            edit_mode: 'insert',
            new_source: '**Result.** The 99th percentile fell from 2.31 s to 61 ms.',
          },
          '',
          { new_source: '**Result.** The 99th percentile fell from 2.31 s to 61 ms.', cell_type: 'markdown', language: 'python', edit_mode: 'insert' },
        );
      },
      true,
    ),
    make('Agent: at work, nested calls; a second one folded', (s) => {
      const id = s.begin('Agent', { description: 'Bisect the CI runs that failed', prompt: 'Find the first bad commit.', subagent_type: 'general-purpose' });
      s.call('Bash', { command: 'gh run list --workflow ci --json conclusion' }, 'ok', { stdout: 'ok', stderr: '' }, 0.9, id);
      s.begin('Bash', { command: 'git bisect run ./flake.sh' }, id);
      const two = s.begin('Agent', { description: 'Find every writer of last_used', prompt: 'x', subagent_type: 'Explore' });
      s.call(
        'Grep',
        { pattern: 'last_used|idle_since', path: 'crates/' },
        '',
        { mode: 'content', numFiles: 4, numLines: 9, filenames: [], content: '' },
        1,
        two,
      );
      s.wait(17).finish(two, [{ type: 'text', text: 'Four writers of `last_used`.' }], {
        status: 'completed',
        agentType: 'Explore',
        totalToolUseCount: 6,
        totalDurationMs: 18000,
        content: [{ type: 'text', text: 'Four writers of `last_used`.' }],
      });
    }),
    make(
      'Tasks',
      (s) => {
        const todos = [
          { content: 'Find every writer of last_used', status: 'completed', activeForm: '' },
          { content: 'Move the reaper to the runtime’s clock', status: 'in_progress', activeForm: 'Moving the reaper' },
          { content: 'Run 200 times in release', status: 'pending', activeForm: '' },
        ];
        s.call('TodoWrite', { todos }, 'ok', { oldTodos: [{ ...todos[0] }, { ...todos[1], status: 'pending' }, todos[2]], newTodos: todos });
        s.call('TaskUpdate', { taskId: '2', status: 'completed', subject: 'Find every writer of last_used' }, 'ok', {
          success: true,
          taskId: '2',
          updatedFields: ['status'],
          statusChange: { from: 'in_progress', to: 'completed' },
        });
      },
      true,
    ),
    make(
      'MCP: server, then tool',
      (s) => {
        s.call(
          'mcp__postgres__query',
          { sql: 'select state, count(*) from leases group by 1' },
          [{ type: 'text', text: '[{"state":"idle","count":14},{"state":"active","count":3}]' }],
          [{ type: 'text' }],
        );
      },
      true,
    ),
    make(
      'Answered asks stay, with who and where',
      (s) => {
        const id = s.begin('AskUserQuestion', {
          questions: [
            { question: 'How should the pool read time?', header: 'Clock', options: [], multiSelect: false },
            { question: 'Which tests move to the paused clock?', header: 'Tests', options: [], multiSelect: true },
          ],
        });
        s.ask(id, 'allowed').finish(id, 'answered', {
          questions: [],
          answers: { 'How should the pool read time?': 'tokio’s clock', 'Which tests move to the paused clock?': 'tests/reaper.rs, tests/lease.rs' },
        });
        const plan = s.begin('ExitPlanMode', { plan: '# One clock for the pool\n\n1. Read time in one place\n2. Move the tests' });
        s.ask(plan, 'allowed').finish(plan, 'approved', { plan: '# One clock for the pool\n\n1. Read time in one place\n2. Move the tests', isAgent: false });
        const rm = s.begin('Bash', { command: 'rm -rf target/flaky' });
        s.ask(rm, 'denied', { message: 'keep the artefacts' }).finish(rm, "The user doesn't want to proceed", "Error: The user doesn't want to proceed", true);
        const env = s.begin('Read', { file_path: '/w/tidepool/.env' });
        s.system('permission_denied', {
          tool_use_id: env,
          tool_name: 'Read',
          decision_reason_type: 'rule',
          decision_reason: 'Read(./.env), this project',
          message: 'denied',
        }).finish(env, 'denied', 'Error: denied', true);
        const push = s.begin('Bash', { command: 'git push --force' });
        s.system('permission_denied', {
          tool_use_id: push,
          tool_name: 'Bash',
          decision_reason_type: 'hook',
          decision_reason: 'pre-push-guard',
          message: 'denied',
        }).finish(push, 'blocked', 'Error: blocked', true);
      },
      true,
    ),
    make(
      'Thinking',
      (s) => {
        s.think(
          'interval.tick() already returns the Instant it fired for. If last_used comes from the same clock the comparison cannot drift, however late the task wakes.',
        );
      },
      true,
    ),
    make('Errors, retries, limits, interrupts', (s) => {
      s.system('api_retry', { attempt: 2, max_retries: 10, retry_delay_ms: 1e12, error_status: 529, error: 'overloaded' });
      s.record({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: new Date(2026, 10, 15, 17, 0).getTime() / 1000 } });
      s.error('authentication_failed', 'Invalid API key · Please run /login');
      s.record({ type: 'user', message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] }, parent_tool_use_id: null });
      s.record({
        type: 'sluice_process',
        state: 'exited',
        code: null,
        signal: 9,
        stderr: ['memory allocation of 4294967296 bytes failed'],
        reason: null,
        pid: 1,
      });
    }),
    make(
      'Other tools',
      (s) => {
        s.call('Skill', { skill: 'commit-message' }, 'Launching skill', { success: true, commandName: 'commit-message' });
        s.call('TaskStop', { task_id: 'b1' }, 'stopped', { message: '', task_id: 'b1', task_type: 'local_bash', command: 'cargo test --workspace' });
        s.call('CronCreate', { cron: '0 6 * * *', prompt: 'Look at the nightly build' }, 'ok', {
          id: 'c1',
          humanSchedule: 'every day at 6:00',
          recurring: true,
        });
        s.call('Frobnicate', { target: 'the pool', nested: { a: [1, 2, 3], b: { c: 'text\nwith lines' } } }, '{"done":true,"list":[1,2]}', { done: true });
        s.system('brand_new', { mode: 'select', memories: [{ path: 'notes/clocks.md', scope: 'personal' }] });
      },
      true,
    ),
  ];
}

/** A session as in the design's pictures. */
export function session(live: boolean): Script {
  const s = new Script();
  s.prompt(`The log of the failing run:\n${Array.from({ length: 40 }, (_, i) => `2026-11-15T14:0${i % 10} worker ${i} started`).join('\n')}`, 'Laptop').end(
    0.01,
    1,
  );
  s.wait(30).prompt('The reaper test is flaky. Find out why.', 'Laptop');
  s.wait(2).think('Let me look at the reaper and the test first. The clock could be the culprit.');
  s.wait(4).together((x) => {
    const a = x.begin('Grep', { pattern: 'Instant::now|sleep\\(', path: 'crates/pool', output_mode: 'content' });
    const b = x.begin('Read', { file_path: '/w/tidepool/crates/pool/src/reaper.rs' });
    const c = x.begin('Read', { file_path: '/w/tidepool/crates/pool/tests/reaper.rs' });
    x.wait(1).finish(a, '', { mode: 'content', numFiles: 5, numLines: 14, filenames: [], content: 'crates/pool/src/reaper.rs:42:let now = Instant::now();' });
    x.finish(b, LEASE, { type: 'text', file: { content: LEASE, numLines: 61, startLine: 1, totalLines: 61 } });
    x.finish(c, LEASE, { type: 'text', file: { content: LEASE, numLines: 118, startLine: 1, totalLines: 118 } });
  });
  s.fail(
    'Bash',
    { command: 'for n in $(seq 60); do cargo test -p tidepool-pool --test reaper || break; done' },
    `Exit code 101\n${E}[2mrun 37${E}[0m  test reaper_evicts_idle_connections ... ${E}[31mFAILED${E}[0m\nthread 'reaper_evicts_idle_connections' panicked at crates/pool/tests/reaper.rs:48:5:\n${E}[1massertion \`left == right\` failed: idle connection should be gone${E}[0m`,
    86,
  );
  s.say(
    'Reproduced on run 37. The sweep wakes on tokio’s timer but measures age with `std::time::Instant`. Under load the two disagree by a fraction of a millisecond, and the connection survives one sweep too many.',
  );
  s.end(0.74, 178).wait(60);
  const job = s.begin('Bash', { command: 'cargo test --workspace', run_in_background: true });
  void job;
  s.records.pop();
  s.system('task_started', { task_id: 'j', is_backgrounded: true, task_type: 'local_bash', description: 'cargo test --workspace' });
  s.wait(200).system('task_notification', { task_id: 'j', status: 'completed', summary: 'cargo test --workspace exited 0 after 4 m 31 s', output_file: '' });
  s.system('init')
    .say('The whole workspace passes apart from the reaper test, so nothing else depends on the old clock.')
    .end(0.77, 6, { origin: { kind: 'task-notification' } });
  s.wait(120).system('compact_boundary', { compact_metadata: { trigger: 'manual', pre_tokens: 168000, post_tokens: 24000 } });
  s.record({
    type: 'user',
    isSynthetic: true,
    message: { content: 'This session is being continued from a previous conversation that ran out of context.\n\n- The reaper compares two clocks.' },
  });
  s.wait(60).prompt('Yes, switch it to the runtime’s clock. Keep the public API as it is.');
  s.wait(1).think('interval.tick() already returns the Instant it fired for; if last_used comes from the same clock the comparison cannot drift.');
  s.wait(14).call('TaskUpdate', { taskId: '3', status: 'in_progress', subject: 'Move the reaper to the runtime’s clock' }, 'ok', {
    success: true,
    taskId: '3',
  });
  s.call('Edit', { file_path: '/w/tidepool/crates/pool/src/lease.rs', old_string: 'a', new_string: 'b' }, 'ok', {
    structuredPatch: [{ oldStart: 3, newStart: 3, lines: ['-a', '-b', '+c', '+d'] }],
  });
  const edit = s.begin('Edit', { file_path: '/w/tidepool/crates/pool/src/reaper.rs', old_string: 'a', new_string: 'b' });
  s.wait(20)
    .ask(edit, 'allowed')
    .finish(edit, 'ok', { structuredPatch: [{ oldStart: 38, newStart: 38, lines: ['+a', '+b', '+c', '-d', '-e', '-f'] }] });
  s.system('api_retry', { attempt: 2, max_retries: 10, retry_delay_ms: 4000, error_status: 529, error: 'overloaded' });
  s.wait(5);
  if (live) return s;
  s.say('The reaper and the leases now read one clock. Sixty runs, sixty passes, and the suite is fifty times faster because nothing sleeps any more.').end(
    1.3,
    200,
  );
  s.wait(60).prompt('Then run it 200 times in release and tell me the slowest run.');
  s.call('Bash', { command: 'hyperfine --runs 200 --export-json - "cargo test --release -p tidepool-pool"' }, '', { stdout: 'ok', stderr: '' }, 101);
  s.say(
    '200 of 200 pass. The slowest run took **61 ms**, the median 43 ms; before the change the median was 2.3 s because every test slept.\n\n- `reaper.rs` and `lease.rs` read tokio’s clock, so tests can pause it.\n- The seven reaper tests advance time instead of sleeping.\n- The public API is unchanged: `last_used` was private.\n\nOne thing I left alone: [`backoff.rs:31`](https://example.org/backoff) still uses the wall clock.\n\n```rust\npub fn age(lease: &Lease) -> Duration {\n    lease.last_used.elapsed()\n}\n```\n\n| run | wall |\n|---|--:|\n| slowest | 61 ms |\n| median | 43 ms |',
  );
  return s.end(1.61, 134);
}

/** Many messages, to see that the list stays light. */
export function long(turns: number): Script {
  const s = new Script();
  for (let n = 1; n <= turns; n += 1) {
    s.prompt(`Question ${n}: what about part ${n}?`, 'Laptop').wait(2);
    for (let i = 0; i < 7; i += 1)
      s.call(
        i % 3 === 0 ? 'Read' : 'Bash',
        i % 3 === 0 ? { file_path: `/w/tidepool/src/file${i}.rs` } : { command: `echo step ${n}.${i}` },
        `out ${i}`,
        i % 3 === 0 ? { type: 'text', file: { content: 'x\n', numLines: 1, startLine: 1, totalLines: 1 } } : { stdout: `out ${i}`, stderr: '' },
      );
    s.say(`Answer ${n}. ${'Some more words about it, so that lines wrap and heights differ. '.repeat(1 + (n % 5))}\n\n- point one of ${n}\n- point two`).end(
      n * 0.1,
      20,
    );
  }
  return s;
}
