//! `sluice sim`: the scripted model and agent, for developers of hosts.

use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use sluice_engine::settings::read_named;

use crate::fail;
use crate::flags::Sim;

pub(crate) async fn run(sim: &Sim) -> i32 {
    match sim {
        Sim::Model { script } => model(script).await,
        Sim::Agent { script } => agent(script).await,
    }
}

async fn model(path: &str) -> i32 {
    let text = match read_named(Path::new(path)) {
        Ok(text) => text,
        Err(error) => return fail(&error.to_string()),
    };
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let announce = |address: SocketAddr| {
        let mut out = io::stdout().lock();
        let _gone = writeln!(out, "http://{address}").and_then(|()| out.flush());
    };
    match sluice_simulator::run_model(&text, anywhere, announce).await {
        Ok(()) => 0,
        Err(error) => fail(&format!("{path}: {error}")),
    }
}

async fn agent(path: &str) -> i32 {
    match sluice_simulator::run_agent(Path::new(path), tokio::io::stdin(), tokio::io::stdout()).await {
        Ok(code) => code,
        Err(error) => fail(&format!("{path}: {error}")),
    }
}
