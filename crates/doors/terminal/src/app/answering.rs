//! Keys that answer permission requests, questions and forms.

mod fields;

use sluice_host::items::{Card, CardBody};
use sluice_wire::control::{Allow, CanUseToolResponse, Deny, ElicitationAction, ElicitationResponse};
use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update::{Destination, PermissionUpdate, SetMode};

use super::act::Edited;
use super::asking::{Shown, page_choices, plan_choices};
use super::{Act, App, Next, Now};
use crate::input::{Code, Editor, Key};
use crate::text::Row;
use crate::view::ask::{ChoiceMeaning, SCOPES, scope_word};
use crate::view::{card, markdown};

/// Keys pressed within this time after a request took the keyboard still go to the draft, in milliseconds.
const GRACE: Now = 400;

/// Letters that select a choice.
const KEYS: &str = "123456789ynecjks";

impl App {
    /// Handles a key while a request has the keyboard. Returns false if the key belongs to the draft.
    pub(super) fn ask_key(&mut self, key: Key, now: Now) -> bool {
        let Some(asking) = &mut self.asking else { return false };
        let stops = key.is(Code::Escape) || key == Key::ctrl('c');
        let Some(since) = asking.focused else {
            if key.is(Code::Tab) && self.popup.is_none() {
                // Tab focuses the request explicitly, so the grace period is skipped.
                asking.focused = Some(now.saturating_sub(GRACE));
                return true;
            }
            return false;
        };
        if now.saturating_sub(since) < GRACE && !stops {
            // The user was about to type a prompt.
            asking.focused = None;
            return false;
        }
        if asking.words.is_some() {
            self.words_key(key, now);
            return true;
        }
        if asking.change.is_some() {
            self.change_key(key, now);
            return true;
        }
        if asking.rule.is_some() {
            self.rule_words_key(key, now);
            return true;
        }
        let has_choices = matches!(
            asking.shown,
            Shown::Call { .. } | Shown::Plan { .. } | Shown::Page { .. }
        );
        if has_choices && key.typed().is_some_and(|letter| !KEYS.contains(letter)) {
            // Not a key of the dialog: the user is typing a prompt.
            asking.focused = None;
            return false;
        }
        match key.code {
            Code::PageUp => self.turn_asks(-1, now),
            Code::PageDown => self.turn_asks(1, now),
            _ => match &asking.shown {
                Shown::Call { .. } | Shown::Plan { .. } | Shown::Page { .. } => self.choice_key(key, stops, now),
                Shown::Questions(..) => self.question_key(key, stops, now),
                Shown::Form(_) => self.form_key(key, stops),
            },
        }
        true
    }

    fn count(&self) -> usize {
        let Some(asking) = &self.asking else { return 0 };
        match &asking.shown {
            Shown::Call { .. } => self.permission_of(asking).map_or(0, |dialog| dialog.choices.len()),
            Shown::Plan { .. } => plan_choices().len(),
            Shown::Page { .. } => page_choices().len(),
            _ => 0,
        }
    }

    fn choice_key(&mut self, key: Key, stops: bool, now: Now) {
        let count = self.count();
        let Some(asking) = &mut self.asking else { return };
        if stops {
            self.refuse_and_stop();
            return;
        }
        let is_call = matches!(asking.shown, Shown::Call { .. });
        match (key.code, key.ctrl) {
            (Code::Up, _) | (Code::Char('p'), true) | (Code::Char('k'), false) => {
                asking.selected = asking.selected.saturating_sub(1);
            }
            (Code::Down, _) | (Code::Char('n'), true) | (Code::Char('j'), false) => {
                asking.selected = (asking.selected + 1).min(count.saturating_sub(1));
            }
            (Code::Home, _) => asking.selected = 0,
            (Code::End, _) => asking.selected = count.saturating_sub(1),
            (Code::Left, _) => self.turn_scope(-1),
            (Code::Right, _) => self.turn_scope(1),
            (Code::Tab, _) if key.shift => self.cycle_mode(),
            (Code::Tab, _) => self.begin_words(),
            (Code::Enter, _) => self.choose(now),
            (Code::Char(digit @ '1'..='9'), false) => {
                let at = digit as usize - '1' as usize;
                if at < count {
                    asking.selected = at;
                    self.choose(now);
                }
            }
            (Code::Char('y'), false) => {
                asking.selected = 0;
                self.choose(now);
            }
            (Code::Char('n'), false) => {
                asking.selected = count.saturating_sub(1);
                self.choose(now);
            }
            (Code::Char('e'), false) if is_call => self.begin_change(),
            (Code::Char('g'), true) => self.edit_plan(),
            (Code::Char('s'), false) => asking.side_by_side = !asking.side_by_side,
            (Code::Char('c'), false) => {
                let text = match &asking.shown {
                    Shown::Call { ask, input, .. } => card::subject(&Card::of_input(&ask.tool_name, input), ""),
                    Shown::Plan { plan, .. } => plan.clone(),
                    Shown::Page { url, .. } => url.clone(),
                    _ => String::new(),
                };
                self.acts.push(Act::Copy(text));
            }
            _ => {}
        }
    }

    fn turn_scope(&mut self, by: isize) {
        let Some(asking) = &mut self.asking else { return };
        if let Some(Some(scope)) = asking.scopes.get_mut(asking.selected) {
            *scope = (*scope).saturating_add_signed(by).min(SCOPES.len() - 1);
        }
    }

    /// Confirms the highlighted choice.
    fn choose(&mut self, now: Now) {
        let Some(asking) = &self.asking else { return };
        match &asking.shown {
            Shown::Plan { .. } => self.choose_for_plan(),
            Shown::Page { url, .. } => {
                let act = match asking.selected {
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
                let Some(dialog) = self.permission_of(asking) else {
                    return;
                };
                let scope = asking.scopes.get(asking.selected).copied().flatten();
                match dialog
                    .choices
                    .into_iter()
                    .nth(asking.selected)
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
        let Some(asking) = &self.asking else { return };
        let input = match &asking.shown {
            Shown::Plan { plan, edited: true } => Some(serde_json::json!({ "plan": plan })),
            _ => None,
        };
        let mode = |mode| {
            PermissionUpdate::from(SetMode {
                mode,
                destination: Destination::Session,
                ..SetMode::default()
            })
        };
        match asking.selected {
            0 => self.allow(Some(mode(PermissionMode::Default)), input, 0),
            1 => self.allow(Some(mode(PermissionMode::AcceptEdits)), input, 0),
            2 => self.begin_anew_with_plan(),
            _ => self.deny("keep planning", false),
        }
    }

    /// Starts a new session with only the plan. This session is kept and can be resumed.
    fn begin_anew_with_plan(&mut self) {
        let Some(asking) = &self.asking else { return };
        let Shown::Plan { plan, .. } = &asking.shown else {
            return;
        };
        let mut prompt = format!("Carry out this plan:\n\n{}", plan.trim());
        let words = asking.words.as_ref().map(Editor::whole).unwrap_or_default();
        if !words.trim().is_empty() {
            prompt.push_str("\n\n");
            prompt.push_str(words.trim());
        }
        self.deny("the plan is carried out in a new session", true);
        self.acts.push(Act::Again(Next::Fresh { prompt: Some(prompt) }));
    }

    /// Allows the call, optionally with a changed input, and saves the chosen rule.
    pub(super) fn allow(&mut self, update: Option<PermissionUpdate>, input: Option<serde_json::Value>, now: Now) {
        let Some(asking) = self.asking.take() else { return };
        if let (Some(call), Some(update)) = (&asking.call, &update) {
            let kept = match update {
                PermissionUpdate::AddRules(add) => Some(format!("rule kept: {}", scope_word(&add.destination))),
                _ => None,
            };
            if let Some(kept) = kept {
                self.feed.note(call, kept);
            }
        }
        if let Some(words) = asking
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
        self.give(asking.id, response);
    }

    fn deny(&mut self, words: &str, stop: bool) {
        let Some(asking) = self.asking.take() else { return };
        let message = match words.trim() {
            "" => "The person said no to this call.".to_owned(),
            words => format!("The person said no to this call, and: {words}"),
        };
        if let Some(call) = &asking.call {
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
        self.give(asking.id, response);
    }

    fn refuse_and_stop(&mut self) {
        match self.asking.as_ref().map(|asking| &asking.shown) {
            Some(Shown::Plan { .. }) => self.deny("keep planning", false),
            Some(Shown::Page { .. }) => self.fill(ElicitationAction::Cancel, None),
            _ => self.deny("", true),
        }
    }

    fn give(&mut self, ask: sluice_wire::control::RequestId, response: CanUseToolResponse) {
        self.answered.insert(ask.to_string());
        self.acts.push(Act::Answer { ask, response });
    }

    fn fill(&mut self, action: ElicitationAction, content: Option<serde_json::Value>) {
        let Some(asking) = self.asking.take() else { return };
        self.answered.insert(asking.id.to_string());
        self.acts.push(Act::Fill {
            ask: asking.id,
            response: ElicitationResponse {
                action,
                content: content.map(Into::into),
                ..ElicitationResponse::default()
            },
        });
    }

    /// Handles a key while the note for the answer is edited.
    fn words_key(&mut self, key: Key, now: Now) {
        let Some(asking) = &mut self.asking else { return };
        let is_no = asking.selected + 1 == asking.scopes.len()
            || matches!(asking.shown, Shown::Plan { .. }) && asking.selected + 1 == plan_choices().len();
        let Some(words) = &mut asking.words else { return };
        match key.code {
            Code::Escape | Code::Tab => asking.words = None,
            Code::Char('c') if key.ctrl => asking.words = None,
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
        let Some(asking) = &mut self.asking else { return };
        asking.words = Some(Editor::default());
        let rule = self.rule_of_choice();
        if let (Some(asking), Some(rule)) = (&mut self.asking, rule) {
            let mut editor = Editor::default();
            editor.set(&rule);
            asking.words = None;
            asking.rule = Some(editor);
        }
    }

    /// Returns the rule that the highlighted choice would save, in its written form.
    fn rule_of_choice(&self) -> Option<String> {
        let asking = self.asking.as_ref()?;
        let dialog = self.permission_of(asking)?;
        let (_, ChoiceMeaning::Keep(update)) = dialog.choices.get(asking.selected)? else {
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
        let Some(asking) = &mut self.asking else { return };
        let Some(rule) = &mut asking.rule else { return };
        match key.code {
            Code::Escape | Code::Tab => asking.rule = None,
            Code::Char('c') if key.ctrl => asking.rule = None,
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
        let Some(asking) = &self.asking else { return };
        let scope = asking.scopes.get(asking.selected).copied().flatten();
        let dialog = self.permission_of(asking);
        let chosen = dialog.and_then(|dialog| dialog.choices.into_iter().nth(asking.selected));
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
        let asking = self.asking.as_ref().filter(|asking| asking.edited)?;
        match &asking.shown {
            Shown::Call { ask, .. } => Some(ask.input.to_value()),
            _ => None,
        }
    }

    fn begin_change(&mut self) {
        let Some(asking) = &mut self.asking else { return };
        let Shown::Call { ask, .. } = &asking.shown else { return };
        let input = ask.input.to_value();
        let card = Card::of_input(&ask.tool_name, &input);
        let Some(field) = card.editable() else { return };
        let text = input.get(field).and_then(serde_json::Value::as_str).unwrap_or_default();
        if let CardBody::Shell(_) = card.body {
            let mut editor = Editor::default();
            editor.set(text);
            asking.change = Some(editor);
        } else {
            let what = Edited::Input(asking.id.clone());
            self.acts.push(Act::Edit {
                text: text.to_owned(),
                what,
            });
        }
    }

    fn edit_plan(&mut self) {
        let Some(asking) = &self.asking else { return };
        if let Shown::Plan { plan, .. } = &asking.shown {
            self.acts.push(Act::Edit {
                text: plan.clone(),
                what: Edited::Input(asking.id.clone()),
            });
        }
    }

    fn change_key(&mut self, key: Key, now: Now) {
        let Some(asking) = &mut self.asking else { return };
        let Some(change) = &mut asking.change else { return };
        match key.code {
            Code::Escape => asking.change = None,
            Code::Char('c') if key.ctrl => asking.change = None,
            Code::Char('g') if key.ctrl => {
                let (text, what) = (change.whole(), Edited::Input(asking.id.clone()));
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
        let Some(asking) = &mut self.asking else { return };
        if let Shown::Plan { plan, edited } = &mut asking.shown {
            if plan.trim() != text.trim() {
                // The changed plan is shown again before it is answered.
                text.trim_end().clone_into(plan);
                *edited = true;
                self.extra.push(Row::new());
                self.extra.extend(markdown::rows(text, self.columns));
            }
            return;
        }
        let Shown::Call { ask, .. } = &asking.shown else { return };
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
        let Some(asking) = &mut self.asking else { return };
        asking.shown = shown;
        asking.edited = true;
        asking.selected = 0;
        let id = asking.id.to_string();
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
