//! What a piece of text is on the screen: a role, and attributes. A [`Theme`](crate::theme::Theme) says how that looks.

/// What a piece of text means; colour only repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Answers, and everything in general.
    #[default]
    Text,
    /// Facts, results, hints.
    Faint,
    /// What can be chosen or followed; inline code.
    Accent,
    /// A question.
    Ask,
    /// Done, added.
    Good,
    /// Failed, denied, removed.
    Bad,
    /// A note of ours.
    Note,
    /// Words of a removed row that changed.
    Removed,
    /// Words of an added row that changed.
    Added,
    /// Syntax: a keyword.
    Keyword,
    /// Syntax: a string.
    String,
    /// Syntax: a number.
    Number,
    /// Syntax: a comment.
    Comment,
    /// A colour somebody else chose, by its number.
    Index(u8),
    /// The same, by its parts.
    Rgb(u8, u8, u8),
}

/// A role and attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// What it means.
    pub role: Role,
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Struck through.
    pub struck: bool,
    /// Reverse video.
    pub reverse: bool,
}

impl Style {
    /// A role without attributes.
    #[must_use]
    pub const fn of(role: Role) -> Self {
        Self {
            role,
            bold: false,
            italic: false,
            struck: false,
            reverse: false,
        }
    }

    /// Plain text.
    pub const TEXT: Self = Self::of(Role::Text);
    /// Facts, results, hints.
    pub const FAINT: Self = Self::of(Role::Faint);

    /// The same in bold.
    #[must_use]
    pub const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    /// The same in reverse video.
    #[must_use]
    pub const fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }
}

impl From<Role> for Style {
    fn from(role: Role) -> Self {
        Self::of(role)
    }
}
