//! `sluice mcp serve`: the tools as an MCP server on the standard streams.

use sluice_engine::settings::Opener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::flags::Flags;
use crate::launch::{self, Keyless, Place};
use crate::{fail, warn};

pub(crate) async fn run(flags: &Flags, environment: &Environment) -> i32 {
    let place = Place::look(flags, environment, Opener::Host);
    let options = match launch::options(flags, &place, Keyless::Refuse) {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    // Nothing else can say it: MCP has the standard output to itself.
    for problem in place.settings.problems() {
        warn(&problem.to_string());
    }
    let stop = CancellationToken::new();
    tokio::spawn(told_to_go(stop.clone()));
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    match sluice_mcp_door::serve_tools(options, streams, stop).await {
        Ok(()) => 0,
        Err(error) => fail(&error.to_string()),
    }
}

/// Ends the server as its client would.
async fn told_to_go(stop: CancellationToken) {
    let signals = [
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = signals else {
        return;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    stop.cancel();
}
