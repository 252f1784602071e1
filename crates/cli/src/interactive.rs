//! A session with a person at the terminal: the engine behind a channel, the terminal as its host.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use sluice_engine::settings::Opener;
use sluice_engine::{Asker, Input, Port, Signal};
use sluice_host::transport::{ChannelTransport, Link};
use sluice_host::{Error, ErrorKind};
use sluice_terminal::{Agent, Facts, Next, Outcome, Settings, Variables};
use sluice_wire::ToAgent;
use tokio::sync::mpsc;

use crate::approval;
use crate::debug::Log;
use crate::environment::Environment;
use crate::fail;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};

/// How fast the demo model speaks.
pub(crate) const DEMO_PACE: Duration = Duration::from_millis(12);

pub(crate) async fn run(mut flags: Flags, environment: Environment) -> i32 {
    let mut place = Place::look(&flags, &environment, Opener::Person);
    if approval::ask(&place, &flags) {
        place = Place::look(&flags, &environment, Opener::Person);
    }
    let demo = match place.has_key() {
        false => match sluice_simulator::start_demo(DEMO_PACE).await {
            Ok(server) => Some(server),
            Err(error) => return fail(&format!("the demo model does not start: {error}")),
        },
        true => None,
    };
    let keyless = demo
        .as_ref()
        .map_or(Keyless::Refuse, |server| Keyless::Demo(server.url()));
    if let Some(whole) = whole_id(&flags, &environment) {
        flags.resume = Some(whole);
    }
    // `-r` alone: the person picks one.
    let mut picks = flags.resume.as_deref().is_some_and(|named| named.trim().is_empty());
    if picks {
        flags.resume = None;
    }
    loop {
        let options = match launch::options(&flags, &place, keyless.clone()) {
            Ok(options) => options,
            Err(problem) => return fail(&problem.to_string()),
        };
        if let Some(why) = &options.refusal {
            return fail(why);
        }
        let mut facts = facts(&flags, &place);
        facts.model = match demo {
            Some(_) => "demo".to_owned(),
            None => options.model.clone().unwrap_or_default(),
        };
        facts.picks = std::mem::take(&mut picks);
        if let Some(earlier) = &options.earlier {
            let sessions = sluice_host::sessions::Sessions::under(&facts.config_dir);
            let folder = Some(facts.folder.as_path());
            let info = sessions.info(&earlier.session_id, folder).ok().flatten();
            facts.resumed = Some(info.map(|info| info.summary).unwrap_or_default());
            facts.earlier = sessions.messages(&earlier.session_id, folder).unwrap_or_default();
        }
        let transport = in_process(flags.clone(), place.clone(), keyless.clone());
        let agent = Agent::Over(Box::new(transport));
        let outcome = sluice_terminal::run(facts, agent, sluice_host::Options::new()).await;
        flags.prompt = None;
        flags.continue_session = false;
        flags.session_id = None;
        match outcome {
            Ok(Outcome::Left(code)) => return code,
            Ok(Outcome::Again(Next::Fresh)) => {
                flags.resume = None;
                flags.fork_session = false;
            }
            Ok(Outcome::Again(Next::Resume { session, fork })) => {
                flags.resume = Some(session);
                flags.fork_session = fork;
            }
            Err(error) => {
                return fail(&format!(
                    "this is no terminal: {error}; use -p for a prompt without one"
                ));
            }
        }
    }
}

/// The id that begins as the one that was named: the one said in leaving is short.
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

fn facts(flags: &Flags, place: &Place) -> Facts {
    let environment = &place.environment;
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let word = |name: &str| variable(name).unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| variable(name))
        .unwrap_or_default();
    let (term, no_color, colorterm) = (word("TERM"), word("NO_COLOR"), word("COLORTERM"));
    let variables = Variables {
        term: &term,
        no_color: &no_color,
        colorterm: &colorterm,
        locale: &locale,
    };
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        folder: environment.cwd.clone(),
        home: environment.home.clone(),
        config_dir: environment.config_dir.clone(),
        model: String::new(),
        resumed: None,
        earlier: Vec::new(),
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
    }
}

/// The engine as a host reaches it; started again with its session when it was lost.
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
            options.asker = Asker::Host;
            options.partial = true;
            let log = Log::open(&flags, &place.environment, &options.session_id).map_err(failed)?;
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

/// The ends of a session's channels.
fn link(port: Port) -> Link {
    let (say, mut said) = mpsc::channel::<ToAgent>(64);
    let input = port.input.clone();
    tokio::spawn(async move {
        while let Some(message) = said.recv().await {
            if input.send(vec![Input::Message(Box::new(message))]).await.is_err() {
                return;
            }
        }
        // The person has left: what runs is stopped, since nobody is there to see it.
        let _gone = input.send(vec![Input::Signal(Signal::Leave(0))]).await;
    });
    Link::values(port.output, say)
}
