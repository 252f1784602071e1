//! `--worktree`: a session works in a git worktree of its own, made where the reference CLI makes them.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_engine::settings::Opener;
use sluice_engine::settings::held::HOW_TO_TRUST;

use crate::approval;
use crate::environment::Environment;
use crate::flags::Flags;
use crate::interactive;
use crate::launch::{self, Place};

/// Longer than any name a person would type.
const LONGEST: usize = 64;

/// Moves the session there, if that is asked for. What was left in a worktree of that name is gone on with.
pub(crate) fn enter(flags: &Flags, environment: &mut Environment) -> Result<(), String> {
    let Some(asked) = &flags.worktree else { return Ok(()) };
    let top = git(&environment.cwd, &["rev-parse", "--show-toplevel"]).map_err(|_| {
        format!(
            "--worktree needs a git repository, and {} is not in one",
            environment.cwd.display()
        )
    })?;
    // Checking files out runs the filters the repository's configuration names.
    let settings = Place::look(flags, environment, launch::opener(flags)).settings;
    let trusted = settings.trusted() || (!flags.interactive() && settings.runs_projects());
    if !trusted && !is_harmless(&environment.cwd) && !ask(flags, environment)? {
        return Err(format!("--worktree: this folder is not trusted. {HOW_TO_TRUST}"));
    }
    let name = match asked.as_str() {
        "" => made_up(),
        name => name.to_owned(),
    };
    check(&name)?;
    let path = PathBuf::from(&top).join(".claude").join("worktrees").join(&name);
    if !path.join(".git").exists() {
        add(Path::new(&top), &path, &name).map_err(|why| format!("the worktree cannot be created: {why}"))?;
    }
    environment.set("PWD", &path.display().to_string());
    environment.cwd = path;
    Ok(())
}

/// Asks the person whether to trust the folder. Returns false without a terminal.
fn ask(flags: &Flags, environment: &Environment) -> Result<bool, String> {
    if !flags.interactive() || !(environment.terminal || io::stdout().is_terminal()) {
        return Ok(false);
    }
    let place = Place::look(flags, environment, Opener::Person);
    let facts = interactive::facts_of(flags, &place);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let asked = runtime.and_then(|runtime| runtime.block_on(approval::ask_for_worktree(&place, flags, &facts)));
    asked.map_err(|error| format!("--worktree: the terminal cannot be used: {error}"))
}

/// Keys of a repository's configuration that name no program: what `git init`, `git clone` and `git branch` write.
const HARMLESS: &[(&str, &str)] = &[
    ("core.", ".bare"),
    ("core.", ".filemode"),
    ("core.", ".ignorecase"),
    ("core.", ".logallrefupdates"),
    ("core.", ".precomposeunicode"),
    ("core.", ".repositoryformatversion"),
    ("core.", ".symlinks"),
    ("remote.", ".url"),
    ("remote.", ".fetch"),
    ("branch.", ".remote"),
    ("branch.", ".merge"),
    ("branch.", ".rebase"),
    ("user.", ".name"),
    ("user.", ".email"),
];

/// Whether making a worktree runs nothing that the repository's own configuration names.
fn is_harmless(cwd: &Path) -> bool {
    let Ok(names) = git(cwd, &["config", "--local", "--no-includes", "--name-only", "--list"]) else {
        return false;
    };
    let known = |name: &str| {
        HARMLESS
            .iter()
            .any(|(first, last)| name.starts_with(first) && name.ends_with(last))
    };
    names.lines().all(known)
}

fn add(top: &Path, path: &Path, name: &str) -> Result<(), String> {
    let branch = format!("worktree-{}", name.replace('/', "-"));
    let place = path.display().to_string();
    let known = git(top, &["rev-parse", "--verify", "-q", &format!("refs/heads/{branch}")]).is_ok();
    let arguments: &[&str] = if known {
        &["worktree", "add", "-q", &place, &branch]
    } else {
        &["worktree", "add", "-q", "-b", &branch, &place, "HEAD"]
    };
    git(top, arguments).map(|_| ())
}

/// A name is a path below the folder of worktrees and part of a branch's name.
fn check(name: &str) -> Result<(), String> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock") && part.chars().all(letters)
    };
    if name.len() > LONGEST || name.contains("..") || !name.split('/').all(part) {
        return Err(format!(
            "--worktree: '{name}' is not a valid worktree name: use up to {LONGEST} letters, digits, '.', '_' and '-'"
        ));
    }
    Ok(())
}

/// A name nobody has used yet.
fn made_up() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("session-{}", id.get(..8).unwrap_or(&id))
}

fn git(at: &Path, arguments: &[&str]) -> Result<String, String> {
    // The repository's own configuration may name programs to run; none of them was agreed to.
    let ran = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C"])
        .arg(at)
        .args(arguments)
        .output();
    match ran {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Err(format!("git: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_below_its_folder() {
        for good in ["one", "fix-12", "team/fix.b", &made_up()] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "..",
            "../x",
            "a/../b",
            "/a",
            "a/",
            "a b",
            ".git",
            "-x",
            "a.lock",
            &"x".repeat(65),
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
