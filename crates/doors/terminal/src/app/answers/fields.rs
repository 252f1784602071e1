//! Keys in questions and forms.

use sluice_wire::control::ElicitationAction;

use crate::app::open_request::RequestContent;
use crate::app::{App, Now, edit};
use crate::input::{Code, Key};
use crate::view::ask::FieldValue;

impl App {
    pub(super) fn question_key(&mut self, key: Key, stops: bool, now: Now) {
        let noting = matches!(&self.open_request, Some(open_request) if matches!(&open_request.shown, RequestContent::Questions(it, _) if it.notes));
        if stops && !noting {
            self.deny("", true);
            return;
        }
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let RequestContent::Questions(questions, input) = &mut open_request.shown else {
            return;
        };
        if questions.is_review() {
            match key.code {
                Code::Up | Code::Down => questions.sending = 1 - questions.sending.min(1),
                Code::Left => questions.at = questions.list.len().saturating_sub(1),
                Code::Enter | Code::Char('1' | '2') => {
                    let sends = match key.code {
                        Code::Char(digit) => digit == '1',
                        _ => questions.sending == 0,
                    };
                    if sends {
                        let answers = questions.answers(input);
                        self.allow(None, Some(answers), now);
                    } else {
                        questions.at = 0;
                        questions.sending = 0;
                    }
                }
                _ => {}
            }
            return;
        }
        if questions.notes {
            let Some(question) = questions.current() else { return };
            match key.code {
                Code::Enter | Code::Tab | Code::Escape => questions.notes = false,
                Code::Char('c') if key.ctrl => questions.notes = false,
                _ => edit(&mut question.note, key),
            }
            return;
        }
        if key.is(Code::Tab) {
            questions.notes = true;
            return;
        }
        let first = questions.at == 0;
        let alone = questions.list.len() == 1;
        let Some(question) = questions.current() else { return };
        let count = question.options.len() + 1;
        match key.code {
            Code::Up => question.selected = question.selected.saturating_sub(1),
            Code::Down => question.selected = (question.selected + 1).min(count - 1),
            Code::Enter => {
                if question.several
                    && question.answer().is_empty()
                    && let Some(mark) = question.marked.get_mut(question.selected)
                {
                    *mark = true;
                }
                if question.answer().is_empty() {
                    return;
                }
                questions.at += 1;
                if alone {
                    let answers = questions.answers(input);
                    self.allow(None, Some(answers), now);
                }
            }
            Code::Left if !first && !question.is_own() => questions.at -= 1,
            _ if question.is_own() => edit(&mut question.own, key),
            Code::Char(' ') if question.several => {
                if let Some(mark) = question.marked.get_mut(question.selected) {
                    *mark = !*mark;
                }
            }
            Code::Char(digit @ '1'..='9') => {
                let at = digit as usize - '1' as usize;
                if at < count {
                    question.selected = at;
                }
            }
            _ => {}
        }
    }

    pub(super) fn form_key(&mut self, key: Key, stops: bool) {
        if stops {
            self.fill(ElicitationAction::Cancel, None);
            return;
        }
        if key == Key::ctrl('d') {
            self.fill(ElicitationAction::Decline, None);
            return;
        }
        let Some(open_request) = &mut self.open_request else {
            return;
        };
        let RequestContent::Form(form) = &mut open_request.shown else {
            return;
        };
        let last = form.fields.len().saturating_sub(1);
        let sends = (key.code == Code::Enter && key.ctrl) || (key.is(Code::Enter) && form.at >= last);
        if sends {
            if let Some(content) = form.content() {
                self.fill(ElicitationAction::Accept, Some(content));
            }
            return;
        }
        let turn =
            |at: &mut usize, count: usize, by: isize| *at = at.saturating_add_signed(by).min(count.saturating_sub(1));
        match (key.code, form.fields.get_mut(form.at).map(|field| &mut field.value)) {
            (Code::Enter | Code::Down | Code::Tab, _) if !key.shift => form.at = (form.at + 1).min(last),
            (Code::Up | Code::Tab, _) => form.at = form.at.saturating_sub(1),
            (Code::Left, Some(FieldValue::Choice { options, at })) => turn(at, options.len(), -1),
            (Code::Right, Some(FieldValue::Choice { options, at })) => turn(at, options.len(), 1),
            (Code::Char(' '), Some(FieldValue::Flag(set))) => *set = !*set,
            (_, Some(FieldValue::Text(editor))) => edit(editor, key),
            _ => {}
        }
    }
}
