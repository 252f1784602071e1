//! `notification`: a temporary notification to display.

use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// The priority of a notification.
    pub enum NotificationPriority {
        Low = "low",
        Medium = "medium",
        High = "high",
        Immediate = "immediate",
    }
}

wire_struct! {
    /// A temporary notification to display.
    pub struct Notification ["type" = "system", "subtype" = "notification"] {
        key: String,
        text: String,
        priority: NotificationPriority,
        color: Option<String>,
        timeout_ms: Option<Number>,
        uuid: String,
        session_id: String,
    }
}
