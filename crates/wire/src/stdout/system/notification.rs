//! `notification`: something to show for a moment.

use crate::Number;
use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// How pressing it is.
    pub enum NotificationPriority {
        Low = "low",
        Medium = "medium",
        High = "high",
        Immediate = "immediate",
    }
}

wire_struct! {
    /// Something to show for a moment.
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
