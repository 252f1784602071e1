//! Style of a piece of text: a role and attributes. A [`Theme`](crate::theme::Theme) defines the colours of roles.

/// Meaning of a piece of text; never expressed by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Answers and general text.
    #[default]
    Text,
    /// Details, results and hints.
    Faint,
    /// Selectable items, links and inline code.
    Accent,
    /// A question.
    Ask,
    /// Success, added lines.
    Good,
    /// Errors, denials, removed lines.
    Bad,
    /// Notices of this program.
    Note,
    /// Changed words of a removed line.
    Removed,
    /// Changed words of an added line.
    Added,
    /// Syntax: a keyword.
    Keyword,
    /// Syntax: a string.
    String,
    /// Syntax: a number.
    Number,
    /// Syntax: a comment.
    Comment,
    /// An indexed colour from external output.
    Index(u8),
    /// An RGB colour from external output.
    Rgb(u8, u8, u8),
}

/// A role and attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// Role.
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
    /// Creates a style without attributes.
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
    /// Details, results and hints.
    pub const FAINT: Self = Self::of(Role::Faint);

    /// Adds bold.
    #[must_use]
    pub const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    /// Adds reverse video.
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
