//! What every hook is told.

use crate::record::wire_struct;

/// Defines what a hook is told: the fields every event has, then its own.
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
    /// How hard the model tries.
    pub struct HookEffort {
        level: String,
    }
}

wire_struct! {
    /// A task that still runs.
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
    /// A prompt that comes at set times.
    pub struct SessionCronSummary {
        id: String,
        schedule: String,
        recurring: bool,
        prompt: String,
    }
}
