//! The bubblewrap sandbox: Linux namespaces.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::config::Config;
use super::plan::Plan;
use super::relay::Relay;
use super::seccomp;

/// Opens the filter as a descriptor. Passing one without `unsafe` requires a shell.
const WITH_FILTER: &str = r#"exec "$@" 9< <(printf %b "$0")"#;
/// Process between us and bubblewrap, which would end together with the *thread* that started it.
const KEEPER: &str = r#""$@"; exit $?"#;
/// Outer sandbox with a separate network for the relay. It shares the host's processes and `/proc`: for root,
/// bubblewrap would mask a new one, and the inner sandbox could not mount a fresh one.
const OUTER: &[&str] = &[
    "--unshare-user",
    "--unshare-net",
    "--die-with-parent",
    "--dev-bind",
    "/",
    "/",
    "--",
];
const INNER: &[&str] = &[
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--seccomp",
    "9",
];
const FILES: &[&str] = &["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"];
/// Fails if the kernel could be configured from inside.
const PROBE: &str = "[ ! -w /proc/sys/kernel/core_pattern ] && [ ! -w /proc/sysrq-trigger ]";

/// A working bubblewrap.
#[derive(Debug, Clone)]
pub(super) struct Bubblewrap {
    program: PathBuf,
    /// Absolute path, like all programs that run outside: a command may have put programs into a `PATH` folder.
    bash: PathBuf,
    /// `env` with signal options, to ignore SIGTERM and restore it inside. Bubblewrap would otherwise die of it
    /// immediately and kill everything inside without a chance to clean up.
    env: Option<PathBuf>,
    /// The system call filter, as an escaped string.
    filter: String,
    nested_namespaces: bool,
    /// Entries of `/proc` that configure the machine or a namespace. In a fresh `/proc`, root can write them, and the
    /// owner of the namespace can write some without any capability.
    kernel: Vec<PathBuf>,
    /// Relay for allowed domains.
    relay: Option<Relay>,
}

/// What to mount at a path; if two apply to a path, the later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mount {
    Writable,
    ReadOnly,
    Hidden,
}

impl Bubblewrap {
    /// Detects bubblewrap by running it.
    pub(super) fn probe(config: &Config) -> Result<Self, String> {
        let program = match &config.bwrap {
            Some(path) => path.clone(),
            None => super::found("bwrap").ok_or("bubblewrap is not installed")?,
        };
        let relay = if config.domains.is_none() {
            None
        } else {
            let relay = Relay::find(config.socat.as_deref());
            Some(relay.ok_or("to reach the allowed domains from inside, perl or socat has to be installed")?)
        };
        let filter = seccomp::own_network(config.unix_sockets).map_err(|error| error.to_string())?;
        let env = super::found("env").filter(|env| {
            let mut command = Command::new(env);
            command.args(["--ignore-signal=TERM", "--default-signal=TERM", "true"]);
            tried(&mut command).is_ok()
        });
        let mut found = Self {
            program,
            bash: super::found("bash").ok_or("bash is not installed")?,
            env,
            filter: seccomp::spelled(&filter),
            nested_namespaces: config.nested_namespaces,
            kernel: kernel_entries(),
            relay,
        };
        let first = found.works();
        if first.is_err() && !found.nested_namespaces {
            // versions before 0.8 cannot disable nested namespaces
            found.nested_namespaces = true;
            if found.works().is_ok() {
                return Ok(found);
            }
        }
        let name = found.program.display();
        first.map_err(|error| format!("{name} does not work here: {error}"))?;
        Ok(found)
    }

    fn works(&self) -> Result<(), String> {
        let probe = [self.bash.as_os_str(), "-c".as_ref(), PROBE.as_ref()].map(OsString::from);
        let inner = self.inner(&Plan::default(), [].into_iter(), Path::new("/"), &[], &probe);
        let mut words = Vec::new();
        if self.relay.is_some() {
            words.push(self.program.clone().into());
            words.extend(OUTER.iter().map(OsString::from));
        }
        words.extend(inner);
        let (first, rest) = words.split_first().ok_or("nothing to run")?;
        tried(Command::new(first).args(rest))
    }

    /// Returns the path of the program, for the report.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the relay, if there is one.
    pub(super) fn relay(&self) -> Option<&Relay> {
        self.relay.as_ref()
    }

    /// Returns the command line that runs the following words inside. `socket` is the socket of the proxy; `env` is set
    /// inside only.
    pub(super) fn words<'a>(
        &self,
        plan: &'a Plan,
        standins: impl Iterator<Item = &'a PathBuf>,
        directory: &Path,
        socket: Option<&Path>,
        env: &[(OsString, OsString)],
    ) -> Vec<OsString> {
        let mut words: Vec<OsString> = Vec::new();
        let mut inside = Vec::new();
        if let Some(env) = &self.env {
            words.extend([env.into(), "--ignore-signal=TERM".into()]);
            inside.extend([env.into(), "--default-signal=TERM".into()]);
        }
        words.push(self.bash.clone().into());
        words.extend(["--noprofile", "--norc", "-c", KEEPER, "sandbox"].map(OsString::from));
        if let (Some(relay), Some(socket)) = (&self.relay, socket) {
            words.push(self.program.clone().into());
            words.extend(OUTER.iter().map(OsString::from));
            words.extend(relay.words(&self.bash, socket));
        }
        words.extend(self.inner(plan, standins, directory, env, &inside));
        words
    }

    fn inner<'a>(
        &self,
        plan: &'a Plan,
        standins: impl Iterator<Item = &'a PathBuf>,
        directory: &Path,
        env: &[(OsString, OsString)],
        command: &[OsString],
    ) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.bash.clone().into()];
        words.extend(["--noprofile", "--norc", "-c", WITH_FILTER].map(OsString::from));
        words.push(self.filter.clone().into());
        words.push(self.program.clone().into());
        words.extend(INNER.iter().map(OsString::from));
        if self.relay.is_none() {
            words.push("--unshare-net".into());
        }
        if !self.nested_namespaces {
            words.push("--disable-userns".into());
        }
        for (name, value) in env {
            words.extend(["--setenv".into(), name.clone(), value.clone()]);
        }
        words.extend(FILES.iter().map(OsString::from));
        for entry in &self.kernel {
            words.extend(["--ro-bind-try".into(), entry.into(), entry.into()]);
        }
        let mut read_only_at_last = Vec::new();
        for (path, mount) in mounts(plan, standins) {
            match mount {
                Mount::Writable => words.extend(["--bind-try".into(), path.clone().into(), path.into()]),
                Mount::ReadOnly => words.extend(["--ro-bind".into(), path.clone().into(), path.into()]),
                Mount::Hidden => {
                    words.extend(hiding(&path));
                    if path.is_dir() {
                        // nested paths must be mounted first
                        read_only_at_last.extend(["--remount-ro".into(), path.into()]);
                    }
                }
            }
        }
        words.append(&mut read_only_at_last);
        words.extend(["--chdir".into(), directory.into(), "--".into()]);
        words.extend_from_slice(command);
        words
    }
}

/// Returns the entries of `/proc` that may be writable, except processes and symlinks.
fn kernel_entries() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_process = |name: &OsString| name.as_encoded_bytes().iter().all(u8::is_ascii_digit);
    let configures = |entry: &std::fs::DirEntry| {
        let Ok(about) = entry.metadata() else { return false };
        !of_process(&entry.file_name()) && (about.is_dir() || (about.is_file() && about.mode() & 0o222 != 0))
    };
    let mut all: Vec<PathBuf> = entries.filter(configures).map(|entry| entry.path()).collect();
    all.sort();
    all
}

/// Returns the options that cover a path with an empty folder or an unreadable file.
pub(super) fn hiding(path: &Path) -> Vec<OsString> {
    match path.is_dir() {
        true => vec!["--tmpfs".into(), path.into()],
        false => vec!["--ro-bind".into(), "/dev/null".into(), path.into()],
    }
}

/// Returns the mounts from outer to inner folders, so that inner ones take precedence.
fn mounts<'a>(plan: &'a Plan, standins: impl Iterator<Item = &'a PathBuf>) -> Vec<(PathBuf, Mount)> {
    let mut all: BTreeMap<PathBuf, Mount> = BTreeMap::new();
    let mut set = |path: &Path, mount: Mount| {
        let current = all.entry(path.to_owned()).or_insert(mount);
        *current = mount.max(*current);
    };
    let closed: Vec<&PathBuf> = standins.chain(&plan.closed).collect();
    for path in &plan.writable {
        set(path, Mount::Writable);
    }
    for path in &closed {
        set(path, Mount::ReadOnly);
        // a folder on the path could be renamed and recreated; a mount point cannot
        let around = plan.around(path);
        for folder in path
            .ancestors()
            .skip(1)
            .take_while(|folder| Some(*folder) != around.map(PathBuf::as_path))
        {
            set(folder, Mount::Writable);
        }
    }
    for folder in &plan.sealed {
        set(folder, Mount::ReadOnly);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) && !closed.contains(&&path) {
                set(&path, Mount::Writable);
            }
        }
    }
    for path in &plan.shown {
        if !plan.writable.iter().any(|writable| path.starts_with(writable)) {
            set(path, Mount::ReadOnly);
        }
    }
    for path in &plan.hidden {
        set(path, Mount::Hidden);
    }
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by_key(|(path, _)| path.components().count());
    all
}

/// Runs a command that should succeed; otherwise returns its error output.
pub(super) fn tried(command: &mut Command) -> Result<(), String> {
    let output = command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    Err(if said.is_empty() {
        output.status.to_string()
    } else {
        said.to_owned()
    })
}
