//! A headless session for a host, a script or a pipe.

use std::io::{self, Cursor, IsTerminal, Read as _};

use sluice_engine::transcript::Earlier;
use sluice_engine::{ModelError, Port};
use sluice_stdio::{Door, Format, HOLD, InputMode, Output, Pace, door, unread_stdout};

use crate::broken_settings;
use crate::debug::Log;
use crate::environment::Environment;
use crate::flags::{Flags, InputFormat, OutputFormat};
use crate::launch::{self, Keyless, Place};
use crate::spare::{self, Claimed};
use crate::startup::{self, Refusal};
use crate::{fail, warn};

pub(crate) async fn run(mut flags: Flags, environment: Environment) -> i32 {
    let first = match awaited(&mut flags, &environment) {
        Ok(Some(first)) => first,
        Ok(None) => return 0,
        Err(refusal) => return refusal.tell(&flags, &environment),
    };
    let place = Place::look(&flags, &environment, launch::opener(&flags));
    if let Some(refusal) = broken_settings::refusal(&place, &flags) {
        return refusal.tell(&flags, &environment);
    }
    let demo = match demo(&place).await {
        Ok(demo) => demo,
        Err(problem) => return fail(&problem),
    };
    let keyless = demo
        .as_ref()
        .map_or(Keyless::Refuse, |server| Keyless::Demo(server.url()));
    let mut options = match launch::options(&flags, &place, keyless) {
        Ok(options) => options,
        Err(refusal) => return refusal.tell(&flags, &environment),
    };
    if flags.brief {
        warn("warning: --brief has no effect: the text of the model is printed as it arrives");
    }
    for problem in launch::unusable_folders(&flags, &environment) {
        warn(&format!("warning: {problem}"));
    }
    if let Some(left_out) = sluice_engine::held_back(&mut options) {
        warn(&left_out);
    }
    if let Some(why) = &options.session.refusal {
        warn(why);
        if flags.output_format != OutputFormat::StreamJson {
            return 1;
        }
    }
    let input = match flags.input_format {
        InputFormat::StreamJson => InputMode::StreamJson,
        // No prompt is read.
        InputFormat::Text if flags.init_only => InputMode::Nothing,
        InputFormat::Text => {
            let piped = (!io::stdin().is_terminal()).then(io::stdin);
            match door::print_prompt(flags.prompt.as_deref(), piped, warn) {
                Ok(prompt) => InputMode::Prompt(prompt),
                // A deferred tool call is continued without a prompt.
                Err(_) if options.session.earlier.as_ref().is_some_and(Earlier::awaits_call) => InputMode::Nothing,
                Err(problem) => {
                    warn(&problem);
                    return 1;
                }
            }
        }
    };
    let log = match Log::open(&flags, &environment, &options.session.id) {
        Ok(log) => log,
        Err(problem) => return fail(&problem),
    };
    if let Some(log) = &log {
        log.begin(&options);
    }
    let session_id = options.session.id.clone();
    options.session.parked = flags.await_claim;
    let port = match sluice_engine::start(options) {
        Ok(port) if flags.await_claim => claimable(port, session_id, &flags, &environment, demo.as_ref()),
        Ok(port) => port,
        Err(error @ ModelError::Network(_)) => {
            return Refusal::new("proxy_invalid", error.to_string()).tell(&flags, &environment);
        }
        Err(error) => return fail(&error.to_string()),
    };
    let port = match log {
        Some(log) => log.watch(port),
        None => port,
    };
    let door = Door {
        input,
        format: Output {
            format: format(&flags),
            in_terminal: io::stdout().is_terminal(),
        },
        pace: Pace {
            hold: environment.stream_hold.unwrap_or(HOLD),
            unread: unread_stdout,
        },
        greeted: flags.await_initialize,
    };
    door.serve(port, Cursor::new(first).chain(io::stdin()), io::stdout(), warn)
        .await
}

/// Parks a session until the host claims it for another folder.
fn claimable(
    port: Port,
    session_id: String,
    flags: &Flags,
    environment: &Environment,
    demo: Option<&sluice_simulator::ModelServer>,
) -> Port {
    let (mut flags, environment) = (flags.clone(), environment.clone());
    flags.session_id = Some(session_id.clone());
    let demo = demo.map(sluice_simulator::ModelServer::url);
    spare::park(port, session_id, move |claim| {
        let Claimed { flags, environment } = Claimed::new(&flags, &environment, claim)?;
        let place = Place::look(&flags, &environment, launch::opener(&flags));
        let told = |refusal: Refusal| format!("claim_failed: {refusal}");
        if let Some(refusal) = broken_settings::refusal(&place, &flags) {
            return Err(told(refusal));
        }
        let keyless = demo.clone().map_or(Keyless::Refuse, Keyless::Demo);
        let mut options = launch::options(&flags, &place, keyless).map_err(told)?;
        if let Some(mode) = claim
            .permission_mode
            .as_ref()
            .filter(|mode| launch::is_disabled(mode, &place))
        {
            return Err(format!(
                "permission_mode_not_claimable: settings of {} disable {mode}",
                claim.cwd
            ));
        }
        if let Some(left_out) = sluice_engine::held_back(&mut options) {
            warn(&left_out);
        }
        Ok(options)
    })
}

/// Returns the demo model if it was requested and no other model is configured. It runs in this process, for as long as
/// the session.
async fn demo(place: &Place) -> Result<Option<sluice_simulator::ModelServer>, String> {
    let wanted = place
        .environment
        .all
        .iter()
        .any(|(name, value)| name == "SLUICE_DEMO" && value == "1");
    if !wanted || place.has_key() {
        return Ok(None);
    }
    let started = sluice_simulator::start_demo(crate::interactive::DEMO_PACE).await;
    started
        .map(Some)
        .map_err(|error| format!("the demo model cannot be started: {error}"))
}

/// Returns the input that was read before the session started: empty, unless the first line is awaited; `None` if the
/// input ended instead.
fn awaited(flags: &mut Flags, environment: &Environment) -> Result<Option<Vec<u8>>, Refusal> {
    startup::place(environment)?;
    if !flags.await_initialize {
        return Ok(Some(Vec::new()));
    }
    startup::first_line(flags, &mut io::stdin().lock())
}

fn format(flags: &Flags) -> Format {
    match flags.output_format {
        OutputFormat::Text => Format::Text,
        OutputFormat::Json if flags.verbose => Format::JsonArray,
        OutputFormat::Json => Format::Json,
        OutputFormat::StreamJson => Format::StreamJson,
    }
}
