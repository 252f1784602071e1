//! Permission rules: their text and their source.

use std::path::PathBuf;

/// The behaviour of a rule: allow, ask or deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Behavior {
    /// Never. Nothing overrides it.
    Deny,
    /// Only after a permission request, even if another rule allows it.
    Ask,
    /// Without a question, where no other rule or check objects.
    Allow,
}

impl Behavior {
    /// The word used in settings and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

/// The source of a rule: a settings scope, a flag, the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Managed by an administrator.
    Policy,
    /// `--settings` and `apply_flag_settings`.
    Flag,
    /// `.claude/settings.local.json`.
    Local,
    /// `.claude/settings.json`.
    Project,
    /// `~/.claude/settings.json`.
    User,
    /// `--allowedTools`, `--disallowedTools`.
    CliArg,
    /// Given during the session, gone with it.
    Session,
    /// The front matter of a slash command or skill, for as long as it runs.
    Command,
    /// The policy that the host declares for a tool of an MCP server.
    Server,
}

impl Source {
    /// The word used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policy => "policySettings",
            Self::Flag => "flagSettings",
            Self::Local => "localSettings",
            Self::Project => "projectSettings",
            Self::User => "userSettings",
            Self::CliArg => "cliArg",
            Self::Session => "session",
            Self::Command => "command",
            Self::Server => "mcpServerPolicy",
        }
    }
}

/// One rule with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its behaviour.
    pub behavior: Behavior,
    /// Its source.
    pub source: Source,
    /// What `/x` patterns are relative to: the root of the settings file it came from.
    pub root: PathBuf,
    /// The tool it is about.
    pub tool: String,
    /// What of the tool; `None` for all of it.
    pub content: Option<String>,
}

impl Rule {
    /// A rule from its text.
    pub fn parse(behavior: Behavior, source: Source, root: impl Into<PathBuf>, text: &str) -> Result<Self, RuleError> {
        let (tool, content) = parse_rule(text)?;
        Ok(Self {
            behavior,
            source,
            root: root.into(),
            tool,
            content,
        })
    }

    /// Whether it is about the whole tool.
    #[must_use]
    pub fn whole(&self) -> bool {
        is_whole(self.content.as_deref())
    }

    /// Whether it covers everything below a folder.
    pub(crate) fn covers_below(&self) -> bool {
        self.content.as_deref().is_some_and(|content| content.ends_with("/**"))
    }

    /// The rule as it is written in settings.
    #[must_use]
    pub fn text(&self) -> String {
        print_rule(&self.tool, self.content.as_deref())
    }
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Nothing there.
    #[error("a rule needs the name of a tool")]
    Empty,
    /// `Bash(ls`.
    #[error("the rule `{0}` has no closing parenthesis")]
    Unclosed(String),
    /// `Bash)`, `Ba sh`, or a control character.
    #[error("`{0}` is not the name of a tool")]
    BadName(String),
}

pub(crate) fn is_whole(content: Option<&str>) -> bool {
    matches!(content, None | Some("" | "*" | ":*"))
}

/// Takes `Tool` or `Tool(content)` apart. `Tool()` and `Tool(*)` are the whole tool.
pub fn parse_rule(text: &str) -> Result<(String, Option<String>), RuleError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(RuleError::Empty);
    }
    let (name, content) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, Some(content)),
            None => return Err(RuleError::Unclosed(text.to_owned())),
        },
    };
    let name = name.trim_end();
    let fits = |c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, ')' | ',');
    if name.is_empty() || !name.chars().all(fits) {
        return Err(RuleError::BadName(name.to_owned()));
    }
    let content = content.filter(|content| !is_whole(Some(content)));
    Ok((name.to_owned(), content.map(str::to_owned)))
}

/// The text of a rule.
#[must_use]
pub fn print_rule(tool: &str, content: Option<&str>) -> String {
    match content {
        None => tool.to_owned(),
        Some(content) => format!("{tool}({content})"),
    }
}

/// Splits a list as command lines carry it, at commas and spaces, never inside parentheses.
#[must_use]
pub fn split_rules(list: &str) -> Vec<String> {
    let mut rules = Vec::new();
    let mut current = String::new();
    let mut depth = 0usize;
    let mut quote = None;
    for c in list.chars() {
        // Inside a rule quotes may hold a parenthesis: `Bash(echo ")")`.
        if depth > 0 {
            match (quote, c) {
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                (None, '"' | '\'') if closes_later(list, c) => quote = Some(c),
                (Some(open), _) if open == c => quote = None,
                _ => {}
            }
            current.push(c);
            continue;
        }
        match c {
            '(' => {
                depth = 1;
                current.push(c);
            }
            ',' => finish(&mut current, &mut rules),
            c if c.is_whitespace() => finish(&mut current, &mut rules),
            c => current.push(c),
        }
    }
    finish(&mut current, &mut rules);
    rules
}

/// A lone apostrophe is text, not a quote.
fn closes_later(list: &str, quote: char) -> bool {
    list.matches(quote).count().is_multiple_of(2)
}

fn finish(current: &mut String, rules: &mut Vec<String>) {
    if !current.is_empty() {
        rules.push(std::mem::take(current));
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
