//! `system`: messages about the state of the session, by subtype.

mod api_retry;
mod background_tasks_changed;
mod commands_changed;
mod compact_boundary;
mod control_request_progress;
mod elicitation_complete;
mod files_persisted;
mod hook_progress;
mod hook_response;
mod hook_started;
mod informational;
mod init;
mod local_command_output;
mod memory_recall;
mod mirror_error;
mod model_fallback;
mod model_refusal_fallback;
mod model_refusal_no_fallback;
mod notification;
mod permission_denied;
mod plugin_install;
mod session_state_changed;
mod session_title_changed;
mod session_writes_lost;
mod status;
mod task_notification;
mod task_progress;
mod task_started;
mod task_updated;
mod thinking_tokens;
mod ui_invalidate;
mod worker_shutting_down;

pub use api_retry::{ApiRetry, NoResponse};
pub use background_tasks_changed::{BackgroundTask, BackgroundTasksChanged};
pub use commands_changed::CommandsChanged;
pub use compact_boundary::{CompactBoundary, CompactMetadata, PreservedMessages, PreservedSegment};
pub use control_request_progress::ControlRequestProgress;
pub use elicitation_complete::ElicitationComplete;
pub use files_persisted::{FailedFile, FilesPersisted, PersistedFile};
pub use hook_progress::HookProgress;
pub use hook_response::{HookOutcome, HookResponse};
pub use hook_started::HookStarted;
pub use informational::{HookNoVerdict, Informational, Level, PromptSubmitOutcome};
pub use init::{Init, ManagedLock, McpServer, McpServerError, McpServerErrorKind, MemoryPaths, Plugin, PluginError};
pub use local_command_output::LocalCommandOutput;
pub use memory_recall::{Memory, MemoryRecall};
pub use mirror_error::{MirrorError, MirrorKey};
pub use model_fallback::ModelFallback;
pub use model_refusal_fallback::ModelRefusalFallback;
pub use model_refusal_no_fallback::ModelRefusalNoFallback;
pub use notification::{Notification, NotificationPriority};
pub use permission_denied::PermissionDenied;
pub use plugin_install::{PluginInstall, PluginInstallStatus};
pub use session_state_changed::{SessionState, SessionStateChanged};
pub use session_title_changed::SessionTitleChanged;
pub use session_writes_lost::SessionWritesLost;
pub use status::{Activity, Status};
pub use task_notification::{TaskNotification, TaskOutcome};
pub use task_progress::{TaskProgress, TaskUsage};
pub use task_started::TaskStarted;
pub use task_updated::{TaskPatch, TaskStatus, TaskUpdated};
pub use thinking_tokens::ThinkingTokens;
pub use ui_invalidate::UiInvalidate;
pub use worker_shutting_down::WorkerShuttingDown;

use crate::message::messages;

messages! {
    /// A `system` message.
    pub enum System by subtype, kinds SystemSubtype, inside ToHost::System {
        Init(Init) = "init",
        Status(Status) = "status",
        CompactBoundary(CompactBoundary) = "compact_boundary",
        HookStarted(HookStarted) = "hook_started",
        HookProgress(HookProgress) = "hook_progress",
        HookResponse(HookResponse) = "hook_response",
        TaskStarted(TaskStarted) = "task_started",
        TaskProgress(TaskProgress) = "task_progress",
        TaskUpdated(TaskUpdated) = "task_updated",
        TaskNotification(TaskNotification) = "task_notification",
        BackgroundTasksChanged(BackgroundTasksChanged) = "background_tasks_changed",
        FilesPersisted(FilesPersisted) = "files_persisted",
        ElicitationComplete(ElicitationComplete) = "elicitation_complete",
        LocalCommandOutput(LocalCommandOutput) = "local_command_output",
        ApiRetry(ApiRetry) = "api_retry",
        SessionStateChanged(SessionStateChanged) = "session_state_changed",
        Notification(Notification) = "notification",
        PluginInstall(PluginInstall) = "plugin_install",
        MemoryRecall(MemoryRecall) = "memory_recall",
        PermissionDenied(PermissionDenied) = "permission_denied",
        ThinkingTokens(ThinkingTokens) = "thinking_tokens",
        CommandsChanged(CommandsChanged) = "commands_changed",
        ModelRefusalFallback(ModelRefusalFallback) = "model_refusal_fallback",
        ModelRefusalNoFallback(ModelRefusalNoFallback) = "model_refusal_no_fallback",
        Informational(Informational) = "informational",
        WorkerShuttingDown(WorkerShuttingDown) = "worker_shutting_down",
        ControlRequestProgress(ControlRequestProgress) = "control_request_progress",
        SessionWritesLost(SessionWritesLost) = "session_writes_lost",
        MirrorError(MirrorError) = "mirror_error",
        SessionTitleChanged(SessionTitleChanged) = "session_title_changed",
        ModelFallback(ModelFallback) = "model_fallback",
        UiInvalidate(UiInvalidate) = "ui_invalidate",
    }
}
