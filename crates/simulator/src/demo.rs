//! The demo model: a small scripted guide that needs no API key and no network.
//!
//! It finds the intent of a prompt ([`intent`]), calls the tools that the request offers, evaluates their results
//! ([`turn`]) and reports them ([`answer`]). A reply depends only on the request, so the same conversation always
//! gives the same replies. It calls a tool only if the prompt asks for it; the engine and the user decide whether the
//! tool may run.

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

/// The demo model as a [`Brain`].
#[derive(Debug, Clone)]
pub struct Demo {
    pace: Duration,
    tag: String,
}

impl Demo {
    /// Creates a demo model that waits `pace` before each word.
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
        // Four characters per token is accurate enough for a displayed counter.
        let input_tokens = request.to_string().len() / 4;
        let output_tokens = (said.len() / 4).max(1) as u64;
        let usage = json!({"input_tokens": input_tokens, "output_tokens": 1});
        reply.delay(self.pace).usage(&usage).output_tokens(output_tokens)
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
/// If no port is available.
pub async fn start_demo(pace: Duration) -> Result<ModelServer, Error> {
    // A session may be resumed with another server, whose ids must be different.
    let (start, _) = uuid::Uuid::new_v4().as_u64_pair();
    ModelServer::start(Demo {
        pace,
        tag: format!("demo_{start:016x}"),
    })
    .await
}
