//! Key handling: which part of the screen receives a key, and what it does in the composer.

use super::act::EditTarget;
use super::completion::MAX_ROWS;
use super::{Act, App, Now};
use crate::input::vim::KeyResult;
use crate::input::{Chip, Code, Context, Input, Key, Translation};
use crate::text::Row;
use crate::view::ask::hints;
use crate::view::snapshot::Phase;

/// A paste with more lines or bytes than this becomes a chip.
const MAX_INLINE_LINES: usize = 6;
const MAX_INLINE_BYTES: usize = 1000;

impl App {
    /// Handles input from the terminal.
    pub fn input(&mut self, input: Input, now: Now) {
        match input {
            Input::Key(key) => self.pressed(key, now),
            Input::Paste(text) => self.paste(&text, now),
            Input::Focus(focused) => self.focus(focused, now),
            Input::Reply(_) => {}
        }
    }

    /// Handles a key, after applying the user's key bindings.
    fn pressed(&mut self, key: Key, now: Now) {
        let context = match (&self.pager, &self.picker, &self.open_request, &self.popup) {
            (Some(_), ..) => Context::Transcript,
            (_, Some(picker), ..) if matches!(picker.picks, super::PickerKind::Prompt(_)) => Context::HistorySearch,
            (_, Some(_), ..) => Context::Select,
            (_, _, Some(open_request), _) if open_request.focused.is_some() => Context::Confirmation,
            (.., Some(_)) => Context::Autocomplete,
            _ => Context::Chat,
        };
        let before = self.bound.take().or(self.chord);
        match self.bindings.translate(context, before, key) {
            Translation::Keys(keys) => {
                self.chord = None;
                for key in keys {
                    self.key(key, now);
                }
            }
            Translation::ChordStart => self.bound = Some(key),
            Translation::Unbound => self.chord = None,
            Translation::Unchanged => {
                if let Some(first) = before.filter(|_| self.chord.is_none()) {
                    self.key(first, now);
                }
                self.key(key, now);
            }
        }
    }

    fn paste(&mut self, text: &str, now: Now) {
        self.last_key = now;
        self.history.leave();
        if self.pager.is_some() || self.picker.as_mut().is_some_and(|picker| picker.paste(text)) {
            return;
        }
        if self.attach_path(text) {
            return;
        }
        let long = text.lines().count() >= MAX_INLINE_LINES || text.len() >= MAX_INLINE_BYTES;
        if long {
            self.editor.attach(Chip::Paste(text.to_owned()));
        } else {
            self.editor.insert(text);
        }
        self.popup = None;
    }

    /// Handles a key.
    pub fn key(&mut self, key: Key, now: Now) {
        let before = self.acts.len();
        self.take_key(key, now);
        let wished = self.acts.iter().skip(before).any(Act::opens_dialog);
        self.expects = wished || (self.expects && self.picker.is_some());
    }

    fn take_key(&mut self, key: Key, now: Now) {
        let last_key = std::mem::replace(&mut self.last_key, now);
        if self.help {
            // Any key closes the help; other keys are also handled.
            self.help = false;
            if key.is(Code::Escape) || key == Key::char('?') || key == Key::ctrl('c') {
                return;
            }
        }
        if self.everywhere(key, now) {
            return;
        }
        if self.pager.is_some() {
            self.pager_key(key);
            return;
        }
        let among_sessions =
            matches!(&self.picker, Some(picker) if matches!(picker.picks, super::PickerKind::Session(_)));
        if key == Key::ctrl('o') && !among_sessions {
            self.acts.push(Act::Transcript);
            return;
        }
        if let Some(first) = self.chord.take() {
            self.chord_key(first, key, now);
            return;
        }
        if self.picker.is_some() {
            self.picker_key(key, now);
            return;
        }
        if self.open_request.is_some() && self.ask_key(key, now) {
            // Answering is not typing: the next request may take the keyboard immediately.
            self.last_key = last_key;
            return;
        }
        if self.popup.is_some() && self.popup_key(key, now) {
            return;
        }
        self.chat_key(key, now);
    }

    /// Keys with the same meaning in every context.
    fn everywhere(&mut self, key: Key, now: Now) -> bool {
        match (key.code, key.ctrl, key.alt) {
            (Code::Char('z'), true, false) => self.acts.push(Act::Suspend),
            (Code::Char('l'), true, false) if self.pager.is_none() => self.acts.push(Act::Redraw),
            (Code::Char('t'), true, false) if self.pager.is_none() => self.todos = !self.todos,
            (Code::Char('r'), false, true) => self.toggle_wrap(now),
            _ => return false,
        }
        true
    }

    fn popup_key(&mut self, key: Key, now: Now) -> bool {
        let Some(popup) = &mut self.popup else { return false };
        let last = popup.offers.len().saturating_sub(1);
        match (key.code, key.ctrl) {
            (Code::Up, _) | (Code::Char('p'), true) => popup.choose(popup.selected.saturating_sub(1)),
            (Code::Down, _) | (Code::Char('n'), true) => popup.choose((popup.selected + 1).min(last)),
            (Code::PageUp, _) => popup.choose(popup.selected.saturating_sub(MAX_ROWS)),
            (Code::PageDown, _) => popup.choose((popup.selected + MAX_ROWS).min(last)),
            (Code::Escape, _) | (Code::Char('c'), true) => self.popup = None,
            (Code::Tab, _) => {
                self.accept();
            }
            (Code::Enter, false) if !key.shift && !key.alt => {
                if popup.is_command {
                    self.enter_command(now);
                } else {
                    self.accept();
                }
            }
            _ => return false,
        }
        true
    }

    fn chord_key(&mut self, first: Key, key: Key, now: Now) {
        if first != Key::ctrl('x') {
            return;
        }
        match (key.code, key.ctrl) {
            (Code::Char('e'), true) => self.edit_outside(),
            (Code::Char('b'), true) => self.acts.push(Act::Background),
            (Code::Char('k'), true) => self.kill_agents(now),
            (Code::Char('s'), true) | (Code::Enter, _) => self.submit(key.ctrl, now),
            (Code::Char('p'), false) => self.open_paste(),
            _ => {}
        }
    }

    /// Expands the paste before the cursor to plain text.
    fn open_paste(&mut self) {
        let at = self.editor.cursor();
        let before = self.editor.text().get(..at).unwrap_or_default();
        let found = before.char_indices().rev().find_map(|(at, letter)| {
            let number = crate::input::editor::chip_number(letter)?;
            match self.editor.chips().get(number)? {
                Chip::Paste(text) => Some((at, at + letter.len_utf8(), text.clone())),
                Chip::Image { .. } => None,
            }
        });
        if let Some((from, to, text)) = found {
            self.editor.replace(from, to, &text);
        }
    }

    fn edit_outside(&mut self) {
        self.acts.push(Act::Edit {
            text: self.editor.whole(),
            what: EditTarget::Draft,
        });
    }

    fn chat_key(&mut self, key: Key, now: Now) {
        let key = self.remapped(key, now);
        if let Some(vim) = &mut self.vim {
            match vim.key(&mut self.editor, key) {
                KeyResult::Handled => {
                    self.popup = None;
                    return;
                }
                KeyResult::BeforeText => return self.up(now),
                KeyResult::AfterText => return self.later(),
                KeyResult::Unhandled => {}
            }
        }
        let empty = self.editor.is_empty();
        match (key.code, key.ctrl, key.alt) {
            (Code::Escape, ..) => self.escape(now),
            (Code::Char('c'), true, _) => self.interrupt_key(now),
            (Code::Char('d'), true, _) if empty => self.leave_key("ctrl+d", now),
            (Code::Char('x'), true, _) => self.chord = Some(key),
            (Code::Char('r'), true, _) => self.search_history(now),
            (Code::Char('g'), true, _) => self.edit_outside(),
            (Code::Char('s'), true, _) => self.stash_key(now),
            (Code::Char('b'), true, _) if empty && self.snapshot.phase == Phase::Calling => {
                self.acts.push(Act::Background);
            }
            (Code::Tab, ..) if key.shift => self.cycle_mode(),
            (Code::Tab | Code::Right, false, false) if empty && self.accept_placeholder() => {}
            (Code::Char('p'), _, true) => self.acts.push(Act::Models),
            // After a yank: cycles to the earlier kill, as in readline.
            (Code::Char('y'), false, true) if self.editor.has_yanked() => self.editor.yank_earlier(),
            (Code::Char('y'), false, true) => self.copy_answer(now),
            (Code::Char('?'), false, false) if empty => self.help = true,
            (Code::Enter, true, _) => self.submit(true, now),
            (Code::Enter, false, false) if !key.shift => {
                if self.editor.text().ends_with('\\') && self.editor.cursor() == self.editor.text().len() {
                    self.editor.backspace();
                    self.editor.insert("\n");
                } else {
                    self.submit(false, now);
                }
            }
            (Code::Up, _, true) => self.edit_queued(false, now),
            (Code::Down, _, true) => self.edit_queued(true, now),
            (Code::Up, ..) => self.up(now),
            (Code::Down, ..) => {
                if !self.editor.down() {
                    self.later();
                }
            }
            (Code::Char('v'), true, _) => self.acts.push(Act::PasteImage),
            (Code::Char('t'), _, true) => self.toggle_thinking(now),
            (Code::Tab, ..) => {}
            _ => {
                super::editing::edit(&mut self.editor, key);
                self.history.leave();
                self.complete();
            }
        }
    }

    /// Maps the last key of the configured `jk`-style sequence to escape in vim insert mode, and removes the keys
    /// before it.
    fn remapped(&mut self, key: Key, now: Now) -> Key {
        const MAX_KEY_GAP: Now = 1000;
        let quick = now.saturating_sub(std::mem::replace(&mut self.last_letter, now)) <= MAX_KEY_GAP;
        let inserts = self.vim.as_ref().is_some_and(crate::input::Vim::inserts);
        let (true, Some(letter)) = (inserts, key.typed()) else {
            return key;
        };
        let before = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
        let escapes = self.facts.settings.escapes.iter();
        let begun = escapes
            .filter_map(|letters| letters.strip_suffix(letter))
            .find(|begun| before.ends_with(*begun));
        let count = begun
            .filter(|begun| quick || begun.is_empty())
            .map(|begun| begun.chars().count());
        match count {
            Some(count) => {
                for _ in 0..count {
                    self.editor.backspace();
                }
                Key::named("escape").unwrap_or(key)
            }
            None => key,
        }
    }

    fn later(&mut self) {
        let folder = self.facts.folder.display().to_string();
        if let Some(text) = self.history.next(&folder) {
            self.editor.set(&text);
        }
    }

    /// Moves a queued prompt, the first or the last, into the composer; the present draft goes to the history.
    fn edit_queued(&mut self, first: bool, now: Now) {
        let queue = &self.snapshot.queue;
        let waiting = if first { queue.first() } else { queue.last() };
        let Some((uuid, text)) = waiting.cloned() else {
            self.notify("no prompt is queued", now);
            return;
        };
        if !self.editor.is_empty() {
            let draft = self.editor.whole();
            self.remember(&draft, now);
        }
        self.acts.push(Act::Withdraw(uuid));
        self.editor.set(&text);
    }

    /// Switches between wrapping prose at words and leaving it to the terminal, so that copied text contains no line
    /// breaks.
    fn toggle_wrap(&mut self, now: Now) {
        self.feed.flows = !self.feed.flows;
        self.facts.settings.flows = self.feed.flows;
        let word = if self.feed.flows { "terminal" } else { "word" };
        self.notify(format!("wrap: {word}, from the next paragraph on"), now);
    }

    pub(super) fn toggle_thinking(&mut self, now: Now) {
        self.thinks = !self.thinks;
        self.acts.push(Act::Thinking((!self.thinks).then_some(0)));
        self.notify(if self.thinks { "thinking on" } else { "thinking off" }, now);
    }

    /// Accepts the placeholder of an empty composer as the draft.
    fn accept_placeholder(&mut self) -> bool {
        let Some(text) = self.placeholder() else { return false };
        self.editor.set(&text);
        true
    }

    pub(super) fn stash_key(&mut self, now: Now) {
        if self.editor.is_empty() {
            if let Some(text) = self.stash.take() {
                self.editor.set(&text);
            }
        } else {
            self.stash = Some(self.editor.take());
            self.notify("stashed; ctrl+s on an empty line restores it", now);
        }
    }

    /// Sends the draft, or runs it as a command.
    pub(super) fn submit(&mut self, at_once: bool, now: Now) {
        let text = self.editor.whole();
        if text.trim().is_empty() {
            return;
        }
        self.popup = None;
        let images = self.editor.images();
        let line = text.trim();
        if line.starts_with('/') {
            if let Err(why) = self.note_command(line) {
                // The draft stays in the composer to be corrected.
                self.notify(why, now);
                return;
            }
            if self.command(line, now) {
                self.remember(line, now);
                self.editor.take();
                return;
            }
        }
        if let Some(command) = line
            .strip_prefix('!')
            .map(str::trim)
            .filter(|command| !command.is_empty())
        {
            self.remember(line, now);
            self.editor.take();
            self.start_shell(command, now);
            return;
        }
        if let Some(note) = line
            .strip_prefix('#')
            .map(str::trim)
            .filter(|_| !line.starts_with("##"))
            && !note.is_empty()
            && !line.contains('\n')
            && images.is_empty()
        {
            let note = note.to_owned();
            self.remember(line, now);
            self.editor.take();
            self.pick_note(&note);
            return;
        }
        self.editor.take();
        if let Some(vim) = &mut self.vim {
            vim.reset();
        }
        self.send(&text, images, at_once, now);
    }

    fn up(&mut self, now: Now) {
        if self.editor.is_empty()
            && let Some((uuid, text)) = self.snapshot.queue.last().cloned()
        {
            self.acts.push(Act::Withdraw(uuid));
            self.editor.set(&text);
            return;
        }
        if self.editor.up() {
            return;
        }
        let folder = self.facts.folder.display().to_string();
        let draft = self.editor.whole();
        match self.history.previous(&draft, &folder) {
            Some(text) => self.editor.set(&text),
            None => self.notify("no earlier prompt", now),
        }
    }

    /// Returns the hints below the composer while completions are open.
    pub(super) fn popup_hints(&self) -> Option<Row> {
        self.popup.as_ref().map(|popup| match popup.offers.len() {
            count if count > MAX_ROWS => {
                let place = format!("{} of {count}", popup.selected + 1);
                hints(&["tab takes it", "up/down", &place, "esc"], self.columns)
            }
            _ => hints(&["tab takes it", "up/down", "esc"], self.columns),
        })
    }
}
