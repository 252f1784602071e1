//! A scripted agent in memory that records the lines of the host.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sluice_host::transport::{ChannelTransport, Link, Start};
use sluice_host::{Client, Deadlines, Event, Events, Options};
use sluice_simulator::AgentScript;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Scripted agents. Each connection uses the next script; the last one is repeated.
#[derive(Clone)]
pub(crate) struct Stage {
    scripts: Arc<Mutex<VecDeque<Value>>>,
    starts: Arc<Mutex<Vec<Start>>>,
    received: Arc<Mutex<Vec<Value>>>,
}

impl Stage {
    pub(crate) fn new(scripts: impl IntoIterator<Item = Value>) -> Self {
        Self {
            scripts: Arc::new(Mutex::new(scripts.into_iter().collect())),
            starts: Arc::default(),
            received: Arc::default(),
        }
    }

    /// Returns an agent that answers every prompt with the same steps.
    pub(crate) fn answering(steps: Value) -> Self {
        Self::new([forever(steps)])
    }

    pub(crate) fn transport(&self) -> ChannelTransport {
        let stage = self.clone();
        ChannelTransport::new(move |start| {
            let stage = stage.clone();
            async move { Ok(stage.open(start)) }
        })
    }

    pub(crate) async fn client(&self, options: Options) -> Client {
        Client::over(self.transport(), options).await.unwrap()
    }

    /// Returns the parsed lines that the host has written.
    pub(crate) fn received_lines(&self) -> Vec<Value> {
        self.received.lock().unwrap().clone()
    }

    pub(crate) fn starts(&self) -> Vec<Start> {
        self.starts.lock().unwrap().clone()
    }

    fn open(&self, start: Start) -> Link {
        self.starts.lock().unwrap().push(start);
        let script = {
            let mut scripts = self.scripts.lock().unwrap();
            if scripts.len() > 1 {
                scripts.pop_front()
            } else {
                scripts.front().cloned()
            }
        };
        let script = AgentScript::parse(&script.unwrap().to_string(), Path::new(".")).unwrap();
        let (host_out, note_in) = tokio::io::duplex(1 << 20);
        let (mut note_out, agent_in) = tokio::io::duplex(1 << 20);
        let (agent_out, host_in) = tokio::io::duplex(1 << 20);
        let received = Arc::clone(&self.received);
        tokio::spawn(async move {
            let mut lines = BufReader::new(note_in).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                received.lock().unwrap().push(serde_json::from_str(&line).unwrap());
                if note_out.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(async move {
            sluice_simulator::agent::play(&script, agent_in, agent_out).await.ok();
        });
        Link::bytes(host_in, host_out)
    }
}

/// Returns the script of an agent that answers every prompt with the same steps.
pub(crate) fn forever(steps: Value) -> Value {
    let mut round = vec![json!({"expect": {"type": "user"}, "as": "prompt"}), json!({"init": {}})];
    round.extend(steps.as_array().unwrap().clone());
    json!({"session_id": SESSION, "steps": [{"repeat": "forever", "steps": round}]})
}

pub(crate) const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// Returns the steps of a turn that answers "Hello".
pub(crate) fn hello() -> Value {
    json!([{"text": "Hello"}, {"result": {"result": "Hello"}}])
}

/// Returns options with short deadlines.
pub(crate) fn brisk() -> Options {
    Options::new().deadlines(Deadlines {
        greeting: Duration::from_secs(10),
        request: Duration::from_secs(5),
        uptake: Duration::from_secs(20),
        interrupt: Duration::from_secs(3),
        terminate: Duration::from_secs(2),
        leave: Duration::from_secs(2),
        result: Duration::from_secs(10),
    })
}

/// Waits for the first event for which `matches` returns a value.
pub(crate) async fn until<T>(events: &mut Events, mut matches: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        let event = events.next().await.expect("the events end");
        if let Some(found) = matches(&event) {
            return found;
        }
    }
}
