//! Command hooks: the event on stdin, the answer on stdout or by the exit code.

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

/// How often the output is checked for `{"async": true}`.
const LOOK: Duration = Duration::from_millis(100);
/// How many looks lie between two reports.
const REPORT: u32 = 10;
/// The timeout of an async hook without `asyncTimeout`.
const ASYNC: Duration = Duration::from_secs(600);

/// Runs the command to its end, or until it prints `{"async": true}`.
pub async fn run(run: &HookRun, due: &Due) -> Result<HookAnswer, Failure> {
    let Handler::Command { launch, is_async, .. } = &due.hook.handler else {
        return Err(Failure::Cancelled);
    };
    let program = Program {
        launch: filled(launch, run, due),
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
        Watched::Ended(code) => ended(run, due, &running, code).await,
        Watched::Late => {
            let seen = seen(running.printed(), Some(1));
            drop(running);
            run.say_ended(&due.id, seen, HookOutcome::Cancelled).await;
            Err(Failure::TimedOut)
        }
        Watched::Detached(limit) => {
            tokio::spawn(see_out(run.clone(), due_again(due), running, limit));
            Ok(HookAnswer::default())
        }
    }
}

enum Watched {
    Ended(i32),
    Late,
    /// It is async, with this timeout.
    Detached(Duration),
}

async fn watch(run: &HookRun, due: &Due, running: &mut Running, deadline: Instant, may_detach: bool) -> Watched {
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut looks, mut reported, mut undecided) = (0, 0, may_detach);
    loop {
        tokio::select! {
            biased;
            code = running.end() => return Watched::Ended(code),
            () = tokio::time::sleep_until(deadline) => return Watched::Late,
            _ = ticks.tick() => {}
        }
        looks += 1;
        let reports = run.reports.is_some() && looks % REPORT == 0;
        if !undecided && !reports {
            continue;
        }
        let printed = running.printed();
        if undecided && let Some((line, _)) = printed.stdout.split_once('\n') {
            undecided = false;
            if let Some(limit) = goes_on(run.event, line) {
                return Watched::Detached(limit);
            }
        }
        if reports && printed.output.len() > reported {
            reported = printed.output.len();
            run.say_progress(&due.id, seen(printed, None)).await;
        }
    }
}

/// Whether the first line says `{"async": true}`, and for how long.
fn goes_on(event: Event, line: &str) -> Option<Duration> {
    let output: HookOutput = serde_json::from_str(line.trim()).ok()?;
    let millis = output.async_timeout;
    let answer = output::of_output(event, output).ok()?;
    answer.is_async.then(|| match millis {
        Some(Number(millis)) if millis > 0.0 => Duration::from_secs_f64((millis / 1000.0).min(24.0 * 3600.0)),
        _ => ASYNC,
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

/// Waits for the end of an async hook, whose answer comes later.
async fn see_out(run: HookRun, due: Due, mut running: Running, limit: Duration) {
    let gone = run.late.closed();
    let end = timeout(limit, running.end());
    let code = tokio::select! {
        () = gone => return,
        end = end => end.ok(),
    };
    let what = match code {
        // The first line was only to say that more follows.
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
    // A session that is gone need not hear it.
    run.late.send(late).await.ok();
}

fn due_again(due: &Due) -> Due {
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

/// Arguments that no shell fills in are filled in here.
fn filled(launch: &Launch, run: &HookRun, due: &Due) -> Launch {
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

/// What of the environment depends on who brought the hook.
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
    fn the_first_line_may_say_that_it_goes_on_by_itself() {
        let on = |line| goes_on(Event::PostToolUse, line);
        assert_eq!(on("{\"async\":true}"), Some(ASYNC));
        assert_eq!(
            on("{\"async\":true,\"asyncTimeout\":1500}"),
            Some(Duration::from_millis(1500))
        );
        for no in ["", "hello", "{}", "{\"async\":false}", "{\"async\":"] {
            assert_eq!(on(no), None, "{no}");
        }
    }
}
