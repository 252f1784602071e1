//! Cards: one for each tool call, `mark name  subject  facts` and some rows of its result.

pub(crate) mod files;
mod others;
mod shell;
mod subject;

use std::time::Duration;

use serde_json::Value;

pub(crate) use others::todo_row;
pub use subject::{name, subject};

use super::amount;
use super::diff;
use crate::text::clean::one_line;
use crate::text::{Role, Row, Style, width};

/// A call, with what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCard {
    pub id: String,
    /// The tool, as the wire names it.
    pub tool: String,
    pub input: Value,
    /// How long it ran, or runs.
    pub time: Duration,
    pub state: CardState,
    /// Who allowed it or what was kept with that, where that is worth saying.
    pub note: Option<String>,
    /// What a subagent is doing: its calls, the last ones.
    pub inside: Vec<Self>,
    /// Tokens and calls of a subagent.
    pub used: Option<(u64, u64)>,
    /// Where its subject leads.
    pub link: Option<String>,
    /// The key that moves it to the background.
    pub moves: String,
    /// The end of what it has printed so far, while it runs.
    pub output: Option<String>,
}

/// The state of a call on its card.
#[derive(Debug, Clone, PartialEq)]
pub enum CardState {
    Running,
    /// What it came to: the text, and what the tool gave besides.
    Done {
        text: String,
        value: Value,
    },
    Failed {
        text: String,
        value: Value,
    },
    /// It was not allowed.
    Denied {
        why: String,
    },
    /// The turn ended first.
    Stopped,
}

/// The parts of a card.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) facts: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// How many lines are left out, before the rows.
    pub(crate) before: usize,
    /// The same, after them.
    pub(crate) after: usize,
    /// What is counted there, where it is not lines.
    pub(crate) unit: &'static str,
}

impl Parts {
    pub(crate) fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    /// The first lines of a text.
    pub(crate) fn first(mut self, text: &str, most: usize) -> Self {
        let lines: Vec<&str> = lines(text);
        self.rows = lines.iter().take(most).map(|line| output(line)).collect();
        self.after = lines.len().saturating_sub(most);
        self
    }

    /// The last lines of a text.
    pub(crate) fn last(mut self, text: &str, most: usize) -> Self {
        let lines = lines(text);
        let from = lines.len().saturating_sub(most);
        self.rows = lines.iter().skip(from).map(|line| output(line)).collect();
        self.before = from;
        self
    }

    /// The last lines of a text whose beginning is not known.
    pub(crate) fn last_seen(mut self, text: &str, most: usize) -> Self {
        self = self.last(text, most);
        self.before = 0;
        self
    }

    pub(crate) fn diff(mut self, lines: &[diff::ChangeLine], most: usize) -> Self {
        let mut rows = diff::rows(lines);
        self.after = rows.len().saturating_sub(most);
        rows.truncate(most);
        self.rows = rows;
        self
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.trim_matches('\n').lines().collect()
}

/// A line of a result, as a terminal would have shown it.
pub(crate) fn output(line: &str) -> Row {
    Row::faint(&format!("    {}", crate::text::clean::output_line(line)))
}

/// How many rows of a result, a failure and a change are shown.
pub(crate) const RESULT: usize = 5;
pub(crate) const FAILURE: usize = 8;
pub(crate) const CHANGE: usize = 16;

/// The rows of a card. `spinner` stands before a running one.
#[must_use]
pub fn rows(call: &CallCard, width: usize, spinner: &str) -> Vec<Row> {
    let (mark, role) = match &call.state {
        CardState::Running => (spinner, Role::Accent),
        CardState::Done { value, .. } if value.get("backgroundTaskId").is_some() => ("&", Role::Note),
        CardState::Done { .. } => ("✓", Role::Good),
        CardState::Failed { .. } | CardState::Stopped => ("✗", Role::Bad),
        CardState::Denied { .. } => ("⊘", Role::Bad),
    };
    let mut parts = parts(call);
    if let Some(note) = &call.note {
        parts.facts.push(note.clone());
    }
    let mut rows = head(
        mark,
        role,
        &name(&call.tool),
        &subject(&call.tool, &call.input),
        &parts.facts,
        width,
    );
    if let (Some(link), Some(row)) = (&call.link, rows.first_mut()) {
        lead(row, link);
    }
    let unit = if parts.unit.is_empty() { "line" } else { parts.unit };
    let left_out = |count: usize| Row::faint(&format!("    ⋯ {} (ctrl+o)", amount::count(count as u64, unit)));
    if parts.before > 0 {
        rows.push(left_out(parts.before));
    }
    rows.extend(parts.rows.into_iter().map(|row| row.cut(width)));
    if parts.after > 0 {
        rows.push(left_out(parts.after));
    }
    if call.state == CardState::Running {
        // Of agents inside agents only the innermost running call shows.
        for inner in &call.inside {
            let shown = self::rows(inner, width.saturating_sub(4), spinner);
            rows.extend(shown.into_iter().take(1).map(|row| row.indented(4)));
        }
    }
    rows
}

/// The subject of a card, the first words after its name, leads somewhere.
fn lead(row: &mut Row, target: &str) {
    let Some(at) = row.0.iter().position(|span| span.style.bold).map(|at| at + 1) else {
        return;
    };
    let Some(span) = row.0.get(at) else { return };
    let (text, style) = (span.text.clone(), span.style);
    let subject = text.trim();
    let from = text.len() - text.trim_start().len();
    let mut linked = Row::plain("");
    linked.push(text.get(..from).unwrap_or_default(), style);
    // The spaces around it lead nowhere.
    let target = Some(target.to_owned()).filter(|_| !subject.is_empty());
    linked.append(&Row::new().add(subject, style).leading_to(target));
    linked.push(text.get(from + subject.len()..).unwrap_or_default(), style);
    row.0.splice(at..=at, linked.0);
}

/// `mark name  subject  facts`; where that is too long the subject is cut, never the facts.
pub(crate) fn head(mark: &str, role: Role, name: &str, subject: &str, facts: &[String], columns: usize) -> Vec<Row> {
    let facts = one_line(&facts.join(" ∙ "));
    let (name, subject) = (one_line(name), one_line(subject));
    let mut row = Row::new()
        .add(mark, Style::of(role))
        .add(" ", Style::TEXT)
        .add(&name, Style::TEXT.bold());
    let apart =
        columns < 60 && !facts.is_empty() && row.width() + width::of(&subject) + width::of(&facts) + 4 > columns;
    let taken = row.width()
        + if apart || facts.is_empty() {
            2
        } else {
            width::of(&facts) + 4
        };
    let room = columns.saturating_sub(taken).max(8);
    if !subject.is_empty() {
        row.push("  ", Style::TEXT);
        row.push(&middle(&subject, room), Style::TEXT);
    }
    if facts.is_empty() {
        return vec![row];
    }
    if apart {
        let facts = crate::text::wrap::words(&Row::faint(&format!("  {facts}")), columns, 2);
        return std::iter::once(row).chain(facts).collect();
    }
    row.push("  ", Style::TEXT);
    row.push(&facts, Role::Faint);
    // Facts that are longer than the row go on below it.
    crate::text::wrap::words(&row, columns, 4)
}

/// A text cut in its middle, at a slash where there is one near.
#[must_use]
pub fn middle(text: &str, room: usize) -> String {
    if width::of(text) <= room {
        return text.to_owned();
    }
    if text.contains('/') && !text.contains(' ') {
        let last = text.rsplit('/').next().unwrap_or_default();
        let head_room = room.saturating_sub(width::of(last) + 3);
        let head = width::head(text, head_room);
        if let Some(at) = head.rfind('/')
            && width::of(last) + 4 < room
        {
            return format!("{}/⋯/{last}", head.get(..at).unwrap_or_default());
        }
    }
    let end = (room / 3).min(24);
    let end = width::tail(text, end.saturating_sub(1));
    let head = width::head(text, room.saturating_sub(width::of(end) + 1));
    format!("{head}⋯{end}")
}

fn parts(call: &CallCard) -> Parts {
    match &call.state {
        CardState::Running => running(call),
        CardState::Stopped => Parts::default().fact(format!("stopped by you after {}", amount::running(call.time))),
        CardState::Denied { why } => Parts::default().fact(why.clone()),
        CardState::Done { text, value } => match call.tool.as_str() {
            "Bash" | "BashOutput" | "KillShell" | "TaskOutput" | "TaskStop" => shell::done(call, text, value),
            "Read" => files::read(text, value),
            "Edit" | "MultiEdit" => files::edited(value, call),
            "Write" => files::written(value, call),
            "NotebookEdit" => files::notebook(value, call),
            "Grep" => files::grep(value, text),
            "Glob" => files::glob(value, text),
            "WebFetch" => others::fetched(value, text, call.time),
            "WebSearch" => others::searched(value, text, call.time),
            "Task" | "Agent" => others::agent(call, text, value),
            "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet" => others::tasks(call, text, value),
            "AskUserQuestion" => others::answers(value, text),
            "ExitPlanMode" => Parts::default().fact("the plan is taken"),
            "EnterPlanMode" => Parts::default(),
            _ => others::any(call, text),
        },
        CardState::Failed { text, value } => match call.tool.as_str() {
            "Bash" => shell::failed(call, text),
            _ => others::failed(call, text, value),
        },
    }
}

fn running(call: &CallCard) -> Parts {
    let time = amount::running(call.time);
    match call.tool.as_str() {
        "Bash" => {
            let parts = Parts::default()
                .fact(time)
                .fact(format!("{} to background", call.moves));
            match &call.output {
                Some(output) => parts.last_seen(output, RESULT),
                None => parts,
            }
        }
        "Task" | "Agent" => {
            let parts = others::agent_kind(&call.input)
                .into_iter()
                .fold(Parts::default(), Parts::fact);
            let parts = parts.fact(time);
            match call.used {
                Some((tokens, calls)) if calls > 0 => parts
                    .fact(amount::count(calls, "call"))
                    .fact(format!("{} tokens", amount::tokens(tokens))),
                _ => parts,
            }
        }
        _ if call.time.as_secs() >= 1 => Parts::default().fact(time),
        _ => Parts::default(),
    }
}

/// The time of a call, where it is worth a word.
pub(crate) fn took(time: Duration) -> Option<String> {
    (time.as_millis() >= 100).then(|| amount::time(time))
}

/// Whether consecutive ones become one row.
#[must_use]
pub fn is_reading(call: &CallCard) -> bool {
    matches!(call.tool.as_str(), "Read" | "Grep" | "Glob") && matches!(call.state, CardState::Done { .. })
}

/// Several finished readings in one row.
#[must_use]
pub fn joined(calls: &[CallCard], columns: usize) -> Vec<Row> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        match counts.iter_mut().find(|(tool, _)| *tool == call.tool) {
            Some((_, count)) => *count += 1,
            None => counts.push((&call.tool, 1)),
        }
    }
    let names: Vec<String> = counts.iter().map(|(tool, count)| format!("{tool} {count}")).collect();
    let reads = calls.iter().filter(|call| call.tool == "Read");
    let reads: Vec<String> = reads
        .map(|call| subject::base(&subject(&call.tool, &call.input)))
        .collect();
    let found = calls.iter().filter(|call| call.tool != "Read").map(files::found);
    let facts: Vec<String> = Some(reads.join(" "))
        .filter(|text| !text.is_empty())
        .into_iter()
        .chain(found)
        .collect();
    let mut row = Row::new()
        .add("✓ ", Role::Good)
        .add(&names.join(" ∙ "), Style::TEXT.bold());
    let facts = one_line(&facts.join(" ∙ "));
    if columns < 60 && row.width() + 2 + width::of(&facts) > columns {
        let mut rows = crate::text::wrap::words(&row, columns, 2);
        rows.extend(crate::text::wrap::words(&Row::faint(&format!("  {facts}")), columns, 2));
        return rows.into_iter().map(|row| row.cut(columns)).collect();
    }
    row.push("  ", Style::TEXT);
    row.push(&facts, Role::Faint);
    vec![row.cut(columns)]
}

/// What a card shows below its head, with nothing left out.
#[derive(Debug)]
pub enum CardBody<'a> {
    None,
    /// The change of a file.
    Change,
    /// Text.
    Text(std::borrow::Cow<'a, str>),
}

/// The body of a card.
#[must_use]
pub fn body(call: &CallCard) -> CardBody<'_> {
    match (&call.state, call.tool.as_str()) {
        (CardState::Done { .. }, "Edit" | "MultiEdit" | "Write") => CardBody::Change,
        (CardState::Done { text, value }, "Bash") => {
            let word = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
            CardBody::Text(match (word("stdout"), word("stderr")) {
                ("", "") => text.into(),
                (out, "") => out.into(),
                (out, problems) => format!("{out}\n{problems}").into(),
            })
        }
        (CardState::Done { text, .. } | CardState::Failed { text, .. }, _) => CardBody::Text(text.into()),
        _ => CardBody::None,
    }
}

/// The head of a card.
#[must_use]
pub fn head_rows(call: &CallCard, width: usize) -> Vec<Row> {
    let short = rows(call, width, "⠹").into_iter();
    short.take_while(|row| !row.text().starts_with("    ")).collect()
}

/// A card with nothing left out.
#[must_use]
pub fn whole(call: &CallCard, width: usize) -> Vec<Row> {
    let mut all = head_rows(call, width);
    match (body(call), &call.state) {
        (CardBody::Change, CardState::Done { value, .. }) => all.extend(diff::rows(&files::changes(value, call))),
        (CardBody::Text(text), _) => all.extend(lines(&text).into_iter().map(output)),
        _ => {}
    }
    all
}
