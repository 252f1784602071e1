//! Words and tests, and the commands inside them.

use brush_parser::ast::{BinaryPredicate, ExtendedTestExpr, UnaryPredicate, Word as Written};
use brush_parser::word::{ParameterExpr, WordPiece, WordPieceWithSource};

use super::super::braces::braces;
use super::super::programs::prints_id;
use super::super::words::decode;
use super::super::{Analysis, Problem, Values, Word, caps};
use super::{Walk, options, read};

/// The pieces of a word. Long runs of digits after a tilde are more than the parser can take.
fn pieces_of(text: &str) -> Option<Vec<WordPieceWithSource>> {
    let parse = || brush_parser::word::parse(text, &options()).ok();
    std::panic::catch_unwind(parse).ok().flatten()
}

impl Walk {
    pub(super) fn word(&mut self, written: &Written) -> Word {
        let found = decode(&written.value, &self.values);
        if let Some(problem) = found.problem {
            self.note(problem);
            match pieces_of(&written.value) {
                Some(pieces) => self.pieces(&pieces),
                None => self.note(Problem::Unparsable),
            }
            return found.word;
        }
        if let Some(soft) = found.soft {
            self.analysis.note_soft(soft);
        }
        let mut word = found.word;
        let mut from = None;
        for text in &found.inner {
            from = self.runs(text);
        }
        // The word is what they print and nothing else.
        let bare = written.value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let bare = bare.unwrap_or(&written.value);
        if let ([text], true) = (found.inner.as_slice(), word.unknown())
            && (bare == format!("$({text})") || bare == format!("`{text}`"))
        {
            word.piped = from.is_some();
            word.from = from;
            let printers = from.and_then(|(first, last)| self.analysis.commands.get(first..last));
            word.id = matches!(printers, Some([one]) if !one.joins_errors && prints_id(&one.words));
        }
        let name = bare.strip_prefix('$').unwrap_or_default();
        let name = name
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or(name);
        if let Some(value) = self.values.get(name).filter(|value| value.piped) {
            word.piped = true;
            word.from = value.from;
        }
        word
    }

    /// The words a word becomes where its braces are plain.
    pub(super) fn several(&mut self, written: &Written, into: &mut Vec<Word>) {
        match braces(&written.value) {
            Some(all) => {
                for text in all {
                    let mut word = self.word(&Written::from(text));
                    word.raw.clone_from(&written.value);
                    into.push(word);
                }
            }
            None => into.push(self.word(written)),
        }
    }

    /// A command substitution that runs with the values known here and changes none of them. Gives the commands that
    /// print, where they are one pipeline.
    fn runs(&mut self, text: &str) -> Option<(usize, usize)> {
        // Where a value comes from is counted from here, also in there.
        let begun = self.analysis.commands.len();
        let counted = |word: &Word, from: fn(usize, usize) -> usize| Word {
            from: word.from.map(|(first, last)| (from(first, begun), from(last, begun))),
            ..word.clone()
        };
        let values = self.values.iter();
        let values = values
            .map(|(name, value)| (name.clone(), counted(value, usize::wrapping_sub)))
            .collect();
        let found = read(text, self.depth + 1, &values, &self.never, self.nested);
        for problem in found.problems {
            self.note(problem);
        }
        for problem in found.soft {
            self.analysis.note_soft(problem);
        }
        let first = found.commands.first().map_or(0, |command| command.pipeline);
        let one = first != 0 && found.commands.iter().all(|command| command.pipeline == first);
        let moved = |word: &Word| counted(word, usize::wrapping_add);
        let inner = found.commands.into_iter().map(|command| super::Simple {
            words: command.words.iter().map(moved).collect(),
            redirects: command
                .redirects
                .iter()
                .map(|redirect| super::Redirect {
                    direction: redirect.direction,
                    target: moved(&redirect.target),
                })
                .collect(),
            inner: true,
            level: command.level + 1,
            again: self.again,
            chains: self.joined(&command.chains),
            // Its pipelines are connected among themselves, and with the command that takes the output.
            pipeline: if self.pipeline == 0 { usize::MAX } else { self.pipeline },
            ..command
        });
        let inner: Vec<_> = inner.collect();
        self.analysis.commands.extend(inner);
        one.then_some((begun, self.analysis.commands.len()))
    }

    pub(super) fn here_document(&mut self, body: &str) {
        let parse = || brush_parser::word::parse_heredoc(body, &options()).ok();
        match std::panic::catch_unwind(parse).ok().flatten() {
            Some(pieces) => {
                self.note(Problem::Variable);
                self.pieces(&pieces);
            }
            None => self.note(Problem::Unparsable),
        }
    }

    /// Looks for commands in what a word expands. Only to find what is denied: a word that comes
    /// here is not proven any more.
    fn pieces(&mut self, pieces: &[WordPieceWithSource]) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(_)
                | WordPiece::SingleQuotedText(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::EscapeSequence(_)
                | WordPiece::TildeExpansion(_) => {}
                WordPiece::DoubleQuotedSequence(pieces) | WordPiece::GettextDoubleQuotedSequence(pieces) => {
                    self.pieces(pieces);
                }
                WordPiece::ParameterExpansion(expression) => self.parameter(expression),
                WordPiece::CommandSubstitution(text) => self.substitution(text),
                WordPiece::BackquotedCommandSubstitution(text) => {
                    self.substitution(&text.replace("\\`", "`"));
                }
                WordPiece::ArithmeticExpression(expression) => self.arithmetic(&expression.value),
            }
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr) {
        let inner = match expression {
            ParameterExpr::UseDefaultValues { default_value, .. }
            | ParameterExpr::AssignDefaultValues { default_value, .. } => default_value.as_deref(),
            ParameterExpr::IndicateErrorIfNullOrUnset { error_message, .. } => error_message.as_deref(),
            ParameterExpr::UseAlternativeValue { alternative_value, .. } => alternative_value.as_deref(),
            ParameterExpr::RemoveSmallestSuffixPattern { pattern, .. }
            | ParameterExpr::RemoveLargestSuffixPattern { pattern, .. }
            | ParameterExpr::RemoveSmallestPrefixPattern { pattern, .. }
            | ParameterExpr::RemoveLargestPrefixPattern { pattern, .. }
            | ParameterExpr::UppercaseFirstChar { pattern, .. }
            | ParameterExpr::UppercasePattern { pattern, .. }
            | ParameterExpr::LowercaseFirstChar { pattern, .. }
            | ParameterExpr::LowercasePattern { pattern, .. } => pattern.as_deref(),
            ParameterExpr::ReplaceSubstring { replacement, .. } => replacement.as_deref(),
            ParameterExpr::Substring { offset, .. } => Some(offset.value.as_str()),
            ParameterExpr::Parameter { .. }
            | ParameterExpr::ParameterLength { .. }
            | ParameterExpr::Transform { .. }
            | ParameterExpr::VariableNames { .. }
            | ParameterExpr::MemberKeys { .. } => None,
        };
        if let Some(text) = inner {
            self.nested_word(text);
        }
    }

    fn nested_word(&mut self, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        self.depth += 1;
        if self.depth > caps::MOST_SHELLS {
            self.note(Problem::TooDeep);
        } else if let Some(pieces) = pieces_of(text) {
            self.pieces(&pieces);
        } else {
            self.note(Problem::Unparsable);
        }
        self.depth -= 1;
    }

    pub(super) fn arithmetic(&mut self, text: &str) {
        self.note(Problem::Variable);
        // Apostrophes quote nothing here: bash runs a substitution between them, a reader of words does not see it.
        if text.contains('\'') {
            self.note(Problem::Unparsable);
        }
        self.nested_word(text);
    }

    fn substitution(&mut self, text: &str) {
        self.note(Problem::Nested);
        let inner = read(text, self.depth + 1, &Values::new(), &self.never, true);
        self.take(inner);
    }

    fn take(&mut self, inner: Analysis) {
        for problem in inner.problems {
            self.note(problem);
        }
        self.analysis.commands.extend(inner.commands);
    }

    pub(super) fn test(&mut self, expression: &ExtendedTestExpr) {
        match expression {
            ExtendedTestExpr::And(left, right) | ExtendedTestExpr::Or(left, right) => {
                self.test(left);
                self.test(right);
            }
            ExtendedTestExpr::Not(inner) | ExtendedTestExpr::Parenthesized(inner) => {
                self.test(inner);
            }
            ExtendedTestExpr::UnaryTest(predicate, word) => {
                if matches!(
                    predicate,
                    UnaryPredicate::ShellVariableIsSetAndAssigned | UnaryPredicate::ShellVariableIsSetAndNameRef
                ) {
                    self.note(Problem::Evaluates("[[ -v ]]".to_owned()));
                }
                let operand = self.word(word);
                let text = matches!(
                    predicate,
                    UnaryPredicate::FdIsOpenTerminal
                        | UnaryPredicate::ShellOptionEnabled
                        | UnaryPredicate::ShellVariableIsSetAndAssigned
                        | UnaryPredicate::ShellVariableIsSetAndNameRef
                        | UnaryPredicate::StringHasZeroLength
                        | UnaryPredicate::StringHasNonZeroLength
                );
                if !text {
                    self.asks_for(operand);
                }
            }
            ExtendedTestExpr::BinaryTest(predicate, left, right) => {
                // The arithmetic ones evaluate subscripts in their operands, quoted or not.
                if matches!(
                    predicate,
                    BinaryPredicate::ArithmeticEqualTo
                        | BinaryPredicate::ArithmeticNotEqualTo
                        | BinaryPredicate::ArithmeticLessThan
                        | BinaryPredicate::ArithmeticLessThanOrEqualTo
                        | BinaryPredicate::ArithmeticGreaterThan
                        | BinaryPredicate::ArithmeticGreaterThanOrEqualTo
                ) {
                    let number = |word: &Written| word.value.chars().all(|c| c.is_ascii_digit() || c == '-');
                    if !number(left) || !number(right) {
                        self.note(Problem::Evaluates("[[ ]] arithmetic".to_owned()));
                    }
                }
                let left = self.word(left);
                if matches!(
                    predicate,
                    BinaryPredicate::FilesReferToSameDeviceAndInodeNumbers
                        | BinaryPredicate::LeftFileIsNewerOrExistsWhenRightDoesNot
                        | BinaryPredicate::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                ) {
                    let right = self.word(right);
                    self.asks_for(left);
                    self.asks_for(right);
                } else {
                    self.test_operand(right);
                }
            }
        }
    }

    /// Whether a file is there, and which: what `test -e` asks. No word falls apart in `[[ ]]`.
    fn asks_for(&mut self, file: Word) {
        let file = Word { split: false, ..file };
        self.held("test", vec![Word::plain("-e"), file]);
    }

    /// The right side of `=~` may hold unquoted parentheses and bars.
    fn test_operand(&mut self, word: &Written) {
        if word.value.contains(['$', '`']) {
            self.word(word);
        }
    }
}
