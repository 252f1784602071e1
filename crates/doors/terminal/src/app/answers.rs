//! Keys that answer permission requests, questions and forms.

mod fields;

use sluice_host::items::{Card, CardBody};
use sluice_wire::control::{Allow, CanUseToolResponse, Deny, ElicitationAction, ElicitationResponse};
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::{Destination, PermissionUpdate, SetMode};

use super::act::EditTarget;
use super::open_request::{RequestContent, page_choices, plan_choices};
use super::{Act, App, Next, Now};
use crate::input::{Code, Editor, Key};
use crate::text::Row;
use crate::view::ask::{ChoiceMeaning, SCOPES, scope_word};
use crate::view::{card, markdown};

/// Keys pressed within this time after a request took the keyboard still go to the draft, in milliseconds.
const GRACE_PERIOD: Now = 400;

/// Letters that select a choice.
const CHOICE_KEYS: &str = "123456789ynecjks";

impl App {
    /// Handles a key while a request has the keyboard. Returns false if the key belongs to the draft.
    pub(super) fn ask_key(&mut self, key: Key, now: Now) -> bool {
        let Some(open_request) = &mut self.open_request else {
            return false;
        };
        let stops = key.is(Code::Escape) || key == Key::ctrl('c');
        let Some(since) = open_request.focused else {
            if key.is(Code::Tab) && self.popup.is_none() {
                // Tab focuses the request explicitly, so the grace period is skipped.
                open_request.focused = Some(now.saturating_sub(GRACE_PERIOD));
                return true;
            }
            return false;
        };
        if now.saturating_sub(since) < GRACE_PERIOD && !stops {
            // The user was about to type a prompt.
            open_request.focused = None;
            return false;
        }
        if open_request.words.is_some() {
            self.words_key(key, now);
            return true;
        }
        if open_request.change.is_some() {
            self.change_key(key, now);
            return true;
        }
        if open_request.rule.is_some() {
            self.rule_words_key(key, now);
            return true;
        }
        let has_choices = matches!(
            open_request.shown,
            RequestContent::Call { .. } | RequestContent::Plan { .. } | RequestContent::Page { .. }
        );
        if has_choices && key.typed().is_some_and(|letter| !CHOICE_KEYS.contains(letter)) {
            // Not a key of the dialog: the user is typing a prompt.
            open_request.focused = None;
            return false;
        }
        match key.code {
            Code::PageUp => self.next_request(-1, now),
            Code::PageDown => self.next_request(1, now),
            _ => match &open_request.shown {
                RequestContent::Call { .. } | RequestContent::Plan { .. } | RequestContent::Page { .. } => {
                    self.choice_key(key, stops, now);
                }
                RequestContent::Questions(..) => self.question_key(key, stops, now),
                RequestContent::Form(_) => self.form_key(key, stops),
            },
        }
        true
    }

    fn count(&self) -> usize {
        let Some(open_request) = &self.open_request else {
            return 0;
        };
        match &open_request.shown {
            RequestContent::Call { .. } => self
                .permission_of(open_request)
                .map_or(0, |dialog| dialog.choices.len()),
            RequestContent::Plan { .. } => plan_choices().len(),
            RequestContent::Page { .. } => page_choices().len(),
            _ => 0,
        }
    }

    fn choice_key(&mut self, key: Key, stops: bool, now: Now) {
        let count = self.count();
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        if stops {
            self.refuse_and_stop();
            return;
        }
        let is_call = matches!(open_request.shown, RequestContent::Call { .. });
        match (key.code, key.ctrl) {
            (Code::Up, _) | (Code::Char('p'), true) | (Code::Char('k'), false) => {
                open_request.selected = open_request.selected.saturating_sub(1);
            }
            (Code::Down, _) | (Code::Char('n'), true) | (Code::Char('j'), false) => {
                open_request.selected = (open_request.selected + 1).min(count.saturating_sub(1));
            }
            (Code::Home, _) => open_request.selected = 0,
            (Code::End, _) => open_request.selected = count.saturating_sub(1),
            (Code::Left, _) => self.next_scope(-1),
            (Code::Right, _) => self.next_scope(1),
            (Code::Tab, _) if key.shift => self.cycle_mode(),
            (Code::Tab, _) => self.begin_words(),
            (Code::Enter, _) => self.choose(now),
            (Code::Char(digit @ '1'..='9'), false) => {
                let at = digit as usize - '1' as usize;
                if at < count {
                    open_request.selected = at;
                    self.choose(now);
                }
            }
            (Code::Char('y'), false) => {
                open_request.selected = 0;
                self.choose(now);
            }
            (Code::Char('n'), false) => {
                open_request.selected = count.saturating_sub(1);
                self.choose(now);
            }
            (Code::Char('e'), false) if is_call => self.begin_change(),
            (Code::Char('g'), true) => self.edit_plan(),
            (Code::Char('s'), false) => open_request.side_by_side = !open_request.side_by_side,
            (Code::Char('c'), false) => {
                let text = match &open_request.shown {
                    RequestContent::Call { ask, input, .. } => {
                        card::subject(&Card::of_input(&ask.tool_name, input), "")
                    }
                    RequestContent::Plan { plan, .. } => plan.clone(),
                    RequestContent::Page { url, .. } => url.clone(),
                    _ => String::new(),
                };
                self.acts.push(Act::Copy(text));
            }
            _ => {}
        }
    }

    fn next_scope(&mut self, by: isize) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        if let Some(Some(scope)) = open_request.scopes.get_mut(open_request.selected) {
            *scope = (*scope).saturating_add_signed(by).min(SCOPES.len() - 1);
        }
    }

    /// Confirms the highlighted choice.
    fn choose(&mut self, now: Now) {
        let Some(open_request) = &self.open_request else { return };
        match &open_request.shown {
            RequestContent::Plan { .. } => self.choose_for_plan(),
            RequestContent::Page { url, .. } => {
                let act = match open_request.selected {
                    0 => Some(Act::Open(url.clone())),
                    1 => Some(Act::Copy(url.clone())),
                    _ => None,
                };
                let action = match act {
                    Some(_) => ElicitationAction::Accept,
                    None => ElicitationAction::Decline,
                };
                self.acts.extend(act);
                self.fill(action, None);
            }
            _ => {
                let Some(dialog) = self.permission_of(open_request) else {
                    return;
                };
                let scope = open_request.scopes.get(open_request.selected).copied().flatten();
                match dialog
                    .choices
                    .into_iter()
                    .nth(open_request.selected)
                    .map(|(_, verdict)| verdict)
                {
                    Some(ChoiceMeaning::Yes) => self.allow(None, self.edited_input(), now),
                    Some(ChoiceMeaning::Keep(update)) => {
                        self.allow(Some(placed(*update, scope)), self.edited_input(), now);
                    }
                    Some(ChoiceMeaning::Change) => self.begin_change(),
                    Some(ChoiceMeaning::No) => self.deny("", false),
                    None => {}
                }
            }
        }
    }

    fn choose_for_plan(&mut self) {
        let Some(open_request) = &self.open_request else { return };
        let input = match &open_request.shown {
            RequestContent::Plan { plan, edited: true } => Some(serde_json::json!({ "plan": plan })),
            _ => None,
        };
        let mode = |mode| {
            PermissionUpdate::from(SetMode {
                mode,
                destination: Destination::Session,
                ..SetMode::default()
            })
        };
        match open_request.selected {
            0 => self.allow(Some(mode(PermissionMode::Default)), input, 0),
            1 => self.allow(Some(mode(PermissionMode::AcceptEdits)), input, 0),
            2 => self.start_session_with_plan(),
            _ => self.deny("keep planning", false),
        }
    }

    /// Starts a new session with only the plan. This session is kept and can be resumed.
    fn start_session_with_plan(&mut self) {
        let Some(open_request) = &self.open_request else { return };
        let RequestContent::Plan { plan, .. } = &open_request.shown else {
            return;
        };
        let mut prompt = format!("Carry out this plan:\n\n{}", plan.trim());
        let words = open_request.words.as_ref().map(Editor::whole).unwrap_or_default();
        if !words.trim().is_empty() {
            prompt.push_str("\n\n");
            prompt.push_str(words.trim());
        }
        self.deny("the plan is carried out in a new session", true);
        self.acts.push(Act::StartNext(Next::Fresh { prompt: Some(prompt) }));
    }

    /// Allows the call, optionally with a changed input, and saves the chosen rule.
    pub(super) fn allow(&mut self, update: Option<PermissionUpdate>, input: Option<serde_json::Value>, now: Now) {
        let Some(open_request) = self.open_request.take() else {
            return;
        };
        if let (Some(call), Some(update)) = (&open_request.call, &update) {
            let kept = match update {
                PermissionUpdate::AddRules(add) => Some(format!("rule kept: {}", scope_word(&add.destination))),
                _ => None,
            };
            if let Some(kept) = kept {
                self.feed.note(call, kept);
            }
        }
        if let Some(words) = open_request
            .words
            .map(|words| words.whole())
            .filter(|words| !words.trim().is_empty())
        {
            self.send(&words, Vec::new(), false, now);
        }
        let response = CanUseToolResponse::from(Allow {
            updated_input: input.map(Into::into),
            updated_permissions: update.map(|update| vec![update]),
            ..Allow::default()
        });
        self.give(open_request.id, response);
    }

    fn deny(&mut self, words: &str, stop: bool) {
        let Some(open_request) = self.open_request.take() else {
            return;
        };
        let message = match words.trim() {
            "" => "The person said no to this call.".to_owned(),
            words => format!("The person said no to this call, and: {words}"),
        };
        if let Some(call) = &open_request.call {
            let why = match words.trim() {
                "" => "you denied it".to_owned(),
                words => format!("you denied it: {words}"),
            };
            self.feed.refused(call, why);
        }
        self.stopped_turn |= stop;
        let response = CanUseToolResponse::from(Deny {
            message,
            interrupt: stop.then_some(true),
            ..Deny::default()
        });
        self.give(open_request.id, response);
    }

    fn refuse_and_stop(&mut self) {
        match self.open_request.as_ref().map(|open_request| &open_request.shown) {
            Some(RequestContent::Plan { .. }) => self.deny("keep planning", false),
            Some(RequestContent::Page { .. }) => self.fill(ElicitationAction::Cancel, None),
            _ => self.deny("", true),
        }
    }

    fn give(&mut self, ask: sluice_wire::control::RequestId, response: CanUseToolResponse) {
        self.answered.insert(ask.to_string());
        self.acts.push(Act::Answer { ask, response });
    }

    fn fill(&mut self, action: ElicitationAction, content: Option<serde_json::Value>) {
        let Some(open_request) = self.open_request.take() else {
            return;
        };
        self.answered.insert(open_request.id.to_string());
        self.acts.push(Act::Fill {
            ask: open_request.id,
            response: ElicitationResponse {
                action,
                content: content.map(Into::into),
                ..ElicitationResponse::default()
            },
        });
    }

    /// Handles a key while the note for the answer is edited.
    fn words_key(&mut self, key: Key, now: Now) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let is_no = open_request.selected + 1 == open_request.scopes.len()
            || matches!(open_request.shown, RequestContent::Plan { .. })
                && open_request.selected + 1 == plan_choices().len();
        let Some(words) = &mut open_request.words else { return };
        match key.code {
            Code::Escape | Code::Tab => open_request.words = None,
            Code::Char('c') if key.ctrl => open_request.words = None,
            Code::Enter => {
                let said = words.whole();
                if is_no {
                    self.deny(&said, false);
                } else {
                    self.choose(now);
                }
            }
            _ => super::editing::edit(words, key),
        }
    }

    /// Opens the note for the answer, or the rule if the highlighted choice saves one.
    fn begin_words(&mut self) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        open_request.words = Some(Editor::default());
        let rule = self.rule_of_choice();
        if let (Some(open_request), Some(rule)) = (&mut self.open_request, rule) {
            let mut editor = Editor::default();
            editor.set(&rule);
            open_request.words = None;
            open_request.rule = Some(editor);
        }
    }

    /// Returns the rule that the highlighted choice would save, in its written form.
    fn rule_of_choice(&self) -> Option<String> {
        let open_request = self.open_request.as_ref()?;
        let dialog = self.permission_of(open_request)?;
        let (_, ChoiceMeaning::Keep(update)) = dialog.choices.get(open_request.selected)? else {
            return None;
        };
        let PermissionUpdate::AddRules(add) = &**update else {
            return None;
        };
        match add.rules.as_slice() {
            [only] => only.rule_content.clone(),
            _ => None,
        }
    }

    fn rule_words_key(&mut self, key: Key, now: Now) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let Some(rule) = &mut open_request.rule else { return };
        match key.code {
            Code::Escape | Code::Tab => open_request.rule = None,
            Code::Char('c') if key.ctrl => open_request.rule = None,
            Code::Enter => {
                let written = rule.whole().trim().to_owned();
                // An empty rule would allow everything.
                if !written.is_empty() {
                    self.allow_with_rule(&written, now);
                }
            }
            _ => super::editing::edit(rule, key),
        }
    }

    fn allow_with_rule(&mut self, written: &str, now: Now) {
        let Some(open_request) = &self.open_request else { return };
        let scope = open_request.scopes.get(open_request.selected).copied().flatten();
        let dialog = self.permission_of(open_request);
        let chosen = dialog.and_then(|dialog| dialog.choices.into_iter().nth(open_request.selected));
        let Some((_, ChoiceMeaning::Keep(update))) = chosen else {
            return;
        };
        let mut update = placed(*update, scope);
        if let PermissionUpdate::AddRules(add) = &mut update
            && let [only] = add.rules.as_mut_slice()
        {
            only.rule_content = Some(written.to_owned());
        }
        self.allow(Some(update), self.edited_input(), now);
    }

    /// Returns the input if the user changed it.
    fn edited_input(&self) -> Option<serde_json::Value> {
        let open_request = self.open_request.as_ref().filter(|open_request| open_request.edited)?;
        match &open_request.shown {
            RequestContent::Call { ask, .. } => Some(ask.input.to_value()),
            _ => None,
        }
    }

    fn begin_change(&mut self) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let RequestContent::Call { ask, .. } = &open_request.shown else {
            return;
        };
        let input = ask.input.to_value();
        let card = Card::of_input(&ask.tool_name, &input);
        let Some(field) = card.editable() else { return };
        let text = input.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
        if let CardBody::Shell(_) = card.body {
            let mut editor = Editor::default();
            editor.set(text);
            open_request.change = Some(editor);
        } else {
            let what = EditTarget::Input(open_request.id.clone());
            self.acts.push(Act::Edit {
                text: text.to_owned(),
                what,
            });
        }
    }

    fn edit_plan(&mut self) {
        let Some(open_request) = &self.open_request else { return };
        if let RequestContent::Plan { plan, .. } = &open_request.shown {
            self.acts.push(Act::Edit {
                text: plan.clone(),
                what: EditTarget::Input(open_request.id.clone()),
            });
        }
    }

    fn change_key(&mut self, key: Key, now: Now) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let Some(change) = &mut open_request.change else { return };
        match key.code {
            Code::Escape => open_request.change = None,
            Code::Char('c') if key.ctrl => open_request.change = None,
            Code::Char('g') if key.ctrl => {
                let (text, what) = (change.whole(), EditTarget::Input(open_request.id.clone()));
                self.acts.push(Act::Edit { text, what });
            }
            Code::Enter if !key.shift && !key.alt => {
                let command = change.whole();
                self.changed(&command, now);
            }
            _ => super::editing::edit(change, key),
        }
    }

    /// Replaces the main text of the call's input with the edited text.
    pub(super) fn changed(&mut self, text: &str, now: Now) {
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        if let RequestContent::Plan { plan, edited } = &mut open_request.shown {
            if plan.trim() != text.trim() {
                // The changed plan is shown again before it is answered.
                text.trim_end().clone_into(plan);
                *edited = true;
                self.extra.push(Row::new());
                self.extra.extend(markdown::rows(text, self.columns));
            }
            return;
        }
        let RequestContent::Call { ask, .. } = &open_request.shown else {
            return;
        };
        let mut input = ask.input.to_value();
        let card = Card::of_input(&ask.tool_name, &input);
        let Some(name) = card.editable() else { return };
        if input.get(name).and_then(serde_json::Value::as_str) == Some(text) {
            return;
        }
        if let Some(fields) = input.as_object_mut() {
            fields.insert(name.to_owned(), text.into());
        }
        if let CardBody::Shell(_) = card.body {
            self.allow(None, Some(input), now);
            return;
        }
        // The changed file edit is shown again before it is answered.
        let mut call = (**ask).clone();
        call.input = input.into();
        let shown = self.shown_call(call);
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        open_request.shown = shown;
        open_request.edited = true;
        open_request.selected = 0;
        let id = open_request.id.to_string();
        self.committed.remove(&id);
    }
}

/// Sets the settings file in which a permission update is saved.
fn placed(mut update: PermissionUpdate, scope: Option<usize>) -> PermissionUpdate {
    if let (PermissionUpdate::AddRules(add), Some((place, _))) = (&mut update, scope.and_then(|at| SCOPES.get(at))) {
        add.destination = place.clone();
    }
    update
}
