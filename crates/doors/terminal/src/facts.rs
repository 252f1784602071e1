//! Inputs of the terminal: this crate reads neither environment variables nor the home folder.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::clock::Clock;
use crate::plugins::PluginStore;
use crate::screen::{Capabilities, TerminalVariables};
use crate::theme::{Glyphs, Theme};

/// A session that is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedSession {
    pub session: String,
    /// The uuid of its last message that belongs to the copy; none if all belong to it.
    pub last: Option<String>,
}

/// Where and how a session is displayed.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Version of this program.
    pub version: String,
    /// The folder the session works in.
    pub folder: PathBuf,
    /// Home folder of the user.
    pub home: PathBuf,
    /// Additional working folders.
    pub added_dirs: Vec<PathBuf>,
    /// Folder with histories, credentials and sessions.
    pub config_dir: PathBuf,
    /// Model name known before the agent reports it; `demo` for the demo model.
    pub model: String,
    /// Command of another agent program, if one is used.
    pub agent: Option<String>,
    /// Command line to repeat in hints, if it is more than the program name.
    pub command: Option<String>,
    /// Address of the bridge that runs the session, if one does.
    pub served: Option<String>,
    /// Messages shown at the start, such as errors or the address of a bridge.
    pub said: Vec<String>,
    /// Title of the resumed session.
    pub resumed: Option<String>,
    /// Id of the resumed session.
    pub session: Option<String>,
    /// The session that this one is a copy of. The copy is saved with its first prompt.
    pub copied: Option<CopiedSession>,
    /// Messages of the resumed session.
    pub earlier: Vec<sluice_host::sessions::SessionMessage>,
    /// True if the session to resume must still be picked.
    pub picks: bool,
    /// True if the session is saved below `config_dir`.
    pub kept: bool,
    /// Messages sent to the agent at the start, without a reply.
    pub told: Vec<String>,
    /// Capabilities of the terminal, as derived from environment variables.
    pub capabilities: Capabilities,
    /// Initial draft in the composer.
    pub draft: String,
    /// First prompt, sent automatically.
    pub prompt: Option<String>,
    /// Settings that concern only the terminal.
    pub settings: Settings,
    /// The editor from `$VISUAL` or `$EDITOR`.
    pub editor: String,
    /// The shell for `!` commands.
    pub shell: String,
    /// True if the terminal is connected over SSH.
    pub ssh: bool,
    /// True inside tmux or screen.
    pub multiplexer: bool,
    /// True if the process runs as root.
    pub root: bool,
    /// Evaluates permission rules for a command; provided by the crate that links the rules.
    pub decides: Option<Decides>,
    /// Installed plugins, if this process runs the agent.
    pub plugins: Option<Arc<dyn PluginStore>>,
    /// Formats times of day.
    pub clock: Clock,
    /// Called when a turn has ended and is drawn completely.
    pub rests: Option<fn()>,
}

/// Evaluates a command under permission rules and a mode. Returns the decision, and the reason with the location of the
/// rule if there is one.
pub type Decides = fn(
    &sluice_wire::control::PermissionRulesState,
    &sluice_wire::mode::PermissionMode,
    &Facts,
    &str,
) -> (&'static str, String);

/// Display settings, from settings files and environment variables.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub theme: Theme,
    pub glyphs: Glyphs,
    /// Plain lines instead of a live region.
    pub plain: bool,
    /// Disables animations.
    pub still: bool,
    /// Enables vim key bindings.
    pub vim: bool,
    /// Time to wait for the rest of a sequence after an escape byte, in milliseconds.
    pub escape_ms: u64,
    /// The theme follows the background colour of the terminal.
    pub auto_theme: bool,
    /// True if the terminal supports truecolor.
    pub truecolor: bool,
    /// Prose is wrapped by the terminal instead of at words.
    pub flows: bool,
    /// Maximum width of prose in columns; `None` for the default.
    pub prose: Option<usize>,
    /// Disables progress in the task bar.
    pub no_progress: bool,
    /// Command that produces the status line.
    pub status_line: Option<String>,
    /// Additional interval at which it runs, in milliseconds.
    pub status_every: Option<u64>,
    /// Omits the vim mode in front of its output.
    pub status_hides_vim: bool,
    /// Minimum duration of a turn whose end is notified, in milliseconds.
    pub notify_after: u64,
    /// How notifications are sent to the terminal.
    pub notify: Notify,
    /// Shows results of tool calls in full.
    pub verbose: bool,
    /// Disables syntax highlighting.
    pub plain_code: bool,
    /// Omits the duration after a long turn.
    pub no_durations: bool,
    /// Shows the time of each prompt.
    pub stamps: bool,
    /// The window title contains only the folder name.
    pub no_session_title: bool,
    /// The model responds to `!` commands.
    pub shell_asks: bool,
    /// Custom spinner verbs, and whether the built-in ones are also used.
    pub verbs: (Vec<String>, bool),
    /// Key sequences mapped to escape in vim insert mode.
    pub escapes: Vec<String>,
}

/// How the user is notified while the terminal has no focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notify {
    /// Bell character.
    #[default]
    Bell,
    /// OSC 9.
    Nine,
    /// OSC 99 (kitty).
    Kitty,
    /// OSC 777 (VTE, foot).
    Urxvt,
    /// No notifications.
    Off,
}

impl Notify {
    /// Returns the escape sequence of a notification.
    #[must_use]
    pub fn bytes(self, title: &str, text: &str) -> String {
        let clean = |text: &str| crate::text::clean::one_line(text).replace(';', ",");
        let (title, text) = (clean(title), clean(text));
        match self {
            Self::Off => String::new(),
            Self::Bell => "\x07".to_owned(),
            Self::Nine => format!("\x1b]9;{title}: {text}\x07"),
            Self::Kitty => format!("\x1b]99;i=1:d=0;{title}\x1b\\\x1b]99;i=1:p=body;{text}\x1b\\"),
            Self::Urxvt => format!("\x1b]777;notify;{title};{text}\x07"),
        }
    }

    fn of(channel: Option<&str>, variables: &Variables<'_>) -> Self {
        match channel {
            Some("terminal_bell" | "bell") => return Self::Bell,
            Some("notifications_disabled" | "none") => return Self::Off,
            Some("iterm2" | "iterm2_with_bell") => return Self::Nine,
            Some("kitty") => return Self::Kitty,
            _ => {}
        }
        if variables.multiplexer {
            return Self::Bell;
        }
        match (variables.program, variables.term) {
            (_, term) if term.contains("kitty") => Self::Kitty,
            ("iTerm.app" | "WezTerm" | "ghostty" | "vscode", _) => Self::Nine,
            (_, term) if term.starts_with("foot") => Self::Urxvt,
            _ if !variables.vte.is_empty() => Self::Urxvt,
            _ => Self::Bell,
        }
    }
}

/// Relevant environment variables.
#[derive(Debug, Clone, Default)]
pub struct Variables<'a> {
    pub term: &'a str,
    pub no_color: &'a str,
    pub colorterm: &'a str,
    /// The first non-empty of `LC_ALL`, `LC_CTYPE` and `LANG`.
    pub locale: &'a str,
    /// `TERM_PROGRAM`.
    pub program: &'a str,
    /// True inside tmux or screen.
    pub multiplexer: bool,
    /// `TERM_PROGRAM_VERSION`.
    pub program_version: &'a str,
    /// `VTE_VERSION`.
    pub vte: &'a str,
    /// True if `WT_SESSION` or `ConEmuANSI` is set.
    pub windows: bool,
}

impl Variables<'_> {
    /// Returns the capabilities of the terminal that the variables imply.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        Capabilities::from_variables(&TerminalVariables {
            term: self.term,
            program: self.program,
            version: self.program_version,
            vte: self.vte,
            windows: self.windows,
            multiplexer: self.multiplexer,
        })
    }
}

impl Settings {
    /// Builds the settings from the effective settings files and the environment variables.
    #[must_use]
    pub fn read(effective: &Value, variables: &Variables<'_>, screen_reader: bool) -> Self {
        let word = |name: &str| effective.get(name).and_then(Value::as_str);
        let ours = |name: &str| effective.get("sluice").and_then(|ours| ours.get(name));
        let dumb = variables.term == "dumb";
        let truecolor = matches!(variables.colorterm, "truecolor" | "24bit");
        let wanted = word("theme").and_then(Theme::named).unwrap_or_default();
        let theme = if !variables.no_color.is_empty() || dumb {
            Theme::None
        } else if truecolor {
            wanted
        } else {
            wanted.without_truecolor()
        };
        let locale = variables.locale.to_ascii_lowercase();
        let utf8 = locale.is_empty() || locale.contains("utf-8") || locale.contains("utf8");
        let ascii = ours("glyphs").and_then(Value::as_str) == Some("ascii")
            || !utf8
            || matches!(variables.term, "linux" | "vt100" | "dumb");
        let flag = |value: Option<&Value>| value.and_then(Value::as_bool) == Some(true);
        Self {
            theme,
            glyphs: if ascii { Glyphs::Ascii } else { Glyphs::Full },
            plain: screen_reader || dumb || flag(ours("screenReader")),
            still: flag(effective.get("prefersReducedMotion")),
            vim: word("editorMode") == Some("vim"),
            auto_theme: word("theme") == Some("auto") && theme != Theme::None,
            truecolor,
            flows: ours("wrap").and_then(Value::as_str) == Some("terminal"),
            prose: effective
                .get("maxProseWidth")
                .and_then(Value::as_u64)
                .and_then(|cells| usize::try_from(cells).ok())
                .map(|cells| cells.max(20)),
            no_progress: effective.get("terminalProgressBarEnabled").and_then(Value::as_bool) == Some(false),
            status_line: effective
                .get("statusLine")
                .filter(|line| line.get("type").and_then(Value::as_str) == Some("command"))
                .and_then(|line| line.get("command").and_then(Value::as_str))
                .map(str::to_owned),
            status_every: effective
                .pointer("/statusLine/refreshInterval")
                .and_then(Value::as_u64)
                .map(|seconds| seconds.max(1) * 1000),
            status_hides_vim: effective
                .pointer("/statusLine/hideVimModeIndicator")
                .and_then(Value::as_bool)
                == Some(true),
            notify_after: ours("notifyAfter").and_then(Value::as_u64).unwrap_or(30) * 1000,
            notify: Notify::of(word("preferredNotifChannel"), variables),
            verbose: flag(effective.get("verbose")),
            plain_code: flag(effective.get("syntaxHighlightingDisabled")),
            no_durations: effective.get("showTurnDuration").and_then(Value::as_bool) == Some(false),
            stamps: flag(effective.get("showMessageTimestamps")),
            no_session_title: effective.get("terminalTitleFromRename").and_then(Value::as_bool) == Some(false),
            shell_asks: flag(effective.get("respondToBashCommands")),
            verbs: (
                words(effective.pointer("/spinnerVerbs/verbs")),
                effective.pointer("/spinnerVerbs/mode").and_then(Value::as_str) != Some("replace"),
            ),
            escapes: escapes(effective.get("vimInsertModeRemaps")),
            escape_ms: ours("escapeMs").and_then(Value::as_u64).unwrap_or(50).clamp(10, 1000),
        }
    }
}

/// Returns the strings of a JSON array.
fn words(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns the key sequences mapped to escape; other mappings are not supported.
fn escapes(remaps: Option<&Value>) -> Vec<String> {
    let remaps = remaps.and_then(Value::as_object).into_iter().flatten();
    let is_escape = |to: &Value| {
        let to = to.as_str().unwrap_or_default().to_ascii_lowercase();
        matches!(to.as_str(), "<esc>" | "<escape>" | "esc" | "escape")
    };
    remaps
        .filter(|(letters, to)| is_escape(to) && !letters.is_empty())
        .map(|(letters, _)| letters.clone())
        .collect()
}

impl Facts {
    /// Returns the folder with `~` for the home folder.
    #[must_use]
    pub fn folder_word(&self) -> String {
        match self.folder.strip_prefix(&self.home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => self.folder.display().to_string(),
        }
    }

    /// Returns the command that resumes a session.
    #[must_use]
    pub fn resume_command(&self, session: &str) -> String {
        let short = session.get(..8).unwrap_or(session);
        format!("{} -r {short}", self.command.as_deref().unwrap_or("sluice"))
    }

    /// True if the demo model is used.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.model == "demo"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn environment_variables_override_the_theme() {
        let settings = json!({"theme": "dark"});
        let dark = Variables {
            colorterm: "truecolor",
            ..Variables::default()
        };
        assert_eq!(Settings::read(&settings, &dark, false).theme, Theme::Dark);
        assert_eq!(
            Settings::read(&settings, &Variables::default(), false).theme,
            Theme::Terminal
        );
        let none = Variables { no_color: "1", ..dark };
        assert_eq!(Settings::read(&settings, &none, false).theme, Theme::None);
        let dumb = Variables {
            term: "dumb",
            ..Variables::default()
        };
        assert!(Settings::read(&settings, &dumb, false).plain);
        let latin = Variables {
            locale: "de_DE.ISO-8859-1",
            ..Variables::default()
        };
        assert_eq!(Settings::read(&settings, &latin, false).glyphs, Glyphs::Ascii);
    }
}
