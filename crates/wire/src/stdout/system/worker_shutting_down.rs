//! `worker_shutting_down`: the process is about to end.

use crate::record::wire_struct;

wire_struct! {
    /// The process is about to end.
    pub struct WorkerShuttingDown ["type" = "system", "subtype" = "worker_shutting_down"] {
        reason: String,
        uuid: String,
        session_id: String,
    }
}
