//! The events hooks can wait for, and what is true of each.

use std::time::Duration;

use sluice_wire::hook::HookInput;

macro_rules! events {
    ($($name:ident: $summary:literal),+ $(,)?) => {
        /// Something a hook can wait for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Event {
            $(#[doc = $summary] $name,)+
        }

        impl Event {
            /// Every event, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)+
                }
            }

            /// When it happens, in a few words.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Self::$name => $summary,)+
                }
            }

            /// The event of that name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The event a hook is told of.
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
    PreToolUse: "before a call",
    PostToolUse: "after a call that worked",
    PostToolUseFailure: "after a call that failed",
    PostToolBatch: "after all calls of one answer",
    PermissionRequest: "when a call has to be asked for",
    PermissionDenied: "after a call was refused without a question",
    Notification: "when a person should look",
    UserPromptSubmit: "before a prompt is taken",
    UserPromptExpansion: "when a command becomes a prompt",
    SessionStart: "when a session begins, is cleared or compacted",
    SessionEnd: "when a session ends",
    Stop: "when the agent would stop",
    StopFailure: "when a turn ends with an error of the API",
    SubagentStart: "when a subagent begins",
    SubagentStop: "when a subagent would stop",
    PreCompact: "before a compaction",
    PostCompact: "after a compaction",
    PreModelSwitch: "before another model answers",
    PostModelSwitch: "after another model was chosen",
    Setup: "when a project is set up",
    TeammateIdle: "when a teammate has nothing to do",
    TaskCreated: "when a task is noted",
    TaskCompleted: "when a task is done",
    Elicitation: "when an MCP server wants something from the person",
    ElicitationResult: "when the person has answered an MCP server",
    ConfigChange: "when a settings file changed",
    WorktreeCreate: "when a worktree is wanted",
    WorktreeRemove: "when a worktree goes away",
    InstructionsLoaded: "when a file of instructions was read",
    CwdChanged: "when the working directory changed",
    FileChanged: "when a watched file changed",
    DirectoryAdded: "when a directory to work in was added",
    MessageDisplay: "while an answer is shown",
}

/// How long a program or a server has, where nobody says.
const LONG: Duration = Duration::from_secs(600);
/// The same where a person waits for it.
const PROMPT: Duration = Duration::from_secs(30);
/// How long a model has.
pub const MODEL: Duration = Duration::from_secs(30);
/// How long an agent has.
pub const AGENT: Duration = Duration::from_secs(60);
/// How long a callback of the host has.
pub const CALLBACK: Duration = Duration::from_secs(60);
/// How long the hooks of a session's end have, all together.
pub const LAST: Duration = Duration::from_millis(1500);
/// The most they can be given.
pub const LAST_MOST: Duration = Duration::from_secs(60);

impl Event {
    /// About a call: conditions (`if`) can be held against it.
    pub fn is_of_a_call(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PostToolUse
                | Self::PostToolUseFailure
                | Self::PermissionRequest
                | Self::PermissionDenied
        )
    }

    /// Something waits to happen, and not letting it is safe: who has to be heard and is not, refuses.
    pub fn is_gate(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PermissionRequest
                | Self::UserPromptSubmit
                | Self::UserPromptExpansion
                | Self::PreModelSwitch
                | Self::Elicitation
                | Self::ElicitationResult
                | Self::ConfigChange
        )
    }

    /// A plain text on stdout is meant for the model.
    pub fn text_is_context(self) -> bool {
        matches!(
            self,
            Self::UserPromptSubmit
                | Self::UserPromptExpansion
                | Self::SessionStart
                | Self::Setup
                | Self::SubagentStart
                | Self::PreCompact
        )
    }

    /// A hook can hold this up, or send the model back to work.
    pub fn can_block(self) -> bool {
        self.is_gate()
            || matches!(
                self,
                Self::PostToolUse
                    | Self::PostToolUseFailure
                    | Self::PostToolBatch
                    | Self::Stop
                    | Self::SubagentStop
                    | Self::PreCompact
                    | Self::TaskCreated
                    | Self::TaskCompleted
                    | Self::TeammateIdle
                    | Self::WorktreeCreate
            )
    }

    /// Hosts that want to hear of hooks hear of these; the others run unseen.
    pub fn is_told(self) -> bool {
        !matches!(
            self,
            Self::SessionEnd
                | Self::StopFailure
                | Self::Notification
                | Self::PermissionDenied
                | Self::InstructionsLoaded
                | Self::ConfigChange
                | Self::CwdChanged
                | Self::FileChanged
                | Self::DirectoryAdded
                | Self::PreCompact
                | Self::PostCompact
                | Self::Elicitation
                | Self::ElicitationResult
        )
    }

    /// Hosts are told of these hooks whether they asked to be or not.
    pub fn always_told(self) -> bool {
        matches!(self, Self::SessionStart | Self::Setup)
    }

    /// The hook may set variables for later commands through a file.
    pub fn has_env_file(self) -> bool {
        matches!(
            self,
            Self::SessionStart | Self::Setup | Self::CwdChanged | Self::FileChanged
        )
    }

    /// Whether matchers mean anything here.
    pub fn has_matcher(self) -> bool {
        !matches!(
            self,
            Self::PostToolBatch
                | Self::UserPromptSubmit
                | Self::Stop
                | Self::TeammateIdle
                | Self::TaskCreated
                | Self::TaskCompleted
                | Self::WorktreeCreate
                | Self::WorktreeRemove
                | Self::CwdChanged
                | Self::MessageDisplay
        )
    }

    /// How long a program or a server has, where nobody says.
    pub fn patience(self) -> Duration {
        match self {
            Self::UserPromptSubmit => PROMPT,
            Self::SessionEnd => LAST,
            _ => LONG,
        }
    }
}

/// What a matcher is held against.
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
    fn every_event_is_found_by_its_name() {
        for event in Event::ALL {
            assert_eq!(Event::named(event.as_str()), Some(*event));
        }
        assert_eq!(Event::named("preToolUse"), None);
        assert_eq!(Event::ALL.len(), 33);
    }

    #[test]
    fn what_is_a_gate_can_hold_up() {
        for event in Event::ALL {
            assert!(!event.is_gate() || event.can_block(), "{event:?}");
        }
    }
}
