//! Export of a session as text, as a page, or as JSON lines.

use std::collections::HashMap;

use serde_json::Value;

use crate::api::Problem;
use crate::body;
use crate::hub::Hub;

/// How much is read from the store at once.
const CHUNK: usize = 2 * 1024 * 1024;
/// How much of a body that is kept aside is taken along.
const BODY: usize = 1024 * 1024;

/// What is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Without {
    pub(crate) thinking: bool,
    pub(crate) results: bool,
    pub(crate) images: bool,
    pub(crate) secrets: bool,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Markdown,
    Html,
    Jsonl,
}

/// An export under way: asked for piece by piece, so that a long session costs no memory.
pub(crate) struct Export {
    hub: Hub,
    session: String,
    epoch: i64,
    title: String,
    folder: String,
    format: Format,
    without: Without,
    after: i64,
    state: Progress,
    names: HashMap<String, String>,
    /// How often something that looks like a secret was blacked out.
    pub(crate) redacted: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Begin,
    Middle,
    End,
}

impl Export {
    pub(crate) async fn begin(hub: Hub, session: &str, format: Format, without: Without) -> Result<Self, Problem> {
        let row = hub.row(session).await?;
        Ok(Self {
            title: row.title.clone().unwrap_or_else(|| "Session".to_owned()),
            folder: row.folder.clone(),
            session: session.to_owned(),
            epoch: row.epoch,
            hub,
            format,
            without,
            after: 0,
            state: Progress::Begin,
            names: HashMap::new(),
            redacted: 0,
        })
    }

    /// A name for the file.
    pub(crate) fn file_name(&self) -> String {
        let plain: String = self
            .title
            .chars()
            .map(|letter| {
                if letter.is_alphanumeric() || letter == '-' {
                    letter
                } else {
                    '-'
                }
            })
            .collect();
        let end = match self.format {
            Format::Markdown => "md",
            Format::Html => "html",
            Format::Jsonl => "jsonl",
        };
        format!("{}.{end}", body::cut(plain.trim_matches('-'), 60))
    }

    pub(crate) fn mime(&self) -> &'static str {
        match self.format {
            Format::Markdown => "text/markdown; charset=utf-8",
            Format::Html => "text/html; charset=utf-8",
            Format::Jsonl => "application/x-ndjson",
        }
    }

    /// The next piece; nothing when it is whole.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, Problem> {
        match self.state {
            Progress::Begin => {
                self.state = Progress::Middle;
                Ok(Some(self.head()))
            }
            Progress::Middle => self.middle().await.map(Some),
            Progress::End => Ok(None),
        }
    }

    fn head(&self) -> String {
        match self.format {
            Format::Markdown => format!("# {}\n\n`{}`\n", self.title, self.folder),
            Format::Html => format!(
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title><style>body{{font:15px/1.6 system-ui;max-width:48rem;margin:2rem auto;padding:0 1rem}}pre{{background:#ecf1f2;padding:.75rem;overflow:auto}}section{{border-left:2px solid #c0c9ca;padding-left:1rem;margin:1rem 0}}h2{{font-size:1rem}}</style><h1>{0}</h1><p><code>{1}</code></p>\n",
                html(&self.title),
                html(&self.folder)
            ),
            Format::Jsonl => String::new(),
        }
    }

    async fn middle(&mut self) -> Result<String, Problem> {
        let store = self.hub.shared.store.clone();
        let page = store
            .records_after(&self.session, self.epoch, self.after, 2000, CHUNK)
            .await?;
        let mut text = String::new();
        for record in &page.records {
            self.after = record.seq.unwrap_or(self.after);
            let mut value: Value = serde_json::from_str(&record.body).unwrap_or_default();
            self.fetch(&mut value).await;
            match self.format {
                Format::Jsonl => {
                    text.push_str(&value.to_string());
                    text.push('\n');
                }
                Format::Markdown | Format::Html => self.show(&value, &mut text),
            }
        }
        if !page.more {
            self.state = Progress::End;
            if self.format == Format::Html {
                text.push_str("</html>\n");
            }
        }
        if self.without.secrets {
            text = self.black_out(&text);
        }
        Ok(text)
    }

    /// Bodies that are kept aside are put back.
    async fn fetch(&self, value: &mut Value) {
        let mut places = Vec::new();
        find(value, &mut String::new(), &mut places);
        for place in places {
            let Some(reference) = value.pointer_mut(&place) else {
                continue;
            };
            let Some(hash) = body::reference(reference).map(str::to_owned) else {
                continue;
            };
            let text = reference
                .pointer("/$blob/mime")
                .and_then(Value::as_str)
                .is_some_and(|mime| mime.starts_with("text/"));
            let Ok(bytes) = tokio::fs::read(self.hub.shared.config.blob_path(&hash)).await else {
                continue;
            };
            *reference = match (text, self.without.images) {
                (true, _) => Value::from(body::cut(&String::from_utf8_lossy(&bytes), BODY)),
                (false, true) => Value::from(""),
                (false, false) => {
                    use base64::Engine as _;
                    Value::from(base64::engine::general_purpose::STANDARD.encode(bytes))
                }
            };
        }
    }

    fn show(&mut self, value: &Value, text: &mut String) {
        let field = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "sluice_prompt" if field("state") == "delivered" => self.part(text, "You", field("text"), false),
            "sluice_ask" => {
                let by = value.get("by").and_then(Value::as_str).unwrap_or("nobody");
                let line = format!("{} {} by {by}", field("toolName"), field("outcome"));
                self.part(text, "Decision", &line, false);
            }
            "sluice_note" => self.part(text, "Note", field("text"), false),
            "assistant" => {
                for block in value
                    .pointer("/message/content")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    self.block(block, text);
                }
            }
            "user" if !self.without.results => {
                for block in value
                    .pointer("/message/content")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                {
                    if block.get("type").and_then(Value::as_str) == Some("tool_result") {
                        let id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
                        let name = self.names.get(id).cloned().unwrap_or_default();
                        let content = words(block.get("content"));
                        self.part(text, &format!("Result {name}"), &content, true);
                    }
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, block: &Value, text: &mut String) {
        let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "text" => self.part(text, "Agent", field("text"), false),
            "thinking" if !self.without.thinking => self.part(text, "Thinking", field("thinking"), false),
            "tool_use" => {
                self.names.insert(field("id").to_owned(), field("name").to_owned());
                let input = block
                    .get("input")
                    .map(|input| serde_json::to_string_pretty(input).unwrap_or_default());
                self.part(
                    text,
                    &format!("Call {}", field("name")),
                    &input.unwrap_or_default(),
                    true,
                );
            }
            _ => {}
        }
    }

    fn part(&self, text: &mut String, who: &str, words: &str, code: bool) {
        if words.trim().is_empty() {
            return;
        }
        match (self.format, code) {
            (Format::Html, true) => {
                text.push_str(&format!(
                    "<section><h2>{}</h2><pre>{}</pre></section>\n",
                    html(who),
                    html(words)
                ));
            }
            (Format::Html, false) => {
                let words = html(words).replace('\n', "<br>");
                text.push_str(&format!("<section><h2>{}</h2><p>{words}</p></section>\n", html(who)));
            }
            (_, true) => {
                let fence = "`".repeat(longest_fence(words).max(2) + 1);
                text.push_str(&format!("\n**{who}**\n\n{fence}\n{words}\n{fence}\n"));
            }
            (_, false) => text.push_str(&format!("\n**{who}**\n\n{words}\n")),
        }
    }

    /// Words that look like keys are blacked out.
    fn black_out(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for piece in text.split_inclusive(|letter: char| letter.is_whitespace() || "\"'`<>=,;()".contains(letter)) {
            let word = piece.trim_end_matches(|letter: char| letter.is_whitespace() || "\"'`<>=,;()".contains(letter));
            if is_secret(word) {
                self.redacted += 1;
                out.push_str("█████");
                out.push_str(piece.get(word.len()..).unwrap_or_default());
            } else {
                out.push_str(piece);
            }
        }
        out
    }
}

/// Beginnings of what only keys begin with.
const KEYS: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "glpat-",
    "AIza",
    "eyJhbGci",
];

fn is_secret(word: &str) -> bool {
    let known = KEYS.iter().any(|key| word.starts_with(key)) && word.len() >= 16;
    let mixed = word.len() >= 32
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/_-".contains(&byte))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        && word.bytes().any(|byte| byte.is_ascii_lowercase())
        && !word.contains('/');
    known || mixed
}

fn find(value: &Value, at: &mut String, places: &mut Vec<String>) {
    if body::reference(value).is_some() {
        places.push(at.clone());
        return;
    }
    let length = at.len();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                at.push_str(&format!("/{index}"));
                find(item, at, places);
                at.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                find(field, at, places);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

fn words(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts = blocks
                .iter()
                .filter_map(|block| block.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn longest_fence(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::{is_secret, longest_fence};

    #[test]
    fn keys_are_told_from_words() {
        assert!(is_secret("sk-ant-api03-0123456789abcdef"));
        assert!(is_secret("ghp_0123456789abcdefghij"));
        assert!(is_secret("aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW"));
        assert!(!is_secret("crates/bridge/src/look/export.rs"));
        assert!(!is_secret("5c1d5a54-5d35-4d6f-9a3c-0d6a0a7f9a11"));
        assert_eq!(longest_fence("a ``` b"), 3);
    }
}
