// Sample tool calls: every card of the transcript in each of its states.
import { ESCAPE as E, LEASE } from './samples';
import { Script } from './Script';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

interface Card {
  title: string;
  script: Script;
  open: boolean;
}

function make(title: string, work: (script: Script) => void, open = false): Card {
  const script = new Script();
  work(script);
  return { title, script, open };
}

/** Every card, in the order of the design. Each entry is one figure. */
export const cards = (): Card[] => [...fileCards(), ...searchCards(), ...workCards(), ...messageCards()];

/** Commands and files. */
function fileCards(): Card[] {
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
  ];
}

/** Search, the web and notebooks. */
function searchCards(): Card[] {
  return [
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
  ];
}

/** Subagents, tasks and servers. */
function workCards(): Card[] {
  return [
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
  ];
}

/** Answered requests, thinking, errors and other tools. */
function messageCards(): Card[] {
  return [
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
