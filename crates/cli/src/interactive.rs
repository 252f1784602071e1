//! An interactive session: the engine connected by a channel to the terminal as its host.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use sluice_engine::settings::{Opener, Writer, keys};
use sluice_engine::{Asker, Input, Port, Signal};
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::{Error, ErrorKind};
use sluice_terminal::clock::Clock;
use sluice_terminal::{Agent, CopiedSession, Facts, Next, Outcome, Settings, Variables};
use sluice_wire::ToAgent;
use tokio::sync::mpsc;

use crate::approval::{self, Said};
use crate::attach::{self, After};
use crate::broken_settings::{self, Decision};
use crate::debug::Log;
use crate::environment::Environment;
use crate::fail;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};
use crate::login;
use crate::memory;
use crate::plugins::OwnPlugins;

/// Delay between words of the demo model.
pub(crate) const DEMO_PACE: Duration = Duration::from_millis(12);

pub(crate) async fn run(mut flags: Flags, environment: Environment) -> i32 {
    memory::give_back_what_is_free();
    let mut place = Place::look(&flags, &environment, Opener::Person);
    if let Some(whole) = whole_id(&flags, &environment) {
        flags.resume = Some(whole);
    }
    if flags.agent_command.is_some() {
        return drive(&flags, &place).await;
    }
    loop {
        let facts = facts_of(&flags, &place);
        match broken_settings::ask(&place, &mut flags, &facts).await {
            Ok(Decision::Start) => break,
            Ok(Decision::Edited) => place = Place::look(&flags, &environment, Opener::Person),
            Ok(Decision::Quit) => return 1,
            Err(error) => return no_terminal(&error),
        }
    }
    match approval::ask(&place, &flags, &facts_of(&flags, &place)).await {
        Ok(Said::Same) => {}
        Ok(Said::More) => place = Place::look(&flags, &environment, Opener::Person),
        Ok(Said::Leave) => return 0,
        Err(error) => return no_terminal(&error),
    }
    let mut demo = None;
    let mut draft = String::new();
    let mut said = launch::unusable_folders(&flags, &environment);
    let mut told = Vec::new();
    // `-r` without a value: the user picks a session.
    let mut picks = flags.resume.as_deref().is_some_and(|named| named.trim().is_empty());
    if picks {
        flags.resume = None;
    }
    loop {
        if place.has_key() {
            demo = None;
        } else if demo.is_none() {
            demo = match sluice_simulator::start_demo(DEMO_PACE).await {
                Ok(server) => Some(server),
                Err(error) => return fail(&format!("the demo model cannot be started: {error}")),
            };
        }
        let keyless = demo
            .as_ref()
            .map_or(Keyless::Refuse, |server| Keyless::Demo(server.url()));
        let options = match launch::options(&flags, &place, keyless.clone()) {
            Ok(options) => options,
            Err(problem) => return fail(&problem.to_string()),
        };
        if let Some(why) = &options.session.refusal {
            return fail(why);
        }
        let mut facts = facts_of(&flags, &place);
        facts.model = match demo {
            Some(_) => "demo".to_owned(),
            None => options.model.name.clone().unwrap_or_default(),
        };
        facts.kept = !flags.no_session_persistence;
        facts.plugins = Some(Arc::new(OwnPlugins::new(&place.environment.config_dir)));
        facts.picks = std::mem::take(&mut picks);
        facts.draft = std::mem::take(&mut draft);
        facts.said = std::mem::take(&mut said);
        if !told.is_empty() {
            facts
                .said
                .push("the conversation from there on was replaced by a summary".to_owned());
        }
        facts.told = std::mem::take(&mut told);
        if let Some(earlier) = &options.session.earlier {
            let sessions = sluice_host::sessions::Sessions::under(&facts.config_dir);
            let folder = Some(facts.folder.as_path());
            let info = sessions.info(&earlier.session_id, folder).ok().flatten();
            facts.session = (!flags.fork_session).then(|| earlier.session_id.clone());
            facts.copied = copied(&flags, &earlier.session_id);
            facts.resumed = Some(info.map(|info| info.summary).unwrap_or_default());
            facts.earlier = sessions.messages(&earlier.session_id, folder).unwrap_or_default();
            // Messages after the rewind point are not shown.
            let last = flags.resume_session_at.as_ref();
            let last = last.and_then(|last| facts.earlier.iter().position(|message| message.uuid == *last));
            facts
                .earlier
                .truncate(last.map_or(facts.earlier.len(), |last| last + 1));
        }
        let transport = in_process(flags.clone(), place.clone(), keyless.clone());
        let agent = Agent::Over(Box::new(transport));
        let outcome = sluice_terminal::run(facts, agent, sluice_host::Options::new()).await;
        match outcome {
            Ok(Outcome::Left(code)) => return code,
            Ok(Outcome::StartNext { next, draft: written }) => {
                draft = written;
                begin_at(&mut flags, &mut told, &next);
                match next {
                    Next::Fresh { .. } | Next::Resume { .. } | Next::Take => {}
                    Next::Rewind { .. } if flags.no_session_persistence => {}
                    Next::Rewind { session, before, .. } => {
                        // The rewind must also apply to later starts, forks and readers of the session.
                        let sessions = sluice_host::sessions::Sessions::under(&place.environment.config_dir);
                        if let Err(error) = sessions.rewind(&session, &before, Some(&place.environment.cwd)) {
                            said.push(format!("the rewind is not saved: {error}"));
                        }
                    }
                    Next::Serve { session } => {
                        let facts = Facts {
                            draft: std::mem::take(&mut draft),
                            ..facts_of(&flags, &place)
                        };
                        let served = attach::serve(&place.environment, session.as_deref(), facts).await;
                        match served {
                            Ok(After::Left(code)) => return code,
                            Ok(After::Taken {
                                session: taken,
                                draft: written,
                                notices,
                            }) => {
                                said = notices;
                                // The bridge may not have reported the agent's session id yet.
                                flags.resume = taken.or(session);
                                draft = written;
                            }
                            Err((why, written)) => {
                                flags.resume = session;
                                draft = written;
                                said = vec![format!("not served: {why}")];
                            }
                        }
                    }
                    Next::Login { session } => {
                        flags.resume = session;
                        match login::ask(&place, &facts_of(&flags, &place)).await {
                            Ok(true) => place = Place::look(&flags, &environment, Opener::Person),
                            Ok(false) => {}
                            Err(error) => return no_terminal(&error),
                        }
                    }
                    Next::Logout { session } => {
                        flags.resume = session;
                        said.push(login::forget(&place));
                        place = Place::look(&flags, &environment, Opener::Person);
                    }
                }
            }
            Err(error) => return no_terminal(&error),
        }
    }
}

pub(crate) fn no_terminal(error: &std::io::Error) -> i32 {
    if error.kind() == std::io::ErrorKind::Interrupted {
        return 143;
    }
    fail(&format!(
        "this is not a terminal: {error}; use -p to run a prompt without one"
    ))
}

/// Runs another agent as a process with its own settings, keys and permissions.
async fn drive(flags: &Flags, place: &Place) -> i32 {
    let words = flags.agent_command.clone().unwrap_or_default();
    let Some(program) = words.split_whitespace().next().map(str::to_owned) else {
        return fail("--agent-command needs a program, such as --agent-command claude");
    };
    let mut flags = flags.clone();
    let mut draft = String::new();
    let (mut said, mut told) = (Vec::new(), Vec::new());
    loop {
        let mut facts = facts_of(&flags, place);
        let name = std::path::Path::new(&program).file_name();
        facts.agent = name.map(|name| name.to_string_lossy().into_owned());
        let plain = words
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "/._-".contains(it));
        facts.command = Some(match plain {
            true => format!("sluice --agent-command {words}"),
            false => format!("sluice --agent-command '{}'", words.replace('\'', "'\\''")),
        });
        facts.draft = std::mem::take(&mut draft);
        facts.said = std::mem::take(&mut said);
        facts.told = std::mem::take(&mut told);
        facts.picks = flags.resume.as_deref().is_some_and(|named| named.trim().is_empty());
        let mut options = sluice_host::Options::new()
            // A shell splits the words as in a typed command.
            .program("/bin/sh")
            .program_args(["-c", &format!("exec {words} \"$@\""), "sh"])
            .enable_file_checkpointing(true)
            .cwd(&facts.folder);
        if let Some(model) = &flags.model {
            options = options.model(model);
        }
        if let Some(mode) = &flags.permission_mode {
            options = options.permission_mode(sluice_wire::mode::PermissionMode::from(mode.as_str()));
        }
        if flags.continue_session {
            options = options.continue_conversation(true);
        }
        if let Some(session) = flags.resume.as_ref().filter(|named| !named.trim().is_empty()) {
            let sessions = sluice_host::sessions::Sessions::under(&facts.config_dir);
            let folder = Some(facts.folder.as_path());
            facts.session = (!flags.fork_session).then(|| session.clone());
            facts.copied = copied(&flags, session);
            facts.resumed = sessions.info(session, folder).ok().flatten().map(|info| info.summary);
            facts.earlier = sessions.messages(session, folder).unwrap_or_default();
            options = options.resume(session).fork_session(flags.fork_session);
            if let Some(last) = &flags.resume_session_at {
                options = options.resume_session_at(last);
                let end = facts.earlier.iter().position(|message| message.uuid == *last);
                facts.earlier.truncate(end.map_or(facts.earlier.len(), |end| end + 1));
            }
        }
        let outcome = sluice_terminal::run(facts, Agent::Child, options).await;
        match outcome {
            Ok(Outcome::Left(code)) => return code,
            Ok(Outcome::StartNext { next, draft: written }) => {
                draft = written;
                begin_at(&mut flags, &mut told, &next);
                match next {
                    Next::Fresh { .. } | Next::Resume { .. } | Next::Rewind { .. } | Next::Take => {}
                    Next::Login { session } => {
                        flags.resume = session;
                        said.push(format!("{program} keeps its own key; sign in there"));
                    }
                    Next::Logout { session } => {
                        flags.resume = session;
                        said.push(format!("{program} keeps its own key; sign out there"));
                    }
                    Next::Serve { session } => flags.resume = session,
                }
            }
            Err(error) => return no_terminal(&error),
        }
    }
}

/// The session to fork, if the new session is a fork.
fn copied(flags: &Flags, session: &str) -> Option<CopiedSession> {
    flags.fork_session.then(|| CopiedSession {
        session: session.to_owned(),
        last: flags.resume_session_at.clone(),
    })
}

/// Applies the next session to the flags. Flags that described the start of the previous session are cleared.
fn begin_at(flags: &mut Flags, told: &mut Vec<String>, next: &Next) {
    flags.prompt = None;
    flags.continue_session = false;
    flags.session_id = None;
    flags.resume = None;
    flags.resume_session_at = None;
    flags.fork_session = false;
    match next {
        Next::Fresh { prompt: Some(prompt) } => {
            // An approved plan is carried out in the default mode.
            flags.permission_mode = Some("default".to_owned());
            flags.prompt = Some(prompt.clone());
        }
        Next::Resume { session, fork } => {
            flags.resume = Some(session.clone());
            flags.fork_session = *fork;
        }
        Next::Rewind {
            session,
            before,
            told: short,
        } => {
            flags.resume = Some(session.clone());
            flags.resume_session_at = Some(before.clone());
            told.extend(short.clone());
        }
        Next::Fresh { prompt: None } | Next::Serve { .. } | Next::Login { .. } | Next::Logout { .. } | Next::Take => {}
    }
}

/// Completes a shortened session id, as printed when leaving.
fn whole_id(flags: &Flags, environment: &Environment) -> Option<String> {
    const SHORT: usize = 8;
    let named = flags.resume.as_deref().filter(|named| named.len() == SHORT)?;
    let sessions = sluice_host::sessions::Sessions::under(&environment.config_dir);
    let all = sessions.list(Some(&environment.cwd)).ok()?;
    let mut fitting = all.into_iter().filter(|session| session.session_id.starts_with(named));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.session_id),
        _ => None,
    }
}

pub(crate) fn facts_of(flags: &Flags, place: &Place) -> Facts {
    let environment = &place.environment;
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let word = |name: &str| variable(name).unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| variable(name))
        .unwrap_or_default();
    let (term, no_color, colorterm) = (word("TERM"), word("NO_COLOR"), word("COLORTERM"));
    let (program, program_version) = (word("TERM_PROGRAM"), word("TERM_PROGRAM_VERSION"));
    let vte = word("VTE_VERSION");
    let variables = Variables {
        term: &term,
        no_color: &no_color,
        colorterm: &colorterm,
        locale: &locale,
        program: &program,
        program_version: &program_version,
        multiplexer: variable("TMUX").is_some() || term.starts_with("screen"),
        vte: &vte,
        windows: variable("WT_SESSION").is_some() || variable("ConEmuANSI").is_some(),
    };
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        folder: environment.cwd.clone(),
        home: environment.home.clone(),
        added_dirs: flags.add_dir.iter().map(|dir| environment.cwd.join(dir)).collect(),
        config_dir: environment.config_dir.clone(),
        model: String::new(),
        resumed: None,
        session: None,
        copied: None,
        earlier: Vec::new(),
        served: None,
        said: Vec::new(),
        agent: None,
        command: None,
        kept: false,
        told: Vec::new(),
        capabilities: variables.capabilities(),
        draft: String::new(),
        picks: false,
        prompt: flags.prompt.clone(),
        settings: Settings::read(&place.settings.effective(), &variables, flags.screen_reader),
        editor: variable("VISUAL")
            .or_else(|| variable("EDITOR"))
            .unwrap_or_else(|| "vi".to_owned()),
        shell: variable("SHELL").unwrap_or_else(|| "/bin/sh".to_owned()),
        ssh: variable("SSH_CONNECTION").is_some(),
        multiplexer: variable("TMUX").is_some(),
        root: environment.is_root,
        clock: match place.settings.string(&keys::TIME_FORMAT) {
            Some("24-hour-utc") => Clock::default(),
            format => Clock {
                local: Some(time_of_day),
                twelve: format == Some("12-hour"),
            },
        },
        decides: Some(crate::trying::decide_command),
        plugins: None,
        rests: Some(memory::let_program_go),
    }
}

/// Returns the local time: year, month, day, hour, minute.
fn time_of_day(at: u64) -> [u16; 5] {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    let moment = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
    let here = moment.to_zoned(jiff::tz::TimeZone::system());
    let small = |part: i8| u16::try_from(part).unwrap_or_default();
    let year = u16::try_from(here.year()).unwrap_or_default();
    [
        year,
        small(here.month()),
        small(here.day()),
        small(here.hour()),
        small(here.minute()),
    ]
}

/// Connects the terminal to an engine in this process, which is restarted with its session after a failure.
fn in_process(flags: Flags, place: Place, keyless: Keyless) -> ChannelTransport {
    let known = Arc::new((flags, place, keyless));
    ChannelTransport::new(move |start| {
        let known = Arc::clone(&known);
        async move {
            let (flags, place, keyless) = &*known;
            let mut flags = flags.clone();
            if let Some(session) = start.resume {
                flags.resume = Some(session);
                flags.session_id = None;
                flags.fork_session = false;
            }
            let failed = |why: String| Error::new(ErrorKind::Start, why);
            let mut options = launch::options(&flags, place, keyless.clone()).map_err(|why| failed(why.to_string()))?;
            options.permissions.asker = Asker::Host;
            // Enables rewinding to before a prompt.
            options
                .folders
                .checkpoints
                .get_or_insert_with(|| place.environment.config_dir.join("file-history"));
            options.host.partial = true;
            options.host.writer = Writer::Terminal;
            let log = Log::open(&flags, &place.environment, &options.session.id).map_err(failed)?;
            if let Some(log) = &log {
                log.begin(&options);
            }
            let port = sluice_engine::start(options).map_err(|error| failed(error.to_string()))?;
            Ok(link(match log {
                Some(log) => log.watch(port),
                None => port,
            }))
        }
    })
}

/// Converts the channels of a session to a link.
fn link(port: Port) -> Link {
    let (say, mut said) = mpsc::channel::<ToAgent>(64);
    let input = port.input.clone();
    tokio::spawn(async move {
        while let Some(message) = said.recv().await {
            if input.send(vec![Input::Message(Box::new(message))]).await.is_err() {
                return;
            }
        }
        // The terminal has exited, so running work is stopped.
        let _gone = input.send(vec![Input::Signal(Signal::Leave(0))]).await;
    });
    Link::values(port.output, say)
}
