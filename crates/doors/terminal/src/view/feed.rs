//! The conversation on its way into the history: entries become items, items are committed in order.
//!
//! An item leaves when it and all before it are done. Only what was committed and what still waits is known here; what
//! is true is looked up in the conversation with every frame.

mod ending;
mod reading;
mod running;

pub(crate) use ending::{job_text, outcome_word};

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::card::{self, CallCard, CardState};
use super::changed::Changed;
use super::markdown::{self, Markdown, Measure};
use super::picture::Picture;
use crate::screen::Mark;
use crate::text::{Role, Row, Style};
use sluice_host::conversation::{CallState, DraftKind};

/// What an item is, for the blank rows between items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing yet.
    Start,
    Prompt,
    Text,
    Card,
    /// What a command of ours says, in several rows: it stands apart.
    Report,
    /// Belongs to what is above it.
    End,
}

#[derive(Debug)]
enum Item {
    /// Rows of a prompt, a note, an answer of a command.
    Rows(Kind, Vec<Row>),
    /// A whole text.
    Text(String),
    /// A call, by its id.
    Call(String),
    /// The end of a turn, for terminals that jump between them.
    End,
}

/// An answer that is partly committed.
#[derive(Debug)]
struct Streaming {
    message: String,
    markdown: Markdown,
    /// What of the text was given to it.
    given: String,
}

/// The way into the history.
#[derive(Debug)]
pub struct Feed {
    folder: String,
    /// How wide the screen was when rows were last made.
    pub(super) width: usize,
    /// How wide prose may be, where the person said so.
    pub prose: Option<usize>,
    /// Prose is not broken by us.
    pub flows: bool,
    /// The key that moves a call to the background.
    pub moves: String,
    /// Code without colours.
    pub plain_code: bool,
    /// What came of calls is shown whole.
    pub verbose: bool,
    /// A long turn says what it took.
    pub durations: bool,
    /// Prompts say when they were asked.
    pub stamps: bool,
    /// How that is said.
    pub clock: crate::clock::Clock,
    /// Marks among the rows that were committed last, and the row each stands before.
    pub marks: Vec<(usize, Mark)>,
    items: VecDeque<Item>,
    calls: HashMap<String, CallCard>,
    /// Calls of subagents, by the call that started them; the last ones.
    inside: HashMap<String, Vec<String>>,
    streaming: Option<Streaming>,
    last: Kind,
    /// The last retry that was told.
    pub retry: Option<Retry>,
    /// The last turn failed.
    pub failed: bool,
    /// The last answer, for a copy.
    pub answer: String,
    /// The text of the last error that was shown.
    shown_error: String,
    /// Notes to be put on cards, by call.
    notes: HashMap<String, String>,
    /// Refusals of ours, by call.
    refusals: HashMap<String, String>,
    /// What the model suggests to ask next.
    pub suggestion: Option<String>,
    /// What was changed in files.
    pub changed: Changed,
    /// How long requests to the model took in all turns, in milliseconds.
    pub api_ms: u64,
    /// The transcript could not be written, and no turn ended since without such a loss.
    pub writes_lost: bool,
    /// That was in the turn that is open.
    loses_writes: bool,
}

/// A request that failed and is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub why: String,
    pub attempt: u64,
    pub most: u64,
    /// When it is tried again, in milliseconds since 1970.
    pub at: u64,
}

impl Feed {
    /// One for a session in this folder.
    #[must_use]
    pub fn new(folder: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            width: 80,
            prose: None,
            flows: false,
            moves: "ctrl+b".to_owned(),
            plain_code: false,
            verbose: false,
            durations: true,
            stamps: false,
            clock: crate::clock::Clock::default(),
            marks: Vec::new(),
            items: VecDeque::new(),
            calls: HashMap::new(),
            inside: HashMap::new(),
            streaming: None,
            last: Kind::Start,
            retry: None,
            failed: false,
            answer: String::new(),
            shown_error: String::new(),
            notes: HashMap::new(),
            refusals: HashMap::new(),
            suggestion: None,
            changed: Changed::default(),
            api_ms: 0,
            writes_lost: false,
            loses_writes: false,
        }
    }

    pub(super) fn measure(&self, columns: usize) -> Measure {
        let usual = match self.flows {
            true => Measure::flowing(columns),
            false => columns.into(),
        };
        Measure {
            prose: match self.prose {
                Some(prose) if !self.flows => columns.min(prose),
                _ => usual.prose,
            },
            plain_code: self.plain_code,
            ..usual
        }
    }

    /// Puts rows of ours among the items.
    pub fn say(&mut self, kind: Kind, rows: Vec<Row>) {
        self.items.push_back(Item::Rows(kind, rows));
    }

    /// Remembers what to say on the card of a call.
    pub fn note(&mut self, call: &str, note: String) {
        self.notes.insert(call.to_owned(), note);
    }

    /// Whether something is to be said on the card of a call.
    #[must_use]
    pub fn has_note(&self, call: &str) -> bool {
        self.notes.contains_key(call)
    }

    /// Remembers that we said no to a call, and what with it.
    pub fn refused(&mut self, call: &str, why: String) {
        self.refusals.insert(call.to_owned(), why);
    }

    /// Takes in what is new.
    pub fn take(&mut self, picture: &Picture, width: usize) {
        self.width = width;
        for (_, entry) in &picture.entries {
            self.entry(entry, picture);
        }
        for call in &picture.calls {
            if let Some(known) = self.calls.get_mut(&call.id) {
                known.time = call.time;
                known.used = call.used;
                if call.state == CallState::Dropped && known.state == CardState::Running {
                    known.state = CardState::Stopped;
                }
            }
        }
        let Some(draft) = &picture.draft else {
            return;
        };
        let text = draft
            .blocks
            .iter()
            .find_map(|(kind, text)| matches!(kind, DraftKind::Text).then_some(text));
        if let Some(text) = text {
            self.stream(&draft.message, text);
        }
    }

    fn stream(&mut self, message: &str, text: &str) {
        let is_same = self
            .streaming
            .as_ref()
            .is_some_and(|it| it.message == message && text.starts_with(&it.given));
        if !is_same {
            self.cut_off();
            self.streaming = Some(Streaming {
                message: message.to_owned(),
                markdown: Markdown::default(),
                given: String::new(),
            });
        }
    }

    /// A draft that was never said for good keeps its rows.
    fn cut_off(&mut self) {
        if let Some(streaming) = self.streaming.take()
            && !streaming.given.is_empty()
        {
            let row = Row::new()
                .add("✗ ", Role::Bad)
                .add("cut off here, asked again", Style::FAINT);
            self.items.push_back(Item::Rows(Kind::End, vec![row]));
        }
    }

    /// Rows that leave for good now.
    pub fn commit(&mut self, picture: &Picture, width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        while let Some(item) = self.items.front() {
            match item {
                Item::Call(id) => {
                    let Some(call) = self.calls.get(id) else {
                        self.items.pop_front();
                        continue;
                    };
                    if call.state == CardState::Running {
                        break;
                    }
                    if card::is_reading(call) {
                        let count = self.readings();
                        // More of them may join while the turn goes on.
                        if count == self.items.len() && picture.turn.is_some() && picture.draft_text().is_none() {
                            break;
                        }
                        self.commit_readings(count, width, &mut rows);
                        continue;
                    }
                    let id = id.clone();
                    self.items.pop_front();
                    let call = self.finished(&id);
                    let shown = call.map(|call| self.card(&call, width)).unwrap_or_default();
                    self.put(Kind::Card, shown, &mut rows);
                }
                Item::Rows(..) | Item::Text(_) | Item::End => match self.items.pop_front() {
                    Some(Item::Rows(kind, shown)) => self.put(kind, shown, &mut rows),
                    Some(Item::Text(text)) => {
                        let shown = markdown::rows(&text, self.measure(width));
                        self.put(Kind::Text, shown, &mut rows);
                    }
                    Some(Item::End) => self.marks.push((rows.len(), Mark::End)),
                    _ => {}
                },
            }
        }
        if self.items.is_empty() {
            self.commit_stream(picture, width, &mut rows);
        }
        rows
    }

    /// What of the answer is final.
    fn commit_stream(&mut self, picture: &Picture, width: usize, rows: &mut Vec<Row>) {
        let measure = self.measure(width);
        let (Some(streaming), Some((message, text))) = (&mut self.streaming, picture.draft_text()) else {
            return;
        };
        if streaming.message != message {
            return;
        }
        let Some(new) = text.get(streaming.given.len()..).filter(|new| !new.is_empty()) else {
            return;
        };
        let done = streaming.markdown.push(new, measure);
        streaming.given.push_str(new);
        if !done.is_empty() {
            self.put(Kind::Text, done, rows);
        }
    }

    fn card(&self, call: &CallCard, width: usize) -> Vec<Row> {
        match self.verbose {
            true => card::whole(call, width),
            false => card::rows(call, width, "✓"),
        }
    }

    fn finished(&mut self, id: &str) -> Option<CallCard> {
        self.inside.remove(id);
        let mut call = self.calls.remove(id)?;
        call.note = self.notes.remove(id);
        Some(call)
    }

    fn readings(&self) -> usize {
        let is_reading =
            |item: &Item| matches!(item, Item::Call(id) if self.calls.get(id).is_some_and(card::is_reading));
        self.items.iter().take_while(|item| is_reading(item)).count()
    }

    fn commit_readings(&mut self, count: usize, width: usize, rows: &mut Vec<Row>) {
        let ids: Vec<String> = self
            .items
            .drain(..count)
            .filter_map(|item| match item {
                Item::Call(id) => Some(id),
                _ => None,
            })
            .collect();
        let calls: Vec<CallCard> = ids.iter().filter_map(|id| self.finished(id)).collect();
        let shown = match calls.as_slice() {
            [one] => self.card(one, width),
            many if self.verbose => many.iter().flat_map(|call| self.card(call, width)).collect(),
            many => card::joined(many, width),
        };
        self.put(Kind::Card, shown, rows);
    }

    /// Adds an item's rows, after a blank one where the kind changes.
    fn put(&mut self, kind: Kind, shown: Vec<Row>, rows: &mut Vec<Row>) {
        if shown.is_empty() {
            return;
        }
        let same = self.last == kind && !matches!(kind, Kind::Prompt | Kind::Report);
        if self.last != Kind::Start && kind != Kind::End && !same {
            rows.push(Row::new());
        }
        if kind == Kind::Prompt {
            self.marks.push((rows.len(), Mark::Prompt));
        }
        rows.extend(shown);
        if kind == Kind::Prompt {
            self.marks.push((rows.len(), Mark::Answer));
        }
        self.last = if kind == Kind::End { Kind::Card } else { kind };
    }

    /// What was committed last.
    #[must_use]
    pub fn last(&self) -> Kind {
        self.last
    }

    /// The part of the answer that is not final, and whether a blank row belongs before it.
    #[must_use]
    pub fn tail(&self, picture: &Picture, width: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        match (&self.streaming, picture.draft_text()) {
            (Some(streaming), Some((_, text))) => {
                if self.items.is_empty() {
                    if streaming.given.is_empty() || (self.last != Kind::Text && !streaming.markdown.is_settled()) {
                        rows.push(Row::new());
                    }
                    rows.extend(streaming.markdown.tail(self.measure(width)));
                } else {
                    rows.extend(markdown::rows(text, self.measure(width)));
                }
            }
            _ => {
                if let Some(thought) = picture.thought() {
                    let last = thought.trim_end().lines().next_back().unwrap_or_default();
                    rows.push(Row::faint(&format!("    {last}")).cut(width));
                }
            }
        }
        rows
    }

    /// A call an ask is about.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&CallCard> {
        self.calls.get(id)
    }
}

impl Picture {
    /// The text that is being written, and in which message.
    #[must_use]
    pub fn draft_text(&self) -> Option<(&str, &str)> {
        let draft = self.draft.as_ref()?;
        let text = draft
            .blocks
            .iter()
            .find_map(|(kind, text)| matches!(kind, DraftKind::Text).then_some(text))?;
        Some((&draft.message, text))
    }

    /// What is being thought.
    #[must_use]
    pub fn thought(&self) -> Option<&str> {
        let (kind, text) = self.draft.as_ref()?.blocks.last()?;
        matches!(kind, DraftKind::Thinking).then_some(text)
    }
}

/// A new call.
fn new_call(id: &str, tool: &str, input: Value) -> CallCard {
    CallCard {
        id: id.to_owned(),
        tool: tool.to_owned(),
        input,
        time: Duration::ZERO,
        state: CardState::Running,
        note: None,
        inside: Vec::new(),
        used: None,
        link: None,
        moves: "ctrl+b".to_owned(),
        output: None,
    }
}
