//! A session with a person at the terminal.

use std::time::Duration;

use sluice_engine::settings::Opener;
use sluice_engine::{Asker, Input, Port, Signal};
use sluice_terminal::{Agent, Heading};
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

pub(crate) async fn run(flags: Flags, environment: Environment) -> i32 {
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
    let mut options = match launch::options(&flags, &place, keyless) {
        Ok(options) => options,
        Err(problem) => return fail(&problem.to_string()),
    };
    if let Some(why) = &options.refusal {
        return fail(why);
    }
    options.asker = Asker::Host;
    options.partial = true;
    let heading = Heading {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        folder: environment.cwd.clone(),
        model: if demo.is_some() {
            "demo model, no key needed".to_owned()
        } else {
            options.model.clone().unwrap_or_default()
        },
    };
    let log = match Log::open(&flags, &environment, &options.session_id) {
        Ok(log) => log,
        Err(problem) => return fail(&problem),
    };
    if let Some(log) = &log {
        log.begin(&options);
    }
    let port = match sluice_engine::start(options) {
        Ok(port) => port,
        Err(error) => return fail(&error.to_string()),
    };
    let port = match log {
        Some(log) => log.watch(port),
        None => port,
    };
    sluice_terminal::run(agent(port), heading, flags.prompt).await
}

/// The session as the terminal sees any agent: two channels.
fn agent(port: Port) -> Agent {
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
    Agent { say, hear: port.output }
}
