//! The application state: keys and events come in, frames and acts go out. No I/O.

mod act;
mod agents;
mod answers;
mod commands;
mod completion;
mod draft;
mod earlier;
mod editing;
mod farewell;
mod frame;
mod help;
mod history;
mod jobs;
mod keys;
mod models;
mod notes;
mod open_request;
mod outcomes;
mod pager;
mod permissions;
mod pickers;
mod plugins;
mod rewind;
mod running_commands;
mod servers;
mod sessions;
mod settings;
mod status_line;
mod stop;
mod theme;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use sluice_host::items::ItemChange;

use crate::facts::Facts;
use crate::input::{Bindings, Editor, History, Key, Vim};
use crate::text::{Role, Row, Style};
use crate::view::feed::{Feed, Kind};
use crate::view::snapshot::Snapshot;
use crate::view::status::StatusContext;

pub use act::{Act, ActOutcome, Next};
pub(crate) use commands::MODES;
pub(crate) use completion::Popup;
pub(crate) use editing::edit;
pub use jobs::OutputSize;
pub(crate) use open_request::OpenRequest;
pub(crate) use pager::Pager;
pub(crate) use permissions::source_word as place_word;
pub(crate) use pickers::{Picker, PickerKind};
pub use rewind::{Files, Point};

/// Milliseconds since 1970.
pub type Now = u64;

/// The application state of one session on the terminal.
#[derive(Debug)]
pub struct App {
    pub(crate) facts: Facts,
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    pub(crate) editor: Editor,
    pub(crate) history: History,
    pub(crate) feed: Feed,
    pub(crate) snapshot: Snapshot,
    /// The open permission request, question or form, and the input given to it so far.
    pub(crate) open_request: Option<OpenRequest>,
    pub(crate) popup: Option<Popup>,
    pub(crate) picker: Option<Picker>,
    pub(crate) pager: Option<Pager>,
    pub(crate) vim: Option<Vim>,
    pub(crate) bindings: Bindings,
    /// First key of a chord from the user's key bindings.
    bound: Option<Key>,
    /// Index of the selected history search scope.
    pub(crate) scope: usize,
    pub(crate) status_line: status_line::StatusLineState,
    pub(crate) read_bytes: fn(&std::path::Path) -> Option<Vec<u8>>,
    /// Text shown instead of the status line, and the time it disappears.
    notice: Option<(String, Now)>,
    pub(crate) status_context: StatusContext,
    help: bool,
    todos: bool,
    stash: Option<String>,
    last_key: Now,
    last_escape: Now,
    last_leave: Now,
    last_stop: Now,
    last_kill: Now,
    last_letter: Now,
    /// True if the terminal distinguishes shift+enter from enter.
    pub(crate) reports_shift_enter: bool,
    /// Running `!` commands and Bash calls.
    running_commands: running_commands::RunningCommands,
    /// True if extended thinking is enabled.
    thinks: bool,
    /// Effort level of the model, as last reported by the agent.
    effort: Option<String>,
    /// Effort level selected in the open model picker; not applied yet.
    selected_effort: Option<String>,
    selected_thinking: bool,
    /// Definition files of subagents, by agent name.
    agent_files: std::collections::HashMap<String, std::path::PathBuf>,
    /// Theme previewed in the open theme picker.
    tried: Option<crate::theme::Theme>,
    /// Index of the settings file in which changes are saved.
    keeps: usize,
    /// Commands that were used, most recent last.
    used: Vec<String>,
    /// The last prompt sent: time, id and text. An immediate stop returns it to the composer.
    sent: Option<(Now, String, String)>,
    pub(crate) acts: Vec<Act>,
    /// Requests whose long text was written to the history.
    committed: HashSet<String>,
    /// Output size of background jobs, by id.
    written: std::collections::HashMap<String, jobs::OutputSize>,
    /// True if the turn was stopped in this terminal, by a stop key or by a denied call.
    stopped_turn: bool,
    /// Requests answered in this terminal that the snapshot still contains.
    answered: HashSet<String>,
    pub(crate) read_file: fn(&std::path::Path) -> Option<String>,
    /// First key of a built-in chord.
    chord: Option<Key>,
    focused: Option<bool>,
    started: Now,
    /// Rows that do not fit in the live region; written to the history with the next frame.
    pub(crate) extra: Vec<Row>,
    pub(crate) leaving: bool,
    /// True if the session moves to a bridge when the turn ends.
    pub(crate) serves: bool,
    /// True if a dialog was requested and no key was pressed since. Later, the dialog does not take the keyboard focus.
    pub(crate) expects: bool,
    /// The window title last sent to the terminal.
    pub(crate) last_title: String,
}

impl App {
    /// Creates the state of a starting session.
    #[must_use]
    pub fn new(facts: Facts, columns: usize, rows: usize, now: Now) -> Self {
        let folder = facts.folder.display().to_string();
        let mut app = Self {
            feed: Feed::new(&folder),
            history: History::kept_in(facts.config_dir.join("history.jsonl")),
            status_context: StatusContext {
                model: crate::view::status::model_word(&facts.model),
                root: facts.root,
                served: facts.served.is_some(),
                ..StatusContext::default()
            },
            facts,
            columns,
            rows,
            editor: Editor::default(),
            snapshot: Snapshot::default(),
            open_request: None,
            popup: None,
            picker: None,
            pager: None,
            vim: None,
            bindings: Bindings::default(),
            bound: None,
            scope: 0,
            status_line: status_line::StatusLineState::default(),
            read_bytes: notes::read_bytes,
            notice: None,
            help: false,
            todos: false,
            stash: None,
            last_key: 0,
            last_escape: 0,
            last_leave: 0,
            last_stop: 0,
            last_kill: 0,
            last_letter: 0,
            reports_shift_enter: false,
            running_commands: running_commands::RunningCommands::default(),
            thinks: true,
            effort: None,
            selected_effort: None,
            selected_thinking: true,
            agent_files: std::collections::HashMap::new(),
            tried: None,
            keeps: 0,
            used: Vec::new(),
            sent: None,
            acts: Vec::new(),
            committed: HashSet::new(),
            written: std::collections::HashMap::new(),
            stopped_turn: false,
            answered: HashSet::new(),
            read_file,
            chord: None,
            focused: None,
            started: now,
            extra: Vec::new(),
            leaving: false,
            serves: false,
            // `-r` without an id opens the session list.
            expects: true,
            last_title: String::new(),
        };
        if app.facts.settings.vim {
            app.vim = Some(Vim::default());
        }
        app.feed.prose = app.facts.settings.prose;
        app.feed.flows = app.facts.settings.flows;
        app.feed.verbose = app.facts.settings.verbose;
        app.feed.plain_code = app.facts.settings.plain_code;
        app.feed.durations = !app.facts.settings.no_durations;
        app.feed.stamps = app.facts.settings.stamps;
        app.feed.clock = app.facts.clock;
        app.feed.moves = app.background_key();
        app.greet();
        if !app.facts.draft.is_empty() {
            let draft = std::mem::take(&mut app.facts.draft);
            app.editor.set(&draft);
        }
        app
    }

    /// Shows the header and, on the first run, short instructions.
    fn greet(&mut self) {
        let model = match (&self.facts.served, &self.facts.agent) {
            (Some(address), _) => format!("served at {address}"),
            (None, Some(agent)) => agent.clone(),
            (None, None) if self.facts.is_demo() => "demo model".to_owned(),
            (None, None) => self.status_context.model.clone(),
        };
        let mut facts = vec![
            format!("sluice {}", self.facts.version),
            self.facts.folder_word(),
            model,
        ];
        facts.retain(|fact| !fact.is_empty());
        if let Some(title) = self.facts.resumed.as_ref().filter(|_| self.facts.served.is_none()) {
            let messages = crate::view::amount::count(self.facts.earlier.len() as u64, "message");
            facts.push(format!("resumed \"{title}\", {messages}"));
        }
        let mut rows = crate::text::wrap::words(&Row::faint(&facts.join(" ∙ ")), self.columns, 2);
        if self.facts.is_demo() && self.facts.resumed.is_none() {
            rows.push(Row::new());
            let text = "No key is set, so a built-in demo model answers. Its tools are real.";
            rows.extend(crate::text::wrap::words(&Row::plain(text), self.columns, 0));
            for (key, about) in [
                (
                    "  /login   ",
                    "set up an API key or a model server (Ollama, llama.cpp, vLLM)",
                ),
                ("  ?        ", "show the shortcuts"),
            ] {
                let row = Row::new().add(key, Role::Accent).add(about, Style::TEXT);
                rows.extend(crate::text::wrap::words(&row, self.columns, 11));
            }
        }
        for line in std::mem::take(&mut self.facts.said) {
            let row = Row::new().add("~ ", Role::Note).add(&line, Style::TEXT);
            rows.extend(crate::text::wrap::words(&row, self.columns, 2));
        }
        self.feed.say(Kind::Card, rows);
        self.show_last_turn();
    }

    /// Takes a new snapshot of the conversation.
    pub fn set_snapshot(&mut self, snapshot: Snapshot, now: Now) {
        self.feed.take(&snapshot, self.columns);
        let ended = self.snapshot.turn.filter(|_| snapshot.turn.is_none());
        if ended.is_some() {
            self.acts.push(Act::Branch);
        }
        let long = ended.is_some_and(|time| time.as_millis() >= u128::from(self.facts.settings.notify_after));
        if long && self.focused != Some(true) {
            self.acts.push(Act::Ring("done".to_owned()));
        }
        // A short turn can end between two snapshots; its stop key then no longer applies.
        let over = !snapshot.is_busy() && (self.snapshot.is_busy() || snapshot.turn_count > self.snapshot.turn_count);
        let begun = snapshot.speaks || snapshot.changes.iter().any(is_call);
        self.snapshot = snapshot;
        self.snapshot.changes.clear();
        if over
            || self
                .sent
                .as_ref()
                .is_some_and(|(at, ..)| now.saturating_sub(*at) > 1000)
            || begun
        {
            self.sent = None;
        }
        self.sync_request(now);
        if self.serves && !self.snapshot.is_busy() && self.snapshot.queue.is_empty() {
            self.serves = false;
            self.serve();
        }
    }

    /// Moves the session to a bridge.
    pub(crate) fn serve(&mut self) {
        let session = self.begun();
        self.acts.push(Act::StartNext(Next::Serve { session }));
    }

    /// Returns the id of this session, if it contains at least one turn.
    pub(crate) fn begun(&self) -> Option<String> {
        let said = self.snapshot.session.clone().filter(|_| self.snapshot.turn_count > 0);
        said.or_else(|| self.facts.session.clone())
    }

    /// Returns and clears the pending acts.
    pub fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    /// Updates the size of the screen.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        self.columns = columns;
        self.rows = rows;
    }

    /// Records that the window gained or lost focus.
    pub fn focus(&mut self, focused: bool, now: Now) {
        self.focused = Some(focused);
        // Keys typed in an unfocused window must not answer a request: it waits again before it takes the keyboard.
        if let Some(open_request) = self
            .open_request
            .as_mut()
            .filter(|open_request| focused && open_request.focused.is_some())
        {
            open_request.focused = Some(now);
        }
    }

    /// Shows a notice instead of the status line for two seconds.
    pub(crate) fn notify(&mut self, text: impl Into<String>, now: Now) {
        self.notice = Some((text.into(), now + 2000));
    }

    /// Writes rows to the history. A report of several rows is separated by blank rows.
    pub(crate) fn say(&mut self, rows: Vec<Row>) {
        let kind = if rows.len() > 1 { Kind::Report } else { Kind::Card };
        self.feed.say(kind, rows);
    }

    /// Returns the time of the next change without input (a notice expires, a spinner or timer advances). `None` while
    /// idle.
    #[must_use]
    pub fn next_tick(&self, now: Now) -> Option<Now> {
        let notice = self.notice.as_ref().map(|(_, until)| *until);
        // Nothing is animated while an answer is required.
        let spins = (self.snapshot.is_busy() || self.runs_shell()) && self.open_request.is_none();
        let step = match (self.facts.settings.still, self.facts.ssh, self.focused) {
            (true, ..) => 5000,
            (_, true, _) => 500,
            (.., Some(false)) => 1000,
            _ => 125,
        };
        let spin = spins.then(|| now + step - now % step);
        let status = self.status_line.next(&self.facts.settings, self.open_request.is_some());
        notice
            .into_iter()
            .chain(spin)
            .chain(self.focus_time())
            .chain(status)
            .min()
    }

    /// Loads key bindings and reports the first entry that is not understood.
    pub fn bind(&mut self, text: &str, now: Now) {
        let (bindings, unknown) = Bindings::read(text);
        self.bindings = bindings;
        self.feed.moves = self.background_key();
        if let Some(first) = unknown.into_iter().next() {
            self.notify(first, now);
        }
    }

    /// Selects the light or dark theme from the background colour of the terminal, if the theme is set to automatic.
    pub fn set_background(&mut self, red: u8, green: u8, blue: u8) -> Option<crate::theme::Theme> {
        use crate::theme::Theme;
        let settings = &mut self.facts.settings;
        if !settings.auto_theme || !settings.truecolor {
            return None;
        }
        let light = u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114 > 127_500;
        settings.theme = if light { Theme::Light } else { Theme::Dark };
        Some(settings.theme)
    }

    /// True if the theme depends on the background colour of the terminal.
    #[must_use]
    pub fn follows_background(&self) -> bool {
        self.facts.settings.auto_theme
    }

    /// True if the cursor is drawn as a block on a character (vim normal mode) instead of between characters.
    #[must_use]
    pub fn has_block_cursor(&self) -> bool {
        self.vim.as_ref().is_some_and(|vim| !vim.inserts())
    }

    /// Adds the draft to the prompt history, so that `up` restores it in the next session.
    pub fn keep_draft(&mut self, now: Now) {
        let draft = self.editor.whole();
        self.remember(&draft, now);
    }

    /// Sends the prompt given on the command line.
    pub fn send_first(&mut self, text: &str, now: Now) {
        self.send(text, Vec::new(), false, now);
    }

    /// Shows the error that ended the session, and how to resume it.
    pub fn show_fatal_error(&mut self, why: &str) {
        let hint = self.snapshot.session.as_deref();
        let hint = hint
            .map(|id| format!("; to resume: {}", self.facts.resume_command(id)))
            .unwrap_or_default();
        self.say(vec![
            Row::new()
                .add("✗ ", Role::Bad)
                .add(&format!("{why}{hint}"), Style::TEXT),
        ]);
    }

    /// Returns the id of the open request.
    #[must_use]
    pub fn asking_id(&self) -> Option<String> {
        self.open_request
            .as_ref()
            .map(|open_request| open_request.id.to_string())
    }

    /// Returns the progress state for the task bar.
    #[must_use]
    pub fn progress(&self) -> crate::screen::Progress {
        use crate::screen::Progress;
        match (self.open_request.is_some(), self.snapshot.is_busy()) {
            (true, _) => Progress::Waiting,
            (_, true) => Progress::Working,
            _ if self.feed.failed => Progress::Failed,
            _ => Progress::Idle,
        }
    }

    /// Returns the window title, if it changed.
    pub fn title(&mut self) -> Option<String> {
        let folder = self
            .facts
            .folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let sign = match (self.open_request.is_some(), self.snapshot.is_busy()) {
            (true, _) => "? ",
            (_, true) => "* ",
            _ => "",
        };
        let session = self
            .snapshot
            .title
            .as_ref()
            .filter(|_| !self.facts.settings.no_session_title)
            .map(|title| format!(": {title}"))
            .unwrap_or_default();
        let title = crate::text::clean::one_line(&format!("{sign}{folder}{session}"));
        (title != self.last_title).then(|| {
            self.last_title.clone_from(&title);
            title
        })
    }
}

/// True if a change is about a tool call.
fn is_call(change: &ItemChange) -> bool {
    matches!(change, ItemChange::Item(item) if item.call().is_some())
}

/// Reads a file, unless it is too large to be shown.
fn read_file(path: &std::path::Path) -> Option<String> {
    const MAX_SIZE: u64 = 2 << 20;
    let data = std::fs::metadata(path).ok()?;
    (data.is_file() && data.len() <= MAX_SIZE).then(|| std::fs::read_to_string(path).ok())?
}
