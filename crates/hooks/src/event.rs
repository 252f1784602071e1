//! The table of hook events: name, when it happens, and its properties.

use std::time::Duration;

use sluice_wire::hook::HookInput;

macro_rules! events {
    ($($name:ident: $summary:literal [$($fact:ident),*]),+ $(,)?) => {
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

            /// What is true of it.
            fn facts(self) -> &'static [Fact] {
                match self {
                    $(Self::$name => &[$(Fact::$fact),*],)+
                }
            }

            /// The event of that name.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The event of an input.
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
    PreToolUse: "before a call" [OfACall, Matcher, Gate, Told],
    PostToolUse: "after a call that worked" [OfACall, Matcher, Blocks, Told],
    PostToolUseFailure: "after a call that failed" [OfACall, Matcher, Blocks, Told],
    PostToolBatch: "after all calls of one answer" [Blocks, Told],
    PermissionRequest: "when a call has to be asked for" [OfACall, Matcher, Gate, Told],
    PermissionDenied: "after a call was refused without a question" [OfACall, Matcher],
    Notification: "when a person should look" [Matcher],
    UserPromptSubmit: "before a prompt is taken" [Gate, Context, Told],
    UserPromptExpansion: "when a command becomes a prompt" [Matcher, Gate, Context, Told],
    SessionStart: "when a session begins, is cleared or compacted" [Matcher, Context, EnvFile, AlwaysTold],
    SessionEnd: "when a session ends" [Matcher],
    Stop: "when the agent would stop" [Blocks, Told],
    StopFailure: "when a turn ends with an error of the API" [Matcher],
    SubagentStart: "when a subagent begins" [Matcher, Context, Told],
    SubagentStop: "when a subagent would stop" [Matcher, Blocks, Told],
    PreCompact: "before a compaction" [Matcher, Blocks, Context],
    PostCompact: "after a compaction" [Matcher],
    PreModelSwitch: "before another model answers" [Matcher, Gate, Told],
    PostModelSwitch: "after another model was chosen" [Matcher, Told],
    Setup: "when a project is set up" [Matcher, Context, EnvFile, AlwaysTold],
    TeammateIdle: "when a teammate has nothing to do" [Blocks, Told],
    TaskCreated: "when a task is noted" [Blocks, Told],
    TaskCompleted: "when a task is done" [Blocks, Told],
    Elicitation: "when an MCP server wants something from the person" [Matcher, Gate],
    ElicitationResult: "when the person has answered an MCP server" [Matcher, Gate],
    ConfigChange: "when a settings file changed" [Matcher, Gate],
    WorktreeCreate: "when a worktree is wanted" [Blocks, Told],
    WorktreeRemove: "when a worktree goes away" [Told],
    InstructionsLoaded: "when a file of instructions was read" [Matcher],
    CwdChanged: "when the working directory changed" [EnvFile],
    FileChanged: "when a watched file changed" [Matcher, EnvFile],
    DirectoryAdded: "when a directory to work in was added" [Matcher],
    MessageDisplay: "while an answer is shown" [Told],
}

/// Something that is true of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fact {
    /// It is about a tool call.
    OfACall,
    /// Hooks can be chosen by a matcher.
    Matcher,
    /// It waits for the answer, and a required hook that does not answer denies it.
    Gate,
    /// A hook can hold it up.
    Blocks,
    /// Plain text on stdout goes to the model.
    Context,
    /// Hooks may set variables for later commands.
    EnvFile,
    /// Hosts that ask for hook events get messages about its hooks.
    Told,
    /// Every host is.
    AlwaysTold,
}

/// The timeout of a command or a server, if none is configured.
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
        self.facts().contains(&Fact::OfACall)
    }

    /// Something waits for the answer and can safely be denied: a required hook that does not answer denies it.
    pub fn is_gate(self) -> bool {
        self.facts().contains(&Fact::Gate)
    }

    /// A plain text on stdout is meant for the model.
    pub fn text_is_context(self) -> bool {
        self.facts().contains(&Fact::Context)
    }

    /// A hook can hold this up, or send the model back to work.
    pub fn can_block(self) -> bool {
        self.is_gate() || self.facts().contains(&Fact::Blocks)
    }

    /// Hosts that ask for hook events get messages about these hooks.
    pub fn is_told(self) -> bool {
        self.always_told() || self.facts().contains(&Fact::Told)
    }

    /// Hosts get messages about these hooks in any case.
    pub fn always_told(self) -> bool {
        self.facts().contains(&Fact::AlwaysTold)
    }

    /// The hook may set variables for later commands through a file.
    pub fn has_env_file(self) -> bool {
        self.facts().contains(&Fact::EnvFile)
    }

    /// Whether matchers mean anything here.
    pub fn has_matcher(self) -> bool {
        self.facts().contains(&Fact::Matcher)
    }

    /// The timeout of a command or a server, if none is configured.
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
