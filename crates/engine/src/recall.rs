//! Loading a long earlier conversation concurrently with the start of the session. Only model requests need it.

use std::io;

use serde_json::Value;
use sluice_transcript::Since;
use tokio::task::JoinHandle;

use crate::history::History;

/// A conversation that is being loaded.
#[derive(Debug)]
pub(crate) struct EarlierConversation {
    pub(crate) reading: JoinHandle<io::Result<(History, Since)>>,
    /// Usage of the last response in it.
    pub(crate) usage: Value,
}
