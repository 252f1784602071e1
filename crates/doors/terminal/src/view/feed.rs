//! Items are committed to the history of the terminal in order.
//!
//! An item leaves when it and all before it are done. Only what was committed and what still waits is known here; what
//! is true is looked up in the conversation with every frame.

mod ending;
mod reading;
mod running;

pub(crate) use ending::outcome_word;

use std::collections::{HashMap, HashSet, VecDeque};

use sluice_host::items::{ItemChange, ItemField, ItemId};

use super::card::{self, CallCard};
use super::markdown::{self, Markdown, Measure};
use super::picture::Picture;
use crate::screen::Mark;
use crate::text::{Role, Row, Style};

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
enum Pending {
    /// Rows of a prompt, a note, an answer of a command.
    Rows(Kind, Vec<Row>),
    /// A whole text.
    Text(String),
    /// A call.
    Call(ItemId),
    /// The end of a turn, for terminals that jump between them.
    End,
}

/// An answer that is partly committed.
#[derive(Debug)]
struct Streaming {
    item: ItemId,
    /// Whether it still grows.
    grows: bool,
    text: String,
    markdown: Markdown,
    /// How many bytes of the text were given to it.
    given: usize,
}

impl Streaming {
    /// Returns the part of the text that was given to the renderer.
    fn begun(&self) -> &str {
        self.text.get(..self.given).unwrap_or_default()
    }
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
    items: VecDeque<Pending>,
    /// Items that were taken in, once they were complete.
    taken: HashSet<ItemId>,
    calls: HashMap<ItemId, CallCard>,
    /// Calls of subagents, by the call that started them; the last ones.
    inside: HashMap<ItemId, Vec<ItemId>>,
    streaming: Option<Streaming>,
    /// The thinking that is being streamed.
    thought: Option<(ItemId, String)>,
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
    pub item: ItemId,
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
            taken: HashSet::new(),
            calls: HashMap::new(),
            inside: HashMap::new(),
            streaming: None,
            thought: None,
            last: Kind::Start,
            retry: None,
            failed: false,
            answer: String::new(),
            shown_error: String::new(),
            notes: HashMap::new(),
            refusals: HashMap::new(),
            suggestion: None,
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
        self.items.push_back(Pending::Rows(kind, rows));
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
        for change in &picture.changes {
            match change {
                ItemChange::Item(item) => self.item(item),
                ItemChange::Delta { item, field, text, .. } => self.grow(*item, *field, text),
                ItemChange::Removed { item, .. } => self.removed(*item),
            }
        }
        for call in self.calls.values_mut() {
            call.time = call.call.time(picture.now);
        }
    }

    fn grow(&mut self, item: ItemId, field: ItemField, more: &str) {
        match (field, &mut self.streaming, &mut self.thought) {
            (ItemField::Text, Some(streaming), _) if streaming.item == item => streaming.text.push_str(more),
            (ItemField::Thinking, _, Some((id, thought))) if *id == item => thought.push_str(more),
            _ => {}
        }
    }

    fn removed(&mut self, item: ItemId) {
        self.retry = self.retry.take().filter(|retry| retry.item != item);
        self.streaming = self.streaming.take().filter(|streaming| streaming.item != item);
    }

    /// A text no longer grows. What of it was committed stays; the rest is decided by what comes next.
    fn stop_writing(&mut self, item: ItemId) {
        if let Some(streaming) = self.streaming.as_mut().filter(|it| it.item == item) {
            streaming.grows = false;
        }
        self.thought = self.thought.take().filter(|(id, _)| *id != item);
    }

    fn stream(&mut self, item: ItemId, text: &str) {
        let known = self.streaming.as_mut().filter(|it| it.item == item);
        if let Some(streaming) = known.filter(|it| text.starts_with(it.begun())) {
            text.clone_into(&mut streaming.text);
            return;
        }
        self.cut_off();
        self.streaming = Some(Streaming {
            item,
            grows: true,
            text: text.to_owned(),
            markdown: Markdown::default(),
            given: 0,
        });
    }

    /// A draft that was never said for good keeps its rows.
    fn cut_off(&mut self) {
        if let Some(streaming) = self.streaming.take()
            && streaming.given > 0
        {
            let row = Row::new()
                .add("✗ ", Role::Bad)
                .add("cut off here, asked again", Style::FAINT);
            self.items.push_back(Pending::Rows(Kind::End, vec![row]));
        }
    }

    /// Whether an answer is being written.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.streaming.as_ref().is_some_and(|streaming| streaming.grows)
    }

    /// Rows that leave for good now.
    pub fn commit(&mut self, picture: &Picture, width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        while let Some(item) = self.items.front() {
            match item {
                Pending::Call(id) => {
                    let Some(call) = self.calls.get(id) else {
                        self.items.pop_front();
                        continue;
                    };
                    if call.is_running() {
                        break;
                    }
                    if card::is_reading(call) {
                        let count = self.readings();
                        // More of them may join while the turn goes on.
                        if count == self.items.len() && picture.turn.is_some() && !self.is_writing() {
                            break;
                        }
                        self.commit_readings(count, width, &mut rows);
                        continue;
                    }
                    let id = *id;
                    self.items.pop_front();
                    let call = self.finished(id);
                    let shown = call.map(|call| self.card(&call, width)).unwrap_or_default();
                    self.put(Kind::Card, shown, &mut rows);
                }
                Pending::Rows(..) | Pending::Text(_) | Pending::End => match self.items.pop_front() {
                    Some(Pending::Rows(kind, shown)) => self.put(kind, shown, &mut rows),
                    Some(Pending::Text(text)) => {
                        let shown = markdown::rows(&text, self.measure(width));
                        self.put(Kind::Text, shown, &mut rows);
                    }
                    Some(Pending::End) => self.marks.push((rows.len(), Mark::End)),
                    _ => {}
                },
            }
        }
        if self.items.is_empty() {
            self.commit_stream(width, &mut rows);
        }
        rows
    }

    /// What of the answer is final.
    fn commit_stream(&mut self, width: usize, rows: &mut Vec<Row>) {
        let measure = self.measure(width);
        let Some(streaming) = self.streaming.as_mut().filter(|it| it.grows) else {
            return;
        };
        let new = streaming.text.get(streaming.given..).unwrap_or_default();
        if new.is_empty() {
            return;
        }
        let done = streaming.markdown.push(new, measure);
        streaming.given = streaming.text.len();
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

    fn finished(&mut self, id: ItemId) -> Option<CallCard> {
        self.inside.remove(&id);
        let mut call = self.calls.remove(&id)?;
        call.note = self.notes.remove(&*call.call.id);
        Some(call)
    }

    fn readings(&self) -> usize {
        let is_reading =
            |item: &Pending| matches!(item, Pending::Call(id) if self.calls.get(id).is_some_and(card::is_reading));
        self.items.iter().take_while(|item| is_reading(item)).count()
    }

    fn commit_readings(&mut self, count: usize, width: usize, rows: &mut Vec<Row>) {
        let ids: Vec<ItemId> = self
            .items
            .drain(..count)
            .filter_map(|item| match item {
                Pending::Call(id) => Some(id),
                _ => None,
            })
            .collect();
        let calls: Vec<CallCard> = ids.iter().filter_map(|id| self.finished(*id)).collect();
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
    pub fn tail(&self, width: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        match self.streaming.as_ref().filter(|it| it.grows) {
            Some(streaming) => {
                if self.items.is_empty() {
                    if streaming.given == 0 || (self.last != Kind::Text && !streaming.markdown.is_settled()) {
                        rows.push(Row::new());
                    }
                    rows.extend(streaming.markdown.tail(self.measure(width)));
                } else {
                    rows.extend(markdown::rows(&streaming.text, self.measure(width)));
                }
            }
            None => {
                if let Some((_, thought)) = &self.thought {
                    let last = thought.trim_end().lines().next_back().unwrap_or_default();
                    rows.push(Row::faint(&format!("    {last}")).cut(width));
                }
            }
        }
        rows
    }

    /// Returns an id above all that were taken in and above those of this session, for items of a saved session.
    pub(crate) fn free_id(&self) -> u32 {
        const SAVED: u32 = 1 << 31;
        let highest = self.taken.iter().map(|id| id.0).max().unwrap_or(0);
        highest.max(SAVED) + 1
    }
}
