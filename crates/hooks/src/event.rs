//! The table of hook events: name, description and properties.

use std::time::Duration;

use sluice_wire::hook::HookInput;

macro_rules! events {
    ($($name:ident: $summary:literal [$($property:ident),*]),+ $(,)?) => {
        /// An event at which hooks run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Event {
            $(#[doc = $summary] $name,)+
        }

        impl Event {
            /// All events in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// Returns a short description of when it happens.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Self::$name => $summary,)+
                }
            }

            /// Returns the properties of the event.
            fn properties(self) -> &'static [EventProperty] {
                match self {
                    $(Self::$name => &[$(EventProperty::$property),*],)+
                }
            }

            /// Returns the event with this name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// Returns the event of an input.
            pub fn of(input: &HookInput) -> Option<Self> {
                match input {
                    $(HookInput::$name(_) => Some(Self::$name),)+
                    HookInput::Unknown(_) => None,
                }
            }
        }
    };
}

events! {
    PreToolUse: "before a tool call" [ToolCall, Matcher, Gate, Reported],
    PostToolUse: "after a tool call that succeeded" [ToolCall, Matcher, Blocks, Reported],
    PostToolUseFailure: "after a tool call that failed" [ToolCall, Matcher, Blocks, Reported],
    PostToolBatch: "after all tool calls of one model message" [Blocks, Reported],
    PermissionRequest: "when a tool call needs permission" [ToolCall, Matcher, Gate, Reported],
    PermissionDenied: "after a tool call was denied without a permission request" [ToolCall, Matcher],
    Notification: "when the user is notified" [Matcher],
    UserPromptSubmit: "before a prompt is processed" [Gate, Context, Reported],
    UserPromptExpansion: "when a slash command is expanded into a prompt" [Matcher, Gate, Context, Reported],
    SessionStart: "when a session starts, is cleared or compacted" [Matcher, Context, EnvFile, AlwaysReported],
    SessionEnd: "when a session ends" [Matcher],
    Stop: "when the agent is about to end its turn" [Blocks, Reported],
    StopFailure: "when a turn ends with an API error" [Matcher],
    SubagentStart: "when a subagent starts" [Matcher, Context, Reported],
    SubagentStop: "when a subagent is about to end" [Matcher, Blocks, Reported],
    PreCompact: "before a compaction" [Matcher, Blocks, Context],
    PostCompact: "after a compaction" [Matcher],
    PreModelSwitch: "before a change of the model" [Matcher, Gate, Reported],
    PostModelSwitch: "after a change of the model" [Matcher, Reported],
    Setup: "when a project is set up" [Matcher, Context, EnvFile, AlwaysReported],
    TeammateIdle: "when a teammate becomes idle" [Blocks, Reported],
    TaskCreated: "when a task is added to the task list" [Blocks, Reported],
    TaskCompleted: "when a task is completed" [Blocks, Reported],
    Elicitation: "when an MCP server asks the user for input" [Matcher, Gate],
    ElicitationResult: "when the user has answered an MCP server" [Matcher, Gate],
    ConfigChange: "when a settings file changed" [Matcher, Gate],
    WorktreeCreate: "when a worktree is needed" [Blocks, Reported],
    WorktreeRemove: "when a worktree is removed" [Reported],
    InstructionsLoaded: "when an instructions file was loaded" [Matcher],
    CwdChanged: "when the working directory changed" [EnvFile],
    FileChanged: "when a watched file changed" [Matcher, EnvFile],
    DirectoryAdded: "when a working directory was added" [Matcher],
    MessageDisplay: "while a reply is displayed" [Reported],
}

/// A property of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventProperty {
    /// The event is about a tool call.
    ToolCall,
    /// Hooks can have a matcher.
    Matcher,
    /// The session waits for the result, and a required hook without a result denies the action.
    Gate,
    /// A hook can block the action.
    Blocks,
    /// Plain text on stdout is sent to the model.
    Context,
    /// Hooks can set environment variables for later commands.
    EnvFile,
    /// Hosts that requested hook events get messages about these hooks.
    Reported,
    /// All hosts get messages about these hooks.
    AlwaysReported,
}

/// Default timeout of command, HTTP and MCP tool hooks.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);
/// Default timeout of these hooks while the user waits.
const PROMPT_SUBMIT_TIMEOUT: Duration = Duration::from_secs(30);
/// Default timeout of a prompt hook.
pub const MODEL: Duration = Duration::from_secs(30);
/// Default timeout of an agent hook.
pub const AGENT: Duration = Duration::from_secs(60);
/// Default timeout of a callback of the host.
pub const CALLBACK: Duration = Duration::from_secs(60);
/// Default timeout of all `SessionEnd` hooks together.
pub const LAST: Duration = Duration::from_millis(1500);
/// Maximum timeout of `SessionEnd` hooks.
pub const LAST_MOST: Duration = Duration::from_secs(60);

impl Event {
    /// Whether the event is about a tool call, so that conditions (`if`) can be checked.
    pub fn is_of_a_call(self) -> bool {
        self.properties().contains(&EventProperty::ToolCall)
    }

    /// Whether the session waits for the result and a required hook without a result denies the action.
    pub fn is_gate(self) -> bool {
        self.properties().contains(&EventProperty::Gate)
    }

    /// Whether plain text on stdout is sent to the model.
    pub fn text_is_context(self) -> bool {
        self.properties().contains(&EventProperty::Context)
    }

    /// Whether a hook can block the action or make the model continue.
    pub fn can_block(self) -> bool {
        self.is_gate() || self.properties().contains(&EventProperty::Blocks)
    }

    /// Whether hosts that requested hook events get messages about these hooks.
    pub fn is_told(self) -> bool {
        self.always_told() || self.properties().contains(&EventProperty::Reported)
    }

    /// Whether all hosts get messages about these hooks.
    pub fn always_told(self) -> bool {
        self.properties().contains(&EventProperty::AlwaysReported)
    }

    /// Whether hooks can set environment variables for later commands through a file.
    pub fn has_env_file(self) -> bool {
        self.properties().contains(&EventProperty::EnvFile)
    }

    /// Whether hooks of this event can have a matcher.
    pub fn has_matcher(self) -> bool {
        self.properties().contains(&EventProperty::Matcher)
    }

    /// Default timeout of command, HTTP and MCP tool hooks.
    pub fn patience(self) -> Duration {
        match self {
            Self::UserPromptSubmit => PROMPT_SUBMIT_TIMEOUT,
            Self::SessionEnd => LAST,
            _ => DEFAULT_TIMEOUT,
        }
    }
}

/// Returns the text that a matcher is compared with.
pub fn subject(input: &HookInput) -> Option<&str> {
    match input {
        HookInput::PreToolUse(it) => Some(&it.tool_name),
        HookInput::PostToolUse(it) => Some(&it.tool_name),
        HookInput::PostToolUseFailure(it) => Some(&it.tool_name),
        HookInput::PermissionRequest(it) => Some(&it.tool_name),
        HookInput::PermissionDenied(it) => Some(&it.tool_name),
        HookInput::Notification(it) => it.notification_type.as_deref(),
        HookInput::UserPromptExpansion(it) => Some(&it.command_name),
        HookInput::SessionStart(it) => Some(&it.source),
        HookInput::SessionEnd(it) => Some(&it.reason),
        HookInput::StopFailure(it) => Some(it.error.as_str()),
        HookInput::SubagentStart(it) => it.agent_type.as_deref(),
        HookInput::SubagentStop(it) => it.agent_type.as_deref(),
        HookInput::PreCompact(it) => Some(&it.trigger),
        HookInput::PostCompact(it) => Some(&it.trigger),
        HookInput::PreModelSwitch(it) => Some(&it.to_model),
        HookInput::PostModelSwitch(it) => Some(&it.to_model),
        HookInput::Setup(it) => Some(&it.trigger),
        HookInput::Elicitation(it) => Some(&it.mcp_server_name),
        HookInput::ElicitationResult(it) => Some(&it.mcp_server_name),
        HookInput::ConfigChange(it) => Some(&it.source),
        HookInput::InstructionsLoaded(it) => Some(&it.load_reason),
        HookInput::FileChanged(it) => it.file_path.rsplit('/').next(),
        HookInput::DirectoryAdded(it) => Some(&it.source),
        HookInput::PostToolBatch(_)
        | HookInput::UserPromptSubmit(_)
        | HookInput::Stop(_)
        | HookInput::TeammateIdle(_)
        | HookInput::TaskCreated(_)
        | HookInput::TaskCompleted(_)
        | HookInput::WorktreeCreate(_)
        | HookInput::WorktreeRemove(_)
        | HookInput::CwdChanged(_)
        | HookInput::MessageDisplay(_)
        | HookInput::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_by_name() {
        for event in Event::ALL {
            assert_eq!(Event::named(event.as_str()), Some(*event));
        }
        assert_eq!(Event::named("preToolUse"), None);
        assert_eq!(Event::ALL.len(), 33);
    }

    #[test]
    fn gates_can_block() {
        for event in Event::ALL {
            assert!(!event.is_gate() || event.can_block(), "{event:?}");
        }
    }
}
