//! Token classes of code: the few kinds that a screen tells apart.

/// The kind of a piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Class {
    /// Nothing in particular.
    #[default]
    Plain,
    /// Keywords, keys of settings, names of tags.
    Key,
    /// Types, classes, variables of a shell.
    Type,
    /// Functions where they are defined or called.
    Fn,
    /// Strings, characters, regular expressions.
    Str,
    /// Numbers and constants of the language.
    Num,
    /// Comments.
    Com,
}

impl Class {
    /// The name screens know it by; empty for [`Class::Plain`].
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

/// A piece of a line that is all of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub class: Class,
    pub text: String,
}

/// Adds a piece to a line; neighbours of one kind become one.
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
