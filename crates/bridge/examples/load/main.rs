//! Load for the bridge, and its stand-in agent: what `bench/bridge/run` measures with. Prints one JSON object.

// What it measured is what it prints.
#![allow(clippy::print_stdout)]
// A missing field of a `Value` is null, not a panic.
#![allow(clippy::indexing_slicing)]

mod agent;
mod client;
mod coming_back;
mod numbers;
mod peer;
mod prompts;
mod sessions;
mod stamp;
mod starting;
mod streams;

use std::collections::HashMap;
use std::str::FromStr;

use client::{Outcome, Place};
use serde_json::{Value, json};

const USAGE: &str =
    "load agent | WHAT [--address HOST:PORT] [--token TOKEN] [--folder DIR] [--FLAG VALUE]… [-- COMMAND…]
  streams    --sessions N --clients N --deltas N --every MS
  start      --sessions N
  stop
  behind     --records N --times N
  cold       --session ID
  reconnects --count N
  prompts    --count N
  starting   --times N [--sessions N] -- COMMAND…
  peer       --deltas N --every MS [--path PATH]";

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((what, rest)) = args.split_first() else {
        return Err(USAGE.into());
    };
    if what == "agent" {
        return Ok(agent::run(rest)?);
    }
    let given = Given::read(rest)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let measured = runtime.block_on(measure(what, &given))?;
    println!("{measured}");
    Ok(())
}

async fn measure(what: &str, given: &Given) -> Outcome<Value> {
    let place = Place {
        address: given.text("address"),
        token: given.text("token"),
        path: given.flags.get("path").cloned().unwrap_or_else(|| "/ws".to_owned()),
        folder: given.text("folder"),
    };
    match what {
        "streams" => {
            let plan = streams::Plan {
                sessions: given.number("sessions")?,
                clients: given.number("clients")?,
                deltas: given.number("deltas")?,
                every: given.number("every")?,
            };
            streams::run(&place, &plan).await
        }
        "start" => {
            let ids = sessions::start(&place, given.number("sessions")?, "say").await?;
            Ok(json!({"sessions": ids}))
        }
        "stop" => Ok(json!({"stopped": sessions::stop(&place).await?})),
        "behind" => coming_back::behind(&place, given.number("records")?, given.number("times")?).await,
        "cold" => coming_back::cold(&place, &given.text("session")).await,
        "reconnects" => coming_back::reconnects(&place, given.number("count")?).await,
        "prompts" => prompts::run(&place, given.number("count")?).await,
        "starting" => {
            let sessions = given.flags.contains_key("sessions").then(|| given.number("sessions"));
            starting::run(&place, given.number("times")?, sessions.transpose()?, &given.command).await
        }
        "peer" => peer::run(&place, given.number("deltas")?, given.number("every")?).await,
        _ => Err(USAGE.into()),
    }
}

/// What the command line says.
struct Given {
    flags: HashMap<String, String>,
    command: Vec<String>,
}

impl Given {
    fn read(args: &[String]) -> Outcome<Self> {
        let mut words = args.iter();
        let mut flags = HashMap::new();
        while let Some(word) = words.next() {
            if word == "--" {
                break;
            }
            let name = word.strip_prefix("--").ok_or(USAGE)?;
            flags.insert(name.to_owned(), words.next().ok_or(USAGE)?.clone());
        }
        Ok(Self {
            flags,
            command: words.cloned().collect(),
        })
    }

    fn text(&self, name: &str) -> String {
        self.flags.get(name).cloned().unwrap_or_default()
    }

    fn number<N: FromStr>(&self, name: &str) -> Outcome<N> {
        let word = self.flags.get(name).ok_or_else(|| format!("--{name} is needed"))?;
        word.parse()
            .map_err(|_| format!("--{name} {word}: not a number").into())
    }
}
