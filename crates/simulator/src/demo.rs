//! The demo model: a small guide that answers without any key and without any network.
//!
//! It reads what a person wants from their words ([`intent`]), calls the tools the request offers, looks at
//! what came of it ([`turn`]) and says so ([`answer`]). A reply follows from the request alone: the same
//! conversation always goes the same way. It calls a tool only when the words ask for it, and whether the
//! tool may run is for the engine and the person to say.

mod answer;
mod intent;
mod results;
mod turn;
mod words;

use std::time::Duration;

use serde_json::{Value, json};

use crate::brain::Brain;
use crate::error::Error;
use crate::model_server::ModelServer;
use crate::playback;
use crate::script::Reply;

/// The guide as a [`Brain`].
#[derive(Debug, Clone)]
pub struct Demo {
    pace: Duration,
    tag: String,
}

impl Demo {
    /// A guide that waits `pace` before each word.
    #[must_use]
    pub fn new(pace: Duration) -> Self {
        Self {
            pace,
            tag: "demo".to_owned(),
        }
    }
}

impl Brain for Demo {
    fn reply(&self, request: &Value, _n: usize) -> Reply {
        let turn = turn::read(request);
        let reply = answer::to(&turn);
        let said = playback::text_of(&reply);
        // Four letters to a token is near enough for a counter on a screen.
        let read = request.to_string().len() / 4;
        let spoken = (said.len() / 4).max(1) as u64;
        let usage = json!({"input_tokens": read, "output_tokens": 1});
        reply.delay(self.pace).usage(&usage).output_tokens(spoken)
    }

    fn errand(&self, request: &Value) -> Reply {
        Reply::text(words::title(&turn::read(request).prompt))
    }

    fn tag(&self) -> &str {
        &self.tag
    }
}

/// Serves the demo model on a free port of the loopback, with `pace` before each word.
///
/// # Errors
/// If no port can be had.
pub async fn start_demo(pace: Duration) -> Result<ModelServer, Error> {
    // A session may be resumed with another server: its ids must not come twice.
    let (start, _) = uuid::Uuid::new_v4().as_u64_pair();
    ModelServer::start(Demo {
        pace,
        tag: format!("demo_{start:016x}"),
    })
    .await
}
