//! Settings files that cannot be parsed. Without their deny rules and hooks a session would be less restricted than
//! intended, so it starts only if a person decides so.

use std::io;
use std::process::Command;

use sluice_engine::settings::{Effect, Problem};
use sluice_permission::Source;
use sluice_terminal::{Facts, Questioner, StartQuestion};

use crate::flags::Flags;
use crate::launch::Place;
use crate::startup::Refusal;

/// The flag that starts a session without the files.
const FLAG: &str = "--ignore-invalid-settings";

/// Decision of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Start the session; every file was parsed or is to be ignored.
    Start,
    /// A file was edited and the settings must be read again.
    Edited,
    Quit,
}

/// Returns the first file that cannot be parsed and is not ignored by a flag.
fn first<'a>(place: &'a Place, flags: &Flags) -> Option<&'a Problem> {
    let stops = |problem: &&Problem| {
        problem.effect == Effect::LeftOut && !(flags.ignore_invalid_settings && can_be_left_out(problem))
    };
    place.settings.problems().iter().find(stops)
}

/// True if a session may start without the file; not for managed settings or files named by `--settings`.
fn can_be_left_out(problem: &Problem) -> bool {
    matches!(problem.source, Source::User | Source::Project | Source::Local)
}

/// Formats the file with line and column, if known, and the error.
fn located(problem: &Problem) -> String {
    let flag = if problem.source == Source::Flag {
        "--settings: "
    } else {
        ""
    };
    let path = problem.path.display();
    match problem.line {
        0 => format!("{flag}{path}: {}", problem.message),
        line => format!("{flag}{path}:{line}:{}: {}", problem.column, problem.message),
    }
}

/// Returns why a session without a terminal does not start.
pub(crate) fn refusal(place: &Place, flags: &Flags) -> Option<Refusal> {
    let problem = first(place, flags)?;
    let (reason, hint) = match problem.source {
        Source::Policy => ("managed_settings_invalid", String::new()),
        Source::Flag => ("config_file_invalid", String::new()),
        _ => (
            "config_file_invalid",
            format!(", or pass {FLAG} to start without this file"),
        ),
    };
    let text = format!(
        "{}. No session starts without the rules and hooks of its settings: correct them{hint}",
        located(problem)
    );
    Some(Refusal::new(reason, text).for_every_host())
}

/// Shows the first file that cannot be parsed and asks what to do.
pub(crate) async fn ask(place: &Place, flags: &mut Flags, facts: &Facts) -> io::Result<Decision> {
    let Some(problem) = first(place, flags) else {
        return Ok(Decision::Start);
    };
    let choices = choices(problem);
    let mut questioner = Questioner::open(facts)?;
    let chosen = questioner.choose(&question(problem, &choices, facts)).await?;
    drop(questioner);
    Ok(match chosen.and_then(|at| choices.get(at)) {
        Some(Choice::Edit) => {
            let script = format!("{} \"$1\"", facts.editor);
            let editor = Command::new("/bin/sh")
                .args(["-c", &script, "sh"])
                .arg(&problem.path)
                .status();
            if !editor.is_ok_and(|status| status.success()) {
                crate::warn(&format!(
                    "{} did not succeed; $VISUAL or $EDITOR names the editor",
                    facts.editor
                ));
                return Ok(Decision::Quit);
            }
            Decision::Edited
        }
        Some(Choice::LeaveOut) => {
            flags.ignore_invalid_settings = true;
            Decision::Start
        }
        Some(Choice::Quit) | None => Decision::Quit,
    })
}

/// The choices for a file that cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Edit,
    LeaveOut,
    Quit,
}

fn choices(problem: &Problem) -> Vec<Choice> {
    let mut choices = Vec::new();
    if problem.path.is_file() {
        choices.push(Choice::Edit);
    }
    if can_be_left_out(problem) {
        choices.push(Choice::LeaveOut);
    }
    choices.push(Choice::Quit);
    choices
}

fn question(problem: &Problem, choices: &[Choice], facts: &Facts) -> StartQuestion {
    let place = match problem.line {
        0 => String::new(),
        line => format!("line {line}, column {}: ", problem.column),
    };
    let labels = choices.iter().map(|choice| match choice {
        Choice::Edit => ("Fix it".to_owned(), format!("open in {}", facts.editor)),
        Choice::LeaveOut => (
            "Start without it".to_owned(),
            "its deny rules, hooks and keys do not apply".to_owned(),
        ),
        Choice::Quit => ("Quit".to_owned(), String::new()),
    });
    StartQuestion {
        title: ("Invalid settings".to_owned(), problem.path.display().to_string()),
        body: vec![format!("  {place}{}", problem.message)],
        choices: labels.collect(),
        ..StartQuestion::default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn problem(source: Source) -> Problem {
        Problem {
            source,
            path: PathBuf::from("/nowhere/settings.json"),
            line: 3,
            column: 5,
            message: "there is a comma after the last entry; remove it".to_owned(),
            effect: Effect::LeftOut,
        }
    }

    #[test]
    fn only_files_of_the_person_and_the_project_can_be_left_out() {
        assert_eq!(choices(&problem(Source::User)), [Choice::LeaveOut, Choice::Quit]);
        for source in [Source::Policy, Source::Flag] {
            assert_eq!(choices(&problem(source)), [Choice::Quit], "{source:?}");
        }
    }

    #[test]
    fn the_question_names_file_line_and_column() {
        let problem = problem(Source::User);
        let question = question(&problem, &choices(&problem), &Facts::default());
        assert_eq!(question.title.1, "/nowhere/settings.json");
        assert_eq!(
            question.body,
            ["  line 3, column 5: there is a comma after the last entry; remove it"]
        );
    }
}
