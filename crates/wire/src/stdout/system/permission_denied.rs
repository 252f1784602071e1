//! `permission_denied`: a tool call was denied without a permission request.

use crate::record::wire_struct;

wire_struct! {
    /// A tool call was denied without a permission request.
    pub struct PermissionDenied ["type" = "system", "subtype" = "permission_denied"] {
        tool_name: String,
        tool_use_id: String,
        agent_id: Option<String>,
        decision_reason_type: Option<String>,
        decision_reason: Option<String>,
        decision_reason_code: Option<String>,
        message: String,
        uuid: String,
        session_id: String,
    }
}
