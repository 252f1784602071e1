//! A session with a person at the terminal.

use std::io::{self, Write};
use std::time::Duration;

use sluice_engine::settings::{Opener, trust};
use sluice_engine::{Asker, Input, Port, Signal};
use sluice_terminal::{Agent, Heading};
use sluice_wire::ToAgent;
use tokio::sync::mpsc;

use crate::environment::Environment;
use crate::fail;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};

/// How fast the demo model speaks.
const DEMO_PACE: Duration = Duration::from_millis(12);

pub(crate) async fn run(flags: Flags, environment: Environment) -> i32 {
    let mut place = Place::look(&flags, &environment, Opener::Person);
    if place.waits_for_trust() && asked_for_trust(&place) {
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
        Err(problem) => return fail(&problem),
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
    let port = match sluice_engine::start(options) {
        Ok(port) => port,
        Err(error) => return fail(&error.to_string()),
    };
    sluice_terminal::run(agent(port), heading, flags.prompt).await
}

/// Asks whether the folder's own settings may take effect, and remembers a yes.
fn asked_for_trust(place: &Place) -> bool {
    let places = place.settings.places();
    let folder = trust::key(&places.cwd);
    let mut out = io::stdout().lock();
    let question = format!(
        "{} has settings of its own: commands, servers, variables or permissions that take effect only in a folder you \
         trust.\nDo you trust its authors? y(es), n(o): ",
        folder.display()
    );
    let mut answer = String::new();
    let asked = out
        .write_all(question.as_bytes())
        .and_then(|()| out.flush())
        .and_then(|()| io::stdin().read_line(&mut answer));
    if asked.is_err() || !matches!(answer.trim(), "y" | "yes") {
        let _gone = out.write_all(b"They stay without effect; deny and ask rules hold all the same.\n\n");
        return false;
    }
    match trust::trust(&places.global, &places.cwd) {
        Ok(_) => true,
        Err(error) => {
            crate::warn(&format!("the answer could not be written down: {error}"));
            false
        }
    }
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
