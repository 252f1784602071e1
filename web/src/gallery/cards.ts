// Sample tool calls: every card of the transcript in each of its states.
import { ESCAPE as E, LEASE } from './samples';
import { allowed, denied, make, Script } from './Script';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const POOL = '/w/tidepool/crates/pool';

interface Figure {
  title: string;
  script: Script;
  open: boolean;
}

function figure(title: string, work: (script: Script) => void, open = false): Figure {
  const script = new Script();
  script.turn = 0;
  work(script);
  return { title, script, open };
}

/** Every card, in the order of the design. Each entry is one figure. */
export const cards = (): Figure[] => [...fileCards(), ...searchCards(), ...workCards(), ...messageCards()];

/** Commands and files. */
function fileCards(): Figure[] {
  return [
    figure('Bash: folded, open, long, background, failed', (s) => {
      s.call({ card: make.shell('git status --short', { output: ' M a\n M b\n?? c' }), seconds: 0.1 });
      s.call({
        card: make.shell('cargo build --workspace', {
          output: `   ${E}[32mCompiling${E}[0m tidepool-pool v0.14.0\n${E}[33mwarning${E}[0m: unused import: \`std::time::Instant\`\n    ${E}[32mFinished${E}[0m \`dev\` profile in 41.20s`,
        }),
        seconds: 41,
      });
      s.call({ card: make.shell('seq 400', { output: Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join('\n') }), seconds: 2 });
      s.call({
        card: make.shell('cargo test --workspace', { output: '', task: 'b1' }),
        status: 'background',
        over: { task: { id: 'b1', kind: 'local_bash', background: true, tokens: 0, calls: 0, lastTool: null, summary: null, ended: null } },
      });
      s.call({
        card: make.shell('cargo clippy -- -D warnings', { output: `${E}[31;1merror${E}[0m: unused variable: \`x\`\n  --> src/lib.rs:3:9`, exitCode: 101 }),
        status: 'failed',
        result: 'Exit code 101',
        seconds: 9,
      });
    }),
    figure(
      'Read: text, picture',
      (s) => {
        s.call({ card: make.read(`${POOL}/src/lease.rs`, make.lines(LEASE, 142)) });
        s.call({
          card: make.read('/w/tidepool/target/flamegraph.png', { type: 'image', size: [1240, 820], bytes: 96000 }),
          over: { result: { text: '', images: [{ mimeType: 'image/png', data: PIXEL }] } },
        });
      },
      true,
    ),
    figure(
      'Edit, Write: change, new file, failed',
      (s) => {
        s.call({
          card: make.change('Edit', `${POOL}/src/reaper.rs`, {
            edits: [{ old: 'a', new: 'b', all: false }],
            hunks: [{ oldStart: 38, newStart: 38, lines: ['+a', '+b', '+c', '-d', '-e', '-f'] }],
          }),
          over: { permission: allowed },
        });
        s.call({
          card: make.change('Write', `${POOL}/src/age.rs`, {
            content: 'use tokio::time::Instant;\n\n/// Age of a lease.\npub fn age() {}\n',
            created: true,
          }),
        });
        s.call({
          card: make.change('Edit', `${POOL}/src/lease.rs`, { edits: [{ old: 'x', new: 'y', all: false }] }),
          status: 'failed',
          result: '<tool_use_error>String to replace not found in file.</tool_use_error>',
        });
      },
      true,
    ),
  ];
}

/** Search, the web and notebooks. */
function searchCards(): Figure[] {
  return [
    figure(
      'Grep, Glob',
      (s) => {
        s.call({
          card: make.search('Grep', 'text', 'Instant::now|sleep\\(', 'crates/pool', {
            hits: 14,
            files: 5,
            lines:
              'crates/pool/src/reaper.rs:42:            let now = Instant::now();\ncrates/pool/tests/reaper.rs:16:    std::thread::sleep(Duration::from_millis(120));\ncrates/pool/tests/reaper.rs:47:    std::thread::sleep(Duration::from_millis(80));',
          }),
        });
        s.call({ card: make.search('Glob', 'names', '**/tests/*.rs', null, { files: 11, names: [`${POOL}/tests/reaper.rs`, `${POOL}/tests/lease.rs`] }) });
      },
      true,
    ),
    figure(
      'Web',
      (s) => {
        s.call({
          card: make.fetch('https://docs.rs/tokio/latest/tokio/time/fn.pause.html', 'What does it need?', 'It needs the **current-thread** runtime.'),
          seconds: 0.6,
        });
        s.call({
          card: make.webSearch('tokio pause multi thread runtime', [
            { title: 'pause in tokio::time', url: 'https://docs.rs/tokio' },
            { title: 'Testing with paused time', url: 'https://tokio.rs/topics/testing' },
          ]),
          seconds: 1.1,
        });
      },
      true,
    ),
    figure(
      'Notebook cells',
      (s) => {
        const path = '/w/tidepool/bench/runs.ipynb';
        s.call({ card: make.notebook(path, { cell: '4', source: 'df.groupby("run").wall.quantile([.5, .99])', old: 'df.groupby("run").wall.mean()' }) });
        s.call({
          card: make.notebook(path, {
            cell: '5',
            kind: 'markdown',
            edit: 'insert',
            source: '**Result.** The 99th percentile fell from 2.31 s to 61 ms.',
          }),
        });
      },
      true,
    ),
  ];
}

/** Subagents, tasks and servers. */
function workCards(): Figure[] {
  return [
    figure('Agent: at work, nested calls; a second one folded', (s) => {
      const parent = s.begin({ card: make.agent('Bisect the CI runs that failed', { prompt: 'Find the first bad commit.', kind: 'general-purpose' }) });
      s.call({ card: make.shell('gh run list --workflow ci --json conclusion', { output: 'ok' }), seconds: 0.9, parent });
      s.begin({ card: make.shell('git bisect run ./flake.sh'), parent });
      s.call({
        card: make.agent('Find every writer of last_used', { kind: 'Explore', report: 'Four writers of `last_used`.', calls: 6, duration: 18000 }),
        seconds: 18,
      });
    }),
    figure(
      'Tasks',
      (s) => {
        const find = { id: null, subject: 'Find every writer of last_used', active: null, status: 'completed' as const, after: [] };
        const move = {
          id: null,
          subject: 'Move the reaper to the runtime’s clock',
          active: 'Moving the reaper',
          status: 'in_progress' as const,
          after: [],
        };
        const run = { id: null, subject: 'Run 200 times in release', active: null, status: 'pending' as const, after: [] };
        s.call({ card: make.tasks({ list: [find, move, run], before: [find, { ...move, status: 'pending' }, run] }) });
        s.call({ card: make.tasks({ one: { ...find, id: '2' } }) });
      },
      true,
    ),
    figure(
      'MCP: server, then tool',
      (s) => {
        s.call({
          card: make.mcp('postgres', 'query', { sql: 'select state, count(*) from leases group by 1' }),
          result: '[{"state":"idle","count":14},{"state":"active","count":3}]',
        });
      },
      true,
    ),
  ];
}

/** Answered requests, thinking, errors and other tools. */
function messageCards(): Figure[] {
  return [
    figure(
      'Answered asks stay, with who and where',
      (s) => {
        s.call({
          card: make.question({
            'How should the pool read time?': 'tokio’s clock',
            'Which tests move to the paused clock?': 'tests/reaper.rs, tests/lease.rs',
          }),
          over: { permission: allowed },
        });
        s.call({ card: make.plan('# One clock for the pool\n\n1. Read time in one place\n2. Move the tests'), over: { permission: allowed } });
        s.call({ card: make.shell('rm -rf target/flaky'), status: 'denied', result: 'denied', over: { permission: denied(undefined, 'keep the artefacts') } });
        s.call({
          card: make.read('/w/tidepool/.env'),
          status: 'denied',
          result: 'denied',
          over: { permission: denied({ type: 'rule' }, 'Read(./.env), this project') },
        });
        s.call({ card: make.shell('git push --force'), status: 'denied', result: 'denied', over: { permission: denied({ type: 'hook' }, 'pre-push-guard') } });
      },
      true,
    ),
    figure(
      'Thinking',
      (s) => {
        s.think(
          'interval.tick() already returns the Instant it fired for. If last_used comes from the same clock the comparison cannot drift, however late the task wakes.',
        );
      },
      true,
    ),
    figure('Errors, retries, limits, interrupts', (s) => {
      s.item({ type: 'retry', attempt: 2, max: 10, next: 1e12 * 4, status: 529, error: 'overloaded' }, { status: 'running' });
      s.item({ type: 'rate_limit', status: 'rejected', limit: null, usedPercent: null, resetsAt: new Date(2026, 10, 15, 17, 0).getTime() / 1000 });
      s.item({ type: 'error', kind: 'authentication_failed', text: 'Invalid API key · Please run /login', status: null, retries: 0 });
      s.item({ type: 'notice', kind: 'stopped', level: 'info', text: '', call: null });
      s.item({
        type: 'process',
        change: 'exited',
        exit: { code: null, signal: 9 },
        cause: 'crashed',
        reason: null,
        stderr: ['memory allocation of 4294967296 bytes failed'],
      });
    }),
    figure(
      'Other tools',
      (s) => {
        s.call({ card: make.skill('commit-message'), result: 'Launching skill' });
        s.call({ card: make.shell('cargo test --workspace', { action: 'stop', task: 'b1' }) });
        s.call({ card: make.generic('Cron', 'wait', { cron: '0 6 * * *', prompt: 'Look at the nightly build' }, 'Look at the nightly build') });
        s.call({
          card: make.generic('Frobnicate', 'use', { target: 'the pool', nested: { a: [1, 2, 3], b: { c: 'text\nwith lines' } } }),
          result: '{"done":true,"list":[1,2]}',
        });
        s.item({ type: 'unknown', rawType: 'system/brand_new' });
      },
      true,
    ),
  ];
}
