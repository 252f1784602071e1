//! Parsing of slash commands.

use serde_json::Value;

use crate::catalogue::entry::is_name;

/// A parsed slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slash {
    pub(crate) name: String,
    /// The text after the name, trimmed.
    pub(crate) args: String,
}

impl Slash {
    /// Parses a prompt. A path (`/etc/hosts`) or a bare slash is not a command.
    pub(crate) fn read(content: &Value) -> Option<Self> {
        Self::parse(words(content)?)
    }

    /// Parses a text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let rest = text.trim().strip_prefix('/')?;
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (name, args) = rest.split_at_checked(end)?;
        is_name(name).then(|| Self {
            name: name.to_owned(),
            args: args.trim().to_owned(),
        })
    }
}

/// The text that the person typed: the last block of a prompt. Images and files come before it.
fn words(content: &Value) -> Option<&str> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(blocks) => blocks.last()?.get("text")?.as_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Option<(String, String)> {
        Slash::parse(text).map(|slash| (slash.name, slash.args))
    }

    #[test]
    fn command_name_and_arguments_are_parsed() {
        let expected = |name: &str, args: &str| Some((name.to_owned(), args.to_owned()));
        assert_eq!(read("/cost"), expected("cost", ""));
        assert_eq!(read("  /db:migrate  up now \n"), expected("db:migrate", "up now"));
        assert_eq!(read("/fix\nline two"), expected("fix", "line two"));
        assert_eq!(read("/mcp__srv__prompt a"), expected("mcp__srv__prompt", "a"));
    }

    #[test]
    fn paths_and_bare_slashes_are_not_commands() {
        for text in ["", "/", "/ cost", "/etc/hosts", "//x", "cost", "see /cost", "/a\"b"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn last_text_block_is_parsed() {
        let content = json!([{"type": "image"}, {"type": "text", "text": "/see it"}]);
        assert_eq!(Slash::read(&content).unwrap().name, "see");
        assert_eq!(Slash::read(&json!("/see")).unwrap().name, "see");
        assert_eq!(
            Slash::read(&json!([{"type": "text", "text": "/a"}, {"type": "image"}])),
            None
        );
    }
}
