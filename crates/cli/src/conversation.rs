//! `--continue`, `--resume`, `--session-id`, `--fork-session`: which session is started or resumed.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sluice_engine::transcript::{Choice, Earlier, Keeping, Projects, Which, is_id, resume};

use crate::environment::Environment;
use crate::flags::Flags;

/// Identity of a session and the location of its transcript.
pub(crate) struct Conversation {
    pub(crate) session_id: String,
    pub(crate) keeping: Keeping,
    pub(crate) earlier: Option<Earlier>,
    /// Why the requested session cannot be resumed.
    pub(crate) refusal: Option<String>,
}

/// Selects the conversation according to the flags, or returns an error message.
pub(crate) fn choose(flags: &Flags, environment: &Environment) -> Result<Conversation, String> {
    let projects = Projects::new(environment.config_dir.join("projects"));
    if let Some(id) = &flags.session_id
        && projects.file(&environment.cwd, id).exists()
    {
        return Err(format!("Session ID {id} is already in use."));
    }
    let found = match choice(flags)? {
        None => Ok(None),
        Some(choice) => resume::find(&projects, &environment.cwd, &choice),
    };
    let (earlier, refusal) = match found {
        Ok(earlier) => (earlier, None),
        Err(refusal) => (None, Some(refusal.to_string())),
    };
    let own = |earlier: &Earlier| (earlier.session_id.clone(), earlier.file.clone());
    let (session_id, file) = match earlier.as_ref().filter(|_| !flags.fork_session).map(own) {
        Some(own) => own,
        None => {
            let named = flags.resume.clone().filter(|id| refusal.is_some() && is_id(id));
            let id = named.or_else(|| flags.session_id.clone());
            let id = id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
            let file = projects.file(&environment.cwd, &id);
            (id, file)
        }
    };
    Ok(Conversation {
        session_id,
        keeping: Keeping {
            projects,
            file: (!flags.no_session_persistence).then_some(file),
            entrypoint: entrypoint(flags, environment),
            git_branch: git_branch(&environment.cwd),
            mirror: flags.session_mirror,
            title: flags.name.clone().filter(|name| !name.trim().is_empty()),
        },
        earlier,
        refusal,
    })
}

fn choice(flags: &Flags) -> Result<Option<Choice>, String> {
    let which = match &flags.resume {
        Some(name) if name.trim().is_empty() => {
            return Err("--resume needs the id or the title of a session; --continue takes the newest".to_owned());
        }
        Some(name) => Which::Named(name.clone()),
        None if flags.continue_session => Which::Newest,
        None => return Ok(None),
    };
    Ok(Some(Choice {
        which,
        at: flags.resume_session_at.clone(),
        drops_turn: flags.resume_drops_turn.clone(),
        fork: flags.fork_session,
    }))
}

/// Returns the entry point recorded in transcripts.
fn entrypoint(flags: &Flags, environment: &Environment) -> String {
    let usual = if flags.interactive() { "cli" } else { "sdk-cli" };
    environment.entrypoint.clone().unwrap_or_else(|| usual.to_owned())
}

/// Returns the branch checked out at `cwd`, or `HEAD` if there is none.
fn git_branch(cwd: &Path) -> String {
    let head = cwd.ancestors().find_map(head_file).and_then(|head| beginning(&head));
    let branch = head
        .as_deref()
        .and_then(|head| head.trim().strip_prefix("ref: refs/heads/"));
    branch.unwrap_or("HEAD").to_owned()
}

/// Reads the beginning of a file from an untrusted repository: does not block on pipes and reads only regular files.
fn beginning(path: &Path) -> Option<String> {
    const MAX_SIZE: u64 = 4096;
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path)
        .ok()?
        .take(MAX_SIZE)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

/// Returns the `HEAD` file if this folder is the root of a working tree.
fn head_file(dir: &Path) -> Option<PathBuf> {
    let git = dir.join(".git");
    if git.is_dir() {
        return Some(git.join("HEAD"));
    }
    // A linked worktree has a `.git` file that contains the path of its git folder.
    let link = beginning(&git)?;
    let place = link.trim().strip_prefix("gitdir: ")?;
    Some(dir.join(place).join("HEAD"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_branch_is_read_where_it_stands() {
        let dir = tempfile::tempdir().unwrap();
        let (main, linked) = (dir.path().join("main"), dir.path().join("linked"));
        fs::create_dir_all(main.join(".git/worktrees/linked")).unwrap();
        fs::create_dir_all(main.join("src/deep")).unwrap();
        fs::create_dir_all(&linked).unwrap();
        fs::write(main.join(".git/HEAD"), "ref: refs/heads/feature/one\n").unwrap();
        fs::write(linked.join(".git"), "gitdir: ../main/.git/worktrees/linked\n").unwrap();
        fs::write(main.join(".git/worktrees/linked/HEAD"), "0123456789\n").unwrap();
        assert_eq!(git_branch(&main.join("src/deep")), "feature/one");
        assert_eq!(git_branch(&linked), "HEAD", "a detached one has no name");
        fs::write(main.join(".git/worktrees/linked/HEAD"), "ref: refs/heads/two\n").unwrap();
        assert_eq!(git_branch(&linked), "two");
        assert_eq!(git_branch(dir.path()), "HEAD");
        fs::remove_file(main.join(".git/HEAD")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", main.join(".git/HEAD")).unwrap();
        assert_eq!(git_branch(&main), "HEAD", "an endless one says nothing");
    }
}
