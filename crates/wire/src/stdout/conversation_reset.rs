//! `conversation_reset`: the conversation restarts with a new id.

use crate::open::open_enum;
use crate::record::wire_struct;

open_enum! {
    /// What caused the restart.
    pub enum ResetTrigger {
        Clear = "clear",
        PlanModeExit = "plan_mode_exit",
        FreshSession = "fresh_session",
        Onboarding = "onboarding",
    }
}

wire_struct! {
    /// The conversation restarts. This message has the old session id; all later messages have the new one.
    pub struct ConversationReset ["type" = "conversation_reset"] {
        new_conversation_id: String,
        uuid: String,
        trigger: Option<ResetTrigger>,
        user_message_uuid: Option<String>,
        timestamp: Option<String>,
        session_id: String,
    }
}
