//! Keys and their names.

use std::fmt;

/// A key without modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// A letter, digit, punctuation character or space.
    Char(char),
    Enter,
    Escape,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    /// A function key.
    F(u8),
}

/// A key with modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The key without modifiers.
    pub code: Code,
    /// True if Ctrl is held.
    pub ctrl: bool,
    /// True if Alt or Meta is held.
    pub alt: bool,
    /// True if Shift is held; never set for letters, which are uppercase instead.
    pub shift: bool,
}

impl Key {
    /// Creates a key without modifiers.
    #[must_use]
    pub const fn of(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// Creates a character key.
    #[must_use]
    pub const fn char(letter: char) -> Self {
        Self::of(Code::Char(letter))
    }

    /// Creates a character key with Ctrl.
    #[must_use]
    pub const fn ctrl(letter: char) -> Self {
        Self {
            ctrl: true,
            ..Self::char(letter)
        }
    }

    /// Creates a character key with Alt.
    #[must_use]
    pub const fn alt(letter: char) -> Self {
        Self {
            alt: true,
            ..Self::char(letter)
        }
    }

    /// Returns the character, if neither Ctrl nor Alt is held.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            _ => None,
        }
    }

    /// True for this key without modifiers.
    #[must_use]
    pub fn is(self, code: Code) -> bool {
        self == Self::of(code)
    }

    /// Parses `ctrl+x`, `shift+tab`, `meta+p`, `escape`; case-insensitive.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut key = Self::char(' ');
        let mut rest = name.trim();
        while let Some((held, after)) = rest
            .split_once('+')
            .filter(|(held, after)| !held.is_empty() && !after.is_empty())
        {
            match held.to_ascii_lowercase().as_str() {
                "ctrl" | "control" => key.ctrl = true,
                "alt" | "meta" | "option" | "opt" => key.alt = true,
                "shift" => key.shift = true,
                _ => return None,
            }
            rest = after;
        }
        let mut letters = rest.chars();
        key.code = match (letters.next(), letters.next()) {
            (Some(letter), None) if key.shift && letter.is_alphabetic() => {
                key.shift = false;
                Code::Char(letter.to_ascii_uppercase())
            }
            (Some(letter), None) => Code::Char(letter),
            _ => Self::word(rest)?,
        };
        Some(key)
    }

    fn word(word: &str) -> Option<Code> {
        Some(match word.to_ascii_lowercase().as_str() {
            "enter" | "return" => Code::Enter,
            "escape" | "esc" => Code::Escape,
            "tab" => Code::Tab,
            "space" => Code::Char(' '),
            "backspace" => Code::Backspace,
            "delete" | "del" => Code::Delete,
            "up" => Code::Up,
            "down" => Code::Down,
            "left" => Code::Left,
            "right" => Code::Right,
            "home" => Code::Home,
            "end" => Code::End,
            "pageup" => Code::PageUp,
            "pagedown" => Code::PageDown,
            _ => return None,
        })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "ctrl+"), (self.alt, "alt+"), (self.shift, "shift+")] {
            if held {
                f.write_str(name)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("space"),
            Code::Char(letter) => write!(f, "{letter}"),
            Code::Escape => f.write_str("esc"),
            Code::F(number) => write!(f, "f{number}"),
            other => f.write_str(&format!("{other:?}").to_ascii_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn key_names_round_trip() {
        for name in [
            "ctrl+x",
            "shift+tab",
            "alt+p",
            "esc",
            "enter",
            "space",
            "ctrl+enter",
            "?",
            "pageup",
        ] {
            assert_eq!(Key::named(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::named("Shift+G"), Some(Key::char('G')));
        assert_eq!(Key::named("meta+o"), Some(Key::alt('o')));
        assert_eq!(Key::named("hyper+x"), None);
    }
}
