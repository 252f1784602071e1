//! Streamed text as lines: one per sentence, as soon as it is complete.

/// Tracks how much of a streamed text was printed.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// The item that contains the text.
    item: Option<u32>,
    /// Number of bytes printed.
    at: usize,
    /// True inside a code block, which is printed line by line.
    code: bool,
}

impl Speech {
    /// Returns the complete sentences of a growing text; once it has `ended`, also the rest.
    pub(super) fn advance(&mut self, item: u32, text: &str, ended: bool) -> Vec<String> {
        if self.item != Some(item) || text.len() < self.at {
            *self = Self {
                item: Some(item),
                ..Self::default()
            };
        }
        let mut said = Vec::new();
        while let Some(rest) = text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let end = match self.end_of_sentence(rest) {
                Some(end) => end,
                None if ended => rest.len(),
                None => break,
            };
            let piece = rest.get(..end).unwrap_or(rest).trim();
            if piece.starts_with("```") || piece.starts_with("~~~") {
                self.code = !self.code;
            }
            if !piece.is_empty() {
                said.push(piece.to_owned());
            }
            self.at += end;
        }
        said
    }

    /// Returns the end of the first complete sentence or line.
    fn end_of_sentence(&self, text: &str) -> Option<usize> {
        let line = text.find('\n').map(|at| at + 1);
        // A fence is only recognized by its whole line.
        if self.code || text.starts_with("```") || text.starts_with("~~~") {
            return line;
        }
        let mut letters = text.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            if line.is_some_and(|line| at + 1 >= line) {
                break;
            }
            let next = letters.peek().map(|(_, next)| *next);
            // "1." is a list marker, not the end of a sentence.
            let counts = text
                .get(..at)
                .is_some_and(|before| before.trim_start().chars().all(|it| it.is_ascii_digit()));
            if matches!(letter, '.' | '!' | '?') && next == Some(' ') && !counts {
                return Some(at + letter.len_utf8());
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_sentences_are_printed_once() {
        let text = "I will fix it. Then I run\nthe tests!\n1. one\n```\na. b\n```\nlast";
        let wanted = [
            "I will fix it.",
            "Then I run",
            "the tests!",
            "1. one",
            "```",
            "a. b",
            "```",
            "last",
        ];
        for step in 1..text.len() {
            let mut speech = Speech::default();
            let mut said = Vec::new();
            for end in (step..text.len()).step_by(step) {
                said.extend(speech.advance(1, text.get(..end).unwrap_or(text), false));
            }
            said.extend(speech.advance(1, text, true));
            assert_eq!(said, wanted, "in pieces of {step}");
        }
    }

    #[test]
    fn a_new_message_resets_the_position() {
        let mut speech = Speech::default();
        assert_eq!(speech.advance(1, "One. Tw", false), ["One."]);
        assert_eq!(speech.advance(2, "One. Two", true), ["One.", "Two"]);
    }
}
