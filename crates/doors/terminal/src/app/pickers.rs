//! Pickers: a list with a highlighted row and an optional filter.

mod list;

use super::{Act, App, Now};
use crate::app::commands::MODES;
use crate::input::{Code, Editor, Key};
use crate::plugins::{PluginAct, PluginEntry};
use crate::text::Row;

/// Kind of picker, with the data behind its rows.
#[derive(Debug, Clone)]
pub(crate) enum PickerKind {
    Mode,
    Theme,
    Model(Vec<sluice_wire::control::ModelInfo>),
    Server(Vec<sluice_wire::control::McpServerStatus>),
    /// The rules, and the index of the displayed kind.
    Rule(Box<sluice_wire::control::PermissionRulesState>, usize),
    /// The effective settings.
    Setting(serde_json::Value),
    Agent(Vec<sluice_wire::control::AgentInfo>),
    /// A note, to be saved in the selected memory file.
    Note(String),
    Job,
    Session(super::sessions::Found),
    /// Earlier prompts.
    Prompt(Vec<String>),
    /// Checkpoints; the row after them is the present.
    Point(Vec<super::Point>),
    Rewind(Box<super::Point>),
    /// When to move the session to a bridge.
    Serving,
    /// A command to insert into the composer.
    Command,
    /// A memory file to open in the editor.
    Memory,
    Plugin(Vec<PluginEntry>),
    /// A confirmation about a plugin: the acts for yes and for no.
    PluginDecision {
        yes: PluginAct,
        no: Option<PluginAct>,
    },
}

/// An open list.
#[derive(Debug, Clone)]
pub(crate) struct Picker {
    pub(crate) title: String,
    pub(crate) picks: PickerKind,
    /// Name and description of each row.
    pub(crate) rows: Vec<(String, String)>,
    /// Full descriptions of rows that show a shortened one, by index.
    pub(crate) longer: std::collections::HashMap<usize, String>,
    pub(crate) selected: usize,
    /// The filter, if typing filters the list.
    pub(super) filter: Option<Editor>,
    /// A new entry being typed.
    pub(crate) entry: Option<Editor>,
    numbered: bool,
    /// Rows between the title and the list.
    pub(crate) head: Vec<Row>,
    /// Rows between the list and the hints.
    pub(crate) foot: Vec<Row>,
    /// Row after the title.
    pub(crate) tabs: Row,
    /// True if the entry is only evaluated, not saved.
    pub(crate) tries: bool,
    pub(crate) hints: Vec<&'static str>,
}

impl Picker {
    pub(crate) fn new(title: &str, picks: PickerKind, rows: impl IntoIterator<Item = (String, String)>) -> Self {
        let filters = matches!(
            picks,
            PickerKind::Session(_) | PickerKind::Prompt(_) | PickerKind::Setting(_) | PickerKind::Command
        );
        Self {
            title: title.to_owned(),
            numbered: matches!(
                picks,
                PickerKind::Mode
                    | PickerKind::Theme
                    | PickerKind::Model(_)
                    | PickerKind::Rewind(_)
                    | PickerKind::Serving
                    | PickerKind::Note(_)
                    | PickerKind::Memory
                    | PickerKind::PluginDecision { .. }
            ),
            picks,
            rows: rows.into_iter().collect(),
            longer: std::collections::HashMap::new(),
            selected: 0,
            filter: filters.then(Editor::default),
            entry: None,
            head: Vec::new(),
            foot: Vec::new(),
            tabs: Row::new(),
            tries: false,
            hints: vec!["enter chooses", "esc"],
        }
    }

    /// Appends rows: name, shown description, full description.
    pub(crate) fn extend(&mut self, rows: impl IntoIterator<Item = (String, String, String)>) {
        for (name, about, whole) in rows {
            if whole != about {
                self.longer.insert(self.rows.len(), whole);
            }
            self.rows.push((name, about));
        }
    }

    /// Inserts pasted text into the entry or the filter.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let line = text.lines().next().unwrap_or_default();
        if let Some(editor) = self.entry.as_mut().or(self.filter.as_mut()) {
            editor.insert(line);
            self.selected = 0;
        }
        true
    }

    /// Returns the indices of the rows that match the filter.
    pub(super) fn fitting(&self) -> Vec<usize> {
        let wanted = self
            .filter
            .as_ref()
            .map(|filter| filter.text().to_lowercase())
            .unwrap_or_default();
        let fits = |at: usize, (name, about): &(String, String)| {
            wanted.is_empty()
                || name.to_lowercase().contains(&wanted)
                || about.to_lowercase().contains(&wanted)
                || match &self.picks {
                    PickerKind::Session(found) => found.says(at, &wanted),
                    // The row of a long prompt shows only its beginning.
                    PickerKind::Prompt(prompts) => {
                        prompts.get(at).is_some_and(|it| it.to_lowercase().contains(&wanted))
                    }
                    _ => false,
                }
        };
        self.rows
            .iter()
            .enumerate()
            .filter(|(at, row)| fits(*at, row))
            .map(|(at, _)| at)
            .collect()
    }
}

impl App {
    /// Handles a key while a picker is open.
    pub(super) fn picker_key(&mut self, key: Key, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let page = self.rows.saturating_sub(6 + picker.head.len()).max(1);
        if let Some(entry) = &mut picker.entry {
            match key.code {
                Code::Escape => picker.entry = None,
                Code::Char('c') if key.ctrl => picker.entry = None,
                Code::Enter => {
                    let text = entry.text().trim().to_owned();
                    picker.entry = None;
                    if !text.is_empty() {
                        self.entered(&text, now);
                    }
                }
                _ => super::editing::edit(entry, key),
            }
            return;
        }
        let count = picker.fitting().len();
        let last = count.saturating_sub(1);
        let typed = picker.filter.is_some();
        match (key.code, key.ctrl) {
            (Code::Escape, _) | (Code::Char('c'), true) => match &mut picker.filter {
                Some(filter) if !filter.is_empty() && key.is(Code::Escape) => {
                    filter.set("");
                    picker.selected = 0;
                }
                _ if matches!(picker.picks, PickerKind::Rewind(_)) && key.is(Code::Escape) => {
                    self.picker = None;
                    self.acts.push(Act::Points);
                }
                _ => {
                    if let Some(picker) = self.picker.take()
                        && let PickerKind::PluginDecision { no: Some(no), .. } = picker.picks
                    {
                        self.acts.push(Act::Plugin(no));
                    }
                    self.end_theme_preview();
                }
            },
            (Code::Up, _) | (Code::Char('p'), true) => picker.selected = picker.selected.saturating_sub(1),
            // Renames the session.
            (Code::Char('r'), true) if matches!(picker.picks, PickerKind::Session(_)) => self.session_key(key, now),
            (Code::Down, _) | (Code::Char('n' | 'r'), true) => picker.selected = (picker.selected + 1).min(last),
            (Code::Char('k'), false) if !typed => picker.selected = picker.selected.saturating_sub(1),
            (Code::Char('j'), false) if !typed => picker.selected = (picker.selected + 1).min(last),
            (Code::PageUp, _) => picker.selected = picker.selected.saturating_sub(page),
            (Code::PageDown, _) => picker.selected = (picker.selected + page).min(last),
            (Code::Home, _) => picker.selected = 0,
            (Code::End, _) => picker.selected = last,
            (Code::Char(digit @ '1'..='9'), false) if !typed => {
                picker.selected = (digit as usize - '1' as usize).min(last);
            }
            (Code::Enter, _) => {
                self.pick(key.ctrl, now);
            }
            _ => {
                self.picker_letter(key, now);
            }
        }
        self.update_effort_row();
        self.preview_theme();
    }

    fn picker_letter(&mut self, key: Key, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let at = picker.fitting().get(picker.selected).copied();
        match (&picker.picks, key.code, key.ctrl) {
            (PickerKind::Session(_), Code::Char('f' | 'o' | 'a'), true) => self.session_key(key, now),
            (PickerKind::Server(_), Code::Char(letter), false) => self.server_key(letter, at, now),
            (PickerKind::Plugin(_), Code::Char(letter), false) => self.plugin_key(letter, at),
            (PickerKind::Model(_), Code::Char('d' | 't') | Code::Left | Code::Right, false) => self.model_key(key, now),
            (PickerKind::Agent(_), Code::Char(letter), false) => self.agent_key(letter, at, now),
            (PickerKind::Setting(_), Code::Left | Code::Right, _) => self.select_settings_file(key.code == Code::Right),
            (PickerKind::Rewind(_), Code::Char('d'), false) => self.show_changes(),
            (PickerKind::Rule(rules, kind), Code::Left | Code::Right, _) => {
                let by = if key.code == Code::Left { 3 } else { 1 };
                let (rules, kind) = ((**rules).clone(), (kind + by) % 4);
                self.pick_rule(rules, kind);
            }
            (PickerKind::Rule(..), Code::Char(letter), false) if picker.filter.is_none() => self.rule_key(letter, now),
            (PickerKind::Prompt(_), Code::Char('s'), true) => {
                let typed = picker.filter.clone();
                self.scope = (self.scope + 1) % 3;
                self.search_history(now);
                if let Some(picker) = &mut self.picker {
                    picker.filter = typed;
                }
            }
            (PickerKind::Job, Code::Char('x'), false) => {
                if let Some(id) = at.and_then(|at| picker.rows.get(at)).map(|(id, _)| id.clone()) {
                    self.acts.push(Act::StopTask(id));
                    self.picker = None;
                }
            }
            _ => {
                if let Some(filter) = &mut picker.filter {
                    super::editing::edit(filter, key);
                    picker.selected = 0;
                    self.search_sessions();
                }
            }
        }
    }

    fn pick(&mut self, at_once: bool, now: Now) {
        let Some(picker) = self.picker.take() else { return };
        let Some(at) = picker.fitting().get(picker.selected).copied() else {
            return;
        };
        match picker.picks {
            PickerKind::Mode => self
                .acts
                .extend(MODES.get(at).map(|(mode, ..)| Act::SetMode(mode.clone()))),
            PickerKind::Theme => self.choose_theme(at),
            PickerKind::Model(_) => {
                self.picker = Some(picker);
                self.choose_model(false, now);
            }
            PickerKind::Server(servers) => self.show_tools(&servers, at),
            PickerKind::Plugin(plugins) => self.show_plugin(&plugins, at),
            PickerKind::PluginDecision { yes, no } => {
                let chosen = if at == 0 { Some(yes) } else { no };
                self.acts.extend(chosen.map(Act::Plugin));
            }
            PickerKind::Rule(rules, kind) => self.pick_rule(*rules, kind),
            PickerKind::Setting(settings) => {
                self.next_value(&settings, at);
                if let Some(again) = &mut self.picker
                    && matches!(again.picks, PickerKind::Setting(_))
                {
                    // The highlight stays on the changed row.
                    (again.filter, again.selected) = (picker.filter, picker.selected);
                }
            }
            PickerKind::Note(text) => self.keep_note(&text, at, now),
            PickerKind::Agent(agents) => self.read_agent(&agents, at),
            PickerKind::Point(points) => {
                if let Some(point) = points.get(at) {
                    self.pick_what(point, now);
                }
            }
            PickerKind::Rewind(point) => self.rewind(&point, at, now),
            PickerKind::Serving => {
                self.serves = true;
                if at == 1 {
                    self.acts.push(Act::Interrupt { all: false });
                } else {
                    self.notify("served when this turn ends", now);
                }
            }
            PickerKind::Job => self
                .acts
                .extend(picker.rows.get(at).map(|(id, _)| Act::TaskOutput(id.clone()))),
            PickerKind::Session(found) => self.resume(&found, at, now),
            PickerKind::Memory => self.edit_memory(at),
            PickerKind::Command => {
                let name = picker.rows.get(at).and_then(|(name, _)| name.split_whitespace().next());
                let takes = picker.rows.get(at).is_some_and(|(name, _)| name.contains(' '));
                if let Some(name) = name {
                    self.editor.set(&format!("{name}{}", if takes { " " } else { "" }));
                }
            }
            PickerKind::Prompt(prompts) => {
                if let Some(text) = prompts.get(at).cloned() {
                    if at_once {
                        self.send(&text, Vec::new(), false, now);
                    } else {
                        self.editor.set(&text);
                    }
                }
            }
        }
    }
}
