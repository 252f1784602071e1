//! A long conversation that is being read while the session begins: nothing but the model needs to know what was said.

use std::io;

use serde_json::Value;
use sluice_transcript::Since;
use tokio::task::JoinHandle;

use crate::history::History;

/// A conversation that is being read.
#[derive(Debug)]
pub(crate) struct Recall {
    pub(crate) reading: JoinHandle<io::Result<(History, Since)>>,
    /// What the API counted with its last answer.
    pub(crate) usage: Value,
}
