//! Front matter: the fields between two `---` lines at the top of a slash command, a skill, an agent definition or an
//! output style.
//!
//! It is written by hand and often not valid YAML (`description: Note: do this`). Then the fields that can be read
//! line by line still count, and the problem is reported.

use serde_json::{Map, Value};

/// The largest front matter.
pub const LARGEST: usize = 64 * 1024;
/// How deep it may be nested: each bracket that is open makes every word behind it dearer to read.
const DEEPEST: usize = 64;

/// The fields of a file's front matter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    fields: Map<String, Value>,
    /// Why it could not be read as it was meant, for a person.
    pub problem: Option<String>,
}

/// A file cut in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The lines between the marks; none if the file does not begin with one.
    pub head: Option<&'a str>,
    /// Everything after.
    pub body: &'a str,
}

/// Cuts a file at its marks. A mark that is never closed is text like any other.
pub fn cut(text: &str) -> Cut<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = Cut { head: None, body: text };
    let Some(first) = text.split_inclusive('\n').next().filter(|line| is_mark(line)) else {
        return whole;
    };
    let mut at = first.len();
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        if is_mark(line) {
            return Cut {
                head: text.get(first.len()..at),
                body: text.get(at + line.len()..).unwrap_or_default(),
            };
        }
        at += line.len();
    }
    whole
}

/// How deep brackets stand in one another, at the most.
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

fn is_mark(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Reads a file's front matter and returns the rest of the file.
pub fn read(text: &str) -> (FrontMatter, &str) {
    let cut = cut(text);
    (cut.head.map(FrontMatter::parse).unwrap_or_default(), cut.body)
}

impl FrontMatter {
    /// The same fields, from JSON.
    pub fn of(fields: Map<String, Value>) -> Self {
        Self { fields, problem: None }
    }

    /// Reads the lines between the marks.
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
        if depth(head) > DEEPEST {
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

    /// Takes every line that says `key: value` by itself, and the items of plain lists. Where that accounts for every
    /// line (`argument-hint: [a] [b]`, `description: Note: this`) nothing is wrong with the file.
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

    /// The value of a key, of any type.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// A key's one-line or many-line text; numbers and switches count as what was typed.
    pub fn text(&self, key: &str) -> Option<String> {
        text_of(self.get(key)?)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    /// A key's yes or no.
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

    /// A key's number.
    #[allow(dead_code, reason = "agents say numbers, commands and skills do not")]
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A key's items: a YAML list, or one line with commas. A comma inside parentheses belongs to its item, so
    /// that `Bash(a, b), Read` is two rules. Absent and empty are different.
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

    /// A key's words: a YAML list, or one line with spaces or commas.
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

/// Fields that are said so simply that there is no doubt what YAML would make of them: most files hold nothing else, and
/// there may be many files. None leaves it to YAML.
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
    let means_more = value.contains(": ") || value.contains(" #") || value.ends_with(':');
    (is_word(value) && !means_more).then(|| value.into())
}

/// Whether this is a text, and nothing YAML knows by another meaning.
fn is_word(text: &str) -> bool {
    const MEANT: [&str; 11] = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan",
    ];
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && !MEANT.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Cuts at commas that stand outside parentheses.
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

/// Whether everything a value opens it also closes, and it refers to nothing elsewhere.
fn is_closed(value: &str) -> bool {
    let value = value.trim();
    let closes = |open: char, close: char| !value.starts_with(open) || value.ends_with(close);
    let quoted = |quote: char| !value.starts_with(quote) || (value.len() > 1 && value.ends_with(quote));
    !value.starts_with(['&', '*']) && closes('[', ']') && closes('{', '}') && quoted('"') && quoted('\'')
}

/// A value that stands by itself on a line, without its quotes.
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

/// YAML as JSON. Keys that are no text are written as text; tags are dropped.
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

    /// Lines as people write them, and some that are not quite.
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
        fn what_is_plain_is_what_yaml_makes_of_it(head in any_head()) {
            if let Some(fields) = plain(&head) {
                prop_assert_eq!(FrontMatter::of(fields), FrontMatter::by_yaml(&head), "{}", head);
            }
        }
    }

    #[test]
    fn most_files_are_plain() {
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
    fn brackets_without_end_are_not_read() {
        let (front, _) = read(&format!("---\nname: x\na: {}\n---\nbody", "[{a: ".repeat(10_000)));
        assert_eq!(front.problem.as_deref(), Some("the front matter is nested too deeply"));
        assert_eq!(front.text("name").as_deref(), Some("x"));
        let (front, _) = read(&format!("---\na: {}{}\n---\nbody", "[".repeat(60), "]".repeat(60)));
        assert_eq!(front.problem, None);
    }

    #[test]
    fn a_file_is_cut_at_its_marks() {
        let (front, body) = read("---\ndescription: says hello\n---\nHello.\n");
        assert_eq!(front.text("description").as_deref(), Some("says hello"));
        assert_eq!(body, "Hello.\n");
        assert_eq!(front.problem, None);
    }

    #[test]
    fn a_file_without_marks_is_all_body() {
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
    fn windows_lines_and_a_byte_order_mark_are_no_obstacle() {
        let (front, body) = read("\u{feff}---\r\nname: x\r\n---\r\nbody\r\n");
        assert_eq!(front.text("name").as_deref(), Some("x"));
        assert_eq!(body, "body\r\n");
    }

    #[test]
    fn a_rule_keeps_the_commas_in_its_parentheses() {
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
    fn what_is_not_yaml_is_read_by_lines_and_named() {
        let (front, body) =
            read("---\ndescription: Note: do this\nmodel: haiku\ntools: [\ndisable-model-invocation: true\n---\nB");
        assert_eq!(front.text("description").as_deref(), Some("Note: do this"));
        assert_eq!(front.text("model").as_deref(), Some("haiku"));
        assert_eq!(front.flag("disable-model-invocation"), Some(true));
        assert!(front.problem.unwrap().contains("not valid YAML"));
        assert_eq!(body, "B");
    }

    #[test]
    fn lines_that_are_plain_enough_are_no_problem() {
        let (front, _) = read("---\nargument-hint: [a] [b]\ntools:\n  - Read\n  - 'Grep'\n---\n");
        assert_eq!(front.text("argument-hint").as_deref(), Some("[a] [b]"));
        assert_eq!(front.list("tools").unwrap(), ["Read", "Grep"]);
        assert_eq!(front.problem, None);
    }

    #[test]
    fn numbers_and_switches_are_read_as_typed() {
        let (front, _) = read("---\nname: 007\nversion: 1.5\nmaxTurns: 3\nbackground: yes\n---\n");
        assert_eq!(front.number("maxTurns"), Some(3.0));
        assert_eq!(front.flag("background"), Some(true));
        assert_eq!(front.text("version").as_deref(), Some("1.5"));
    }

    #[test]
    fn a_bomb_of_aliases_costs_nothing() {
        let mut head = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let refs = vec![format!("*a{}", n - 1); 9].join(", ");
            head.push_str(&format!("a{n}: &a{n} [{refs}]\n"));
        }
        assert!(FrontMatter::parse(&head).problem.is_some());
    }

    proptest! {
        #[test]
        fn cutting_loses_nothing(text in "(---\n)?([a-z: \\-\n]|---\n){0,60}") {
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
        fn nothing_a_file_says_is_a_panic(text in "(---\n)?\\PC{0,80}\n(---\n)?") {
            let (front, _) = read(&text);
            drop((front.text("a"), front.list("a"), front.flag("a"), front.number("a"), front.words("a")));
        }
    }
}
