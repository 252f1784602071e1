//! Acts: what the person wants done outside the screen, and the answers.

use sluice_wire::control::{
    CanUseToolResponse, ElicitationResponse, GetContextUsageResponse, GetUsageResponse, McpServerStatus, ModelInfo,
    PermissionRulesState, RequestId,
};
use sluice_wire::mode::PermissionMode;

use crate::plugins::{PluginAct, PluginEntry, PluginOffer};
use crate::text::Row;

/// An act: something that has to be done outside the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Hand in a prompt.
    Send {
        uuid: String,
        text: String,
        images: Vec<(String, String)>,
        at_once: bool,
    },
    /// Take back a prompt that waits.
    Withdraw(String),
    /// Stop the turn; `all` forgets what waits in the agent.
    Interrupt {
        all: bool,
    },
    /// Answer an ask about a call.
    Answer {
        ask: RequestId,
        response: CanUseToolResponse,
    },
    /// Answer a form.
    Fill {
        ask: RequestId,
        response: ElicitationResponse,
    },
    SetMode(PermissionMode),
    SetModel(Option<String>),
    /// How hard the model thinks, in this session.
    Effort(String),
    /// Another folder to work in, in this session.
    AddFolder(std::path::PathBuf),
    Skills,
    /// Ask the agent for something a picker shows.
    Models,
    Servers,
    /// Something with plugins.
    Plugin(PluginAct),
    Reconnect(String),
    Toggle(String, bool),
    Rules,
    Context,
    /// The model and the context, before the first turn says them.
    Learn,
    Cost,
    Files(String),
    /// The sessions of this folder, or of all.
    Sessions {
        everywhere: bool,
    },
    /// Those in which this was said.
    FindSessions {
        words: String,
        everywhere: bool,
    },
    /// What was said in one, for the pager.
    ReadSession {
        session: String,
        title: String,
    },
    RenameSession {
        session: String,
        title: String,
        everywhere: bool,
    },
    /// Sign in to a server.
    Authenticate(String),
    /// The changes since a prompt, for the pager.
    Changes {
        uuid: String,
        title: String,
    },
    /// Put a summary in the place of what was said from a prompt on, which comes after a message.
    Summarise {
        uuid: String,
        text: String,
        session: String,
        before: String,
    },
    /// Tell the agent something without asking it.
    Tell(String),
    /// Which branch is checked out.
    Branch,
    /// What differs in the work tree.
    Diff,
    StopTask(String),
    TaskOutput(String),
    /// How much a job has written.
    TaskSize(String),
    Background,
    /// All that was said, for the pager.
    Transcript,
    /// What one can go back to.
    Points,
    /// Put files back as they were before a prompt; then go back there too.
    RewindFiles {
        uuid: String,
        /// How many there are.
        count: usize,
        then: Option<(Next, String)>,
    },
    Rename(String),
    /// Keep a note in a memory file.
    Note {
        file: std::path::PathBuf,
        text: String,
    },
    /// A picture from the clipboard.
    PasteImage,
    /// Run the command that makes the status row, with this.
    StatusLine {
        command: String,
        facts: serde_json::Value,
    },
    Settings,
    /// Save settings in a settings file. They apply once that is done.
    SettingIn(&'static str, serde_json::Value),
    ChangeRule {
        behavior: String,
        rule: String,
        source: String,
        add: bool,
        /// Which kind is looked at.
        kind: usize,
    },
    /// The plan of this session.
    Plan,
    Agents,
    Hooks,
    /// Ask something beside the conversation.
    Aside(String),
    /// How much the model thinks; nothing is as much as it likes.
    Thinking(Option<u64>),
    /// Write the last items anew.
    Reprint(usize),
    /// A file for the person's editor.
    EditFile(std::path::PathBuf),
    /// A command for the person's own shell; its output goes to the model too.
    Shell {
        id: usize,
        command: String,
        asks: bool,
    },
    /// Stop the person's own commands that run.
    StopShells,
    /// The end of what a running call has printed.
    CallOutput {
        call: String,
        /// The task of the call, or the call itself where no task is known.
        task: String,
    },
    /// Text for the person's editor; what it says comes back.
    Edit {
        text: String,
        what: Edited,
    },
    Copy(String),
    /// An address for the person's browser.
    Open(String),
    /// Write the conversation into a file.
    Export(String),
    Suspend,
    /// Somebody waits for the person, and why.
    Ring(String),
    Redraw,
    /// Other colours.
    Dress(crate::theme::Theme),
    /// Leave, with this exit code.
    Leave(i32),
    /// Leave, and begin with something else.
    Again(Next),
}

impl Act {
    /// Whether a dialog comes of it.
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

/// What an editor was opened for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// The draft.
    Draft,
    /// The new text of a file an ask is about.
    Input(RequestId),
    /// Only to be read.
    Nothing,
}

/// The session that follows this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// A new session, perhaps with something to be done at once.
    Fresh { prompt: Option<String> },
    /// This one, or a copy of it.
    Resume { session: String, fork: bool },
    /// This one, up to a message; what came after it can be told in short.
    Rewind {
        session: String,
        before: String,
        told: Option<String>,
    },
    /// With another key or another server; then this session again, if it was begun.
    Login { session: Option<String> },
    /// Without the saved key or server; then this session again, if it was begun.
    Logout { session: Option<String> },
    /// This one, carried by a bridge.
    Serve { session: Option<String> },
    /// This one, which a bridge carries, here again.
    Take,
}

/// The result of an act.
#[derive(Debug, Clone)]
pub enum Told {
    Models(Vec<ModelInfo>),
    Servers(Vec<McpServerStatus>),
    Plugins(Vec<PluginEntry>),
    /// A plugin that can be installed now.
    PluginOffer(PluginOffer),
    /// The id of a plugin that is about to be removed.
    PluginRemoval(String),
    Rules(Box<PermissionRulesState>),
    Context(Box<GetContextUsageResponse>),
    /// The model that answers, as the agent names it.
    Model(String),
    Cost(Box<GetUsageResponse>),
    Files {
        query: String,
        found: Vec<String>,
    },
    /// Some sessions, newest first; the first ones, or more of them.
    Sessions {
        sessions: Vec<sluice_host::sessions::SessionInfo>,
        everywhere: bool,
        first: bool,
    },
    /// Something was said in these.
    FoundSessions {
        words: String,
        ids: Vec<String>,
    },
    /// Where to sign in to a server.
    SignIn {
        server: String,
        url: Option<String>,
    },
    /// The conversation since is replaced by a summary.
    Summarised(Next),
    /// An editor was closed.
    Edited {
        text: Option<String>,
        what: Edited,
    },
    /// All that was said, here or under another title.
    Transcript {
        items: Vec<sluice_host::items::Item>,
        title: Option<String>,
    },
    Points(Vec<super::Point>),
    /// The same list with what each would put back, for whoever still looks at it.
    PointsAgain(Vec<super::Point>),
    /// Files are as they were.
    Rewound {
        count: usize,
        then: Option<(Next, String)>,
    },
    /// A picture, or nothing when there was none.
    Picture(Option<Vec<u8>>),
    StatusLine(String),
    /// How hard the model thinks.
    Effort(Option<String>),
    /// The files subagents are written in, by name.
    AgentFiles(std::collections::HashMap<String, std::path::PathBuf>),
    Skills(Vec<sluice_wire::control::SlashCommand>),
    Settings(serde_json::Value),
    /// These settings were saved there.
    Saved {
        place: &'static str,
        settings: serde_json::Value,
    },
    /// Settings were not saved, and why.
    NotSaved(String),
    RulesOf(Box<PermissionRulesState>, usize),
    Agents(Vec<sluice_wire::control::AgentInfo>),
    Hooks(Vec<sluice_wire::control::HookListing>),
    /// Items to be written anew.
    Reprint(Vec<sluice_host::items::Item>),
    /// Rows to be committed.
    Rows(Vec<Row>),
    /// So much a job has written.
    Written {
        job: String,
        written: super::jobs::Written,
    },
    /// A few words for the status row.
    Notice(String),
    /// A `!` command ended, with all it printed. Without an exit code it was stopped.
    Shell {
        id: usize,
        output: String,
        code: Option<i32>,
    },
    /// The end of what a running `!` command has printed.
    ShellWrote {
        id: usize,
        tail: String,
    },
    /// The end of what a running call has printed.
    CallWrote {
        call: String,
        tail: String,
    },
    Branch(Option<String>),
}
