//! The sandbox of `bypassPermissions`: it enforces the deny rules of the session and nothing else.
//!
//! What the rules close is mounted over, for one command. Network, processes, devices and all other files are those of
//! the host. How the name of a program or a file comes about inside does not matter then.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::bubblewrap::{hiding, tried};
use super::denials::Denials;
use super::plan::Plan;
use super::standin::Standins;
use super::{Confined, Inside, Note, Place, is_plain, loading};

/// Everything is as outside, but for what is mounted over.
const OPEN: &[&str] = &["--dev-bind", "/", "/"];
/// A place in which only the deny rules of the session are enforced, for a command of `bypassPermissions`. `None`: there
/// is nothing to enforce, or no way to do it here, so the command runs as it is.
pub(crate) fn fenced(command: &str, place: &Place<'_>) -> Result<Option<Confined>, String> {
    static FENCE: LazyLock<Option<Fence>> = LazyLock::new(Fence::probe);
    let Some(policy) = place.policy.filter(|policy| Denials::are_enforced(policy)) else {
        return Ok(None);
    };
    // A pattern that covers too much is enforced by the analysis of the command only.
    let denials = Denials::find(policy, place.directory, place.env).unwrap_or_default();
    if denials.is_empty() || raises_rights(command, place.env) {
        return Ok(None);
    }
    let Some(fence) = FENCE.as_ref() else { return Ok(None) };
    let failed =
        |error: io::Error| format!("The deny rules could not be enforced, so the command was not run: {error}");
    let plan = Plan::of_rules(&denials);
    let standins = Standins::make(&plan.absent).map_err(failed)?;
    let loading = loading(place.env);
    let before = fence.words(&plan, standins.paths(), place.directory, &loading);
    Ok(Some(Confined {
        note: Note::Rules,
        unset: loading.into_iter().map(|(name, _)| name).collect(),
        env: Vec::new(),
        inside: Inside::Bubblewrap { before, standins },
    }))
}

/// Returns true for a single plain call of a set-user-ID program, such as `sudo`. Such programs need their file's rights,
/// which a sandbox made by a user other than root takes away.
fn raises_rights(command: &str, env: &[(OsString, OsString)]) -> bool {
    let program = command.split_whitespace().next().filter(|_| is_plain(command));
    let path = env.iter().find(|(name, _)| name == "PATH");
    let (Some(program), Some((_, path))) = (program, path) else {
        return false;
    };
    let mut places = std::env::split_paths(path).map(|folder| folder.join(program));
    let about = places.find_map(|path| path.metadata().ok().filter(std::fs::Metadata::is_file));
    !rustix::process::geteuid().is_root() && about.is_some_and(|about| about.mode() & 0o4000 != 0)
}

/// A bubblewrap that can do that.
#[derive(Debug, Clone)]
struct Fence {
    program: PathBuf,
    env: PathBuf,
    /// Root keeps its rights. Anybody else gets a user namespace.
    root: bool,
}

impl Fence {
    /// Tries it for real.
    fn probe() -> Option<Self> {
        let fence = Self {
            program: super::found("bwrap")?,
            env: super::found("env")?,
            root: rustix::process::geteuid().is_root(),
        };
        let words = fence.words(&Plan::default(), [].into_iter(), Path::new("/"), &[]);
        let (first, rest) = words.split_first()?;
        tried(Command::new(first).args(rest).arg("true")).ok()?;
        Some(fence)
    }

    /// The words that run what follows them inside. `env` is set inside only.
    fn words<'a>(
        &self,
        plan: &'a Plan,
        standins: impl Iterator<Item = &'a PathBuf>,
        directory: &Path,
        env: &[(OsString, OsString)],
    ) -> Vec<OsString> {
        let env_program = || OsString::from(&self.env);
        // Bubblewrap would end at once when asked to, and what runs inside after it.
        let mut words = vec![
            env_program(),
            "--ignore-signal=TERM".into(),
            self.program.clone().into(),
        ];
        words.extend(OPEN.iter().map(OsString::from));
        if self.root {
            words.extend(["--cap-add", "ALL"].map(OsString::from));
        }
        for path in standins.chain(&plan.closed) {
            words.extend(["--ro-bind-try".into(), path.into(), path.into()]);
        }
        for path in &plan.hidden {
            words.extend(hiding(path));
            if path.is_dir() {
                words.extend(["--remount-ro".into(), path.into()]);
            }
        }
        for (name, value) in env {
            words.extend(["--setenv".into(), name.clone(), value.clone()]);
        }
        words.extend(["--chdir".into(), directory.into(), "--".into(), env_program()]);
        words.push("--default-signal=TERM".into());
        words
    }
}
