//! Items: the conversation as clients show it.
//!
//! An [`Item`] is one entry of the transcript: a prompt, a text, a tool call with its result, the end of a turn. The
//! [conversation](crate::conversation) projects each line of the agent into items once; a client renders them and needs
//! no knowledge of the protocol.
//!
//! ```text
//! line ─▶ conversation::step ─▶ ConversationState ─▶ item_changes(&mut ItemCursor) ─▶ client
//! ```
//!
//! Every change of an item gets a new revision, which is unique in the session and only increases. A client holds an
//! [`ItemCursor`] and asks for the changes since: changed items as a whole, the text that was appended to the items that
//! are being streamed, and the ids of removed items. A client that starts with an empty cursor gets all items.
//!
//! The list holds no text. A record points at the places in the agent's lines where the text of an item is, and the
//! text is decoded when a client asks for the item. So a streamed delta costs the same however long the text already is.
//!
//! What a tool call shows is a [`Card`], which is computed in one place. No client needs the name of a tool.

mod body;
mod call;
mod card;
mod cards;
mod changed;
mod file_card;
mod folder;
mod history;
mod item;
pub(crate) mod list;
mod millis;
mod partial;
pub(crate) mod pictures;
mod text;
mod turn;
mod view;

pub use body::{
    Command, Compaction, Delivery, FilesRewound, HookRun, HookStatus, ModelChange, ModelChangeReason, Notice,
    NoticeKind, NoticeLevel, Picture, PromptItem, PromptSource, RateLimit, RateLimitStatus, Request, RequestError,
    Retry, Sender, TaskEnd, Thinking,
};
pub use call::{CallResult, CallTask, Decider, Permission, PermissionOutcome, ToolCall};
pub use card::{
    Answer, Argument, ArgumentValue, Card, CardBody, Finding, Findings, Generic, Mcp, Plan, Question, Shell,
    ShellAction, Skill, Subagent, Subject, TaskLine, TaskStatus, Tasks, Verb, Web, WebFetch, WebHit, WebSearch,
};
pub use cards::task_title;
pub(crate) use cards::{changes_files, is_question, loads_text, runs_commands, tracks_tasks};
pub(crate) use changed::ChangedFiles;
pub use file_card::{
    CellEdit, CellKind, FileChange, FileRead, Hunk, Notebook, NotebookCell, ReadContent, Replacement, Search,
    SearchKind,
};
pub(crate) use folder::folder_after;
pub use history::of_messages;
pub use item::{Item, ItemBody, ItemChange, ItemCursor, ItemField, ItemId, ItemStatus};
pub use text::{Blob, Text};
pub use turn::{ExitCause, FileCount, OriginKind, ProcessChange, ProcessEnd, TurnEnd, TurnOrigin, TurnOutcome};
