//! `--worktree`: a session works in a git worktree of its own, made where the reference CLI makes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_engine::settings::held::HOW_TO_TRUST;

use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::{self, Place};

/// Longer than any name a person would type.
const LONGEST: usize = 64;

/// Moves the session there, if that is asked for. What was left in a worktree of that name is gone on with.
pub(crate) fn enter(flags: &Flags, environment: &mut Environment) -> Result<(), String> {
    let Some(asked) = &flags.worktree else { return Ok(()) };
    // Checking files out runs the filters the repository's configuration names.
    let settings = Place::look(flags, environment, launch::opener(flags)).settings;
    if !settings.trusted() && (flags.interactive() || !settings.runs_projects()) {
        return Err(format!("--worktree: this folder is not trusted yet. {HOW_TO_TRUST}"));
    }
    let name = match asked.as_str() {
        "" => made_up(),
        name => name.to_owned(),
    };
    check(&name)?;
    let top = git(&environment.cwd, &["rev-parse", "--show-toplevel"]).map_err(|_| {
        format!(
            "--worktree needs a git repository, and {} is not in one",
            environment.cwd.display()
        )
    })?;
    let path = PathBuf::from(&top).join(".claude").join("worktrees").join(&name);
    if !path.join(".git").exists() {
        add(Path::new(&top), &path, &name).map_err(|why| format!("the worktree cannot be created: {why}"))?;
    }
    environment.set("PWD", &path.display().to_string());
    environment.cwd = path;
    Ok(())
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
