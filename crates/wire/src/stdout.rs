//! Messages from the agent: the lines of its stdout, except control messages.

mod active_goal;
mod assistant;
mod auth_status;
mod command_lifecycle;
mod conversation_reset;
mod keep_alive;
mod prompt_suggestion;
mod rate_limit_event;
mod result;
mod stream_event;
mod streamlined_text;
mod streamlined_tool_use_summary;
pub mod system;
mod tool_progress;
mod tool_use_summary;
mod transcript_mirror;
mod user;

pub use active_goal::{ActiveGoal, Goal};
pub use assistant::{
    ApiMessage, Assistant, AssistantError, ContextAgent, ContextCategory, ContextMcpTool, ContextMemoryFile,
    ContextSkill, ContextUsage, LocalCommandRun, OverLimit, ToolUseMeta, UsageReport, UsageReportSession,
};
pub use auth_status::AuthStatus;
pub use command_lifecycle::{CommandLifecycle, CommandState};
pub use conversation_reset::{ConversationReset, ResetTrigger};
pub use keep_alive::KeepAlive;
pub use prompt_suggestion::PromptSuggestion;
pub use rate_limit_event::{RateLimitEvent, RateLimitInfo, RateLimitStatus, RateLimitType, RateLimitWindow};
pub use result::{
    DeferredToolUse, FastModeState, InvalidConfigFile, PermissionDenial, ResultSubtype, SubagentKilled,
    SubagentRefused, SubagentRequested, SubagentStats, TerminalReason, TurnResult,
};
pub use stream_event::{AbandonedBlocks, StreamEvent};
pub use streamlined_text::StreamlinedText;
pub use streamlined_tool_use_summary::StreamlinedToolUseSummary;
pub use system::{System, SystemSubtype};
pub use tool_progress::{SubagentRetry, ToolProgress};
pub use tool_use_summary::ToolUseSummary;
pub use transcript_mirror::TranscriptMirror;
pub use user::{PermissionDecision, ToolResultMeta, User, UserMessage};
