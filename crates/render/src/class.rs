//! Token classes of source code, reduced to the few that have a colour.

/// The class of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Class {
    /// Any other text.
    #[default]
    Plain,
    /// Keywords, keys of settings files, names of tags.
    Key,
    /// Types, classes, shell variables.
    Type,
    /// Functions at their definition or call.
    Fn,
    /// Strings, characters, regular expressions.
    Str,
    /// Numbers and constants.
    Num,
    /// Comments.
    Com,
}

impl Class {
    /// Returns the name for clients; empty for [`Class::Plain`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Key => "key",
            Self::Type => "type",
            Self::Fn => "fn",
            Self::Str => "str",
            Self::Num => "num",
            Self::Com => "com",
        }
    }
}

/// A part of a line in which all text has the same class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub class: Class,
    pub text: String,
}

/// Appends text to a line. It is merged with the last run if both have the same class.
pub(crate) fn push(line: &mut Vec<Run>, class: Class, text: &str) {
    if text.is_empty() {
        return;
    }
    match line.last_mut() {
        Some(last) if last.class == class => last.text.push_str(text),
        _ => line.push(Run {
            class,
            text: text.to_owned(),
        }),
    }
}
