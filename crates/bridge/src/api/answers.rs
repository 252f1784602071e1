//! Receipts: the `data` of each command.

use serde::{Deserialize, Serialize};

use serde_json::Value;
use sluice_host::items::{Item, ItemId};

use super::{Device, QueueState, Reach, SessionInfo};

/// `start`, `resume_session`, `fork`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Begun {
    pub session_id: String,
}

/// `input`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Accepted {
    pub session_id: String,
    pub uuid: String,
    pub state: QueueState,
}

/// `list_recent_sessions`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Sessions {
    pub sessions: Vec<SessionInfo>,
}

/// `items_before`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ItemPage {
    /// Whole turns, ordered by id.
    pub items: Vec<Item>,
    /// Whether there are older ones.
    pub more: bool,
}

/// `item_raw`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RawLines {
    /// The lines of the agent that the item was made from. Large bodies are `{"$blob": Blob}`.
    #[cfg_attr(feature = "types", ts(type = "JsonValue[]"))]
    pub lines: Vec<Value>,
}

/// `files`, `folders`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Paths {
    pub paths: Vec<PathInfo>,
    /// Folders used before, for `folders`.
    pub recent: Vec<PathInfo>,
}

/// One file or folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PathInfo {
    pub path: String,
    pub folder: bool,
    /// Which characters matched, for files.
    pub matched: Vec<u32>,
    /// Whether it is a git repository, for folders.
    pub git: bool,
    /// When it was last used, for recent folders.
    pub used: Option<i64>,
    /// What a server has to read, when it is no file: `path` is `server:uri` then.
    pub resource: Option<ResourceInfo>,
}

/// Whether a folder is trusted, and what it would bring into effect if it were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FolderTrust {
    /// The folder that the decision is about: inside a git repository its root.
    pub folder: String,
    pub trusted: bool,
    /// Empty for a trusted folder, and for one that brings nothing.
    pub held_back: Vec<HeldBack>,
}

/// What one file of an untrusted folder would bring into effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct HeldBack {
    /// The file, relative to the folder.
    pub file: String,
    /// The settings in it that do not apply: `hooks (Stop)`, `env (PATH)`, `permissions.allow (3)`.
    pub what: Vec<String>,
    /// The settings of the file, or the commands of its MCP servers.
    pub text: Option<String>,
}

/// A resource of an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResourceInfo {
    pub server: String,
    pub name: String,
    pub description: Option<String>,
}

/// `search`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SearchHits {
    pub hits: Vec<SearchHit>,
}

/// One hit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    pub session_id: String,
    pub title: Option<String>,
    pub project_path: String,
    /// Names the hit in `find_item`.
    pub record: i64,
    pub at: i64,
    /// `user`, `assistant` or `tool`.
    pub role: String,
    /// Text in pieces; every second one matched.
    pub snippet: Vec<String>,
}

/// `usage`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UsageTable {
    pub rows: Vec<UsageInfo>,
}

/// Cost and usage of one row.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UsageInfo {
    /// The day (`2026-11-15`), folder, model, session or turn.
    pub key: String,
    pub label: Option<String>,
    /// The model, when rows are split by it and it is known.
    pub model: Option<String>,
    pub cost: f64,
    pub turns: u64,
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub duration: u64,
}

/// `highlight`: lines of `[class, text]` runs; the class is one of `key type fn str num com` or empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Highlighted {
    pub lines: Vec<Vec<(String, String)>>,
}

/// `diff`, and each file of `changes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    pub path: String,
    pub kind: DiffKind,
    pub hunks: Vec<Hunk>,
    pub added: u32,
    pub removed: u32,
    /// Why there is none: the file is not there, the text was not found, it is too large.
    pub problem: Option<String>,
    pub lang: String,
}

/// A hunk: changed lines with some around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub old_start: u32,
    pub new_start: u32,
    pub lines: Vec<DiffLine>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// A blank, `+` or `-`.
    pub t: String,
    pub old: Option<u32>,
    pub new: Option<u32>,
    /// `[class, text, changed]`: colour of the code, the text, and whether these words changed.
    pub parts: Vec<(String, String, bool)>,
}

/// `changes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    pub files: Vec<Diff>,
}

/// `drift`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DriftLines {
    pub lines: Vec<DriftLine>,
}

/// A line that was not understood.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DriftLine {
    pub at: i64,
    /// The item of the line.
    pub item: Option<ItemId>,
    /// `type/subtype`, or `not JSON`.
    pub what: String,
    pub raw: String,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum DiffKind {
    New,
    Edit,
    Delete,
}

/// `timeline`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TimelineData {
    pub turns: Vec<TurnInfo>,
    /// Changes per slice.
    pub flow: Vec<u32>,
    /// Where the conversation was compacted or cleared.
    pub breaks: Vec<Break>,
    pub from: i64,
    pub to: i64,
}

/// A compaction or reset of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Break {
    pub at: i64,
    pub kind: BreakKind,
    pub item: ItemId,
}

/// Why the agent does not remember what came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum BreakKind {
    Compacted,
    Cleared,
}

/// One turn on the time line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TurnInfo {
    /// As in `Item.turn`.
    pub turn: u32,
    /// The first item of it.
    pub item: Option<ItemId>,
    pub began: i64,
    pub ended: Option<i64>,
    /// Nothing while it runs.
    pub end: Option<TurnResult>,
    pub cost: Option<f64>,
    /// From, to: when a person was waited for.
    pub waits: Vec<(i64, i64)>,
    pub origin: Option<String>,
    pub prompt: Option<String>,
}

/// How a turn ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TurnResult {
    Success,
    Error,
    Stopped,
    Died,
    Unreported,
}

impl TurnResult {
    /// Returns the word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Stopped => "stopped",
            Self::Died => "died",
            Self::Unreported => "unreported",
        }
    }
}

/// `find_item`: where a hit of a search is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct FoundItem {
    pub item: ItemId,
}

/// `devices`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Devices {
    pub devices: Vec<Device>,
}

/// `pair`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PairingCode {
    pub code: String,
    /// Addresses with the code in the fragment.
    pub urls: Vec<String>,
    pub expires_at: i64,
    /// The first address as a QR code: rows of `0` and `1`.
    pub qr: Vec<String>,
    pub reach: Reach,
}

/// `audit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    pub entries: Vec<AuditEntry>,
}

/// Who did what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    pub at: i64,
    pub device: String,
    pub name: String,
    pub action: String,
    pub session_id: Option<String>,
    pub detail: String,
}

/// `check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    pub ok: bool,
    pub message: String,
    pub hint: Option<String>,
}

/// `rewind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    pub can_rewind: bool,
    pub files: Vec<String>,
    pub insertions: Option<u64>,
    pub deletions: Option<u64>,
    pub error: Option<String>,
    /// The session that goes on from there, when the conversation was rewound too.
    pub session_id: Option<String>,
}

/// `export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Exported {
    pub url: String,
}

/// `status`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BridgeStatus {
    pub version: String,
    pub uptime: u64,
    pub sessions: u32,
    pub live: u32,
    pub clients: u32,
    pub store_bytes: u64,
    pub addresses: Vec<String>,
    pub state_folder: String,
    pub memory: u64,
}
