//! Finds the intent of a prompt with regular expressions.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::{Captures, Regex};

/// The intents that the demo model knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Intent {
    Hello,
    Help,
    Thanks,
    Tour,
    List { folder: Option<String> },
    Read { file: String },
    Search { text: String },
    Note { text: String },
    Create { file: String, text: Option<String> },
    Edit { file: String, old: String, new: String },
    Run { command: String },
    Tests,
    Git { command: &'static str },
    ExplainFile { file: String },
    Explain { topic: String },
    Plan { goal: String },
    Think { about: String },
    AskMe,
    Show,
    Summary,
    Other,
}

/// Matches a word, or text in quotes or backticks.
const THING: &str = r#"(?:`([^`]+)`|"([^"]+)"|'([^']+)'|“([^”]+)”|(\S+?))"#;
/// The same, but a word without quotes must look like a file: it contains a dot or a slash.
const FILE: &str =
    r#"(?:`([^`]+)`|"([^"]+)"|'([^']+)'|“([^”]+)”|([\w~/.-]*[./][\w/.-]*\w/?|Makefile|Dockerfile|LICENSE|README))"#;
const GROUPS: usize = 5;

/// Returns the intent of a prompt.
pub(super) fn of(prompt: &str) -> Intent {
    let words = prompt.trim();
    let polite = matched(
        r"(?is)^(?:please|pls|could you|can you|would you|now)[,\s]+(.+?)[?.!]*$",
        words,
    );
    let words = polite
        .as_ref()
        .and_then(|found| found.get(1))
        .map_or(words, |rest| rest.as_str());
    let rules: [fn(&str) -> Option<Intent>; 5] = [talk, commands, files, reading, ideas];
    rules.iter().find_map(|rule| rule(words)).unwrap_or(Intent::Other)
}

fn talk(words: &str) -> Option<Intent> {
    let short = words.split_whitespace().count() <= 4;
    if words.len() > 120 && is(r"summar", words) && is(r"conversation", words) {
        return Some(Intent::Summary);
    }
    if short && is(r"^(?:hi|hello|hey|hallo|moin|good (?:morning|day|evening))\b", words) {
        return Some(Intent::Hello);
    }
    if is(
        r"^(?:help|\?|/help|what can (?:you|i) do|what do you do|who are you|how do you work)\b|^\?$",
        words,
    ) {
        return Some(Intent::Help);
    }
    if short && is(r"^(?:thanks|thank you|thx|great|nice|cool|bye|goodbye)\b", words) {
        return Some(Intent::Thanks);
    }
    is(r"\btour\b|^show me around|^demo$", words).then_some(Intent::Tour)
}

fn commands(words: &str) -> Option<Intent> {
    let run = format!(r"^(?:run|execute|start)\s+(?:the\s+)?(?:command\s+|shell command\s+)?{THING}$");
    if let Some(found) = matched(&run, words).filter(|_| words.contains(['`', '"', '\''])) {
        return Some(Intent::Run {
            command: group(&found, 0)?,
        });
    }
    if is(
        r"^(?:run|execute|start)\s+(?:all\s+)?(?:the\s+|my\s+|our\s+)?(?:unit\s+)?tests?\b|^tests?$|^do the tests pass",
        words,
    ) {
        return Some(Intent::Tests);
    }
    if let Some(found) = matched(r"(?s)^(?:[$!]\s*|(?:run|execute)\s+(?:the\s+command\s+)?)(.+)$", words) {
        return Some(Intent::Run {
            command: found.get(1)?.as_str().trim().to_owned(),
        });
    }
    if is(
        r"^(?:show\s+(?:me\s+)?)?(?:the\s+)?git log\b|^(?:what are )?the (?:last|latest) commits",
        words,
    ) {
        return Some(Intent::Git {
            command: "git log --oneline -n 10",
        });
    }
    if is(
        r"^(?:show\s+(?:me\s+)?)?(?:the\s+)?git diff\b|^show (?:me )?(?:the |my )?(?:diff|changes)",
        words,
    ) {
        return Some(Intent::Git {
            command: "git diff --stat",
        });
    }
    let status = is(
        r"^(?:show\s+(?:me\s+)?)?(?:the\s+)?git status\b|^what(?:'s| has| is)? changed",
        words,
    );
    status.then_some(Intent::Git {
        command: "git status --short --branch",
    })
}

fn files(words: &str) -> Option<Intent> {
    let edits = [
        (
            format!(r"(?s)^replace\s+{THING}\s+(?:with|by)\s+{THING}\s+in\s+(?:the\s+file\s+)?{FILE}\.?$"),
            [2, 0, 1],
        ),
        (
            format!(r"(?s)^in\s+{FILE},?\s+(?:replace|change)\s+{THING}\s+(?:with|by|to|into)\s+{THING}$"),
            [0, 1, 2],
        ),
        (
            format!(
                r"(?s)^(?:edit|change)\s+(?:the\s+file\s+)?{FILE}\s*[:,]?\s+(?:replace\s+|change\s+)?{THING}\s*(?:->|→|=>|to|with|by|into)\s*{THING}$"
            ),
            [0, 1, 2],
        ),
    ];
    for (rule, [file, old, new]) in &edits {
        if let Some(found) = matched(rule, words) {
            return Some(Intent::Edit {
                file: group(&found, *file)?,
                old: group(&found, *old)?,
                new: group(&found, *new)?,
            });
        }
    }
    let write = format!(r"(?s)^write\s+{THING}\s+(?:to|into|in)\s+(?:the\s+file\s+|a\s+file\s+)?{FILE}\.?$");
    if let Some(found) = matched(&write, words) {
        return Some(Intent::Create {
            file: group(&found, 1)?,
            text: group(&found, 0),
        });
    }
    let create = format!(
        r"(?s)^(?:create|write|make|add)\s+(?:me\s+)?(?:an?\s+)?(?:new\s+|empty\s+|small\s+)*(?:file\s+)?(?:called\s+|named\s+)?{FILE}(?:\s+file)?(?:\s*(?:with|containing|that says|which says|saying|:)\s*(?:the\s+)?(?:text|content|contents|words?)?\s*:?\s*(.+))?$"
    );
    if let Some(found) = matched(&create, words) {
        let text = found.get(GROUPS + 1).map(|text| unquoted(text.as_str()));
        return Some(Intent::Create {
            file: group(&found, 0)?,
            text,
        });
    }
    let note = r"(?s)^(?:(?:make|take|write|add|leave|create|save)\s+(?:me\s+)?(?:down\s+)?(?:an?\s+|this\s+)?(?:short\s+|little\s+|new\s+)?note|remember|note)\b\s*(?:down\b\s*)?(?:that\b|about\b|of\b|saying\b|to\b|:)?\s*:?\s*(.*)$";
    let found = matched(note, words)?;
    Some(Intent::Note {
        text: unquoted(found.get(1)?.as_str()),
    })
}

fn reading(words: &str) -> Option<Intent> {
    let explain = format!(
        r"^(?:explain|describe|summari[sz]e|what is in|what's in)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?{FILE}[?.]?$"
    );
    if let Some(found) = matched(&explain, words) {
        return Some(Intent::ExplainFile {
            file: group(&found, 0)?,
        });
    }
    let read =
        format!(r"^(?:read|show|open|cat|view|print|display|look at)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?{FILE}[?.]?$");
    if let Some(found) = matched(&read, words) {
        return Some(Intent::Read {
            file: group(&found, 0)?,
        });
    }
    let list = format!(
        r"^(?:ls|dir|(?:list|show|see|which|what)\b.*?\b(?:files?|folders?|director(?:y|ies)|is here|there))(?:\s+(?:are\s+)?(?:there\s+)?(?:in|of|under|below|at)\s+(?:the\s+)?(?:folder\s+|directory\s+)?{THING})?[?.]?$"
    );
    if let Some(found) = matched(&list, words) {
        let here = ["here", "this", "folder", "directory", "project", "my"];
        let folder = group(&found, 0).filter(|folder| !here.contains(&folder.as_str()));
        return Some(Intent::List { folder });
    }
    if is(
        r"^(?:list|show)\b.*\bfiles?\b|^what(?:'s| is) (?:in )?(?:here|this folder)",
        words,
    ) {
        return Some(Intent::List { folder: None });
    }
    let search = format!(
        r"^(?:search|grep|find|look|where is|where's)\s+(?:for\s+|up\s+)?(?:the\s+)?(?:text\s+|word\s+|all\s+)?(?:{THING}|(.+?))(?:\s+in\s+(?:the\s+|this\s+|my\s+)?(?:files|project|folder|code|here))?[?.]?$"
    );
    let found = matched(&search, words)?;
    let text = group(&found, 0).or_else(|| Some(found.get(GROUPS + 1)?.as_str().to_owned()))?;
    Some(Intent::Search { text })
}

fn ideas(words: &str) -> Option<Intent> {
    if is(r"\bask me\b|^(?:a\s+)?question", words) {
        return Some(Intent::AskMe);
    }
    if let Some(found) = matched(
        r"(?s)^(?:make\s+|write\s+|give\s+me\s+)?(?:a\s+|me\s+a\s+|my\s+|the\s+)?(?:plan|to-?do(?:s|\s+list)?|checklist|steps)\b\s*(?:for|to|of|how to|:)?\s*(.*?)[?.]?$",
        words,
    ) {
        return Some(Intent::Plan {
            goal: found.get(1)?.as_str().to_owned(),
        });
    }
    if let Some(found) = matched(r"(?s)^think\b\s*(?:about|of|hard|over|:)?\s*(.*?)[?.]?$", words) {
        return Some(Intent::Think {
            about: found.get(1)?.as_str().to_owned(),
        });
    }
    if is(
        r"^(?:show|stream|write|tell)\b.*\b(?:markdown|table|story|essay|something long|long answer|formatting)\b|^(?:markdown|long|stream)$",
        words,
    ) {
        return Some(Intent::Show);
    }
    let explain = r"(?s)^(?:explain|describe|tell me (?:more )?about|what (?:is|are)|what's|how (?:do|does|can|should|to)|why)\b\s*(?:i\s+|you\s+|me\s+|an?\s+|the\s+)*(.+?)[?.]?$";
    let found = matched(explain, words)?;
    Some(Intent::Explain {
        topic: found.get(1)?.as_str().to_owned(),
    })
}

fn is(rule: &str, words: &str) -> bool {
    matched(rule, words).is_some()
}

fn matched<'a>(rule: &str, words: &'a str) -> Option<Captures<'a>> {
    compiled(rule)?.captures(words)
}

/// Returns the compiled rule. Each rule is compiled only once, because most rules are checked for every reply.
fn compiled(rule: &str) -> Option<Regex> {
    static RULES: LazyLock<Mutex<HashMap<String, Regex>>> = LazyLock::new(Mutex::default);
    let mut rules = RULES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = rules.get(rule) {
        return Some(known.clone());
    }
    let new = Regex::new(&format!("(?i){rule}")).ok()?;
    rules.insert(rule.to_owned(), new.clone());
    Some(new)
}

/// Returns the `n`-th word or quoted text of a match.
fn group(found: &Captures<'_>, n: usize) -> Option<String> {
    let mut groups = (n * GROUPS + 1)..=((n + 1) * GROUPS);
    groups
        .find_map(|index| found.get(index))
        .map(|text| text.as_str().to_owned())
}

fn unquoted(words: &str) -> String {
    let words = words.trim();
    let pairs = [('`', '`'), ('"', '"'), ('\'', '\''), ('“', '”')];
    let bare = pairs
        .iter()
        .find_map(|(open, close)| words.strip_prefix(*open)?.strip_suffix(*close));
    bare.unwrap_or(words).to_owned()
}

#[cfg(test)]
#[path = "intent_tests.rs"]
mod tests;
