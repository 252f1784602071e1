//! `Notification`: the user gets a notification.

use super::base::hook_input;
use crate::record::wire_struct;

hook_input! {
    /// Input of the `Notification` hook, which runs when the user gets a notification.
    pub struct NotificationInput = "Notification" {
        message: String,
        title: Option<String>,
        notification_type: Option<String>,
    }
}

wire_struct! {
    /// Output of the `Notification` hook.
    pub struct NotificationOutput ["hookEventName" = "Notification"] {
        additional_context: Option<String> as "additionalContext",
    }
}
