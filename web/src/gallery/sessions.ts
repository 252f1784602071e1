// Sample sessions: a typical one, and one with many turns.
import { ESCAPE as E, LEASE } from './samples';
import { allowed, make, Script } from './Script';

const POOL = '/w/tidepool/crates/pool';

/** The session of the design's pictures. */
export function session(live: boolean): Script {
  const s = new Script();
  s.prompt(`The log of the failing run:\n${Array.from({ length: 40 }, (_, i) => `2026-11-15T14:0${i % 10} worker ${i} started`).join('\n')}`, 'Laptop').end(
    0.01,
    1,
  );
  s.wait(30).prompt('The reaper test is flaky. Find out why.', 'Laptop');
  s.wait(2).think('Let me look at the reaper and the test first. The clock could be the culprit.', 4);
  s.wait(4).together((x) => {
    x.call({
      card: make.search('Grep', 'text', 'Instant::now|sleep\\(', 'crates/pool', {
        hits: 14,
        files: 5,
        lines: 'crates/pool/src/reaper.rs:42:let now = Instant::now();',
      }),
    });
    x.call({ card: make.read(`${POOL}/src/reaper.rs`, make.lines(LEASE, 61)) });
    x.call({ card: make.read(`${POOL}/tests/reaper.rs`, make.lines(LEASE, 118)) });
  });
  s.call({
    card: make.shell('for n in $(seq 60); do cargo test -p tidepool-pool --test reaper || break; done', {
      output: `${E}[2mrun 37${E}[0m  test reaper_evicts_idle_connections ... ${E}[31mFAILED${E}[0m\nthread 'reaper_evicts_idle_connections' panicked at crates/pool/tests/reaper.rs:48:5:\n${E}[1massertion \`left == right\` failed: idle connection should be gone${E}[0m`,
      exitCode: 101,
    }),
    status: 'failed',
    seconds: 86,
  });
  s.say(
    'Reproduced on run 37. The sweep wakes on tokio’s timer but measures age with `std::time::Instant`. Under load the two disagree by a fraction of a millisecond, and the connection survives one sweep too many.',
  );
  s.end(0.73, 178).wait(60);
  s.turn += 1;
  s.wait(200).item({ type: 'turn_origin', kind: 'task', text: 'cargo test --workspace exited 0 after 4 m 31 s', outcome: 'completed', task: 'j' });
  s.say('The whole workspace passes apart from the reaper test, so nothing else depends on the old clock.').end(0.03, 6);
  s.wait(120).item(
    {
      type: 'compaction',
      manual: true,
      before: 168000,
      after: 24000,
      duration: null,
      summary: 'The conversation so far:\n\n- The reaper compares two clocks.',
      error: null,
    },
    { turn: null },
  );
  s.wait(60).prompt('Yes, switch it to the runtime’s clock. Keep the public API as it is.');
  s.wait(1).think('interval.tick() already returns the Instant it fired for; if last_used comes from the same clock the comparison cannot drift.', 14);
  s.wait(14).call({
    card: make.tasks({ one: { id: '3', subject: 'Move the reaper to the runtime’s clock', active: null, status: 'in_progress', after: [] } }),
  });
  s.call({ card: make.change('Edit', `${POOL}/src/lease.rs`, { hunks: [{ oldStart: 3, newStart: 3, lines: ['-a', '-b', '+c', '+d'] }] }) });
  s.call({
    card: make.change('Edit', `${POOL}/src/reaper.rs`, { hunks: [{ oldStart: 38, newStart: 38, lines: ['+a', '+b', '+c', '-d', '-e', '-f'] }] }),
    over: { permission: allowed },
    seconds: 20,
  });
  s.item({ type: 'retry', attempt: 2, max: 10, next: s.at + 4000, status: 529, error: 'overloaded' }, { status: live ? 'running' : 'done' });
  s.wait(5);
  if (live) return s;
  s.say('The reaper and the leases now read one clock. Sixty runs, sixty passes, and the suite is fifty times faster because nothing sleeps any more.').end(
    0.53,
    200,
  );
  s.wait(60).prompt('Then run it 200 times in release and tell me the slowest run.');
  s.call({ card: make.shell('hyperfine --runs 200 --export-json - "cargo test --release -p tidepool-pool"', { output: 'ok' }), seconds: 101 });
  s.say(
    '200 of 200 pass. The slowest run took **61 ms**, the median 43 ms; before the change the median was 2.3 s because every test slept.\n\n- `reaper.rs` and `lease.rs` read tokio’s clock, so tests can pause it.\n- The seven reaper tests advance time instead of sleeping.\n- The public API is unchanged: `last_used` was private.\n\nOne thing I left alone: [`backoff.rs:31`](https://example.org/backoff) still uses the wall clock.\n\n```rust\npub fn age(lease: &Lease) -> Duration {\n    lease.last_used.elapsed()\n}\n```\n\n| run | wall |\n|---|--:|\n| slowest | 61 ms |\n| median | 43 ms |',
  );
  return s.end(0.31, 134);
}

/** A session with many turns, to check that the list stays fast. */
export function long(turns: number): Script {
  const s = new Script();
  for (let n = 1; n <= turns; n += 1) {
    s.prompt(`Question ${n}: what about part ${n}?`, 'Laptop').wait(2);
    for (let i = 0; i < 7; i += 1)
      s.call({
        card: i % 3 === 0 ? make.read(`/w/tidepool/src/file${i}.rs`, make.lines('x\n', 1)) : make.shell(`echo step ${n}.${i}`, { output: `out ${i}` }),
      });
    s.say(`Answer ${n}. ${'Some more words about it, so that lines wrap and heights differ. '.repeat(1 + (n % 5))}\n\n- point one of ${n}\n- point two`).end(
      0.1,
      20,
    );
  }
  return s;
}
