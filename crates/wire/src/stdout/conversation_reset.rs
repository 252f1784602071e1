//! `conversation_reset`: the conversation starts afresh under a new id.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// What made it start afresh.
    pub enum ResetTrigger {
        Clear = "clear",
        PlanModeExit = "plan_mode_exit",
        FreshSession = "fresh_session",
        Onboarding = "onboarding",
    }
}

wire_struct! {
    /// Carries the old session id; every later message has the new one.
    pub struct ConversationReset ["type" = "conversation_reset"] {
        new_conversation_id: String,
        uuid: String,
        trigger: Option<ResetTrigger>,
        user_message_uuid: Option<String>,
        timestamp: Option<String>,
        session_id: String,
    }
}
