//! Commits conversation items to the terminal's history in order.
//!
//! An item is committed once it and all items before it are complete. Only committed and pending items are tracked
//! here; their state is read from the conversation for every frame.

mod ending;
mod items;
mod running;

pub(crate) use ending::outcome_word;

use std::collections::{HashMap, HashSet, VecDeque};

use sluice_host::items::{ItemChange, ItemField, ItemId};

use super::card::{self, CallCard};
use super::markdown::{self, Markdown, Measure};
use super::snapshot::Snapshot;
use crate::screen::Mark;
use crate::text::{Role, Row, Style};

/// Kind of an item, to decide on blank rows between items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing was committed yet.
    Start,
    Prompt,
    Text,
    Card,
    /// A report of several rows, separated by blank rows.
    Report,
    /// Belongs to the item above it.
    End,
}

#[derive(Debug)]
enum Pending {
    /// Rows of a prompt, a notice or command output.
    Rows(Kind, Vec<Row>),
    /// A complete text.
    Text(String),
    /// A tool call.
    Call(ItemId),
    /// End of a turn, for terminals that jump between marks.
    End,
}

/// An answer that is partly committed.
#[derive(Debug)]
struct Streaming {
    item: ItemId,
    /// True while it is streaming.
    grows: bool,
    text: String,
    markdown: Markdown,
    /// Number of bytes passed to the renderer.
    given: usize,
}

impl Streaming {
    /// Returns the part of the text that was given to the renderer.
    fn begun(&self) -> &str {
        self.text.get(..self.given).unwrap_or_default()
    }
}

/// Pending items and the state of the history.
#[derive(Debug)]
pub struct Feed {
    folder: String,
    /// Screen width at the last rendering.
    pub(super) width: usize,
    /// Configured maximum width of prose.
    pub prose: Option<usize>,
    /// Prose is wrapped by the terminal.
    pub flows: bool,
    /// Key that moves a call to the background.
    pub moves: String,
    /// Disables syntax highlighting.
    pub plain_code: bool,
    /// Shows results of tool calls in full.
    pub verbose: bool,
    /// Shows the duration of long turns.
    pub durations: bool,
    /// Shows the time of each prompt.
    pub stamps: bool,
    /// Formats these times.
    pub clock: crate::clock::Clock,
    /// Marks among the most recently committed rows, with the index of the row each precedes.
    pub marks: Vec<(usize, Mark)>,
    items: VecDeque<Pending>,
    /// Completed items that were processed.
    taken: HashSet<ItemId>,
    calls: HashMap<ItemId, CallCard>,
    /// The last calls of subagents, by the call that started them.
    inside: HashMap<ItemId, Vec<ItemId>>,
    streaming: Option<Streaming>,
    /// The thinking that is streaming.
    thought: Option<(ItemId, String)>,
    last: Kind,
    /// The last reported retry.
    pub retry: Option<Retry>,
    /// True if the last turn failed.
    pub failed: bool,
    /// The last answer, for copying.
    pub answer: String,
    /// Text of the last displayed error.
    shown_error: String,
    /// Notes shown on cards, by call.
    notes: HashMap<String, String>,
    /// Reasons of denials given in this terminal, by call.
    refusals: HashMap<String, String>,
    /// Suggested next prompt.
    pub suggestion: Option<String>,
    /// Total duration of model requests in milliseconds.
    pub api_ms: u64,
    /// True if the transcript could not be written, until a turn ends without such an error.
    pub transcript_failing: bool,
    /// True if that happened in the current turn.
    write_failed: bool,
}

/// A failed request that is retried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retry {
    pub item: ItemId,
    pub why: String,
    pub attempt: u64,
    pub most: u64,
    /// Time of the next attempt, in milliseconds since 1970.
    pub at: u64,
}

impl Feed {
    /// Creates the feed of a session in this folder.
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
            transcript_failing: false,
            write_failed: false,
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

    /// Adds rows among the items.
    pub fn say(&mut self, kind: Kind, rows: Vec<Row>) {
        self.items.push_back(Pending::Rows(kind, rows));
    }

    /// Sets the note on the card of a call.
    pub fn note(&mut self, call: &str, note: String) {
        self.notes.insert(call.to_owned(), note);
    }

    /// True if a call has a note.
    #[must_use]
    pub fn has_note(&self, call: &str) -> bool {
        self.notes.contains_key(call)
    }

    /// Records the reason for which a call was denied in this terminal.
    pub fn refused(&mut self, call: &str, why: String) {
        self.refusals.insert(call.to_owned(), why);
    }

    /// Processes the changes of a snapshot.
    pub fn take(&mut self, snapshot: &Snapshot, width: usize) {
        self.width = width;
        for change in &snapshot.changes {
            match change {
                ItemChange::Item(item) => self.item(item),
                ItemChange::Delta { item, field, text, .. } => self.grow(*item, *field, text),
                ItemChange::Removed { item, .. } => self.removed(*item),
            }
        }
        for call in self.calls.values_mut() {
            call.time = call.call.time(snapshot.now);
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

    /// Ends streaming of a text. Its committed part is kept; the next item decides about the rest.
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

    /// Keeps the rows of a streamed message that was never completed.
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

    /// True while an answer is streaming.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.streaming.as_ref().is_some_and(|streaming| streaming.grows)
    }

    /// Returns the rows to append to the history now.
    pub fn commit(&mut self, snapshot: &Snapshot, width: usize) -> Vec<Row> {
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
                        // More calls may join this row during the turn.
                        if count == self.items.len() && snapshot.turn.is_some() && !self.is_writing() {
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

    /// Commits the final part of the streaming answer.
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

    /// Appends the rows of an item, after a blank row if the kind changes.
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

    /// Returns the kind of the last committed item.
    #[must_use]
    pub fn last(&self) -> Kind {
        self.last
    }

    /// Returns the part of the answer that is not final, after a blank row if needed.
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

    /// Returns an id above all processed ids and above those of this session, for items of a saved session.
    pub(crate) fn free_id(&self) -> u32 {
        const SAVED: u32 = 1 << 31;
        let highest = self.taken.iter().map(|id| id.0).max().unwrap_or(0);
        highest.max(SAVED) + 1
    }
}
