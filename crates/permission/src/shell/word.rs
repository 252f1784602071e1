//! One word of a command line.

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Word {
    /// As written, quotes included.
    pub raw: String,
    /// What the program gets, when that is known; patterns are left as they are.
    pub text: Option<String>,
    /// Holds an unquoted `*`, `?` or `[`, or the name of a file that matched such a pattern.
    pub glob: bool,
    /// Begins with an unquoted `~` or with `$HOME`.
    pub tilde: bool,
    /// Some of it is quoted, so it is never taken for a keyword or an assignment.
    pub quoted: bool,
    /// Holds a value outside quotes, so that it may become any number of words.
    pub split: bool,
    /// Names the command before in the pipeline printed.
    pub piped: bool,
    /// The commands of the line that printed it, first and one past the last, where it is not the pipeline before.
    pub from: Option<(usize, usize)>,
    /// Is the id of a git object, or nothing where there is none.
    pub id: bool,
    /// The known beginning of a word whose value is unknown.
    pub prefix: String,
}

impl Word {
    /// The literal value of a word that is one and the same thing in every directory.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        if self.glob || self.tilde || self.split {
            return None;
        }
        self.text.as_deref()
    }

    /// Whether the word is literally `text`.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        self.literal() == Some(text)
    }

    /// Whether the value passes `test`, or is unknown.
    pub fn may_be(&self, test: impl FnOnce(&str) -> bool) -> bool {
        self.text.as_deref().is_none_or(test)
    }

    /// The same word with another value.
    #[must_use]
    pub fn with(&self, text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..self.clone()
        }
    }

    /// Whether the value that the program gets is unknown.
    #[must_use]
    pub fn unknown(&self) -> bool {
        self.text.is_none()
    }

    /// A word written plainly.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self {
            raw: text.to_owned(),
            text: Some(text.to_owned()),
            ..Self::default()
        }
    }

    /// The names another command printed.
    #[must_use]
    pub fn printed() -> Self {
        Self {
            raw: "|".to_owned(),
            split: true,
            piped: true,
            ..Self::default()
        }
    }
}
