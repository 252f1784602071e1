//! `request_user_dialog`: the agent wants a dialog shown.

use crate::Raw;
use crate::record::wire_struct;
use crate::union::wire_union;

wire_struct! {
    /// Wants a dialog shown; only of kinds the host said it knows.
    pub struct RequestUserDialog ["subtype" = "request_user_dialog"] {
        dialog_kind: String,
        payload: Raw,
        tool_use_id: Option<String>,
    }
}

wire_struct! {
    /// The dialog was answered.
    pub struct DialogCompleted ["behavior" = "completed"] {
        result: Raw,
    }
}

wire_struct! {
    /// The dialog was closed.
    pub struct DialogCancelled ["behavior" = "cancelled"] {}
}

wire_union! {
    /// What became of a dialog.
    pub enum RequestUserDialogResponse by "behavior", else Unknown {
        Completed(DialogCompleted) = "completed",
        Cancelled(DialogCancelled) = "cancelled",
    }
}
