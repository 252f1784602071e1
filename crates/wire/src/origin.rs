//! The sender of a message.

use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The kind of sender.
    pub enum OriginKind {
        Human = "human",
        Channel = "channel",
        Peer = "peer",
        TaskNotification = "task-notification",
        Coordinator = "coordinator",
        Unclassified = "unclassified",
        Observer = "observer",
        AutoContinuation = "auto-continuation",
        ObserverActivity = "observer-activity",
    }
}

wire_struct! {
    /// The sender of a prompt. The `result` of the turn repeats it.
    pub struct Origin {
        kind: OriginKind,
        producer: Option<String>,
        server: Option<String>,
        from: Option<String>,
        from_mode: Option<String> as "fromMode",
        name: Option<String>,
        from_session: Option<String> as "fromSession",
        sender_task_id: Option<String> as "senderTaskId",
        body: Option<String>,
        verified_peer_pid: Option<Number> as "verifiedPeerPid",
        subkind: Option<String>,
        fire_reason: Option<String> as "fireReason",
        run_id: Option<String> as "runId",
    }
}
