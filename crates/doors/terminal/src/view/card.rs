//! Cards: one per tool call, `mark name  subject  facts` and some rows of its result.

mod files;
mod others;
mod shell;
mod subject;

use std::borrow::Cow;

use std::time::Duration;

use sluice_host::items::{CardBody, ItemStatus, SearchKind, Shell, ShellAction, ToolCall, Verb};

pub(crate) use others::todo_row;
pub use subject::{link, subject};

use super::amount;
use super::diff;
use crate::text::clean::one_line;
use crate::text::{Role, Row, Style, width};

/// A call with its current state.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCard {
    pub call: ToolCall,
    pub status: ItemStatus,
    /// Paths below this folder are displayed relative to it.
    pub folder: String,
    /// Duration so far, or in total.
    pub time: Duration,
    /// How the call was allowed or which rule was saved, if not obvious.
    pub note: Option<String>,
    /// Reason of a denial given in this terminal.
    pub refusal: Option<String>,
    /// The last calls of the subagent that this call started.
    pub inside: Vec<Self>,
    /// Key that moves the call to the background.
    pub moves: String,
    /// End of the output so far, while it runs.
    pub output: Option<String>,
}

/// State of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CardState {
    Running,
    Done,
    Failed,
    /// Permission was denied.
    Denied,
    /// Stopped by the user.
    Stopped,
    /// The process ended before the call.
    Interrupted,
}

impl CallCard {
    /// Creates a card for a call in a session of this folder.
    #[must_use]
    pub fn new(call: ToolCall, status: ItemStatus, folder: &str) -> Self {
        Self {
            call,
            status,
            folder: folder.to_owned(),
            time: Duration::ZERO,
            note: None,
            refusal: None,
            inside: Vec::new(),
            moves: "ctrl+b".to_owned(),
            output: None,
        }
    }

    /// True if there is no result yet.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state() == CardState::Running
    }

    fn state(&self) -> CardState {
        match self.status {
            ItemStatus::Streaming | ItemStatus::Running | ItemStatus::Waiting => CardState::Running,
            // The end of a background command is reported in a separate row.
            _ if self.shell().is_some_and(|shell| shell.task.is_some()) => CardState::Done,
            ItemStatus::Done | ItemStatus::Background => CardState::Done,
            ItemStatus::Failed | ItemStatus::Denied if self.refusal.is_some() => CardState::Denied,
            ItemStatus::Failed => CardState::Failed,
            ItemStatus::Denied => CardState::Denied,
            ItemStatus::Cancelled if self.refusal.is_some() && self.call.result.is_some() => CardState::Denied,
            ItemStatus::Cancelled => CardState::Stopped,
            ItemStatus::Interrupted => CardState::Interrupted,
        }
    }

    fn shell(&self) -> Option<&Shell> {
        match &self.call.card.body {
            CardBody::Shell(shell) => Some(shell),
            _ => None,
        }
    }

    /// True if a shell command is running.
    #[must_use]
    pub fn runs_command(&self) -> bool {
        self.is_running() && self.shell().is_some_and(|shell| shell.action == ShellAction::Run)
    }

    /// Returns the result text sent to the model.
    fn text(&self) -> &str {
        self.call.result.as_ref().map_or("", |result| &result.text)
    }

    fn subject(&self) -> String {
        subject(&self.call.card, &self.folder)
    }
}

/// Parts of a card.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) facts: Vec<String>,
    pub(crate) rows: Vec<Row>,
    /// Number of lines omitted before the rows.
    pub(crate) before: usize,
    /// Number of lines omitted after the rows.
    pub(crate) after: usize,
    /// Unit of these numbers, if not lines.
    pub(crate) unit: &'static str,
}

impl Parts {
    pub(crate) fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    /// Shows the first lines of a text.
    pub(crate) fn first(mut self, text: &str, most: usize) -> Self {
        let lines: Vec<&str> = lines(text);
        self.rows = lines.iter().take(most).map(|line| output(line)).collect();
        self.after = lines.len().saturating_sub(most);
        self
    }

    /// Shows the last lines of a text.
    pub(crate) fn last(mut self, text: &str, most: usize) -> Self {
        let lines = lines(text);
        let from = lines.len().saturating_sub(most);
        self.rows = lines.iter().skip(from).map(|line| output(line)).collect();
        self.before = from;
        self
    }

    /// Shows the last lines of a text whose start is unknown.
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

/// Renders a line of output.
pub(crate) fn output(line: &str) -> Row {
    Row::faint(&format!("    {}", crate::text::clean::output_line(line)))
}

/// Maximum number of rows shown of a result, an error and a diff.
pub(crate) const MAX_RESULT_ROWS: usize = 5;
pub(crate) const MAX_ERROR_ROWS: usize = 8;
pub(crate) const MAX_DIFF_ROWS: usize = 16;

/// Renders a card; `spinner` marks a running call.
#[must_use]
pub fn rows(call: &CallCard, width: usize, spinner: &str) -> Vec<Row> {
    let state = call.state();
    let (mark, role) = match state {
        CardState::Running => (spinner, Role::Accent),
        CardState::Done if call.shell().is_some_and(|shell| shell.task.is_some()) => ("&", Role::Note),
        CardState::Done => ("✓", Role::Good),
        CardState::Failed | CardState::Stopped | CardState::Interrupted => ("✗", Role::Bad),
        CardState::Denied => ("⊘", Role::Bad),
    };
    let mut parts = parts(call);
    if let Some(note) = &call.note {
        parts.facts.push(note.clone());
    }
    let mut rows = head(mark, role, &call.call.card.title, &call.subject(), &parts.facts, width);
    if let (Some(link), Some(row)) = (link(&call.call.card, &call.folder), rows.first_mut()) {
        lead(row, &link);
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
    if state == CardState::Running {
        // Of nested subagents only the innermost running call is shown.
        for inner in &call.inside {
            let shown = self::rows(inner, width.saturating_sub(4), spinner);
            rows.extend(shown.into_iter().take(1).map(|row| row.indented(4)));
        }
    }
    rows
}

/// Adds a hyperlink to the subject of a card.
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
    // Surrounding spaces are not part of the link.
    let target = Some(target.to_owned()).filter(|_| !subject.is_empty());
    linked.append(&Row::new().add(subject, style).leading_to(target));
    linked.push(text.get(from + subject.len()..).unwrap_or_default(), style);
    row.0.splice(at..=at, linked.0);
}

/// Renders `mark name  subject  facts`. If it is too long, the subject is cut, never the facts.
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
    // Facts longer than the row wrap below it.
    crate::text::wrap::words(&row, columns, 4)
}

/// Cuts a text in its middle, preferably at a slash.
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
    match call.state() {
        CardState::Running => running(call),
        CardState::Stopped => Parts::default().fact(format!("stopped by you after {}", amount::running(call.time))),
        CardState::Interrupted => Parts::default().fact("interrupted"),
        CardState::Denied => {
            let first = call.text().lines().next().unwrap_or("denied").to_owned();
            Parts::default().fact(call.refusal.clone().unwrap_or(first))
        }
        CardState::Done => done(call),
        CardState::Failed => match call.shell() {
            Some(shell) => shell::failed(call, shell),
            None => others::failed(call),
        },
    }
}

fn done(call: &CallCard) -> Parts {
    match &call.call.card.body {
        CardBody::Shell(shell) => shell::done(call, shell),
        CardBody::FileRead(read) => files::read(read),
        CardBody::FileChange(change) => files::changed(change),
        CardBody::Notebook(notebook) => files::notebook(notebook),
        CardBody::Search(search) => match search.kind {
            SearchKind::Text => files::matches(search, call.text()),
            SearchKind::Names => files::names(search, call.text()),
            SearchKind::Tools => others::any(call),
        },
        CardBody::Web(web) => others::web(web, call),
        CardBody::Subagent(agent) => others::agent(agent, call),
        CardBody::Tasks(tasks) => others::tasks(tasks, call.text()),
        CardBody::Question(question) => others::answers(question, call.text()),
        CardBody::Plan(plan) => match plan.text {
            Some(_) => Parts::default().fact("the plan is taken"),
            None => Parts::default(),
        },
        CardBody::Skill(_) | CardBody::Findings(_) | CardBody::Mcp(_) | CardBody::Generic(_) => others::any(call),
    }
}

fn running(call: &CallCard) -> Parts {
    let time = amount::running(call.time);
    match &call.call.card.body {
        CardBody::Shell(Shell {
            action: ShellAction::Run,
            ..
        }) => {
            let parts = Parts::default()
                .fact(time)
                .fact(format!("{} to background", call.moves));
            match &call.output {
                Some(output) => parts.last_seen(output, MAX_RESULT_ROWS),
                None => parts,
            }
        }
        CardBody::Subagent(agent) => {
            let parts = agent.kind.iter().cloned().fold(Parts::default(), Parts::fact);
            let parts = parts.fact(time);
            match &call.call.task {
                Some(task) if task.calls > 0 => parts
                    .fact(amount::count(task.calls, "call"))
                    .fact(format!("{} tokens", amount::tokens(task.tokens))),
                _ => parts,
            }
        }
        _ if call.time.as_secs() >= 1 => Parts::default().fact(time),
        _ => Parts::default(),
    }
}

/// Returns the duration of a call, if it is long enough to be shown.
pub(crate) fn took(time: Duration) -> Option<String> {
    (time.as_millis() >= 100).then(|| amount::time(time))
}

/// True for reading calls, of which consecutive ones share a row.
#[must_use]
pub fn is_reading(call: &CallCard) -> bool {
    call.call.card.only_reads() && call.state() == CardState::Done
}

/// Renders several finished reading calls in one row.
#[must_use]
pub fn joined(calls: &[CallCard], columns: usize) -> Vec<Row> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in calls {
        let title = &*call.call.card.title;
        match counts.iter_mut().find(|(known, _)| *known == title) {
            Some((_, count)) => *count += 1,
            None => counts.push((title, 1)),
        }
    }
    let names: Vec<String> = counts.iter().map(|(title, count)| format!("{title} {count}")).collect();
    let is_read = |call: &&CallCard| call.call.card.verb == Verb::Read;
    let reads = calls.iter().filter(is_read);
    let reads: Vec<String> = reads.map(|call| subject::base(&call.subject())).collect();
    let found = calls.iter().filter(|call| !is_read(call)).map(files::found);
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

/// Full content of a card below its head.
#[derive(Debug)]
pub enum Below<'a> {
    None,
    /// A file change.
    Change,
    /// A text.
    Text(Cow<'a, str>),
}

/// Returns the full content below the head.
#[must_use]
pub fn below(call: &CallCard) -> Below<'_> {
    match (call.state(), &call.call.card.body) {
        (CardState::Done, CardBody::FileChange(_)) => Below::Change,
        (CardState::Done, CardBody::Shell(shell)) => {
            let output = shell.all_output();
            Below::Text(match output.is_empty() {
                true => call.text().into(),
                false => output.into(),
            })
        }
        (CardState::Done | CardState::Failed, _) => Below::Text(call.text().into()),
        _ => Below::None,
    }
}

/// Renders the head of a card.
#[must_use]
pub fn head_rows(call: &CallCard, width: usize) -> Vec<Row> {
    let short = rows(call, width, "⠹").into_iter();
    short.take_while(|row| !row.text().starts_with("    ")).collect()
}

/// Renders a card without omissions.
#[must_use]
pub fn whole(call: &CallCard, width: usize) -> Vec<Row> {
    let mut all = head_rows(call, width);
    match (below(call), &call.call.card.body) {
        (Below::Change, CardBody::FileChange(change)) => all.extend(diff::rows(&files::changes(change))),
        (Below::Text(text), _) => all.extend(lines(&text).into_iter().map(output)),
        _ => {}
    }
    all
}
