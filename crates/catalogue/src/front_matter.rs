//! Front matter: the fields between two `---` lines at the top of a slash command, a skill, an agent definition or an
//! output style.
//!
//! It is written by hand and often not valid YAML (`description: Note: do this`). Then the fields that can be parsed
//! line by line are used, and the problem is reported.

use serde_json::{Map, Value};

/// Maximum size of front matter, in bytes.
pub const LARGEST: usize = 64 * 1024;
/// Maximum nesting: the cost of YAML parsing grows with the number of open brackets.
const MAX_DEPTH: usize = 64;

/// The fields of a file's front matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    fields: Map<String, Value>,
    /// A message for the user if it could not be parsed completely.
    pub problem: Option<String>,
}

/// A file split into front matter and body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The lines between the delimiters; `None` if the file has no front matter.
    pub head: Option<&'a str>,
    /// The rest of the file.
    pub body: &'a str,
}

/// Splits a file at the delimiters. Without a closing delimiter everything is body.
pub fn cut(text: &str) -> Cut<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = Cut { head: None, body: text };
    let Some(first) = text.split_inclusive('\n').next().filter(|line| is_delimiter(line)) else {
        return whole;
    };
    let mut at = first.len();
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        if is_delimiter(line) {
            return Cut {
                head: text.get(first.len()..at),
                body: text.get(at + line.len()..).unwrap_or_default(),
            };
        }
        at += line.len();
    }
    whole
}

/// Returns the maximum nesting of brackets.
fn depth(head: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for letter in head.bytes() {
        match letter {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Parses the front matter of a file. Also returns the rest of the file.
pub fn read(text: &str) -> (FrontMatter, &str) {
    let cut = cut(text);
    (cut.head.map(FrontMatter::parse).unwrap_or_default(), cut.body)
}

impl FrontMatter {
    /// Creates front matter from JSON fields.
    pub fn of(fields: Map<String, Value>) -> Self {
        Self { fields, problem: None }
    }

    /// Parses the lines between the delimiters.
    pub fn parse(head: &str) -> Self {
        if head.len() > LARGEST {
            return Self::by_lines(head, "the front matter is longer than 64 KiB".to_owned());
        }
        if head.trim().is_empty() {
            return Self::default();
        }
        if let Some(fields) = plain(head) {
            return Self::of(fields);
        }
        if depth(head) > MAX_DEPTH {
            return Self::by_lines(head, "the front matter is nested too deeply".to_owned());
        }
        Self::by_yaml(head)
    }

    fn by_yaml(head: &str) -> Self {
        match yaml_serde::from_str::<yaml_serde::Value>(head) {
            Ok(yaml_serde::Value::Null) => Self::default(),
            Ok(yaml_serde::Value::Mapping(mapping)) => Self {
                fields: mapping
                    .into_iter()
                    .filter_map(|(key, value)| Some((text_of(&json(key))?, json(value))))
                    .collect(),
                problem: None,
            },
            Ok(_) => Self::by_lines(head, "the front matter is not a list of `key: value` lines".to_owned()),
            Err(error) => Self::by_lines(head, format!("the front matter is not valid YAML: {error}")),
        }
    }

    /// Parses all lines of the form `key: value` and the items of simple lists. If these are all lines
    /// (`argument-hint: [a] [b]`, `description: Note: this`), no problem is reported.
    fn by_lines(head: &str, problem: String) -> Self {
        let mut fields = Map::new();
        let mut open: Option<String> = None;
        let mut clear = head.len() <= LARGEST;
        for line in head.lines().take(1000) {
            if let Some(item) = line.trim_start().strip_prefix("- ")
                && let Some(Value::Array(items)) = open.as_ref().and_then(|key| fields.get_mut(key))
            {
                items.push(scalar(item));
                continue;
            }
            open = None;
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            let field = line
                .split_once(':')
                .filter(|(key, _)| !key.is_empty() && key.chars().all(plain));
            let Some((key, value)) = field else {
                clear &= line.trim().is_empty() || line.trim_start().starts_with('#');
                continue;
            };
            clear &= is_closed(value);
            if value.trim().is_empty() {
                fields.insert(key.to_owned(), Value::Array(Vec::new()));
                open = Some(key.to_owned());
            } else {
                fields.insert(key.to_owned(), scalar(value));
            }
        }
        Self {
            fields,
            problem: (!clear).then_some(problem),
        }
    }

    /// Returns the value of a key, of any type.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Returns the value of a key as text. Numbers and booleans are converted to text.
    pub fn text(&self, key: &str) -> Option<String> {
        text_of(self.get(key)?)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    /// Returns the value of a key as a boolean.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Some(true),
                "false" | "no" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the value of a key as a number.
    #[allow(dead_code, reason = "only agent definitions contain numbers")]
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns the value of a key as a list: a YAML list, or one line with commas. A comma inside parentheses does not
    /// separate, so `Bash(a, b), Read` is two items. `None` means that the key is absent.
    pub fn list(&self, key: &str) -> Option<Vec<String>> {
        match self.get(key)? {
            Value::Array(items) => Some(
                items
                    .iter()
                    .filter_map(text_of)
                    .flat_map(|item| items_of(&item))
                    .collect(),
            ),
            other => text_of(other).map(|text| items_of(&text)),
        }
    }

    /// Returns the value of a key as words: a YAML list, or one line with spaces or commas.
    pub fn words(&self, key: &str) -> Option<Vec<String>> {
        let split = |text: &str| -> Vec<String> {
            text.split(|c: char| c == ',' || c.is_whitespace())
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        match self.get(key)? {
            Value::Array(items) => Some(items.iter().filter_map(text_of).collect()),
            other => text_of(other).map(|text| split(&text)),
        }
    }
}

/// Parses fields that are so simple that YAML parsing gives the same result. Most files contain only such fields, and
/// this is faster. Returns `None` if YAML parsing is needed.
fn plain(head: &str) -> Option<Map<String, Value>> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut fields = Map::new();
    for line in head.strip_suffix('\n').unwrap_or(head).split('\n') {
        let (key, value) = line.split_once(": ")?;
        let key = is_word(key).then_some(key).filter(|key| key.chars().all(is_key))?;
        if key.len() > 64
            || fields
                .insert(key.to_owned(), plain_value(value.trim_matches(' '))?)
                .is_some()
        {
            return None;
        }
    }
    Some(fields)
}

fn plain_value(value: &str) -> Option<Value> {
    if !value.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return None;
    }
    let between = |open: char, close: char| value.strip_prefix(open)?.strip_suffix(close);
    if let Some(quoted) = between('"', '"').or_else(|| between('\'', '\'')) {
        return (!quoted.contains(['"', '\'', '\\'])).then(|| quoted.into());
    }
    if let Some(only) = between('[', ']') {
        let simple = is_word(only) && only.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        return simple.then(|| Value::Array(vec![only.into()]));
    }
    let has_special_meaning = value.contains(": ") || value.contains(" #") || value.ends_with(':');
    (is_word(value) && !has_special_meaning).then(|| value.into())
}

/// Whether YAML parses this as a string.
fn is_word(text: &str) -> bool {
    const KEYWORDS: [&str; 11] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan",
    ];
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && !KEYWORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Splits at commas outside parentheses.
fn items_of(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item = String::new();
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(c, ',' | '\n') {
            items.push(std::mem::take(&mut item));
        } else {
            item.push(c);
        }
    }
    items.push(item);
    let trimmed = items.iter().map(|item| item.trim()).filter(|item| !item.is_empty());
    trimmed.map(str::to_owned).collect()
}

/// Whether the value closes all its brackets and quotes and contains no YAML reference.
fn is_closed(value: &str) -> bool {
    let value = value.trim();
    let closes = |open: char, close: char| !value.starts_with(open) || value.ends_with(close);
    let quoted = |quote: char| !value.starts_with(quote) || (value.len() > 1 && value.ends_with(quote));
    !value.starts_with(['&', '*']) && closes('[', ']') && closes('{', '}') && quoted('"') && quoted('\'')
}

/// Parses a single value of a line, without its quotes.
fn scalar(text: &str) -> Value {
    let text = text.trim();
    let unquoted = ['"', '\'']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    match unquoted.unwrap_or(text) {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        text => Value::String(text.to_owned()),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Converts YAML to JSON. Keys that are not strings are converted to strings; tags are dropped.
fn json(value: yaml_serde::Value) -> Value {
    match value {
        yaml_serde::Value::Null => Value::Null,
        yaml_serde::Value::Bool(flag) => Value::Bool(flag),
        yaml_serde::Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => number.into(),
            (_, Some(number), _) => number.into(),
            (.., Some(number)) => serde_json::Number::from_f64(number).map_or(Value::Null, Value::Number),
            _ => Value::Null,
        },
        yaml_serde::Value::String(text) => Value::String(text),
        yaml_serde::Value::Sequence(items) => items.into_iter().map(json).collect(),
        yaml_serde::Value::Mapping(mapping) => mapping
            .into_iter()
            .filter_map(|(key, value)| Some((text_of(&json(key))?, json(value))))
            .collect(),
        yaml_serde::Value::Tagged(tagged) => json(tagged.value),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    /// Generates valid and almost valid lines of front matter.
    fn any_head() -> impl Strategy<Value = String> {
        let key = prop_oneof!["[a-z]{1,3}(-[a-z]{1,3})?", Just("yes".to_owned()), Just("1".to_owned())];
        let value = prop_oneof![
            4 => "[a-zA-Z][a-zA-Z0-9 ,.:()*#'\"\\[\\]{}&!|>%@`~=-]{0,14}",
            1 => "[ a-z0-9:#'\"\\[\\]{}&*!|>%@`~.-]{0,8}",
            1 => "\"[a-z '\\\\\"#:]{0,6}\"",
            1 => "'[a-z '\"#:]{0,6}'",
            1 => "\\[[a-zA-Z0-9, -]{0,5}\\]",
            1 => prop::sample::select(vec!["true", "No", "null", "~", "NaN", "1", "0x1", "1e3", "on", "Yes", ".inf", "-", "a: b"])
                .prop_map(str::to_owned),
        ];
        let line = (key, ": {1,2}", value).prop_map(|(key, colon, value)| format!("{key}{colon}{value}"));
        prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n") + "\n")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn the_fast_parser_agrees_with_yaml(head in any_head()) {
            if let Some(fields) = plain(&head) {
                prop_assert_eq!(FrontMatter::of(fields), FrontMatter::by_yaml(&head), "{}", head);
            }
        }
    }

    #[test]
    fn common_files_use_the_fast_parser() {
        for head in [
            "name: skill-1\ndescription: Knows how part 1 is done. Use it when part 1 is at hand.\n",
            "description: Looks at it\nargument-hint: [part]\nallowed-tools: Bash(git diff:*), Read\n",
            "name: reviewer\ndescription: \"Reviews: all of it\"\nmodel: sonnet\n",
        ] {
            assert!(plain(head).is_some(), "{head}");
            assert_eq!(FrontMatter::parse(head), FrontMatter::by_yaml(head));
        }
    }

    #[test]
    fn deep_nesting_is_rejected() {
        let (front, _) = read(&format!("---\nname: x\na: {}\n---\nbody", "[{a: ".repeat(10_000)));
        assert_eq!(front.problem.as_deref(), Some("the front matter is nested too deeply"));
        assert_eq!(front.text("name").as_deref(), Some("x"));
        let (front, _) = read(&format!("---\na: {}{}\n---\nbody", "[".repeat(60), "]".repeat(60)));
        assert_eq!(front.problem, None);
    }

    #[test]
    fn a_file_is_split_at_its_delimiters() {
        let (front, body) = read("---\ndescription: says hello\n---\nHello.\n");
        assert_eq!(front.text("description").as_deref(), Some("says hello"));
        assert_eq!(body, "Hello.\n");
        assert_eq!(front.problem, None);
    }

    #[test]
    fn a_file_without_delimiters_is_all_body() {
        for text in [
            "Hello.\n",
            "",
            "--- x\na: b\n---\n",
            "---\nnever: closed\n",
            " ---\na: b\n---\n",
        ] {
            assert_eq!(read(text), (FrontMatter::default(), text), "{text:?}");
        }
    }

    #[test]
    fn crlf_and_a_byte_order_mark_are_accepted() {
        let (front, body) = read("\u{feff}---\r\nname: x\r\n---\r\nbody\r\n");
        assert_eq!(front.text("name").as_deref(), Some("x"));
        assert_eq!(body, "body\r\n");
    }

    #[test]
    fn commas_in_parentheses_do_not_separate_items() {
        let (front, _) = read("---\nallowed-tools: Bash(echo a, b), Read,Write\n---\n");
        assert_eq!(
            front.list("allowed-tools").unwrap(),
            ["Bash(echo a, b)", "Read", "Write"]
        );
        let (front, _) = read("---\nallowed-tools:\n  - Bash(git:*)\n  - Read\n---\n");
        assert_eq!(front.list("allowed-tools").unwrap(), ["Bash(git:*)", "Read"]);
        assert_eq!(front.list("tools"), None);
        let (front, _) = read("---\ntools: []\n---\n");
        assert_eq!(front.list("tools"), Some(Vec::new()));
    }

    #[test]
    fn invalid_yaml_is_parsed_by_lines_and_reported() {
        let (front, body) =
            read("---\ndescription: Note: do this\nmodel: haiku\ntools: [\ndisable-model-invocation: true\n---\nB");
        assert_eq!(front.text("description").as_deref(), Some("Note: do this"));
        assert_eq!(front.text("model").as_deref(), Some("haiku"));
        assert_eq!(front.flag("disable-model-invocation"), Some(true));
        assert!(front.problem.unwrap().contains("not valid YAML"));
        assert_eq!(body, "B");
    }

    #[test]
    fn simple_lines_are_not_a_problem() {
        let (front, _) = read("---\nargument-hint: [a] [b]\ntools:\n  - Read\n  - 'Grep'\n---\n");
        assert_eq!(front.text("argument-hint").as_deref(), Some("[a] [b]"));
        assert_eq!(front.list("tools").unwrap(), ["Read", "Grep"]);
        assert_eq!(front.problem, None);
    }

    #[test]
    fn numbers_and_booleans_are_parsed() {
        let (front, _) = read("---\nname: 007\nversion: 1.5\nmaxTurns: 3\nbackground: yes\n---\n");
        assert_eq!(front.number("maxTurns"), Some(3.0));
        assert_eq!(front.flag("background"), Some(true));
        assert_eq!(front.text("version").as_deref(), Some("1.5"));
    }

    #[test]
    fn exponential_aliases_are_rejected() {
        let mut head = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let refs = vec![format!("*a{}", n - 1); 9].join(", ");
            head.push_str(&format!("a{n}: &a{n} [{refs}]\n"));
        }
        assert!(FrontMatter::parse(&head).problem.is_some());
    }

    proptest! {
        #[test]
        fn splitting_loses_nothing(text in "(---\n)?([a-z: \\-\n]|---\n){0,60}") {
            let cut = cut(&text);
            prop_assert!(text.ends_with(cut.body));
            match cut.head {
                Some(head) => {
                    let start = format!("---\n{head}---");
                    prop_assert!(text.starts_with(&start));
                }
                None => prop_assert_eq!(cut.body, &text),
            }
        }

        #[test]
        fn any_file_is_parsed_without_a_panic(text in "(---\n)?\\PC{0,80}\n(---\n)?") {
            let (front, _) = read(&text);
            drop((front.text("a"), front.list("a"), front.flag("a"), front.number("a"), front.words("a")));
        }
    }
}
