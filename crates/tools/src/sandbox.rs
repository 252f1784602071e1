//! The sandbox for commands.
//!
//! There are two kinds, tried in this order when a session starts: [`Kind::Bubblewrap`] (namespaces) and
//! [`Kind::Landlock`] (kernel access rules). If neither works, a configured sandbox refuses every command: a command
//! never runs outside because the sandbox could not be created.
//!
//! Inside, all files are readable except those hidden by `denyRead`. Writable are the session's roots, `allowWrite` and
//! `$TMPDIR`, except for paths that control what is executed later (`protect::NAMES` of the permission crate), whether
//! or not they exist. There is no network, or with `allowedDomains` only the connection to our own proxy.
//!
//! Names are protected in the roots and the home directory, but neither kind can protect them further down: a command
//! can still create a `.git` in a subfolder, so a program that runs git there must not trust its configuration.
//!
//! Deny rules of the session are enforced inside as well. In `bypassPermissions` mode they are enforced by a sandbox
//! that does nothing else (`fence`).
//!
//! Modules in reading order: `config` parses the settings, `denials` resolves the deny rules, `plan` combines them into
//! paths, `standin` prevents the creation of missing files, `seccomp` filters system calls, `modes` performs some of
//! them for the command, `bubblewrap` and `landlock` are the two kinds, `domains`, `proxy` and `relay` provide network
//! access, `denial` explains denials to the model.

mod config;
mod denial;
mod denials;
mod domains;
mod plan;
mod proxy;
mod relay;
mod standin;

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod modes;
#[cfg(target_os = "linux")]
mod seccomp;

#[cfg(not(target_os = "linux"))]
#[path = "sandbox/elsewhere.rs"]
mod bubblewrap;
#[cfg(not(target_os = "linux"))]
use bubblewrap as landlock;
#[cfg(not(target_os = "linux"))]
use bubblewrap as fence;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sluice_permission::Policy;
use tokio::process::{Child, Command};

use self::bubblewrap::Bubblewrap;
pub use self::config::{Config, ConfigError};
pub(crate) use self::denial::Note;
use self::denials::Denials;
pub use self::domains::{Domains, Pattern};
pub(crate) use self::fence::fenced;
use self::plan::Plan;
pub use self::proxy::Lookup;
use self::proxy::Proxy;
use self::relay::{PORT, Relay};
use self::standin::Standins;

/// Folders with system programs. `PATH` is not used, because a project may have set it.
const SYSTEM_FOLDERS: &[&str] = &["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/sbin"];
/// Maximum length of the path of a Unix socket.
const MAX_SOCKET_PATH: usize = 107;

/// Kind of sandbox in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Linux namespaces.
    Bubblewrap,
    /// Landlock rules for files, and a seccomp filter.
    Landlock,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
        })
    }
}

/// A sandbox is configured but unavailable. Every command is refused with this message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "The settings ask for a sandbox, and none works here, so no command is run. bubblewrap: {bubblewrap}; Landlock: {landlock}. Tell the person: either something has to be installed or allowed, or the sandbox has to be switched off in the settings."
)]
pub struct Unavailable {
    /// Why bubblewrap does not work.
    pub bubblewrap: String,
    /// Why Landlock does not work.
    pub landlock: String,
}

#[derive(Debug)]
enum Means {
    Bubblewrap(Bubblewrap),
    Landlock,
    None(String),
}

/// The sandbox of a session.
pub struct Sandbox {
    config: Config,
    means: Means,
    lookup: Lookup,
    proxy: Mutex<Option<Proxy>>,
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sandbox")
            .field("config", &self.config)
            .field("means", &self.means)
            .finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Selects a kind by trying it. Takes some milliseconds and blocks.
    pub fn new(config: Config) -> Result<Self, Unavailable> {
        let bubblewrap = match Bubblewrap::probe(&config) {
            Ok(found) => return Ok(Self::with(config, Means::Bubblewrap(found))),
            Err(why) => why,
        };
        Self::landlock(config).map_err(|unavailable| Unavailable {
            bubblewrap,
            ..unavailable
        })
    }

    /// Selects Landlock even if bubblewrap would work.
    pub fn landlock(config: Config) -> Result<Self, Unavailable> {
        let why = if config.domains.is_none() {
            landlock::probe().err()
        } else {
            // its rules can distinguish ports, but not hosts
            Some("it cannot let through single domains (network.allowedDomains)".to_owned())
        };
        match why {
            None => Ok(Self::with(config, Means::Landlock)),
            Some(landlock) => Err(Unavailable {
                bubblewrap: "not tried".to_owned(),
                landlock,
            }),
        }
    }

    /// Creates a sandbox that refuses every command, with a reason: [`Unavailable`], or invalid settings.
    pub fn refusing(why: impl fmt::Display) -> Self {
        Self::with(Config::default(), Means::None(why.to_string()))
    }

    /// Replaces the name resolver.
    #[must_use]
    pub fn with_lookup(self, lookup: Lookup) -> Self {
        Self { lookup, ..self }
    }

    fn with(config: Config, means: Means) -> Self {
        Self {
            config,
            means,
            lookup: proxy::system_lookup(),
            proxy: Mutex::new(None),
        }
    }

    /// Returns the kind in use; `None` if every command is refused.
    pub fn kind(&self) -> Option<Kind> {
        match self.means {
            Means::Bubblewrap(_) => Some(Kind::Bubblewrap),
            Means::Landlock => Some(Kind::Landlock),
            Means::None(_) => None,
        }
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Describes the sandbox in one line.
    pub fn describe(&self) -> String {
        let network = if self.config.domains.is_none() {
            "no network"
        } else {
            "network to the allowed domains only"
        };
        match &self.means {
            Means::Bubblewrap(found) => format!("bubblewrap ({}), {network}", found.program().display()),
            Means::Landlock => {
                format!("Landlock and seccomp, {network}; nothing can be made directly in a project's top folder")
            }
            Means::None(why) => why.clone(),
        }
    }

    /// True if a Bash call runs inside. `disable` is its `dangerouslyDisableSandbox`. Outside, only permissions
    /// protect, so the permission decision must check this as well.
    pub fn applies(&self, command: &str, disable: bool) -> bool {
        if matches!(self.means, Means::None(_)) {
            return true;
        }
        let asked_out = disable && self.config.allow_unsandboxed;
        !asked_out && !is_excluded(command, &self.config.excluded)
    }

    /// Prepares the confinement of one command.
    pub(crate) fn prepare(&self, place: &Place<'_>) -> Result<Confined, String> {
        let Place {
            directory,
            roots,
            scratch,
            env: theirs,
            policy,
        } = *place;
        let failed = |error: io::Error| format!("The sandbox could not be made, so the command was not run: {error}");
        let temp = scratch.join("tmp");
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&temp)
            .map_err(failed)?;
        let temp = temp.canonicalize().map_err(failed)?;
        let mut env = vec![("TMPDIR".into(), temp.clone().into())];
        let mut loading = Vec::new();
        let denials = match policy {
            Some(policy) => Denials::find(policy, directory, theirs),
            None => Ok(Denials::default()),
        };
        let denials = denials.map_err(|error| failed(io::Error::other(error)))?;
        let plan = Plan::new(&self.config, &denials, roots, &temp);
        let inside = match &self.means {
            Means::None(why) => return Err(why.clone()),
            Means::Landlock => Inside::Landlock(landlock::Rules::new(&plan, &self.config).map_err(failed)?),
            Means::Bubblewrap(bubblewrap) => {
                loading = self::loading(theirs);
                loading.retain(|(name, _)| !self.config.deny_env.iter().any(|denied| name == denied.as_str()));
                let standins = Standins::make(&plan.absent).map_err(failed)?;
                let socket = match bubblewrap.relay() {
                    None => None,
                    Some(_) => Some(self.way_out(scratch).map_err(failed)?),
                };
                if socket.is_some() {
                    env.extend(proxy_env());
                }
                let before = bubblewrap.words(&plan, standins.paths(), directory, socket.as_deref(), &loading);
                Inside::Bubblewrap { before, standins }
            }
        };
        let denied = self.config.deny_env.iter().map(OsString::from);
        Ok(Confined {
            note: Note::Sandbox {
                kind: self.kind().unwrap_or(Kind::Landlock),
                network: !self.config.domains.is_none(),
            },
            unset: loading.into_iter().map(|(name, _)| name).chain(denied).collect(),
            env,
            inside,
        })
    }

    /// Returns the socket of the proxy, which is started on first use.
    fn way_out(&self, scratch: &Path) -> io::Result<PathBuf> {
        let mut proxy = self.proxy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = proxy.as_ref().filter(|proxy| proxy.is_alive()) {
            return Ok(running.socket().to_owned());
        }
        let socket = scratch.canonicalize()?.join("proxy.sock");
        if socket.as_os_str().len() > MAX_SOCKET_PATH {
            let name = socket.display();
            return Err(io::Error::other(format!("{name} is too long for the name of a socket")));
        }
        let started = Proxy::start(socket, self.config.domains.clone(), self.lookup.clone())?;
        let socket = started.socket().to_owned();
        *proxy = Some(started);
        Ok(socket)
    }
}

/// True for variables that make programs load code. The programs that set up the sandbox run outside and must not load
/// files that a command may have created, so these variables are set inside only.
fn is_loading(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"LD_") || name == "GCONV_PATH" || name == "LOCPATH"
}

fn loading(env: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    env.iter().filter(|(name, _)| is_loading(name)).cloned().collect()
}

/// Parameters of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) roots: &'a [PathBuf],
    /// A private directory of the session.
    pub(crate) scratch: &'a Path,
    pub(crate) env: &'a [(OsString, OsString)],
    /// Permission rules of the session, if any.
    pub(crate) policy: Option<&'a Policy>,
}

/// Returns the environment variables that announce the proxy.
fn proxy_env() -> Vec<(OsString, OsString)> {
    let url = format!("http://127.0.0.1:{PORT}");
    let names = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ];
    let mut env: Vec<(OsString, OsString)> = names.map(|name| (name.into(), url.clone().into())).into();
    for name in ["NO_PROXY", "no_proxy"] {
        env.push((name.into(), "localhost,127.0.0.1".into()));
    }
    env
}

/// Confinement of one command; dropped when the command has ended.
#[derive(Debug)]
pub(crate) struct Confined {
    note: Note,
    unset: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    inside: Inside,
}

#[derive(Debug)]
enum Inside {
    Bubblewrap { before: Vec<OsString>, standins: Standins },
    Landlock(landlock::Rules),
}

impl Confined {
    /// Returns the note for the result.
    pub(crate) fn note(&self) -> Note {
        self.note
    }

    /// Returns the command line that precedes the shell.
    pub(crate) fn before(&self) -> &[OsString] {
        match &self.inside {
            Inside::Bubblewrap { before, .. } => before,
            Inside::Landlock(_) => &[],
        }
    }

    /// Sets the environment changes.
    pub(crate) fn set_env(&self, command: &mut Command) {
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        for name in &self.unset {
            command.env_remove(name);
        }
    }

    /// Starts the command inside. The returned value must be kept until it has ended.
    pub(crate) fn spawn(self, command: &mut Command) -> io::Result<(Child, Held)> {
        match self.inside {
            Inside::Bubblewrap { standins, .. } => Ok((command.spawn()?, Held { _standins: standins })),
            Inside::Landlock(rules) => Ok((rules.spawn(command)?, Held::default())),
        }
    }
}

/// Resources that must live as long as the running command.
#[derive(Debug, Default)]
pub(crate) struct Held {
    _standins: Standins,
}

/// Reports what works on this system, line by line, for `doctor`.
pub fn report() -> Vec<(String, String)> {
    let config = Config::default();
    let bubblewrap = Bubblewrap::probe(&config);
    let landlock = landlock::probe();
    let in_force = match (&bubblewrap, &landlock) {
        (Ok(_), _) => "bubblewrap",
        (Err(_), Ok(_)) => "Landlock and seccomp (no network, single domains cannot be allowed)",
        (Err(_), Err(_)) => "none: with the sandbox switched on, every command is refused",
    };
    let told = |found: Result<String, String>| match found {
        Ok(what) => format!("works ({what})"),
        Err(why) => format!("not available: {why}"),
    };
    let way = match Relay::find(None) {
        Some(relay) => format!("through {}", relay.path().display()),
        None => "not available: perl or socat has to be installed".to_owned(),
    };
    vec![
        ("sandbox".to_owned(), in_force.to_owned()),
        (
            "bubblewrap".to_owned(),
            told(bubblewrap.map(|found| found.program().display().to_string())),
        ),
        ("landlock".to_owned(), told(landlock)),
        ("allowed domains".to_owned(), way),
    ]
}

/// Finds a system program.
fn found(name: &str) -> Option<PathBuf> {
    SYSTEM_FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.is_file())
}

/// True if a line is certainly a single command.
fn is_plain(command: &str) -> bool {
    !command.contains([
        '$', '`', '(', ')', '{', '}', '<', '>', ';', '&', '|', '\n', '\r', '\\', '!', '#',
    ])
}

/// True if a command is configured to run outside. Only a single plain command qualifies, because everything else on
/// the line would also run outside.
fn is_excluded(command: &str, excluded: &[String]) -> bool {
    if !is_plain(command) {
        return false;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    excluded.iter().any(|pattern| {
        let bare = pattern
            .strip_suffix(":*")
            .or_else(|| pattern.strip_suffix(" *"))
            .unwrap_or(pattern);
        let wanted: Vec<&str> = bare.split_whitespace().collect();
        !wanted.is_empty() && words.starts_with(&wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_plain_commands_are_excluded() {
        let excluded = ["docker".to_owned(), "git push:*".to_owned(), "npm run *".to_owned()];
        for (command, outside) in [
            ("docker ps -a", true),
            ("docker", true),
            ("dockerd", false),
            ("git push origin", true),
            ("git pull", false),
            ("npm run 'x y'", true),
            // 2.1.34 in the public changelog: commands next to an excluded command ran outside with it
            ("docker ps; rm -rf x", false),
            ("docker ps && curl x", false),
            ("docker run $(evil)", false),
            ("docker ps\nevil", false),
            ("docker ps >/etc/x", false),
            ("evil docker", false),
        ] {
            assert_eq!(is_excluded(command, &excluded), outside, "{command}");
        }
    }

    #[test]
    fn a_refusing_sandbox_cannot_be_bypassed() {
        let sandbox = Sandbox::refusing("no");
        assert!(sandbox.applies("ls", true));
        assert_eq!(sandbox.kind(), None);
    }
}
