//! Colours of roles, and the set of glyphs.

use crate::text::{Role, Row, Style};

/// A colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The sixteen colours of the terminal.
    #[default]
    Terminal,
    /// Attributes only.
    None,
    /// Truecolor for dark backgrounds.
    Dark,
    /// Dark theme for colour-blind users.
    DarkBlind,
    /// Truecolor for light backgrounds.
    Light,
    /// Light theme for colour-blind users.
    LightBlind,
}

type Colour = (u8, u8, u8);

impl Theme {
    /// Returns the theme with this name in the settings.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "terminal" | "dark-ansi" | "light-ansi" | "auto" => Self::Terminal,
            "none" => Self::None,
            "dark" => Self::Dark,
            "dark-daltonized" => Self::DarkBlind,
            "light" => Self::Light,
            "light-daltonized" => Self::LightBlind,
            _ => return None,
        })
    }

    /// Returns the name used in the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::None => "none",
            Self::Dark => "dark",
            Self::DarkBlind => "dark-daltonized",
            Self::Light => "light",
            Self::LightBlind => "light-daltonized",
        }
    }

    /// Falls back to the terminal's colours if truecolor is not supported.
    #[must_use]
    pub fn without_truecolor(self) -> Self {
        match self {
            Self::None => Self::None,
            _ => Self::Terminal,
        }
    }

    fn is_light(self) -> bool {
        matches!(self, Self::Light | Self::LightBlind)
    }

    /// Returns the foreground and background colour of a role.
    #[must_use]
    pub fn colours(self, role: Role) -> (Option<Colour>, Option<Colour>) {
        let light = self.is_light();
        let pick = |dark: Colour, bright: Colour| Some(if light { bright } else { dark });
        let blind = matches!(self, Self::DarkBlind | Self::LightBlind);
        match role {
            Role::Text | Role::Index(_) => (None, None),
            Role::Rgb(red, green, blue) => (Some((red, green, blue)), None),
            Role::Faint | Role::Comment => (pick((0x9a, 0x9a, 0x9a), (0x5f, 0x5f, 0x5f)), None),
            Role::Accent | Role::Number => (pick((0x5f, 0xc8, 0xc8), (0x00, 0x70, 0x7a)), None),
            Role::Ask => (pick((0xe5, 0xc0, 0x7b), (0x8a, 0x5a, 0x00)), None),
            Role::Good if blind => (pick((0x56, 0xb4, 0xe9), (0x00, 0x67, 0xa5)), None),
            Role::Bad if blind => (pick((0xe6, 0x9f, 0x00), (0x9a, 0x5b, 0x00)), None),
            Role::Good | Role::String => (pick((0x8f, 0xce, 0x7a), (0x2a, 0x7a, 0x1f)), None),
            Role::Bad => (pick((0xf0, 0x80, 0x80), (0xb3, 0x26, 0x1e)), None),
            Role::Note | Role::Keyword => (pick((0xc7, 0x9b, 0xf0), (0x7a, 0x3f, 0xb0)), None),
            Role::Removed => (
                self.colours(Role::Bad).0,
                pick(
                    (0x52, 0x26, 0x26),
                    if blind { (0xff, 0xef, 0xe0) } else { (0xff, 0xd7, 0xd5) },
                ),
            ),
            Role::Added => (
                self.colours(Role::Good).0,
                pick(
                    if blind { (0x1e, 0x3c, 0x24) } else { (0x24, 0x49, 0x2a) },
                    (0xdc, 0xf7, 0xd8),
                ),
            ),
        }
    }

    /// Returns the SGR parameters of a style; empty for plain text.
    #[must_use]
    pub fn sgr(self, style: Style) -> String {
        let mut codes: Vec<String> = Vec::new();
        let mut code = |text: &str| codes.push(text.to_owned());
        if style.bold || (style.role == Role::Ask && matches!(self, Self::Terminal | Self::None)) {
            code("1");
        }
        if style.italic {
            code("3");
        }
        if style.struck {
            code("9");
        }
        let changed = matches!(style.role, Role::Removed | Role::Added);
        match self {
            Self::Terminal | Self::None => {
                if style.reverse || changed {
                    code("7");
                }
                if matches!(style.role, Role::Faint | Role::Comment) {
                    code("2");
                }
                let hue = match style.role {
                    Role::Accent | Role::Number => "36",
                    Role::Ask => "33",
                    Role::Good | Role::Added | Role::String => "32",
                    Role::Bad | Role::Removed => "31",
                    Role::Note | Role::Keyword => "35",
                    Role::Text | Role::Faint | Role::Comment | Role::Index(_) | Role::Rgb(..) => "",
                };
                if self == Self::Terminal && !hue.is_empty() {
                    code(hue);
                } else if style.role == Role::Accent && !style.bold {
                    code("1");
                }
            }
            _ => {
                if style.reverse {
                    code("7");
                }
                let (front, behind) = self.colours(style.role);
                if let Some((red, green, blue)) = front {
                    code(&format!("38;2;{red};{green};{blue}"));
                }
                if let Some((red, green, blue)) = behind {
                    code(&format!("48;2;{red};{green};{blue}"));
                }
            }
        }
        if let (Role::Index(number), false) = (style.role, self == Self::None) {
            codes.push(format!("38;5;{number}"));
        }
        if let (Role::Rgb(red, green, blue), Self::Terminal) = (style.role, self) {
            codes.push(format!("38;2;{red};{green};{blue}"));
        }
        codes.join(";")
    }
}

/// Set of glyphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Glyphs {
    /// All Unicode glyphs.
    #[default]
    Full,
    /// ASCII only.
    Ascii,
}

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_SPINNER: [&str; 4] = ["|", "/", "-", "\\"];

impl Glyphs {
    /// Returns the spinner glyph for a step.
    #[must_use]
    pub fn spinner(self, step: usize) -> &'static str {
        match self {
            Self::Full => SPINNER.get(step % SPINNER.len()).copied().unwrap_or("⠋"),
            Self::Ascii => ASCII_SPINNER.get(step % ASCII_SPINNER.len()).copied().unwrap_or("|"),
        }
    }

    /// Replaces our glyphs with ASCII if required. Other text is not changed.
    #[must_use]
    pub fn apply(self, row: Row) -> Row {
        if self == Self::Full {
            return row;
        }
        let mut out = Row::new();
        for span in &row.0 {
            let mut text = String::with_capacity(span.text.len());
            for letter in span.text.chars() {
                match letter {
                    '›' => text.push('>'),
                    '‹' => text.push('<'),
                    '✓' => text.push('+'),
                    '✗' => text.push('x'),
                    '⊘' => text.push('%'),
                    '∙' => text.push('-'),
                    '⋯' => text.push_str("..."),
                    '⣿' => text.push('#'),
                    '⣀' => text.push('.'),
                    letter => text.push(letter),
                }
            }
            out.push(&text, span.style);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn luminance((red, green, blue): Colour) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.03928 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
    }

    fn contrast(one: Colour, other: Colour) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_truecolor_pair_can_be_read() {
        let dark: [Colour; 2] = [(0x1e, 0x1e, 0x1e), (0x28, 0x2c, 0x34)];
        let light: [Colour; 2] = [(0xff, 0xff, 0xff), (0xfd, 0xf6, 0xe3)];
        let themes = [
            (Theme::Dark, dark),
            (Theme::DarkBlind, dark),
            (Theme::Light, light),
            (Theme::LightBlind, light),
        ];
        let roles = [
            Role::Faint,
            Role::Accent,
            Role::Ask,
            Role::Good,
            Role::Bad,
            Role::Note,
            Role::Removed,
            Role::Added,
        ];
        for (theme, grounds) in themes {
            for role in roles {
                let (front, behind) = theme.colours(role);
                for ground in grounds {
                    let found = contrast(front.unwrap(), behind.unwrap_or(ground));
                    assert!(found >= 4.5, "{theme:?} {role:?} {found:.2}");
                }
            }
        }
    }

    #[test]
    fn the_terminal_theme_uses_five_colours() {
        let all = [Role::Accent, Role::Ask, Role::Good, Role::Bad, Role::Note];
        let codes: Vec<String> = all.iter().map(|role| Theme::Terminal.sgr(Style::of(*role))).collect();
        assert_eq!(codes, ["36", "1;33", "32", "31", "35"]);
        assert_eq!(Theme::None.sgr(Style::of(Role::Good)), "");
    }
}
