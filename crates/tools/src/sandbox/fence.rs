//! The sandbox of `bypassPermissions` mode: enforces only the deny rules of the session.
//!
//! Denied paths are covered by mounts for one command. Network, processes, devices and all other files are those of the
//! host. Rules apply no matter how a command constructs the name of a program or file.

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

/// Mounts the whole host file system.
const OPEN: &[&str] = &["--dev-bind", "/", "/"];
/// Prepares a sandbox that only enforces the deny rules, for a command in `bypassPermissions` mode. Returns `None` if
/// there is nothing to enforce or no means to do so; the command then runs unconfined.
pub(crate) fn fenced(command: &str, place: &Place<'_>) -> Result<Option<Confined>, String> {
    static FENCE: LazyLock<Option<Fence>> = LazyLock::new(Fence::probe);
    let Some(policy) = place.policy.filter(|policy| Denials::are_enforced(policy)) else {
        return Ok(None);
    };
    // A pattern that covers too much is enforced only by the analysis of the command.
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

/// True for a single plain call of a set-user-ID program such as `sudo`. These programs need privileges that a sandbox
/// created by a user other than root removes.
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

/// A bubblewrap that supports this.
#[derive(Debug, Clone)]
struct Fence {
    program: PathBuf,
    env: PathBuf,
    /// True for root, which keeps its privileges. Other users get a user namespace.
    root: bool,
}

impl Fence {
    /// Detects it by running it.
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

    /// Returns the command line that runs the following words inside. `env` is set inside only.
    fn words<'a>(
        &self,
        plan: &'a Plan,
        standins: impl Iterator<Item = &'a PathBuf>,
        directory: &Path,
        env: &[(OsString, OsString)],
    ) -> Vec<OsString> {
        let env_program = || OsString::from(&self.env);
        // Bubblewrap would die of SIGTERM immediately and kill everything inside.
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
