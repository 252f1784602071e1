//! Hooks: the input and output of every event.

mod base;
mod output;

mod config_change;
mod cwd_changed;
mod directory_added;
mod elicitation;
mod elicitation_result;
mod file_changed;
mod instructions_loaded;
mod message_display;
mod notification;
mod permission_denied;
mod permission_request;
mod post_compact;
mod post_model_switch;
mod post_tool_batch;
mod post_tool_use;
mod post_tool_use_failure;
mod pre_compact;
mod pre_model_switch;
mod pre_tool_use;
mod session_end;
mod session_start;
mod setup;
mod stop;
mod stop_failure;
mod subagent_start;
mod subagent_stop;
mod task_completed;
mod task_created;
mod teammate_idle;
mod user_prompt_expansion;
mod user_prompt_submit;
mod worktree_create;
mod worktree_remove;

pub use base::{BackgroundTaskSummary, HookEffort, SessionCronSummary};
pub use config_change::ConfigChangeInput;
pub use cwd_changed::{CwdChangedInput, CwdChangedOutput};
pub use directory_added::DirectoryAddedInput;
pub use elicitation::{ElicitationInput, ElicitationOutput};
pub use elicitation_result::{ElicitationResultInput, ElicitationResultOutput};
pub use file_changed::{FileChangedInput, FileChangedOutput};
pub use instructions_loaded::InstructionsLoadedInput;
pub use message_display::{MessageDisplayInput, MessageDisplayOutput};
pub use notification::{NotificationInput, NotificationOutput};
pub use output::{HookDecision, HookOutput, HookPermissionDecision};
pub use permission_denied::{PermissionDeniedInput, PermissionDeniedOutput};
pub use permission_request::{PermissionRequestDecision, PermissionRequestInput, PermissionRequestOutput};
pub use post_compact::PostCompactInput;
pub use post_model_switch::{PostModelSwitchInput, PostModelSwitchOutput};
pub use post_tool_batch::{BatchCall, PostToolBatchInput, PostToolBatchOutput};
pub use post_tool_use::{PostToolUseInput, PostToolUseOutput};
pub use post_tool_use_failure::{PostToolUseFailureInput, PostToolUseFailureOutput};
pub use pre_compact::PreCompactInput;
pub use pre_model_switch::{PreModelSwitchInput, PreModelSwitchOutput};
pub use pre_tool_use::{PreToolUseInput, PreToolUseOutput};
pub use session_end::SessionEndInput;
pub use session_start::{SessionStartInput, SessionStartOutput};
pub use setup::{SetupInput, SetupOutput};
pub use stop::{StopInput, StopOutput};
pub use stop_failure::StopFailureInput;
pub use subagent_start::{SubagentStartInput, SubagentStartOutput};
pub use subagent_stop::{SubagentStopInput, SubagentStopOutput};
pub use task_completed::TaskCompletedInput;
pub use task_created::TaskCreatedInput;
pub use teammate_idle::TeammateIdleInput;
pub use user_prompt_expansion::{UserPromptExpansionInput, UserPromptExpansionOutput};
pub use user_prompt_submit::{UserPromptSubmitInput, UserPromptSubmitOutput};
pub use worktree_create::{WorktreeCreateInput, WorktreeCreateOutput};
pub use worktree_remove::WorktreeRemoveInput;

use crate::union::wire_union;

wire_union! {
    /// The input of a hook.
    pub enum HookInput by "hook_event_name", else Unknown {
        PreToolUse(PreToolUseInput) = "PreToolUse",
        PostToolUse(PostToolUseInput) = "PostToolUse",
        PostToolUseFailure(PostToolUseFailureInput) = "PostToolUseFailure",
        PostToolBatch(PostToolBatchInput) = "PostToolBatch",
        Notification(NotificationInput) = "Notification",
        UserPromptSubmit(UserPromptSubmitInput) = "UserPromptSubmit",
        UserPromptExpansion(UserPromptExpansionInput) = "UserPromptExpansion",
        SessionStart(SessionStartInput) = "SessionStart",
        SessionEnd(SessionEndInput) = "SessionEnd",
        Stop(StopInput) = "Stop",
        StopFailure(StopFailureInput) = "StopFailure",
        SubagentStart(SubagentStartInput) = "SubagentStart",
        SubagentStop(SubagentStopInput) = "SubagentStop",
        PreCompact(PreCompactInput) = "PreCompact",
        PostCompact(PostCompactInput) = "PostCompact",
        PreModelSwitch(PreModelSwitchInput) = "PreModelSwitch",
        PostModelSwitch(PostModelSwitchInput) = "PostModelSwitch",
        PermissionRequest(PermissionRequestInput) = "PermissionRequest",
        PermissionDenied(PermissionDeniedInput) = "PermissionDenied",
        Setup(SetupInput) = "Setup",
        TeammateIdle(TeammateIdleInput) = "TeammateIdle",
        TaskCreated(TaskCreatedInput) = "TaskCreated",
        TaskCompleted(TaskCompletedInput) = "TaskCompleted",
        Elicitation(ElicitationInput) = "Elicitation",
        ElicitationResult(ElicitationResultInput) = "ElicitationResult",
        ConfigChange(ConfigChangeInput) = "ConfigChange",
        InstructionsLoaded(InstructionsLoadedInput) = "InstructionsLoaded",
        WorktreeCreate(WorktreeCreateInput) = "WorktreeCreate",
        WorktreeRemove(WorktreeRemoveInput) = "WorktreeRemove",
        CwdChanged(CwdChangedInput) = "CwdChanged",
        FileChanged(FileChangedInput) = "FileChanged",
        DirectoryAdded(DirectoryAddedInput) = "DirectoryAdded",
        MessageDisplay(MessageDisplayInput) = "MessageDisplay",
    }
}

wire_union! {
    /// The event-specific part of a hook's output.
    pub enum HookSpecificOutput by "hookEventName", else Unknown {
        PreToolUse(PreToolUseOutput) = "PreToolUse",
        PostToolUse(PostToolUseOutput) = "PostToolUse",
        PostToolUseFailure(PostToolUseFailureOutput) = "PostToolUseFailure",
        PostToolBatch(PostToolBatchOutput) = "PostToolBatch",
        Notification(NotificationOutput) = "Notification",
        UserPromptSubmit(UserPromptSubmitOutput) = "UserPromptSubmit",
        UserPromptExpansion(UserPromptExpansionOutput) = "UserPromptExpansion",
        SessionStart(SessionStartOutput) = "SessionStart",
        Stop(StopOutput) = "Stop",
        SubagentStart(SubagentStartOutput) = "SubagentStart",
        SubagentStop(SubagentStopOutput) = "SubagentStop",
        PreModelSwitch(PreModelSwitchOutput) = "PreModelSwitch",
        PostModelSwitch(PostModelSwitchOutput) = "PostModelSwitch",
        PermissionRequest(PermissionRequestOutput) = "PermissionRequest",
        PermissionDenied(PermissionDeniedOutput) = "PermissionDenied",
        Setup(SetupOutput) = "Setup",
        Elicitation(ElicitationOutput) = "Elicitation",
        ElicitationResult(ElicitationResultOutput) = "ElicitationResult",
        WorktreeCreate(WorktreeCreateOutput) = "WorktreeCreate",
        CwdChanged(CwdChangedOutput) = "CwdChanged",
        FileChanged(FileChangedOutput) = "FileChanged",
        MessageDisplay(MessageDisplayOutput) = "MessageDisplay",
    }
}
