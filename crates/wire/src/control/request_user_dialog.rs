//! `request_user_dialog`: show a dialog to the user.

use crate::Raw;
use crate::record::wire_struct;
use crate::union::wire_union;

wire_struct! {
    /// Asks the host to show a dialog. Agents only send kinds that the host declared in `initialize`.
    pub struct RequestUserDialog ["subtype" = "request_user_dialog"] {
        dialog_kind: String,
        payload: Raw,
        tool_use_id: Option<String>,
    }
}

wire_struct! {
    /// The user answered the dialog.
    pub struct DialogCompleted ["behavior" = "completed"] {
        result: Raw,
    }
}

wire_struct! {
    /// The user closed the dialog.
    pub struct DialogCancelled ["behavior" = "cancelled"] {}
}

wire_union! {
    /// The result of a dialog.
    pub enum RequestUserDialogResponse by "behavior", else Unknown {
        Completed(DialogCompleted) = "completed",
        Cancelled(DialogCancelled) = "cancelled",
    }
}
