//! `Notification`: when something is shown.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// What a hook is told when something is shown.
    pub struct NotificationInput = "Notification" {
        message: String,
        title: Option<String>,
        notification_type: Option<String>,
    }
}

wire_struct! {
    /// What a hook may answer when something is shown.
    pub struct NotificationOutput ["hookEventName" = "Notification"] {
        additional_context: Option<String> as "additionalContext",
    }
}
