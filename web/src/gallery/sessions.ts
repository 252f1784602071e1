// Sample sessions: a typical one, and one with many turns.
import { ESCAPE as E, LEASE } from './samples';
import { Script } from './Script';

/** The session of the design's pictures. */
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

/** A session with many turns, to check that the list stays fast. */
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
