//! `--worktree`: runs a session in its own git worktree, at the path that the reference CLI uses.

use std::path::{Path, PathBuf};
use std::process::Command;

use sluice_engine::settings::Opener;
use sluice_engine::settings::held::HOW_TO_TRUST;
use sluice_terminal::{Questioner, StartQuestion};

use crate::approval::{self, Said};
use crate::environment::Environment;
use crate::flags::Flags;
use crate::interactive::facts_of;
use crate::launch::{self, Place};
use crate::warn;

/// The maximum length of a worktree name, in bytes.
const MAX_NAME: usize = 64;

/// The worktree that a session runs in.
#[derive(Debug)]
pub(crate) struct Worktree {
    /// Root of the repository it belongs to.
    top: PathBuf,
    path: PathBuf,
    branch: String,
}

/// Why a session does not start in a worktree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum EnterError {
    /// The person chose to leave when asked about trust.
    Left,
    Failed(String),
}

impl From<String> for EnterError {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

impl Worktree {
    /// Creates the worktree that `--worktree` names, or enters the existing one of that name, and makes it the working
    /// folder. Returns `None` without that flag.
    pub(crate) async fn enter(
        flags: &Flags,
        environment: &mut Environment,
        interactive: bool,
    ) -> Result<Option<Self>, EnterError> {
        let Some(asked) = &flags.worktree else { return Ok(None) };
        let name = match asked.as_str() {
            "" => generated_name(),
            name => name.to_owned(),
        };
        check(&name)?;
        let top = repository_root(&environment.cwd)?;
        may_check_out(flags, environment, interactive).await?;
        let worktree = Self {
            path: top.join(".claude").join("worktrees").join(&name),
            branch: format!("worktree-{}", name.replace('/', "-")),
            top,
        };
        if !worktree.path.join(".git").exists() {
            let added = worktree.add();
            added.map_err(|why| format!("the worktree cannot be created: {why}"))?;
        }
        environment.set("PWD", &worktree.path.display().to_string());
        environment.cwd.clone_from(&worktree.path);
        Ok(Some(worktree))
    }

    fn add(&self) -> Result<(), String> {
        let place = self.path.display().to_string();
        let known = format!("refs/heads/{}", self.branch);
        let arguments: &[&str] = if git(&self.top, &["rev-parse", "--verify", "-q", &known]).is_ok() {
            &["worktree", "add", "-q", &place, &self.branch]
        } else {
            &["worktree", "add", "-q", "-b", &self.branch, &place, "HEAD"]
        };
        git(&self.top, arguments).map(|_| ())
    }

    /// Asks whether to keep the worktree, and removes it with its branch if not. It is kept when there is no answer.
    pub(crate) async fn leave(self, flags: &Flags, environment: &Environment) {
        let facts = facts_of(flags, &Place::look(flags, environment, Opener::Person));
        let choice = |label: &str, about: &str| (label.to_owned(), about.to_owned());
        let changes = self.changes();
        let question = StartQuestion {
            title: ("Worktree".to_owned(), facts.folder_word()),
            body: vec![format!("  {changes}")],
            choices: vec![
                choice("Keep it", &format!("branch {}", self.branch)),
                choice("Remove it", "deletes the folder, its changes and its branch"),
            ],
            ..StartQuestion::default()
        };
        let answer = match Questioner::open(&facts) {
            Ok(mut questioner) => questioner.choose(&question).await.ok().flatten(),
            Err(_) => None,
        };
        if answer == Some(1)
            && let Err(why) = self.remove()
        {
            warn(&format!("error: the worktree cannot be removed: {why}"));
        }
    }

    /// Describes what would be lost with the worktree.
    fn changes(&self) -> String {
        let count = |arguments: &[&str]| git(&self.path, arguments).map(|text| text.lines().count());
        let files = count(&["status", "--porcelain", "--ignore-submodules=all"]);
        let own = format!("--exclude={}", self.branch);
        let commits = count(&["rev-list", "HEAD", "--not", &own, "--branches", "--remotes", "--tags"]);
        let plural = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        match (files, commits) {
            (Ok(0), Ok(0)) => "No changes.".to_owned(),
            (Ok(files), Ok(commits)) => format!(
                "{} uncommitted, {} on no other branch",
                plural(files, "change"),
                plural(commits, "commit")
            ),
            (Err(why), _) | (_, Err(why)) => why,
        }
    }

    fn remove(&self) -> Result<(), String> {
        git(
            &self.top,
            &["worktree", "remove", "--force", &self.path.display().to_string()],
        )?;
        git(&self.top, &["branch", "-q", "-D", &self.branch]).map(|_| ())
    }
}

/// Returns the root of the work tree that contains a folder.
fn repository_root(folder: &Path) -> Result<PathBuf, String> {
    let found = git(folder, &["rev-parse", "--show-toplevel"]);
    let root = found.map_err(|_| {
        format!(
            "--worktree needs a git repository, and {} is not in one",
            folder.display()
        )
    })?;
    // `core.worktree` of a foreign repository can name any folder.
    let contains = folder.canonicalize().is_ok_and(|folder| folder.starts_with(&root));
    match contains {
        true => Ok(root.into()),
        false => Err(format!(
            "--worktree: the repository's work tree is {root}, which does not contain {}",
            folder.display()
        )),
    }
}

/// Checking files out runs the filter programs that the configuration names. Those of the person's own configuration
/// may run; those of the repository need a trusted folder.
async fn may_check_out(flags: &Flags, environment: &Environment, interactive: bool) -> Result<(), EnterError> {
    let filters = repository_filters(&environment.cwd)?;
    if filters.is_empty() {
        return Ok(());
    }
    let place = Place::look(flags, environment, launch::opener(flags));
    if place.settings.trusted() || (!interactive && place.settings.runs_projects()) {
        return Ok(());
    }
    if interactive {
        return match approval::ask_about_filters(&place, flags, &facts_of(flags, &place), &filters).await {
            Ok(Said::Leave) => Err(EnterError::Left),
            Ok(_) => Ok(()),
            Err(error) => Err(EnterError::Failed(error.to_string())),
        };
    }
    Err(EnterError::Failed(format!(
        "--worktree: checking files out would run programs that .git/config names ({}), and this folder is not \
         trusted. {HOW_TO_TRUST}",
        filters.join(", ")
    )))
}

/// Returns the filter settings of the repository's own configuration, as `name: program`.
fn repository_filters(folder: &Path) -> Result<Vec<String>, String> {
    let listed = match git(folder, &["config", "-z", "--show-scope", "--get-regexp", "^filter\\."]) {
        Ok(listed) => listed,
        // No setting matches: git fails and prints nothing.
        Err(why) if why.is_empty() => return Ok(Vec::new()),
        Err(why) => {
            return Err(format!(
                "--worktree: git cannot read the repository's configuration: {why}"
            ));
        }
    };
    let mut filters = Vec::new();
    let mut fields = listed.split_terminator('\0');
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        let (name, program) = setting.split_once('\n').unwrap_or((setting, ""));
        let runs = [".smudge", ".process", ".clean"].iter().any(|end| name.ends_with(end));
        if runs && !program.is_empty() && matches!(scope, "local" | "worktree") {
            filters.push(format!("{name}: {program}"));
        }
    }
    Ok(filters)
}

/// A name is a path below the folder of worktrees and part of a branch's name.
fn check(name: &str) -> Result<(), String> {
    let letters = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock") && part.chars().all(letters)
    };
    if name.len() > MAX_NAME || name.contains("..") || !name.split('/').all(part) {
        return Err(format!(
            "--worktree: '{name}' is not a valid worktree name: use up to {MAX_NAME} letters, digits, '.', '_' and '-'"
        ));
    }
    Ok(())
}

/// Returns a unique name.
fn generated_name() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("session-{}", id.get(..8).unwrap_or(&id))
}

fn git(at: &Path, arguments: &[&str]) -> Result<String, String> {
    // Nothing that a repository's configuration names may run, but for filters: `may_check_out` decides about those.
    let ran = Command::new("git")
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "submodule.recurse=false", "-C"])
        .arg(at)
        .args(arguments)
        .env("GIT_NO_LAZY_FETCH", "1")
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
        for good in ["one", "fix-12", "team/fix.b", &generated_name()] {
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
