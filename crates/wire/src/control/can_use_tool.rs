//! `can_use_tool`: a permission request for a tool call.

use crate::Raw;
use crate::open::open_enum;
use crate::permission_update::PermissionUpdate;
use crate::record::wire_struct;
use crate::union::wire_union;

open_enum! {
    /// Why a call needs an answer to a permission request.
    pub enum DecisionReasonType {
        Unspecified = "other",
        Rule = "rule",
        Mode = "mode",
        SubcommandResults = "subcommandResults",
        PermissionPromptTool = "permissionPromptTool",
        Hook = "hook",
        AsyncAgent = "asyncAgent",
        SandboxOverride = "sandboxOverride",
        WorkingDir = "workingDir",
        SafetyCheck = "safetyCheck",
        Classifier = "classifier",
    }
}

wire_struct! {
    /// The MCP server that a tool belongs to.
    pub struct McpServerProvenance {
        name: String,
        source: Option<String>,
    }
}

wire_struct! {
    /// The ask rule that matched the call.
    pub struct MatchedAskRule {
        source: String,
        tool_name: String,
        rule_content: Option<String>,
    }
}

wire_struct! {
    /// Asks the host whether a tool call may run.
    pub struct CanUseTool ["subtype" = "can_use_tool"] {
        tool_name: String,
        display_name: Option<String>,
        mcp_server: Option<McpServerProvenance>,
        input: Raw,
        permission_suggestions: Option<Vec<PermissionUpdate>>,
        blocked_path: Option<String>,
        decision_reason: Option<String>,
        decision_reason_type: Option<DecisionReasonType>,
        decision_reason_rule_source: Option<String>,
        decision_reason_hook_event: Option<String>,
        decision_reason_hook_source: Option<String>,
        classifier_approvable: Option<bool>,
        suppress_always_allow_rule: Option<bool>,
        default_to_no: Option<bool>,
        matched_ask_rule: Option<MatchedAskRule>,
        server_policy_ask_only: Option<bool>,
        title: Option<String>,
        description: Option<String>,
        tool_use_id: Option<String>,
        agent_id: Option<String>,
        requires_user_interaction: Option<bool>,
    }
}

wire_struct! {
    /// Allows the call, optionally with a changed input.
    pub struct Allow ["behavior" = "allow"] {
        updated_input: Option<Raw> as "updatedInput",
        updated_permissions: Option<Vec<PermissionUpdate>> as "updatedPermissions",
        tool_use_id: Option<String> as "toolUseID",
        decision_classification: Option<String> as "decisionClassification",
    }
}

wire_struct! {
    /// Denies the call.
    pub struct Deny ["behavior" = "deny"] {
        message: String,
        /// Whether to end the turn as well.
        interrupt: Option<bool>,
        tool_use_id: Option<String> as "toolUseID",
        decision_classification: Option<String> as "decisionClassification",
    }
}

wire_union! {
    /// The answer to a permission request.
    pub enum CanUseToolResponse by "behavior", else Unknown {
        Allow(Allow) = "allow",
        Deny(Deny) = "deny",
    }
}
