//! Command hooks: the event on stdin, the result on stdout or as the exit code.

use std::ffi::OsString;
use std::time::Duration;

use sluice_tools::{Launch, Printed, Program, Running};
use sluice_wire::Number;
use sluice_wire::hook::HookOutput;
use sluice_wire::stdout::system::HookOutcome;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use crate::config::{Handler, Origin};
use crate::event::Event;
use crate::merge::{Refuses, Said, merge};
use crate::output::{self, Failure, HookAnswer};
use crate::run::{Due, HookRun, Late, Seen};

/// Interval at which the output is checked for `{"async": true}`.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Number of checks between two progress messages.
const CHECKS_PER_REPORT: u32 = 10;
/// The timeout of an async hook without `asyncTimeout`.
const DEFAULT_ASYNC_TIMEOUT: Duration = Duration::from_secs(600);

/// Runs the command until it exits or prints `{"async": true}`.
pub async fn run(run: &HookRun, due: &Due) -> Result<HookAnswer, Failure> {
    let Handler::Command { launch, is_async, .. } = &due.hook.handler else {
        return Err(Failure::Cancelled);
    };
    let program = Program {
        launch: with_variables(launch, run, due),
        directory: run.cwd.clone(),
        env: env(run, due),
        input: format!("{}\n", run.input).into_bytes(),
    };
    let mut running = match program.start(&run.tasks) {
        Ok(running) => running,
        Err(error) => {
            let why = format!("[{}] could not be started: {error}", due.hook.handler.text());
            let seen = Seen {
                output: why.clone(),
                stderr: why.clone(),
                exit_code: Some(1),
                ..Seen::default()
            };
            run.say_ended(&due.id, seen, HookOutcome::Error).await;
            return Err(Failure::Broken(why));
        }
    };
    let deadline = Instant::now() + due.patience();
    match watch(run, due, &mut running, deadline, !is_async).await {
        WatchResult::Ended(code) => ended(run, due, &running, code).await,
        WatchResult::TimedOut => {
            let seen = seen(running.printed(), Some(1));
            drop(running);
            run.say_ended(&due.id, seen, HookOutcome::Cancelled).await;
            Err(Failure::TimedOut)
        }
        WatchResult::Detached(limit) => {
            tokio::spawn(await_async(run.clone(), copy_of(due), running, limit));
            Ok(HookAnswer::default())
        }
    }
}

enum WatchResult {
    Ended(i32),
    TimedOut,
    /// The hook is async, with this timeout.
    Detached(Duration),
}

async fn watch(run: &HookRun, due: &Due, running: &mut Running, deadline: Instant, may_detach: bool) -> WatchResult {
    let mut ticks = interval(CHECK_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut checks, mut reported, mut undecided) = (0, 0, may_detach);
    loop {
        tokio::select! {
            biased;
            code = running.end() => return WatchResult::Ended(code),
            () = tokio::time::sleep_until(deadline) => return WatchResult::TimedOut,
            _ = ticks.tick() => {}
        }
        checks += 1;
        let reports = run.reports.is_some() && checks % CHECKS_PER_REPORT == 0;
        if !undecided && !reports {
            continue;
        }
        let printed = running.printed();
        if undecided && let Some((line, _)) = printed.stdout.split_once('\n') {
            undecided = false;
            if let Some(limit) = async_timeout(run.event, line) {
                return WatchResult::Detached(limit);
            }
        }
        if reports && printed.output.len() > reported {
            reported = printed.output.len();
            run.say_progress(&due.id, seen(printed, None)).await;
        }
    }
}

/// Returns the timeout of the async hook if the first line is `{"async": true}`.
fn async_timeout(event: Event, line: &str) -> Option<Duration> {
    let output: HookOutput = serde_json::from_str(line.trim()).ok()?;
    let millis = output.async_timeout;
    let answer = output::of_output(event, output).ok()?;
    answer.is_async.then(|| match millis {
        Some(Number(millis)) if millis > 0.0 => Duration::from_secs_f64((millis / 1000.0).min(24.0 * 3600.0)),
        _ => DEFAULT_ASYNC_TIMEOUT,
    })
}

async fn ended(run: &HookRun, due: &Due, running: &Running, code: i32) -> Result<HookAnswer, Failure> {
    let printed = running.printed();
    let text = due.hook.handler.text();
    let answer = output::of_program(run.event, &text, code, &printed.stdout, &printed.stderr);
    let outcome = match code {
        0 => HookOutcome::Success,
        _ => HookOutcome::Error,
    };
    run.say_ended(&due.id, seen(printed, Some(code)), outcome).await;
    answer
}

/// Waits for an async hook to end and sends its result to the session.
async fn await_async(run: HookRun, due: Due, mut running: Running, limit: Duration) {
    let gone = run.late.closed();
    let end = timeout(limit, running.end());
    let code = tokio::select! {
        () = gone => return,
        end = end => end.ok(),
    };
    let what = match code {
        // The first line only announced that the hook is async.
        Some(0) => {
            let printed = running.printed();
            let rest = printed.stdout.split_once('\n').map_or("", |(_, rest)| rest);
            run.say_ended(&due.id, seen(printed.clone(), Some(0)), HookOutcome::Success)
                .await;
            output::of_text(run.event, rest)
        }
        Some(code) => ended(&run, &due, &running, code).await,
        None => Err(Failure::TimedOut),
    };
    let said = Said {
        place: due.place,
        name: run.name.clone(),
        text: due.hook.handler.text(),
        origin: due.hook.origin.clone(),
        refuses: Refuses::Never,
        what,
    };
    let late = Late {
        event: run.event,
        merged: merge(run.event, vec![said]),
        rewakes: false,
    };
    // The session may have ended.
    run.late.send(late).await.ok();
}

fn copy_of(due: &Due) -> Due {
    Due {
        place: due.place,
        hook: due.hook.clone(),
        id: due.id.clone(),
    }
}

fn seen(printed: Printed, exit_code: Option<i32>) -> Seen {
    Seen {
        stdout: printed.stdout,
        stderr: printed.stderr,
        output: printed.output,
        exit_code,
    }
}

/// Fills in the variables of a command that is run without a shell.
fn with_variables(launch: &Launch, run: &HookRun, due: &Due) -> Launch {
    let Launch::Exec(program, arguments) = launch else {
        return launch.clone();
    };
    let known = env(run, due);
    let fill = |text: &String| {
        let mut text = text.clone();
        for name in ["CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA"] {
            let value = known.iter().rev().find(|(known, _)| *known == *name);
            if let Some((_, value)) = value {
                text = text.replace(&format!("${{{name}}}"), &value.to_string_lossy());
            }
        }
        text
    };
    Launch::Exec(fill(program), arguments.iter().map(fill).collect())
}

/// Returns the environment of the hook, which depends on its origin.
fn env(run: &HookRun, due: &Due) -> Vec<(OsString, OsString)> {
    let mut env = run.env.clone();
    match &due.hook.origin {
        Origin::Plugin { root, data, .. } => {
            env.push(("CLAUDE_PLUGIN_ROOT".into(), root.into()));
            if let Some(data) = data {
                env.push(("CLAUDE_PLUGIN_DATA".into(), data.into()));
            }
        }
        Origin::Skill { root, .. } => env.push(("CLAUDE_PLUGIN_ROOT".into(), root.into())),
        Origin::Settings(_) | Origin::Host | Origin::Agent { .. } => {}
    }
    env
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_can_announce_an_async_hook() {
        let timeout = |line| async_timeout(Event::PostToolUse, line);
        assert_eq!(timeout("{\"async\":true}"), Some(DEFAULT_ASYNC_TIMEOUT));
        assert_eq!(
            timeout("{\"async\":true,\"asyncTimeout\":1500}"),
            Some(Duration::from_millis(1500))
        );
        for no in ["", "hello", "{}", "{\"async\":false}", "{\"async\":"] {
            assert_eq!(timeout(no), None, "{no}");
        }
    }
}
