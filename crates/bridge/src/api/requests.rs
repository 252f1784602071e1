//! The larger messages of clients: greeting, start of a session, prompt, answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// `hello`: the first message of a client of level 1.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The version of the API: 2.
    pub version: u32,
    /// What the client calls itself.
    pub client: String,
    /// The build of the page. A page of another build is asked to reload.
    #[serde(default)]
    pub build: Option<String>,
    /// Optional features that the client supports.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Vec<String>>"))]
    pub capabilities: Vec<String>,
    /// The last revision that the client has, by session. These sessions are subscribed to at once.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<BTreeMap<String, u64>>"))]
    pub revisions: BTreeMap<String, u64>,
}

/// Begins a session.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// The folder.
    pub project_path: String,
    /// Goes on with this session, ours or the agent's.
    #[serde(default)]
    pub session_id: Option<String>,
    /// Goes on with the newest one of the folder.
    #[serde(default, rename = "continue")]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub continue_: bool,
    #[serde(default)]
    pub permission_mode: Option<String>,
    #[serde(default)]
    pub model: Option<String>,
    #[serde(default)]
    pub effort: Option<String>,
    /// One of `welcome.agents`.
    #[serde(default)]
    pub agent: Option<String>,
    /// In a fresh git worktree of the folder.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub worktree: bool,
    #[serde(default)]
    pub title: Option<String>,
    /// The first prompt.
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Vec<Image>>"))]
    pub images: Vec<Image>,
}

/// A prompt.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Input {
    pub text: String,
    #[serde(default)]
    pub session_id: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Vec<Image>>"))]
    pub images: Vec<Image>,
    /// Made by the client; the same one twice is the same prompt.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Level 0: an id of the client's own, which `input_ack` repeats.
    #[serde(default)]
    pub client_message_id: Option<String>,
    /// Into the running turn, instead of after it.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub steer: bool,
}

/// An image: uploaded before (`hash`), or in line (`data`, base64).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct Image {
    #[serde(default)]
    pub hash: Option<String>,
    #[serde(default, alias = "base64")]
    pub data: Option<String>,
    #[serde(default)]
    pub mime_type: Option<String>,
}

/// Answers an ask.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "types", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct AnswerAsk {
    /// The ask's request id, or the id of its call.
    pub ask: String,
    #[serde(default)]
    pub session_id: Option<String>,
    /// `allow` or `deny`; for a form `accept`, `decline` or `cancel`.
    pub decision: String,
    /// The call runs with this input instead.
    #[serde(default)]
    pub updated_input: Option<Value>,
    /// Which of the ask's suggestions are accepted, by their place.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<Vec<u32>>"))]
    pub suggestions: Vec<u32>,
    /// A rule of one's own instead, as in a settings file.
    #[serde(default)]
    pub rule: Option<String>,
    /// Where the accepted rules are kept, when not where the suggestion says.
    #[serde(default)]
    pub destination: Option<String>,
    /// The permission mode in which the session continues, for a plan.
    #[serde(default)]
    pub mode: Option<String>,
    /// What the model reads when it is denied.
    #[serde(default)]
    pub message: Option<String>,
    /// Denied, and the turn is stopped.
    #[serde(default)]
    #[cfg_attr(feature = "types", ts(as = "Option<bool>"))]
    pub interrupt: bool,
    /// The answers to questions, from question to answer.
    #[serde(default)]
    pub answers: Option<Value>,
    /// What a form holds.
    #[serde(default)]
    pub content: Option<Value>,
}
