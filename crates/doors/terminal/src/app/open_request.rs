//! The open permission request, question or form: its content, keyboard focus and selected choices.

use serde_json::Value;
use sluice_host::conversation::{Ask, AskKind};
use sluice_host::items::{Card, CardBody, Plan};
use sluice_wire::ToHost;
use sluice_wire::control::{CanUseTool, Elicitation, Request, RequestId};

use super::{App, Now};
use crate::input::Editor;
use crate::text::clean::one_line;
use crate::text::{Role, Row, Style};
use crate::view::ask::{self, Choice, ChoiceMeaning, Form, Permission, Questions};
use crate::view::markdown;
use crate::view::status::mode_word;

/// How long the composer must be empty without a key press before a request takes the keyboard, in milliseconds.
const FOCUS_DELAY: Now = 800;

/// Content of the dialog.
#[derive(Debug, Clone)]
pub(crate) enum RequestContent {
    Call {
        ask: Box<CanUseTool>,
        /// The input, with paths relative to the folder.
        input: Value,
        file: Option<String>,
    },
    Questions(Questions, Value),
    Plan {
        plan: String,
        /// True if the user changed the plan.
        edited: bool,
    },
    Form(Form),
    /// A page to open in the browser.
    Page {
        server: String,
        message: String,
        url: String,
    },
}

/// The open request and its dialog state.
#[derive(Debug, Clone)]
pub(crate) struct OpenRequest {
    pub(crate) id: RequestId,
    pub(crate) call: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) shown: RequestContent,
    /// Time at which the request took the keyboard.
    pub(crate) focused: Option<Now>,
    pub(crate) selected: usize,
    /// For each choice, the index into the scopes in which its rule is saved.
    pub(crate) scopes: Vec<Option<usize>>,
    /// Note sent along with an approval or a denial.
    pub(crate) words: Option<Editor>,
    /// True if the change is shown side by side.
    pub(crate) side_by_side: bool,
    /// The command while it is edited.
    pub(crate) change: Option<Editor>,
    /// The rule of the highlighted choice while it is edited.
    pub(crate) rule: Option<Editor>,
    /// True if the input was changed; the dialog then shows the new input.
    pub(crate) edited: bool,
}

impl OpenRequest {
    /// Returns the card of the call that needs permission.
    pub(crate) fn card(&self) -> Option<Card> {
        match &self.shown {
            RequestContent::Call { ask, input, .. } => Some(Card::of_input(&ask.tool_name, input)),
            _ => None,
        }
    }
}

impl App {
    /// Synchronizes the open request with the pending requests of the snapshot.
    pub(super) fn sync_request(&mut self, now: Now) {
        let open: Vec<String> = self.snapshot.asks.iter().map(|ask| ask.id.to_string()).collect();
        self.answered.retain(|id| open.contains(id));
        if let Some(open_request) = &self.open_request {
            if open.contains(&open_request.id.to_string()) {
                self.focus_ask(now);
                return;
            }
            // Answered by another client (its card says so) or withdrawn by the agent.
            let answered = open_request.call.as_ref().is_some_and(|call| self.feed.has_note(call));
            let settled = self
                .snapshot
                .settled
                .iter()
                .find(|settled| settled.id == open_request.id);
            let why = settled.map(|settled| format!(": {}", settled.why(self.stopped_turn)));
            if let Some(title) = self.ask_title().filter(|_| !answered) {
                // A long title is shortened to leave room for the reason.
                let why = format!("  withdrawn{}", why.unwrap_or_default());
                let room = self.columns.saturating_sub(crate::text::width::of(&why));
                let row = title.cut(room).add(&why, Role::Faint).cut(self.columns);
                self.say(vec![row]);
            }
            self.open_request = None;
        }
        self.stopped_turn &= self.snapshot.is_busy();
        let next = self
            .snapshot
            .asks
            .iter()
            .find(|ask| !self.answered.contains(&ask.id.to_string()));
        let Some(next) = next.cloned() else { return };
        self.show_ask(&next, now);
    }

    /// Gives the keyboard to the request once no key was pressed for a moment.
    pub(super) fn focus_ask(&mut self, now: Now) {
        let quiet = now.saturating_sub(self.last_key) >= FOCUS_DELAY;
        let free = self.editor.is_empty() && quiet && self.picker.is_none() && self.popup.is_none();
        if let Some(open_request) = &mut self.open_request
            && open_request.focused.is_none()
            && free
        {
            open_request.focused = Some(now);
        }
    }

    /// Returns when the request takes the keyboard, if it does not have it yet.
    pub(super) fn focus_time(&self) -> Option<Now> {
        let waits = self
            .open_request
            .as_ref()
            .is_some_and(|open_request| open_request.focused.is_none());
        (waits && self.editor.is_empty() && self.picker.is_none() && self.popup.is_none())
            .then_some(self.last_key + FOCUS_DELAY)
    }

    /// Switches to another pending request, by its distance from the current one.
    pub(super) fn next_request(&mut self, by: isize, now: Now) {
        let waiting: Vec<Ask> = self
            .snapshot
            .asks
            .iter()
            .filter(|ask| !self.answered.contains(&ask.id.to_string()))
            .cloned()
            .collect();
        let Some(open_request) = &self.open_request else { return };
        let at = waiting.iter().position(|ask| ask.id == open_request.id).unwrap_or(0);
        let next = at.saturating_add_signed(by).min(waiting.len().saturating_sub(1));
        let focused = open_request.focused;
        if let Some(ask) = waiting.get(next).filter(|_| next != at).cloned() {
            self.show_ask(&ask, now);
            if let Some(open_request) = &mut self.open_request {
                open_request.focused = focused;
            }
        }
    }

    fn show_ask(&mut self, ask: &Ask, now: Now) {
        let Some(line) = &ask.line else { return };
        let Ok(ToHost::ControlRequest(request)) = line.to_host() else {
            return;
        };
        let shown = match request.request {
            Request::CanUseTool(call) => self.shown_call(*call),
            Request::Elicitation(elicitation) => shown_form(&elicitation),
            _ => return,
        };
        let quiet = now.saturating_sub(self.last_key) >= FOCUS_DELAY;
        let free = self.editor.is_empty() && quiet && self.picker.is_none() && self.popup.is_none();
        let mut open_request = OpenRequest {
            id: ask.id.clone(),
            call: ask.call.as_deref().map(str::to_owned),
            agent: (ask.kind == AskKind::Tool)
                .then(|| ask.agent.as_deref().map(str::to_owned))
                .flatten(),
            shown,
            focused: free.then_some(now),
            selected: 0,
            scopes: Vec::new(),
            words: None,
            side_by_side: false,
            change: None,
            rule: None,
            edited: false,
        };
        if let RequestContent::Plan { plan, .. } = &open_request.shown
            && self.committed.insert(open_request.id.to_string())
        {
            // Written immediately: the running call would delay it otherwise.
            self.extra.push(Row::new());
            self.extra.extend(markdown::rows(plan, self.columns));
        }
        let dialog = self.permission_of(&open_request);
        if let Some(dialog) = dialog {
            open_request.selected = dialog.default;
            open_request.scopes = dialog.choices.iter().map(|(_, verdict)| scope_of(verdict)).collect();
        }
        self.open_request = Some(open_request);
        if self.focused != Some(true) {
            let what = self
                .ask_title()
                .map(|title| title.text())
                .unwrap_or_else(|| "? a question".to_owned());
            self.acts.push(super::Act::Ring(what));
        }
    }

    pub(super) fn shown_call(&self, call: CanUseTool) -> RequestContent {
        let raw = call.input.to_value();
        let card = Card::of_input(&call.tool_name, &raw);
        match card.body {
            CardBody::Question(_) => {
                if let Some(questions) = Questions::read(&raw) {
                    return RequestContent::Questions(questions, raw);
                }
            }
            CardBody::Plan(Plan { text: Some(plan) }) => {
                return RequestContent::Plan {
                    plan: plan.to_string(),
                    edited: false,
                };
            }
            _ => {}
        }
        let file = raw
            .get("file_path")
            .and_then(Value::as_str)
            .and_then(|path| (self.read_file)(path.as_ref()));
        let mut input = raw;
        if let Some(Value::String(path)) = input.get_mut("file_path")
            && let Ok(near) = std::path::Path::new(path.as_str()).strip_prefix(&self.facts.folder)
        {
            *path = near.display().to_string();
        }
        RequestContent::Call {
            ask: Box::new(call),
            input,
            file,
        }
    }

    /// Returns the dialog of a permission request.
    pub(super) fn permission_of(&self, open_request: &OpenRequest) -> Option<Permission> {
        let RequestContent::Call { ask, input, file } = &open_request.shown else {
            return None;
        };
        let count = self.snapshot.asks.len();
        let at = self
            .snapshot
            .asks
            .iter()
            .position(|ask| ask.id == open_request.id)
            .unwrap_or(0);
        let mut place = Vec::new();
        if count > 1 {
            place.push(format!("ask {} of {count}", at + 1));
        }
        if let Some(agent) = &open_request.agent {
            place.push(format!("from agent \"{agent}\""));
        }
        let mode = self.snapshot.mode.as_ref().map_or("ask", mode_word);
        let mut dialog = ask::permission(
            ask,
            input,
            file.as_deref(),
            mode,
            &place.join(", "),
            self.columns,
            open_request.side_by_side,
        );
        for ((choice, _), scope) in dialog.choices.iter_mut().zip(&open_request.scopes) {
            if let Some((_, word)) = scope.and_then(|at| ask::SCOPES.get(at)) {
                (*word).clone_into(&mut choice.detail);
            }
        }
        Some(dialog)
    }

    fn ask_title(&self) -> Option<Row> {
        let open_request = self.open_request.as_ref()?;
        let title = |what: &str| Row::new().add("? ", Role::Ask).add(what, Style::TEXT.bold());
        match &open_request.shown {
            RequestContent::Call { .. } => self.permission_of(open_request).map(|dialog| dialog.title),
            RequestContent::Questions(questions, _) => {
                questions.list.first().map(|question| title(&one_line(&question.text)))
            }
            RequestContent::Plan { .. } => Some(title("The plan above")),
            RequestContent::Form(form) => Some(title(&format!("{} asks", one_line(&form.server)))),
            RequestContent::Page { server, .. } => Some(title(&format!("{} asks you to open a URL", one_line(server)))),
        }
    }

    /// Returns the rows of the request and the cursor position in them.
    pub(super) fn ask_rows(&mut self, room: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let Some(open_request) = self.open_request.clone() else {
            return (Vec::new(), None);
        };
        let columns = self.columns;
        let (mut rows, mut cursor) = match &open_request.shown {
            RequestContent::Call { .. } => self.call_rows(&open_request, room),
            RequestContent::Questions(questions, _) => questions.rows(columns),
            RequestContent::Form(form) => form.rows(columns),
            RequestContent::Plan { .. } => {
                let mut rows = vec![
                    Row::new()
                        .add("? ", Role::Ask)
                        .add("Carry out the plan above?", Style::TEXT.bold()),
                ];
                rows.extend(with_words(&open_request, &plan_choices(), columns));
                rows.push(ask::hints(
                    &["ctrl+g opens it in $EDITOR", "tab adds a note", "esc keep planning"],
                    columns,
                ));
                (rows, None)
            }
            RequestContent::Page { server, message, url } => {
                let title = Row::new()
                    .add("? ", Role::Ask)
                    .add(&format!("{server} asks you to open  "), Style::TEXT.bold());
                let mut rows = crate::text::wrap::hard(&title.add(url, Role::Accent), columns, 2);
                rows.extend(crate::text::wrap::words(
                    &Row::faint(&format!("  {message}")),
                    columns,
                    2,
                ));
                let choices = page_choices();
                rows.extend(ask::choices(&choices, open_request.selected, columns));
                rows.push(ask::hints(&["enter chooses", "esc cancels"], columns));
                (rows, None)
            }
        };
        if open_request.focused.is_none() {
            rows.pop();
            rows.push(Row::faint("  tab answers ∙ you are typing").cut(columns));
            cursor = None;
        } else if open_request.words.is_some() || open_request.rule.is_some() {
            // The cursor is placed at the end of the note.
            let at = rows.iter().position(|row| row.text().starts_with("› "));
            cursor = at.map(|at| (at, rows.get(at).map_or(0, Row::width)));
        }
        (rows, cursor)
    }

    fn call_rows(&mut self, open_request: &OpenRequest, room: usize) -> (Vec<Row>, Option<(usize, usize)>) {
        let columns = self.columns;
        if let (Some(change), Some(card)) = (&open_request.change, open_request.card()) {
            let mut rows = vec![
                Row::new()
                    .add("? ", Role::Ask)
                    .add(&card.title, Style::TEXT.bold())
                    .add("  change it, then enter", Style::TEXT),
            ];
            let composer = crate::view::composer::lay_out(change, "! ", columns, room.saturating_sub(3), Style::TEXT);
            let cursor = (composer.cursor.0 + 1, composer.cursor.1);
            rows.extend(composer.rows);
            rows.push(ask::hints(
                &["enter runs it changed", "ctrl+g in $EDITOR", "esc back"],
                columns,
            ));
            return (rows, Some(cursor));
        }
        let Some(dialog) = self.permission_of(open_request) else {
            return (Vec::new(), None);
        };
        let choices: Vec<Choice> = dialog.choices.iter().map(|(choice, _)| choice.clone()).collect();
        let mut below = dialog.why.clone();
        below.push(Row::new());
        below.extend(with_words(open_request, &choices, columns));
        let turns = choices.get(open_request.selected).is_some_and(|choice| choice.turns);
        below.push(match turns {
            _ if open_request.rule.is_some() => {
                ask::hints(&["enter allows it and saves this rule", "esc back"], columns)
            }
            true if columns >= 60 => ask::hints(
                &[
                    "left/right where to save the rule",
                    "tab edits the rule",
                    "esc deny and stop",
                ],
                columns,
            ),
            true => ask::hints(&["enter chooses", "esc deny and stop"], columns),
            false if columns >= ask::WIDE && is_change(open_request) => ask::hints(
                &[
                    "enter chooses",
                    "tab adds a note",
                    "s side by side",
                    "c copies",
                    "esc deny and stop",
                ],
                columns,
            ),
            false => ask::hints(
                &["enter chooses", "tab adds a note", "c copies", "esc deny and stop"],
                columns,
            ),
        });
        let mut rows = Vec::new();
        let id = open_request.id.to_string();
        if dialog.body.len() + below.len() < room && !self.committed.contains(&id) {
            rows.extend(crate::text::wrap::hard(&dialog.title, columns, 2));
            rows.extend(dialog.body);
        } else {
            // A body that does not fit is first written to the history in full.
            let count = dialog.body.len();
            if self.committed.insert(id) {
                self.extra.push(Row::new());
                self.extra
                    .push(dialog.title.clone().add("  your choice is below", Role::Faint));
                self.extra.extend(dialog.body);
            }
            rows.push(
                dialog
                    .title
                    .add(&format!("  the {count} rows above"), Role::Faint)
                    .cut(columns),
            );
        }
        rows.extend(below);
        (rows, None)
    }
}

/// True if the request is about a file change.
fn is_change(open_request: &OpenRequest) -> bool {
    open_request
        .card()
        .is_some_and(|card| matches!(card.body, CardBody::FileChange(_)))
}

fn with_words(open_request: &OpenRequest, choices: &[Choice], columns: usize) -> Vec<Row> {
    let mut choices = choices.to_vec();
    if let (Some(words), Some(choice)) = (&open_request.words, choices.get_mut(open_request.selected)) {
        choice.label = match choice.label.as_str() {
            "No" => "No, with a note".to_owned(),
            label => format!("{label}, with a note"),
        };
        choice.turns = false;
        choice.detail = words.whole();
    }
    if let (Some(rule), Some(choice)) = (&open_request.rule, choices.get_mut(open_request.selected)) {
        choice.label = "Yes, and from now on".to_owned();
        choice.turns = false;
        choice.detail = rule.whole();
    }
    ask::choices(&choices, open_request.selected, columns)
}

/// Choices for a URL.
pub(super) fn page_choices() -> [Choice; 3] {
    ["Open it", "Copy it", "Decline"].map(Choice::new)
}

/// Choices for a plan.
pub(super) fn plan_choices() -> Vec<Choice> {
    [
        "Yes, and ask before each change",
        "Yes, and edits without asking",
        "Yes, in a fresh context",
        "Keep planning",
    ]
    .map(Choice::new)
    .into()
}

fn scope_of(verdict: &ChoiceMeaning) -> Option<usize> {
    use sluice_wire::permission_update::PermissionUpdate;
    let ChoiceMeaning::Keep(update) = verdict else {
        return None;
    };
    match &**update {
        PermissionUpdate::AddRules(add) => ask::SCOPES.iter().position(|(place, _)| *place == add.destination),
        _ => None,
    }
}

fn shown_form(elicitation: &Elicitation) -> RequestContent {
    let server = elicitation
        .display_name
        .clone()
        .unwrap_or_else(|| elicitation.mcp_server_name.clone());
    if let (Some("url"), Some(url)) = (elicitation.mode.as_deref(), &elicitation.url) {
        return RequestContent::Page {
            server,
            message: elicitation.message.clone(),
            url: url.clone(),
        };
    }
    let schema = elicitation
        .requested_schema
        .as_ref()
        .map(sluice_wire::Raw::to_value)
        .unwrap_or_default();
    RequestContent::Form(Form::read(&server, &elicitation.message, &schema))
}
