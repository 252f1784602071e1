//! Matchers: select the events for which a hook runs, by the matcher of its group and its condition (`if`).

use std::path::Path;

use regex::Regex;
use serde_json::Value;
use sluice_permission::{
    Behavior, Call, Key, Lexical, Policy, Rule, Source, ToolFacts, Touches, Verdict, decide, names, shell,
};

/// The matcher of a group of hooks.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// Matches everything.
    All,
    /// Matches one of these names.
    Names(Vec<String>),
    /// Matches a pattern anywhere in the name.
    Pattern(Box<Regex>),
    /// An invalid pattern, which matches everything: a hook that runs too often is noticed, but a protecting hook that
    /// never runs is not.
    Broken,
}

impl Matcher {
    /// Parses a matcher. Also returns its problem, if there is one.
    pub fn read(text: Option<&str>) -> (Self, Option<String>) {
        let text = text.unwrap_or_default().trim();
        if matches!(text, "" | "*") {
            return (Self::All, None);
        }
        let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ' ' | ',' | '|');
        if text.chars().all(plain) {
            let names = text.split([',', '|']).map(str::trim).filter(|name| !name.is_empty());
            return (Self::Names(names.map(str::to_owned).collect()), None);
        }
        match Regex::new(text) {
            Ok(pattern) => (Self::Pattern(Box::new(pattern)), None),
            Err(error) => {
                let why = format!(
                    "the matcher {text:?} is not a valid regular expression, so the hook runs for everything: {error}"
                );
                (Self::Broken, Some(why))
            }
        }
    }

    /// Parses a matcher of the `FileChanged` event: literal names of files to watch, separated by `|`.
    pub fn files(text: Option<&str>) -> Self {
        let names = text.unwrap_or_default().split('|').map(str::trim);
        let names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match names.as_slice() {
            [] => Self::All,
            [all] if all == "*" => Self::All,
            _ => Self::Names(names),
        }
    }

    /// Whether the matcher matches. `None` is an event without a subject, which always matches.
    pub fn meets(&self, subject: Option<&str>) -> bool {
        let Some(subject) = subject else { return true };
        let named = |name: &str| match self {
            Self::All | Self::Broken => true,
            // For a watched file, the subject is only the file name.
            Self::Names(names) => names.iter().any(|known| known.rsplit('/').next() == Some(name)),
            Self::Pattern(pattern) => pattern.is_match(name),
        };
        named(subject) || other_name(subject).is_some_and(named)
    }

    /// Returns the listed names, which are the files to watch for `FileChanged`.
    pub fn names(&self) -> &[String] {
        match self {
            Self::Names(names) => names,
            Self::All | Self::Pattern(_) | Self::Broken => &[],
        }
    }
}

/// Returns the other name of a tool that has two names.
fn other_name(tool: &str) -> Option<&'static str> {
    match tool {
        names::AGENT => Some(names::TASK),
        names::TASK => Some(names::AGENT),
        _ => None,
    }
}

/// A condition in the syntax of a permission rule: `Bash(git push *)`.
#[derive(Debug, Clone)]
pub struct Condition {
    policy: Policy,
}

impl Condition {
    /// Parses a condition.
    pub fn read(text: &str, root: &Path, home: &Path) -> Result<Self, String> {
        let rule = Rule::parse(Behavior::Deny, Source::Session, root, text).map_err(|error| error.to_string())?;
        let mut policy = Policy::new(root.to_owned(), home.to_owned());
        policy.rules = vec![rule];
        Ok(Self { policy })
    }

    /// Whether the condition matches a call. If that cannot be determined it matches, because running a check too often
    /// is harmless.
    pub fn meets(&self, tool: ToolFacts<'_>, input: &Value, cwd: &Path) -> bool {
        let denied = decide(&self.policy, &Call::new(tool, input, cwd), &Lexical).behavior == Verdict::Deny;
        let unclear = || match tool.touches {
            Touches::Shell { command, .. } => self.mentions_tool(names::BASH) && unclear(input, command),
            _ => false,
        };
        denied || unclear()
    }

    fn mentions_tool(&self, tool: &str) -> bool {
        self.policy.rules.iter().any(|rule| rule.tool == tool)
    }
}

fn unclear(input: &Value, key: Key) -> bool {
    let command = input.get(key).and_then(Value::as_str).unwrap_or_default();
    let analysis = shell::analyse(command);
    !analysis.problems.is_empty() || !analysis.soft.is_empty()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn files_to_watch_are_literal_names() {
        let matcher = Matcher::files(Some(".env | conf/app.toml"));
        assert_eq!(matcher.names(), [".env", "conf/app.toml"]);
        for (name, meets) in [(".env", true), ("app.toml", true), ("xenv", false)] {
            assert_eq!(matcher.meets(Some(name)), meets, "{name}");
        }
        assert!(Matcher::files(Some("*")).meets(Some("any")) && Matcher::files(None).names().is_empty());
    }

    #[test]
    fn names_match_completely_and_patterns_anywhere() {
        for (matcher, tool, meets) in [
            ("", "Bash", true),
            ("*", "Bash", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("Edit|Write", "Write", true),
            ("Edit, Write", "Write", true),
            ("edit", "Edit", false),
            ("mcp__memory__.*", "mcp__memory__add", true),
            ("mcp__memory__.*", "mcp__other__add", false),
            ("^Note", "NotebookEdit", true),
            ("Task", "Agent", true),
            ("(", "Bash", true),
        ] {
            assert_eq!(
                Matcher::read(Some(matcher)).0.meets(Some(tool)),
                meets,
                "{matcher} {tool}"
            );
        }
        assert!(Matcher::read(Some("Bash")).0.meets(None));
        assert!(Matcher::read(Some("(")).1.is_some());
    }

    #[test]
    fn a_condition_is_checked_against_the_call() {
        let condition = |text: &str| Condition::read(text, Path::new("/p"), Path::new("/h")).unwrap();
        let bash = |command: &str| json!({"command": command});
        let push = condition("Bash(git push *)");
        for (command, meets) in [
            ("git push origin", true),
            ("git status", false),
            ("ls && git push -f", true),
            ("FOO=1 git push", true),
            // It is unknown what this command runs.
            ("$(cat x)", true),
        ] {
            assert_eq!(
                push.meets(ToolFacts::command("command"), &bash(command), Path::new("/p")),
                meets,
                "{command}"
            );
        }
        assert!(!push.meets(
            ToolFacts::reading("file_path"),
            &json!({"file_path": "/p/x"}),
            Path::new("/p")
        ));
        let file = condition("Edit(*.rs)");
        let edit = ToolFacts {
            touches: Touches::Edits { path: "file_path" },
            ..ToolFacts::unknown("Edit")
        };
        assert!(file.meets(edit, &json!({"file_path": "/p/src/a.rs"}), Path::new("/p")));
        assert!(!file.meets(edit, &json!({"file_path": "/p/src/a.txt"}), Path::new("/p")));
        assert!(Condition::read("Bash(", Path::new("/p"), Path::new("/h")).is_err());
    }
}
