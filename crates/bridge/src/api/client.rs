//! Messages of clients.

use serde::Deserialize;
use serde_json::Value;

use sluice_host::items::ItemId;

use super::{AnswerAsk, GitStep, Hello, Input, LineCursor, Scope, Start};

/// One message of a client: `type` names it, the rest are its fields. Commands of level 1 carry an `id` besides, and get
/// a `receipt` for it; the same `id` again gets the same receipt and has no second effect.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ClientMessage {
    // Level 1 begins with this; a client that never says it speaks level 0.
    Hello(Hello),
    /// Asks for a `pong`.
    Ping {},
    /// Answers a `ping` of the server.
    Pong {},

    // Sessions.
    /// Begins a session in a folder, or goes on with one.
    Start(Start),
    /// Goes on with a session of ours or of another program.
    ResumeSession {
        session_id: String,
        #[serde(default)]
        project_path: Option<String>,
        #[serde(default)]
        permission_mode: Option<String>,
    },
    /// Ends the agent. The session stays and can be resumed.
    StopSession {
        session_id: String,
    },
    /// The sessions that live.
    ListSessions {},
    /// All sessions, newest first, also those of other programs.
    ListRecentSessions {
        #[serde(default)]
        limit: Option<u32>,
        #[serde(default)]
        project_path: Option<String>,
        #[serde(default)]
        archived: Option<bool>,
    },
    /// Level 0: the last turns of a session, and from then on its messages. With `before` (from the answer) the turns
    /// before those.
    GetHistory {
        session_id: String,
        #[serde(default)]
        before: Option<i64>,
    },

    /// Level 0: the messages of the records after `sinceSeq`.
    GetHistoryDelta {
        session_id: String,
        since_seq: i64,
    },
    /// Level 0: what the client understands. Nothing depends on it.
    ClientCapabilities {},

    // Listening, level 1.
    /// From now on the items of this session: those that changed since the revision, or the last turns.
    Subscribe {
        session_id: String,
        /// `revision` of the last `caught_up` or `items`; missing if the client has nothing.
        #[serde(default)]
        revision: Option<u64>,
        /// The maximum number of turns of a reset; 20.
        #[serde(default)]
        turns: Option<u32>,
    },
    /// No longer.
    Unsubscribe {
        session_id: String,
    },
    /// From now on the lines of the agent, for a client that is itself a host of the protocol.
    FollowLines {
        session_id: String,
        /// The last line that the client has.
        #[serde(default)]
        after: Option<LineCursor>,
        /// Without it, or if it is too old: how many turns it gets; 1.
        #[serde(default)]
        turns: Option<u32>,
    },
    /// Items before this one, whole turns.
    ItemsBefore {
        session_id: String,
        before: ItemId,
        /// The maximum number of turns; 20.
        #[serde(default)]
        turns: Option<u32>,
    },
    /// The lines of the agent that an item was made from.
    ItemRaw {
        session_id: String,
        item: ItemId,
    },
    /// The item of a hit of a search.
    FindItem {
        session_id: String,
        record: i64,
    },

    // Prompts.
    /// A prompt. While a turn runs it is queued; `steer` sends it into the running turn.
    Input(Input),
    /// Changes a prompt that waits.
    Edit {
        #[serde(default)]
        session_id: Option<String>,
        uuid: String,
        text: String,
    },
    /// Moves a prompt that waits before another one, or to the end.
    Reorder {
        #[serde(default)]
        session_id: Option<String>,
        uuid: String,
        #[serde(default)]
        before: Option<String>,
    },
    /// Sends a prompt that waits into the running turn.
    SendNow {
        #[serde(default)]
        session_id: Option<String>,
        uuid: String,
    },
    /// Takes a prompt back that has not begun.
    TakeBack {
        #[serde(default)]
        session_id: Option<String>,
        uuid: String,
    },
    /// Stops the turn; `all` also forgets what waits inside the agent.
    Interrupt {
        #[serde(default)]
        session_id: Option<String>,
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        all: bool,
        /// Prompts that wait at the bridge are held: they are sent after `release_queue`.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        hold: bool,
    },
    /// Sends held prompts again as the agent becomes free.
    ReleaseQueue {
        #[serde(default)]
        session_id: Option<String>,
    },

    // Asks.
    /// Allows a call once. `id` is its `toolUseId` or the ask's request id.
    Approve {
        id: String,
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Allows it and adds the suggested rule for this session.
    ApproveAlways {
        id: String,
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Denies it.
    Reject {
        id: String,
        #[serde(default)]
        message: Option<String>,
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        interrupt: bool,
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Answers an `AskUserQuestion`: a string for one question, or a map from question to answer.
    Answer {
        tool_use_id: String,
        result: Value,
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Answers an ask of any kind, with everything an answer can hold.
    AnswerAsk(AnswerAsk),

    // The agent.
    SetModel {
        #[serde(default)]
        session_id: Option<String>,
        /// Nothing goes back to the default.
        #[serde(default)]
        model: Option<String>,
    },
    SetPermissionMode {
        #[serde(default)]
        session_id: Option<String>,
        mode: String,
    },
    SetThinking {
        #[serde(default)]
        session_id: Option<String>,
        /// How many tokens at most; nothing lifts the limit.
        #[serde(default)]
        tokens: Option<u64>,
    },
    SetEffort {
        #[serde(default)]
        session_id: Option<String>,
        effort: String,
    },
    McpStatus {
        #[serde(default)]
        session_id: Option<String>,
    },
    McpReconnect {
        #[serde(default)]
        session_id: Option<String>,
        server: String,
    },
    McpToggle {
        #[serde(default)]
        session_id: Option<String>,
        server: String,
        enabled: bool,
    },
    McpAuthenticate {
        #[serde(default)]
        session_id: Option<String>,
        server: String,
    },
    StopTask {
        #[serde(default)]
        session_id: Option<String>,
        task: String,
    },
    TaskOutput {
        #[serde(default)]
        session_id: Option<String>,
        task: String,
    },
    /// Moves a running call, or all of them, to the background.
    Background {
        #[serde(default)]
        session_id: Option<String>,
        #[serde(default)]
        tool_use_id: Option<String>,
    },
    ContextUsage {
        #[serde(default)]
        session_id: Option<String>,
    },
    /// The settings that hold in a session, and where they come from.
    Settings {
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Writes a setting: `source` is `userSettings` or `localSettings`, `value` null takes the key back.
    SetSetting {
        #[serde(default)]
        session_id: Option<String>,
        source: String,
        settings: Value,
    },
    /// The permission rules that hold.
    Rules {
        #[serde(default)]
        session_id: Option<String>,
    },
    /// Adds or removes a rule.
    ChangeRule {
        #[serde(default)]
        session_id: Option<String>,
        /// `add` or `remove`.
        op: String,
        /// `allow`, `ask` or `deny`.
        behavior: String,
        /// As in a settings file: `Bash(cargo test:*)`.
        rule: String,
        /// `session`, `localSettings`, `projectSettings` or `userSettings`.
        destination: String,
    },
    Hooks {
        #[serde(default)]
        session_id: Option<String>,
    },

    // Sessions as things.
    /// A new session that goes on from this one, up to a prompt when one is named.
    Fork {
        session_id: String,
        #[serde(default)]
        at: Option<String>,
    },
    /// Goes back to before a prompt. With `dryRun` only says what that would change.
    Rewind {
        session_id: String,
        prompt: String,
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        dry_run: bool,
        /// Puts files back.
        #[serde(default = "yes")]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        files: bool,
        /// Goes on from there; without it only files are put back.
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        conversation: bool,
    },
    Rename {
        session_id: String,
        title: String,
    },
    Archive {
        session_id: String,
        archived: bool,
    },
    Delete {
        session_id: String,
    },
    /// Where to fetch an export: `md`, `html` or `jsonl`.
    Export {
        session_id: String,
        format: String,
    },

    // Looking.
    /// Files of a session's folder, or of `folder`, that match.
    Files {
        #[serde(default)]
        session_id: Option<String>,
        #[serde(default)]
        folder: Option<String>,
        query: String,
        #[serde(default)]
        limit: Option<u32>,
    },
    /// Recent folders, and folders whose path begins so.
    Folders {
        #[serde(default)]
        prefix: Option<String>,
    },
    /// Whether a folder is trusted, and what it would bring into effect if it were.
    FolderTrust {
        path: String,
    },
    /// Trusts a folder. Agents that start later apply its settings.
    TrustFolder {
        path: String,
    },
    /// Everything said, all sessions.
    Search {
        text: String,
        #[serde(default)]
        session_id: Option<String>,
        #[serde(default)]
        limit: Option<u32>,
    },
    /// What was spent: `by` is `turn`, `session`, `day`, `folder` or `model`.
    Usage {
        by: String,
        /// `model`: a row for each model of each of them.
        #[serde(default)]
        split: Option<String>,
        #[serde(default)]
        session_id: Option<String>,
        /// Milliseconds since 1970.
        #[serde(default)]
        from: Option<i64>,
        #[serde(default)]
        to: Option<i64>,
    },
    /// Code with colours.
    Highlight {
        /// A language, or a file name.
        lang: String,
        text: String,
    },
    /// The difference a call made or would make.
    Diff {
        session_id: String,
        tool_use_id: String,
        /// With another input than the one the agent asked with.
        #[serde(default)]
        input: Option<Value>,
    },
    /// All changes of a session as differences, one a file.
    Changes {
        session_id: String,
        /// Only those of this turn.
        #[serde(default)]
        turn: Option<i64>,
    },
    /// What the agent said that was not understood, with the raw lines.
    Drift {
        session_id: String,
    },
    /// What happened when: turns, waits, errors, for a time line.
    Timeline {
        session_id: String,
    },

    // The folder of a session.
    /// The files that differ from the last commit, including changes made by commands.
    WorkingTree {
        session_id: String,
    },
    /// Makes one step in git. With `dryRun` only returns the commands.
    Git {
        session_id: String,
        step: GitStep,
        #[serde(default)]
        #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
        dry_run: bool,
    },
    /// The entries of a folder; `path` is relative to the folder of the session.
    Folder {
        session_id: String,
        path: String,
    },
    /// The content of a file, highlighted.
    File {
        session_id: String,
        path: String,
    },
    /// The prompt templates of the person.
    Templates {},
    /// Writes a template. `was`: its name before, if it is renamed.
    SaveTemplate {
        name: String,
        text: String,
        #[serde(default)]
        was: Option<String>,
    },
    DeleteTemplate {
        name: String,
    },

    // The bridge.
    Devices {},
    Revoke {
        device: String,
    },
    /// A new pairing code.
    Pair {
        #[serde(default)]
        scope: Option<Scope>,
    },
    /// Who decided what, newest first.
    Audit {
        #[serde(default)]
        before: Option<i64>,
    },
    /// Whether an agent, a key or a model server works: `agent`, `key` or `server`.
    Check {
        what: String,
        #[serde(default)]
        value: Option<String>,
    },
    /// How the bridge itself stands.
    Status {},
}

fn yes() -> bool {
    true
}
