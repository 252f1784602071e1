//! Redirections: files, descriptors, here-documents and process substitutions.

use brush_parser::ast::{
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, ProcessSubstitutionKind, RedirectList, SubshellCommand,
    Word as Written,
};

use super::super::{Direction, Problem, Redirect, Simple};
use super::Walk;

impl Walk {
    /// `<( )` and `>( )`. What writes into a command may have it run anything it reads.
    pub(super) fn process(&mut self, kind: &ProcessSubstitutionKind, subshell: &SubshellCommand) {
        match kind {
            ProcessSubstitutionKind::Read => self.analysis.note_soft(Problem::Nested),
            ProcessSubstitutionKind::Write => self.note(Problem::Nested),
        }
        let inner = std::mem::replace(&mut self.inner, true);
        self.subshell(subshell);
        self.inner = inner;
    }

    pub(super) fn redirect_list(&mut self, list: Option<&RedirectList>) {
        let mut held = self.blank();
        let redirects: Vec<Redirect> = list
            .into_iter()
            .flat_map(|list| &list.0)
            .filter_map(|redirect| self.redirect(redirect, &mut held))
            .collect();
        if redirects.is_empty() && held.inputs.is_empty() {
            return;
        }
        // Held as a command without words, so that its effects are looked at like any other.
        held.redirects = redirects;
        self.analysis.commands.push(held);
        if !self.nested && !self.inner && !self.again {
            self.analysis.top += 1;
        }
    }

    pub(super) fn redirect(&mut self, redirect: &IoRedirect, of: &mut Simple) -> Option<Redirect> {
        match redirect {
            IoRedirect::File(descriptor, kind, target) => {
                // Whatever it is that messages are sent to, it may be where the output goes, unless it is nowhere.
                let nowhere = matches!(target, IoFileRedirectTarget::Filename(word) if word.value == "/dev/null");
                let both = matches!(target, IoFileRedirectTarget::Duplicate(word) if !word.value.bytes().all(|b| b.is_ascii_digit()));
                of.joins_errors |= (*descriptor == Some(2) || both) && !nowhere;
                let file = matches!(target, IoFileRedirectTarget::Filename(_));
                of.takes_descriptor |=
                    matches!(kind, IoFileRedirectKind::DuplicateInput) || (*descriptor == Some(0) && !file);
                let direction = match kind {
                    IoFileRedirectKind::Read | IoFileRedirectKind::DuplicateInput => Direction::Read,
                    IoFileRedirectKind::Write
                    | IoFileRedirectKind::Append
                    | IoFileRedirectKind::Clobber
                    | IoFileRedirectKind::DuplicateOutput => Direction::Write,
                    IoFileRedirectKind::ReadAndWrite => Direction::Both,
                };
                match target {
                    IoFileRedirectTarget::Fd(_) => None,
                    IoFileRedirectTarget::Filename(word) => Some(self.target(direction, word)),
                    IoFileRedirectTarget::Duplicate(word) => {
                        let descriptor = word.value.trim_end_matches('-');
                        if descriptor.chars().all(|c| c.is_ascii_digit()) {
                            return None;
                        }
                        Some(self.target(direction, word))
                    }
                    IoFileRedirectTarget::ProcessSubstitution(kind, subshell) => {
                        self.process(kind, subshell);
                        None
                    }
                }
            }
            IoRedirect::HereDocument(_, document) => {
                if document.requires_expansion && document.doc.value.contains(['$', '`']) {
                    self.here_document(&document.doc.value);
                }
                of.inputs.push(document.doc.value.clone());
                None
            }
            IoRedirect::HereString(_, word) => {
                let word = self.word(word);
                of.inputs.push(word.text.unwrap_or(word.raw));
                None
            }
            IoRedirect::OutputAndError(word, _) => {
                of.joins_errors |= word.value != "/dev/null";
                Some(self.target(Direction::Write, word))
            }
        }
    }

    pub(super) fn target(&mut self, direction: Direction, written: &Written) -> Redirect {
        let target = self.word(written);
        let network = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
        if target.text.as_deref().is_some_and(network) {
            self.note(Problem::Network);
        }
        // A command may read each file that a pattern matches. Outside quotes, bash matches the value of a variable again.
        if target.glob && (direction != Direction::Read || target.split) {
            self.note(Problem::Variable);
        }
        Redirect { direction, target }
    }
}
