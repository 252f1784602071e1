//! Optional capabilities of the terminal, derived from environment variables at the start and from its replies later.
//! Capabilities that are not confirmed are not used.

/// Optional capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Hyperlinks (OSC 8).
    pub links: bool,
    /// Semantic marks before prompts and answers, for jumping between them (OSC 133).
    pub marks: bool,
    /// Progress in the window frame or the task bar (OSC 9;4).
    pub progress: bool,
}

/// Environment variables that identify the terminal.
#[derive(Debug, Clone, Copy, Default)]
pub struct TerminalVariables<'a> {
    pub term: &'a str,
    /// `TERM_PROGRAM` and `TERM_PROGRAM_VERSION`.
    pub program: &'a str,
    pub version: &'a str,
    /// `VTE_VERSION`.
    pub vte: &'a str,
    /// True if `WT_SESSION` or `ConEmuANSI` is set.
    pub windows: bool,
    /// True inside tmux or screen, where the variables describe the outer terminal.
    pub multiplexer: bool,
}

impl Capabilities {
    /// Derives the capabilities from environment variables.
    #[must_use]
    pub fn from_variables(variables: &TerminalVariables<'_>) -> Self {
        if variables.multiplexer {
            return Self::default();
        }
        let begins = |names: &[&str]| names.iter().any(|name| variables.term.starts_with(name));
        let program = |names: &[&str]| names.contains(&variables.program);
        let vte = variables.vte.parse::<u32>().unwrap_or(0);
        let new_iterm = variables.program == "iTerm.app" && is_at_least(variables.version, &[3, 6, 6]);
        Self {
            links: begins(&["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour"])
                || program(&["iTerm.app", "WezTerm", "ghostty", "vscode", "mintty"])
                || vte >= 5000
                || variables.windows,
            marks: begins(&["xterm-kitty", "xterm-ghostty", "foot", "contour"])
                || program(&["iTerm.app", "WezTerm", "ghostty", "vscode"])
                || variables.windows,
            progress: begins(&["xterm-ghostty"]) || program(&["ghostty", "mintty"]) || new_iterm || variables.windows,
        }
    }

    /// Adds the capabilities implied by the reply to the version query.
    #[must_use]
    pub fn answering(mut self, version: &str) -> Self {
        let name: String = version.chars().take_while(|it| it.is_alphabetic()).collect();
        let number = version.get(name.len()..).unwrap_or_default();
        let number = number.trim_start_matches([' ', '(']).trim_start_matches("next-");
        match name.as_str() {
            "tmux" => {
                self.links |= is_at_least(number, &[3, 4]);
                self.marks |= is_at_least(number, &[3, 4]);
            }
            "kitty" | "WezTerm" | "foot" | "contour" | "iTerm" => {
                self.links = true;
                self.marks = true;
            }
            "ghostty" => {
                self = Self {
                    links: true,
                    marks: true,
                    progress: true,
                };
            }
            "VTE" | "Konsole" => self.links = true,
            _ => {}
        }
        self
    }
}

/// True if a version such as `3.4a` is at least `wanted`.
fn is_at_least(version: &str, wanted: &[u32]) -> bool {
    let mut parts = version.split('.').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().unwrap_or(0)
    });
    for wanted in wanted {
        match parts.next().unwrap_or(0).cmp(wanted) {
            std::cmp::Ordering::Equal => {}
            order => return order.is_gt(),
        }
    }
    true
}

/// A semantic mark in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Start of a prompt.
    Prompt,
    /// Start of the answer.
    Answer,
    /// End of the answer.
    End,
}

impl Mark {
    /// Returns the escape sequence.
    #[must_use]
    pub fn bytes(self) -> &'static str {
        match self {
            Self::Prompt => "\x1b]133;A\x07",
            Self::Answer => "\x1b]133;C\x07",
            Self::End => "\x1b]133;D\x07",
        }
    }
}

/// State shown in the task bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    #[default]
    Idle,
    Working,
    /// An answer of the user is required.
    Waiting,
    /// The last turn failed.
    Failed,
}

impl Progress {
    /// Returns the escape sequence.
    #[must_use]
    pub fn bytes(self) -> &'static str {
        match self {
            Self::Idle => "\x1b]9;4;0;\x07",
            Self::Failed => "\x1b]9;4;2;100\x07",
            Self::Working => "\x1b]9;4;3;\x07",
            Self::Waiting => "\x1b]9;4;4;100\x07",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unconfirmed_capabilities_are_not_used() {
        assert_eq!(
            Capabilities::from_variables(&TerminalVariables {
                term: "xterm-256color",
                ..TerminalVariables::default()
            }),
            Capabilities::default()
        );
        let inside = TerminalVariables {
            term: "tmux-256color",
            program: "ghostty",
            multiplexer: true,
            ..TerminalVariables::default()
        };
        assert_eq!(Capabilities::from_variables(&inside), Capabilities::default());
        assert_eq!(Capabilities::default().answering("XTerm(390)"), Capabilities::default());
        assert_eq!(Capabilities::default().answering("tmux 3.3a"), Capabilities::default());
    }

    #[test]
    fn version_replies_add_capabilities() {
        let marks = Capabilities {
            links: true,
            marks: true,
            progress: false,
        };
        assert_eq!(Capabilities::default().answering("tmux 3.4"), marks);
        assert_eq!(Capabilities::default().answering("tmux next-3.6"), marks);
        assert_eq!(Capabilities::default().answering("kitty(0.35.2)"), marks);
        assert!(Capabilities::default().answering("ghostty 1.2.0").progress);
        let iterm = |version| {
            let named = TerminalVariables {
                program: "iTerm.app",
                version,
                ..TerminalVariables::default()
            };
            Capabilities::from_variables(&named).progress
        };
        assert!(iterm("3.6.10") && !iterm("3.5.14"));
    }
}
