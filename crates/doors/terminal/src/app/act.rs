//! Acts: requests to the agent, the disk or other programs, and their outcomes.

use sluice_wire::control::{
    CanUseToolResponse, ElicitationResponse, GetContextUsageResponse, GetUsageResponse, McpServerStatus, ModelInfo,
    PermissionRulesState, RequestId,
};
use sluice_wire::mode::PermissionMode;

use crate::plugins::{PluginAct, PluginEntry, PluginOffer};
use crate::text::Row;

/// An action that involves the agent, the disk or another program.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Submits a prompt.
    Send {
        uuid: String,
        text: String,
        images: Vec<(String, String)>,
        at_once: bool,
    },
    /// Withdraws a queued prompt.
    Withdraw(String),
    /// Stops the turn; `all` also discards prompts that wait in the agent.
    Interrupt {
        all: bool,
    },
    /// Answers a permission request.
    Answer {
        ask: RequestId,
        response: CanUseToolResponse,
    },
    /// Answers a form.
    Fill {
        ask: RequestId,
        response: ElicitationResponse,
    },
    SetMode(PermissionMode),
    SetModel(Option<String>),
    /// Sets the effort level for this session.
    Effort(String),
    /// Adds a working folder to this session.
    AddFolder(std::path::PathBuf),
    Skills,
    /// Requests the data that a picker shows.
    Models,
    Servers,
    /// An action on plugins.
    Plugin(PluginAct),
    Reconnect(String),
    Toggle(String, bool),
    Rules,
    Context,
    /// Requests the model and the context usage before the first turn reports them.
    Learn,
    Cost,
    Files(String),
    /// Lists the sessions of this folder or of all folders.
    Sessions {
        everywhere: bool,
    },
    /// Finds the sessions that contain a text.
    FindSessions {
        words: String,
        everywhere: bool,
    },
    /// Loads the conversation of a session for the pager.
    ReadSession {
        session: String,
        title: String,
    },
    RenameSession {
        session: String,
        title: String,
        everywhere: bool,
    },
    /// Signs in to an MCP server.
    Authenticate(String),
    /// Loads the file changes since a prompt, for the pager.
    Changes {
        uuid: String,
        title: String,
    },
    /// Replaces the conversation from a prompt on with a summary; the prompt follows the message `before`.
    Summarise {
        uuid: String,
        text: String,
        session: String,
        before: String,
    },
    /// Sends the agent a message that needs no answer.
    Tell(String),
    /// Reads the checked-out branch.
    Branch,
    /// Shows the uncommitted changes of the working tree.
    Diff,
    StopTask(String),
    TaskOutput(String),
    /// Requests the output size of a background job.
    TaskSize(String),
    Background,
    /// Loads the whole conversation for the pager.
    Transcript,
    /// Lists the prompts that can be rewound to.
    Points,
    /// Restores files to their state before a prompt, then optionally rewinds the conversation as well.
    RewindFiles {
        uuid: String,
        /// The number of files.
        count: usize,
        then: Option<(Next, String)>,
    },
    Rename(String),
    /// Appends a note to a memory file.
    Note {
        file: std::path::PathBuf,
        text: String,
    },
    /// Inserts the image in the clipboard.
    PasteImage,
    /// Runs the status line command with these facts as input.
    StatusLine {
        command: String,
        facts: serde_json::Value,
    },
    Settings,
    /// Saves settings in a settings file. They take effect once they are saved.
    SettingIn(&'static str, serde_json::Value),
    ChangeRule {
        behavior: String,
        rule: String,
        source: String,
        add: bool,
        /// Index of the displayed kind of rules.
        kind: usize,
    },
    /// Shows the plan of this session.
    Plan,
    Agents,
    Hooks,
    /// Asks a side question that is not part of the conversation.
    Aside(String),
    /// Sets the thinking budget in tokens; `None` means no limit.
    Thinking(Option<u64>),
    /// Rewrites the last items.
    Reprint(usize),
    /// Opens a file in the user's editor.
    EditFile(std::path::PathBuf),
    /// Runs a command in the user's shell; its output is also sent to the model.
    Shell {
        id: usize,
        command: String,
        asks: bool,
    },
    /// Stops the running `!` commands.
    StopShells,
    /// Requests the end of the output of a running call.
    CallOutput {
        call: String,
        /// The task of the call, or the id of the call if no task is known.
        task: String,
    },
    /// Opens a text in the user's editor and returns the changed text.
    Edit {
        text: String,
        what: EditTarget,
    },
    Copy(String),
    /// Opens a URL in the browser.
    Open(String),
    /// Exports the conversation to a file.
    Export(String),
    Suspend,
    /// Notifies the user that an answer is required; contains the reason.
    Ring(String),
    Redraw,
    /// Switches the theme.
    SetTheme(crate::theme::Theme),
    /// Exits with this code.
    Leave(i32),
    /// Exits and starts the given session.
    StartNext(Next),
}

impl Act {
    /// True if the outcome opens a dialog.
    pub(crate) fn opens_dialog(&self) -> bool {
        matches!(
            self,
            Self::Models
                | Self::Servers
                | Self::Plugin(PluginAct::List | PluginAct::Stage(_) | PluginAct::AskRemoval(_))
                | Self::Rules
                | Self::Settings
                | Self::Agents
                | Self::Points
                | Self::Sessions { .. }
        )
    }
}

/// What the editor was opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditTarget {
    /// The draft in the composer.
    Draft,
    /// The new content of a file that a permission request is about.
    Input(RequestId),
    /// Viewing only; changes are discarded.
    Nothing,
}

/// The session that starts after this one ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A new session, optionally with a first prompt.
    Fresh { prompt: Option<String> },
    /// This session, or a fork of it.
    Resume { session: String, fork: bool },
    /// This session up to a message; the rest can be replaced with a summary.
    Rewind {
        session: String,
        before: String,
        told: Option<String>,
    },
    /// Signs in with another key or server, then resumes this session if it contains a turn.
    Login { session: Option<String> },
    /// Removes the saved key or server, then resumes this session if it contains a turn.
    Logout { session: Option<String> },
    /// This session, run by a bridge.
    Serve { session: Option<String> },
    /// This session, taken back from the bridge.
    Take,
}

/// The outcome of an act.
#[derive(Debug, Clone)]
pub enum ActOutcome {
    Models(Vec<ModelInfo>),
    Servers(Vec<McpServerStatus>),
    Plugins(Vec<PluginEntry>),
    /// A plugin that can be installed.
    PluginOffer(PluginOffer),
    /// The id of a plugin whose removal needs confirmation.
    PluginRemoval(String),
    Rules(Box<PermissionRulesState>),
    Context(Box<GetContextUsageResponse>),
    /// The model in use, as named by the agent.
    Model(String),
    Cost(Box<GetUsageResponse>),
    Files {
        query: String,
        found: Vec<String>,
    },
    /// Sessions, newest first: the first page or a later one.
    Sessions {
        sessions: Vec<sluice_host::sessions::SessionInfo>,
        everywhere: bool,
        first: bool,
    },
    /// The sessions that contain the searched text.
    FoundSessions {
        words: String,
        ids: Vec<String>,
    },
    /// The sign-in URL of an MCP server.
    SignIn {
        server: String,
        url: Option<String>,
    },
    /// The conversation was replaced with a summary.
    Summarised(Next),
    /// The editor was closed.
    Edited {
        text: Option<String>,
        what: EditTarget,
    },
    /// The whole conversation of this session, or of another one with its title.
    Transcript {
        items: Vec<sluice_host::items::Item>,
        title: Option<String>,
    },
    Points(Vec<super::Point>),
    /// The list of checkpoints, now with the changes each would undo; used if the dialog is still open.
    PointsAgain(Vec<super::Point>),
    /// Files were restored.
    Rewound {
        count: usize,
        then: Option<(Next, String)>,
    },
    /// The image from the clipboard, if it contains one.
    Image(Option<Vec<u8>>),
    StatusLine(String),
    /// The effort level of the model.
    Effort(Option<String>),
    /// Definition files of subagents, by agent name.
    AgentFiles(std::collections::HashMap<String, std::path::PathBuf>),
    Skills(Vec<sluice_wire::control::SlashCommand>),
    Settings(serde_json::Value),
    /// Settings were saved in this file.
    Saved {
        place: &'static str,
        settings: serde_json::Value,
    },
    /// Settings could not be saved; contains the reason.
    NotSaved(String),
    RulesOf(Box<PermissionRulesState>, usize),
    Agents(Vec<sluice_wire::control::AgentInfo>),
    Hooks(Vec<sluice_wire::control::HookListing>),
    /// Items to write to the history again.
    Reprint(Vec<sluice_host::items::Item>),
    /// Rows to write to the history.
    Rows(Vec<Row>),
    /// The output size of a background job.
    OutputSize {
        job: String,
        written: super::jobs::OutputSize,
    },
    /// A short message for the status line.
    Notice(String),
    /// A `!` command ended with this output. No exit code means it was stopped.
    Shell {
        id: usize,
        output: String,
        code: Option<i32>,
    },
    /// The end of the output of a running `!` command.
    ShellWrote {
        id: usize,
        tail: String,
    },
    /// The end of the output of a running call.
    CallWrote {
        call: String,
        tail: String,
    },
    Branch(Option<String>),
}
