//! The fields that the inputs of all hooks share.

use crate::record::wire_struct;

/// Defines the input of a hook: the fields of all events, then those of this event.
macro_rules! hook_input {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident = $event:literal { $($fields:tt)* }
    ) => {
        $crate::record::wire_struct! {
            $(#[doc = $doc])*
            pub struct $name ["hook_event_name" = $event] {
                session_id: String,
                transcript_path: String,
                cwd: String,
                prompt_id: Option<String>,
                permission_mode: Option<$crate::mode::PermissionMode>,
                agent_id: Option<String>,
                agent_type: Option<String>,
                effort: Option<$crate::hook::HookEffort>,
                $($fields)*
            }
        }
    };
}
pub(crate) use hook_input;

wire_struct! {
    /// The effort level of the model.
    pub struct HookEffort {
        level: String,
    }
}

wire_struct! {
    /// A background task that is still running.
    pub struct BackgroundTaskSummary {
        id: String,
        kind: String as "type",
        status: String,
        description: String,
        command: Option<String>,
        agent_type: Option<String>,
        server: Option<String>,
        tool: Option<String>,
        name: Option<String>,
    }
}

wire_struct! {
    /// A prompt that is sent on a schedule.
    pub struct SessionCronSummary {
        id: String,
        schedule: String,
        recurring: bool,
        prompt: String,
    }
}
