//! `sluice runner start DIR` and `sluice runner run DIR`: not for people.

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
use crate::frame::LONGEST_LINE;
use crate::launch::{Launch, StartError, StartLine, Started};
use crate::log::{Cut, LogWriter};
use crate::process::{self, Identity};
use crate::record::Kind;
use crate::registry::{self, Place, Registered};
use agent::Agent;
use lines::Lines;
use runner::{Runner, wall};

/// The largest file of the log.
const SEGMENT: u64 = 8 << 20;
/// How long a runner before this one may take to leave: more than it waits for its bridge.
const LEAVES: Duration = Duration::from_secs(3);
/// The longest piece of a line of standard error.
const STDERR_CAP: usize = 64 << 10;

/// What stands after `sluice runner`.
pub fn main(mut args: impl Iterator<Item = OsString>) -> ExitCode {
    let (command, dir, more) = (args.next(), args.next().map(PathBuf::from), args.next());
    match (command.as_deref().and_then(|command| command.to_str()), dir, more) {
        (Some("start"), Some(dir), None) => detach(&dir),
        (Some("run"), Some(dir), None) => run(&dir),
        _ => {
            let usage = "usage: sluice runner start DIR (the launch comes by standard input)";
            writeln!(io::stderr(), "{usage}").ok();
            ExitCode::from(2)
        }
    }
}

/// Starts the runner proper and passes on what it says. It goes on without this process.
fn detach(dir: &Path) -> ExitCode {
    let line = begin(dir).unwrap_or_else(|error| serde_json::to_string(&StartLine::Not(error)).unwrap_or_default());
    writeln!(io::stdout(), "{line}").ok();
    match serde_json::from_str(&line) {
        Ok(StartLine::Listens(_)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn begin(dir: &Path) -> Result<String, StartError> {
    let own = own_program().map_err(|error| StartError::setup("this program is not found", &error))?;
    let mut child = Command::new(&own)
        .args(["runner", "run"])
        .arg(dir)
        .env_clear()
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| StartError::setup(format!("{} cannot be started", own.display()), &error))?;
    let mut line = String::new();
    if let Some(said) = child.stdout.take() {
        let read = BufReader::new(said).read_line(&mut line);
        read.map_err(|error| StartError::setup("the runner cannot be heard", &error))?;
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

/// The runner itself.
fn run(dir: &Path) -> ExitCode {
    memory::give_back_what_is_free();
    let (mut runner, held, started) = match prepare(dir) {
        Ok(prepared) => prepared,
        Err(error) => {
            tell(&StartLine::Not(error)).ok();
            return ExitCode::FAILURE;
        }
    };
    let ran = tell(&StartLine::Listens(started))
        .and_then(|()| let_go_of_streams())
        .and_then(|()| {
            memory::let_go_of_the_start();
            runner.run()
        });
    // Also when nobody heard that it listens.
    runner.end();
    fs::remove_file(SOCKET).ok();
    drop(held);
    ExitCode::from(u8::from(ran.is_err()))
}

fn tell(line: &StartLine) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The streams it was started with belong to whoever started it.
fn let_go_of_streams() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Everything up to the point where the socket listens and the agent runs.
fn prepare(dir: &Path) -> Result<(Runner, File, Started), StartError> {
    // Neither a closed terminal nor the end of whoever started this reaches it. Fails where this is so already.
    rustix::process::setsid().ok();
    let launch = read_launch()?;
    let dir = enter(dir).map_err(|error| StartError::setup(format!("{} cannot be used", dir.display()), &error))?;
    let held = take(&dir).map_err(|error| StartError::setup("the folder cannot be locked", &error))?;
    let Some(held) = held else {
        return Err(StartError::Locked { dir });
    };
    let term = registry::read(&dir).map_or(0, |before| before.term);
    let _ended = registry::sweep_locked(&dir);
    let segment = SEGMENT.min(launch.log_cap / 8);
    let (log, cut) =
        LogWriter::open(&dir, segment).map_err(|error| StartError::setup("the log cannot be opened", &error))?;
    let signals = signals::watch().map_err(|error| StartError::setup("signals cannot be watched", &error))?;
    adopt_orphans();
    let listener = listen().map_err(|error| StartError::setup("the socket cannot be made", &error))?;
    let mark = process::new_mark().map_err(|error| StartError::setup("no mark can be made", &error))?;
    let mut registered = Registered {
        runner: Identity::of(std::process::id()),
        agent: None,
        mark,
        term,
        socket: dir.join(SOCKET),
        boot: process::boot(),
        place: Place::of(&dir).ok(),
    };
    // Before the agent runs: so that it can be found whatever happens.
    let register = |registered: &Registered| {
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
    let line_cap = usize::try_from(launch.line_cap)
        .unwrap_or(LONGEST_LINE)
        .min(LONGEST_LINE);
    let mut runner = Runner {
        dir,
        registered,
        log,
        log_cap: launch.log_cap,
        agent,
        listener,
        signals,
        said: Lines::new(line_cap, false),
        stderr: Lines::new(STDERR_CAP, true),
        peers: Vec::new(),
        stuck: None,
        full: false,
        shutdown: None,
        ended: None,
        recorded: None,
        all_sent: None,
        buffer: Vec::new(),
    };
    match cut {
        Some(Cut::Tail { segment, offset, bytes }) => {
            runner.note(&json!({"what": "tail_cut", "segment": segment, "offset": offset, "bytes": bytes}));
        }
        Some(Cut::Middle { segment, offset }) => {
            runner.note(&json!({"what": "damaged", "segment": segment, "offset": offset}));
        }
        None => {}
    }
    let identity = runner.agent.identity;
    let body = json!({"pid": identity.pid, "started": identity.started, "program": launch.program}).to_string();
    runner.log.append(Kind::Started, wall(), body.as_bytes());
    Ok((runner, held, started))
}

fn read_launch() -> Result<Launch, StartError> {
    let mut text = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut text);
    read.map_err(|error| StartError::setup("the launch cannot be read", &error))?;
    serde_json::from_slice(&text).map_err(|error| StartError::setup("the launch is malformed", &error))
}

/// Makes the folder if need be, closes it to others, and goes there: the path of a socket must be short.
fn enter(dir: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o700))?;
    let dir = dir.canonicalize()?;
    std::env::set_current_dir(&dir)?;
    Ok(dir)
}

/// Takes the folder. One whose agent has ended leaves within moments, so it is waited for.
fn take(dir: &Path) -> io::Result<Option<File>> {
    let deadline = Instant::now() + LEAVES;
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
    // Until here the folder keeps other users out.
    fs::set_permissions(SOCKET, Permissions::from_mode(0o600))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Whoever an agent's child leaves behind becomes a child of this process, and so can be found.
fn adopt_orphans() {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}
