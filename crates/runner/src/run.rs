//! The internal commands `sluice runner start DIR` and `sluice runner run DIR`.

mod agent;
mod bridge;
mod feed;
mod lines;
mod memory;
mod peer;
mod runner;
mod signals;

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::connect::SOCKET;
use crate::frame::MAX_LINE;
use crate::launch::{Launch, StartError, StartLine, Started};
use crate::log::{LogDamage, LogWriter};
use crate::process::{self, Identity};
use crate::record::Kind;
use crate::registry::{self, FolderIdentity, Registration};
use agent::Agent;
use lines::Lines;
use runner::{Ending, Runner, now_micros};

/// The maximum size of a segment of the log in bytes.
const MAX_SEGMENT: u64 = 8 << 20;
/// How long to wait for the lock of a runner that is exiting. Longer than a runner waits for its bridge.
const LOCK_TIMEOUT: Duration = Duration::from_secs(3);
/// Lines of standard error are split into pieces of at most this many bytes.
const MAX_STDERR_LINE: usize = 64 << 10;

/// Runs the command line after `sluice runner`.
pub fn main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let (command, dir, more) = (args.next(), args.next().map(PathBuf::from), args.next());
    match (command.as_deref().and_then(|command| command.to_str()), dir, more) {
        (Some("start"), Some(dir), None) => detach(&dir),
        (Some("run"), Some(dir), None) => run(&dir),
        _ => {
            let usage = "usage: sluice runner start DIR (reads the launch from standard input)";
            writeln!(io::stderr(), "{usage}").ok();
            ExitCode::from(2)
        }
    }
}

/// Starts the runner as a separate process, which outlives this one, and prints the line it reports.
fn detach(dir: &Path) -> ExitCode {
    let line =
        spawn_runner(dir).unwrap_or_else(|error| serde_json::to_string(&StartLine::Failed(error)).unwrap_or_default());
    writeln!(io::stdout(), "{line}").ok();
    match serde_json::from_str(&line) {
        Ok(StartLine::Ready(_)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn spawn_runner(dir: &Path) -> Result<String, StartError> {
    let program = own_program().map_err(|error| StartError::setup("the path of this program is unknown", &error))?;
    let mut child = Command::new(&program)
        .args(["runner", "run"])
        .arg(dir)
        .env_clear()
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| StartError::setup(format!("{} cannot be started", program.display()), &error))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        let read = BufReader::new(stdout).read_line(&mut line);
        read.map_err(|error| StartError::setup("the output of the runner cannot be read", &error))?;
    }
    if line.is_empty() {
        let status = child.wait();
        return Err(StartError::Gone {
            status: status.map_or_else(|error| error.to_string(), |status| status.to_string()),
        });
    }
    Ok(line.trim_end().to_owned())
}

/// The path of this program. Where its file was replaced, as by an update, the kernel still has the one that runs.
fn own_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    Ok(if path.exists() { path } else { "/proc/self/exe".into() })
}

/// Runs as the runner process.
fn run(dir: &Path) -> ExitCode {
    memory::configure_allocator();
    let (mut runner, lock, started) = match prepare(dir) {
        Ok(prepared) => prepared,
        Err(error) => {
            print_start_line(&StartLine::Failed(error)).ok();
            return ExitCode::FAILURE;
        }
    };
    let result = print_start_line(&StartLine::Ready(started))
        .and_then(|()| detach_streams())
        .and_then(|()| {
            memory::release_startup_pages();
            runner.run()
        });
    // Also clean up if the start line could not be printed.
    runner.end();
    fs::remove_file(SOCKET).ok();
    drop(lock);
    ExitCode::from(u8::from(result.is_err()))
}

fn print_start_line(line: &StartLine) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Redirects the standard streams to `/dev/null`, as they belong to the process that started this one.
fn detach_streams() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Sets up the runner until its socket is listening and its agent is running.
fn prepare(dir: &Path) -> Result<(Runner, File, Started), StartError> {
    // Detaches from the terminal and the process group of the parent. Fails harmlessly in a session leader.
    rustix::process::setsid().ok();
    let launch = read_launch()?;
    let dir = enter(dir).map_err(|error| StartError::setup(format!("{} cannot be used", dir.display()), &error))?;
    let lock = wait_for_lock(&dir).map_err(|error| StartError::setup("the folder cannot be locked", &error))?;
    let Some(lock) = lock else {
        return Err(StartError::Locked { dir });
    };
    let term = registry::read(&dir).map_or(0, |before| before.term);
    let _ended = registry::sweep_locked(&dir);
    let segment = MAX_SEGMENT.min(launch.log_cap / 8);
    let (log, cut) =
        LogWriter::open(&dir, segment).map_err(|error| StartError::setup("the log cannot be opened", &error))?;
    let signals = signals::watch().map_err(|error| StartError::setup("signals cannot be watched", &error))?;
    adopt_orphans();
    let listener = listen().map_err(|error| StartError::setup("the socket cannot be created", &error))?;
    let mark = process::new_mark().map_err(|error| StartError::setup("the process mark cannot be created", &error))?;
    let mut registered = Registration {
        runner: Identity::of(std::process::id()),
        agent: None,
        mark,
        term,
        socket: dir.join(SOCKET),
        boot: process::boot(),
        place: FolderIdentity::of(&dir).ok(),
    };
    // Registered before the agent starts, so that a sweep can find the agent in any case.
    let register = |registered: &Registration| {
        registry::write(&dir, registered).map_err(|error| StartError::setup("the registry cannot be written", &error))
    };
    register(&registered)?;
    let agent = Agent::start(&launch, &registered.mark).inspect_err(|_| {
        fs::remove_file(SOCKET).ok();
    })?;
    registered.agent = Some(agent.identity);
    register(&registered).inspect_err(|_| {
        agent.signal(rustix::process::Signal::KILL);
        fs::remove_file(SOCKET).ok();
    })?;
    let started = Started {
        pid: std::process::id(),
        socket: dir.join(SOCKET),
    };
    let line_cap = usize::try_from(launch.line_cap).unwrap_or(MAX_LINE).min(MAX_LINE);
    let mut runner = Runner {
        dir,
        registered,
        log,
        log_cap: launch.log_cap,
        agent,
        listener,
        signals,
        stdout_lines: Lines::new(line_cap, false),
        stderr_lines: Lines::new(MAX_STDERR_LINE, true),
        peers: Vec::new(),
        retry_disk_at: None,
        log_full: false,
        ending: Ending::default(),
        buffer: Vec::new(),
    };
    match cut {
        Some(LogDamage::Tail { segment, offset, bytes }) => {
            runner.note(&json!({"what": "tail_cut", "segment": segment, "offset": offset, "bytes": bytes}));
        }
        Some(LogDamage::Middle { segment, offset }) => {
            runner.note(&json!({"what": "damaged", "segment": segment, "offset": offset}));
        }
        None => {}
    }
    let identity = runner.agent.identity;
    let body = json!({"pid": identity.pid, "started": identity.started, "program": launch.program}).to_string();
    runner.log.append(Kind::Started, now_micros(), body.as_bytes());
    Ok((runner, lock, started))
}

fn read_launch() -> Result<Launch, StartError> {
    let mut text = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| StartError::setup("the launch cannot be read", &error))?;
    serde_json::from_slice(&text).map_err(|error| StartError::setup("the launch is malformed", &error))
}

/// Creates the folder if necessary, restricts it to its owner, and changes into it, as a socket path must be short.
fn enter(dir: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o700))?;
    let dir = dir.canonicalize()?;
    std::env::set_current_dir(&dir)?;
    Ok(dir)
}

/// Locks the folder. A runner whose agent has ended exits soon, so this waits for the lock.
fn wait_for_lock(dir: &Path) -> io::Result<Option<File>> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match registry::lock(dir)? {
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
            taken => return Ok(taken),
        }
    }
}

fn listen() -> io::Result<UnixListener> {
    match fs::remove_file(SOCKET) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(SOCKET)?;
    // The permissions of the folder protect the socket until here.
    fs::set_permissions(SOCKET, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Makes this process the parent of orphaned descendants, so that they can be found.
fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}
