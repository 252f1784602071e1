//! Hooks that are programs: what happened on stdin, an answer on stdout or by the exit code.

use std::ffi::OsString;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;

use sluice_tools::{Launch, Printed, Program, Running};
use sluice_wire::stdout::system::HookOutcome;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout, timeout_at};

use super::config::{Handler, Origin};
use super::event::Event;
use super::merge::{Refuses, Said, merge};
use super::output::{self, Failure, HookAnswer};
use super::run::{Hooked, Purpose};
use super::scene::{Due, Scene, Seen};
use crate::options::Options;
use crate::session::Session;

/// How often we look whether a program wants to go on by itself.
const LOOK: Duration = Duration::from_millis(100);
/// How many looks lie between two reports.
const REPORT: u32 = 10;
/// How long one that goes on by itself has, where it does not say.
const ASYNC: Duration = Duration::from_secs(600);
/// How long the variables a hook has set take to be read, at most.
const SOURCING: Duration = Duration::from_secs(5);

/// Runs it to its end, or until it says that it goes on by itself.
pub(super) async fn run(scene: &Scene, due: &Due) -> Result<HookAnswer, Failure> {
    let Handler::Command { launch, is_async, .. } = &due.hook.handler else {
        return Err(Failure::Cancelled);
    };
    let program = Program {
        launch: filled(launch, scene, due),
        directory: scene.cwd.clone(),
        env: env(scene, due),
        input: format!("{}\n", scene.input).into_bytes(),
    };
    let mut running = match program.start(&scene.tasks) {
        Ok(running) => running,
        Err(error) => {
            let why = format!("[{}] could not be started: {error}", due.hook.handler.text());
            let seen = Seen {
                output: why.clone(),
                stderr: why.clone(),
                exit_code: Some(1),
                ..Seen::default()
            };
            scene.say_ended(&due.id, seen, HookOutcome::Error).await;
            return Err(Failure::Broken(why));
        }
    };
    let deadline = Instant::now() + due.patience();
    match watch(scene, due, &mut running, deadline, !is_async).await {
        Watched::Ended(code) => ended(scene, due, &running, code).await,
        Watched::Late => {
            let seen = seen(running.printed(), Some(1));
            drop(running);
            scene.say_ended(&due.id, seen, HookOutcome::Cancelled).await;
            Err(Failure::TimedOut)
        }
        Watched::Detached(limit) => {
            tokio::spawn(see_out(scene.clone(), due_again(due), running, limit));
            Ok(HookAnswer::default())
        }
    }
}

enum Watched {
    Ended(i32),
    Late,
    /// It goes on by itself, for so long.
    Detached(Duration),
}

async fn watch(scene: &Scene, due: &Due, running: &mut Running, deadline: Instant, may_detach: bool) -> Watched {
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
        let reports = scene.told && looks % REPORT == 0;
        if !undecided && !reports {
            continue;
        }
        let printed = running.printed();
        if undecided && let Some((line, _)) = printed.stdout.split_once('\n') {
            undecided = false;
            if let Some(limit) = goes_on(scene.event, line) {
                return Watched::Detached(limit);
            }
        }
        if reports && printed.output.len() > reported {
            reported = printed.output.len();
            scene.say_progress(&due.id, seen(printed, None)).await;
        }
    }
}

/// Whether the first line says `{"async": true}`, and for how long.
fn goes_on(event: Event, line: &str) -> Option<Duration> {
    let value: serde_json::Value = serde_json::from_str(line.trim()).ok()?;
    let answer = output::of_value(event, &value).ok()?;
    let millis = value.get("asyncTimeout").and_then(serde_json::Value::as_f64);
    answer.is_async.then(|| match millis {
        Some(millis) if millis > 0.0 => Duration::from_secs_f64((millis / 1000.0).min(24.0 * 3600.0)),
        _ => ASYNC,
    })
}

async fn ended(scene: &Scene, due: &Due, running: &Running, code: i32) -> Result<HookAnswer, Failure> {
    let printed = running.printed();
    let text = due.hook.handler.text();
    let answer = output::of_program(scene.event, &text, code, &printed.stdout, &printed.stderr);
    let outcome = match code {
        0 => HookOutcome::Success,
        _ => HookOutcome::Error,
    };
    scene.say_ended(&due.id, seen(printed, Some(code)), outcome).await;
    answer
}

/// Waits for the end of one that goes on by itself; what it says then is heard later.
async fn see_out(scene: Scene, due: Due, mut running: Running, limit: Duration) {
    let gone = scene.late.closed();
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
            scene
                .say_ended(&due.id, seen(printed.clone(), Some(0)), HookOutcome::Success)
                .await;
            output::of_text(scene.event, rest)
        }
        Some(code) => ended(&scene, &due, &running, code).await,
        None => Err(Failure::TimedOut),
    };
    let said = Said {
        place: due.place,
        name: scene.name.clone(),
        text: due.hook.handler.text(),
        origin: due.hook.origin.clone(),
        refuses: Refuses::Never,
        what,
    };
    let hooked = Hooked {
        event: scene.event,
        purpose: Purpose::Late { rewakes: false },
        merged: merge(scene.event, vec![said]),
    };
    // A session that is gone need not hear it.
    scene.late.send(hooked).await.ok();
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
fn filled(launch: &Launch, scene: &Scene, due: &Due) -> Launch {
    let Launch::Exec(program, arguments) = launch else {
        return launch.clone();
    };
    let known = env(scene, due);
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
fn env(scene: &Scene, due: &Due) -> Vec<(OsString, OsString)> {
    let mut env = scene.env.clone();
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

/// The environment of hooks, whatever they are told.
pub(super) fn environment(options: &Options) -> Vec<(OsString, OsString)> {
    let mut env = options.env.clone();
    let set = [
        ("CLAUDE_PROJECT_DIR", options.settings.project(&options.cwd).into()),
        ("CLAUDECODE", "1".into()),
        (
            "CLAUDE_CODE_ENTRYPOINT",
            options.session.keeping.entrypoint.clone().into(),
        ),
        ("CLAUDE_CODE_SESSION_ID", options.session.id.clone().into()),
        ("CLAUDE_PID", std::process::id().to_string().into()),
    ];
    env.retain(|(known, _)| set.iter().all(|(name, _)| *known != *name));
    env.extend(set.map(|(name, value): (&str, OsString)| (name.into(), value)));
    env
}

impl Session {
    /// The environment of the hooks of an event.
    pub(super) fn hook_env(&mut self, event: Event) -> Vec<(OsString, OsString)> {
        let mut env = environment(&self.options);
        let mut set = |name: &str, value: OsString| {
            env.retain(|(known, _)| *known != *name);
            env.push((name.into(), value));
        };
        set("CLAUDE_EFFORT", self.effort_level().into());
        if event.has_env_file() {
            // It is run later, outside of any sandbox: it lies where nothing inside of one can write, and is new.
            let config = &self.options.settings.places().config_dir;
            let folder = config.join("session-env").join(&self.options.session.id);
            let file = folder.join(format!("{}.sh", uuid::Uuid::new_v4().simple()));
            let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
            if made.is_ok() {
                set("CLAUDE_ENV_FILE", file.clone().into());
                if matches!(event, Event::SessionStart | Event::Setup) {
                    self.hooks.env_file = Some(file);
                }
            }
        }
        env
    }

    /// Takes over the variables hooks have set by their file: later commands have them.
    pub(super) async fn take_env_file(&mut self) {
        let Some(path) = self.hooks.env_file.take() else {
            return;
        };
        if path.is_file() {
            self.source(&path).await;
            let _gone = std::fs::remove_file(&path);
        }
        // Nothing is left of it, unless hooks put something else there.
        let _kept = path.parent().map(std::fs::remove_dir);
    }

    async fn source(&mut self, path: &Path) {
        let program = Program {
            launch: Launch::Exec(
                "bash".to_owned(),
                ["--noprofile", "--norc", "-c", "set -a; . \"$1\" >&2; env -0", "bash"]
                    .map(str::to_owned)
                    .into_iter()
                    .chain([path.display().to_string()])
                    .collect(),
            ),
            directory: self.tooling.cwd.get(),
            env: self.options.env.clone(),
            input: Vec::new(),
        };
        let Ok(mut running) = program.start(&self.tooling.tasks) else {
            return;
        };
        let deadline = Instant::now() + SOURCING;
        if timeout_at(deadline, running.end()).await == Ok(0) {
            for entry in running.printed().stdout.split('\0') {
                let Some((name, value)) = entry.split_once('=') else {
                    continue;
                };
                // What every shell sets for itself is not what the hook has set.
                if matches!(name, "_" | "SHLVL" | "PWD" | "OLDPWD") || name.starts_with("SLUICE_") {
                    continue;
                }
                self.options.env.retain(|(known, _)| *known != *name);
                self.options.env.push((name.into(), value.into()));
            }
        }
    }
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
