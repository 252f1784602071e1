//! Facts the terminal is given at the start: this crate reads no environment variables and no home folder.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::clock::Clock;
use crate::plugins::PluginStore;
use crate::screen::{Able, Named};
use crate::theme::{Glyphs, Theme};

/// Where and how a session is shown.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// Our version.
    pub version: String,
    /// The folder the session works in.
    pub folder: PathBuf,
    /// The person's home.
    pub home: PathBuf,
    /// The other folders the session may work in.
    pub added_dirs: Vec<PathBuf>,
    /// Where histories, keys and sessions lie.
    pub config_dir: PathBuf,
    /// Who answers, as far as it is known before the agent says so; `demo` for the demo model.
    pub model: String,
    /// The program that answers, where it is another than ours.
    pub agent: Option<String>,
    /// What was typed to come here, where it was more than our name.
    pub command: Option<String>,
    /// Where the bridge is that carries the session, where one does.
    pub served: Option<String>,
    /// What has to be said at the start: why something did not come about, how a bridge is reached.
    pub said: Vec<String>,
    /// The title of what goes on.
    pub resumed: Option<String>,
    /// The id of what goes on.
    pub session: Option<String>,
    /// The conversation that goes on.
    pub earlier: Vec<sluice_host::sessions::SessionMessage>,
    /// Whether the session to go on with is still to be picked.
    pub picks: bool,
    /// Whether what is said is written to disk, below `config_dir`.
    pub kept: bool,
    /// What the agent is told before anything is asked, without being asked.
    pub told: Vec<String>,
    /// What the terminal can do, as far as its variables say so.
    pub able: Able,
    /// What stands in the composer at the start.
    pub draft: String,
    /// What is asked first.
    pub prompt: Option<String>,
    /// The settings that are the terminal's own.
    pub settings: Settings,
    /// The editor of `$VISUAL` or `$EDITOR`.
    pub editor: String,
    /// The shell of `!` lines.
    pub shell: String,
    /// Whether this terminal reaches us over ssh.
    pub ssh: bool,
    /// Inside tmux or screen.
    pub multiplexer: bool,
    /// Whether we are root.
    pub root: bool,
    /// What holds for a command: whether it runs, is asked about or refused, and why; from whoever knows the rules.
    pub decides: Option<Decides>,
    /// The installed plugins, where this process runs the agent.
    pub plugins: Option<Arc<dyn PluginStore>>,
    /// How times of day are told.
    pub clock: Clock,
    /// What is done once a turn is over and all of it is on the screen.
    pub rests: Option<fn()>,
}

/// Says what holds for a command by these rules in this mode: a word, and a reason, perhaps with where its rule is kept.
pub type Decides = fn(
    &sluice_wire::control::PermissionRulesState,
    &sluice_wire::mode::PermissionMode,
    &Facts,
    &str,
) -> (&'static str, String);

/// What the settings and the variables say about the screen.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub theme: Theme,
    pub glyphs: Glyphs,
    /// Lines instead of a region.
    pub plain: bool,
    /// No spinner.
    pub still: bool,
    /// Editing as in vim.
    pub vim: bool,
    /// How long a lone escape waits, in milliseconds.
    pub escape_ms: u64,
    /// The theme follows the background of the terminal.
    pub auto_theme: bool,
    /// Whether there is truecolor.
    pub truecolor: bool,
    /// Prose is not broken between words: the terminal breaks it.
    pub flows: bool,
    /// How wide prose may be; nothing is as wide as is good to read.
    pub prose: Option<usize>,
    /// No progress in the task bar.
    pub no_progress: bool,
    /// A command that makes the status row.
    pub status_line: Option<String>,
    /// How often it runs though nothing happened, in milliseconds.
    pub status_every: Option<u64>,
    /// A vim word stands in front of it.
    pub status_hides_vim: bool,
    /// A turn that took so long is worth a notification, in milliseconds.
    pub notify_after: u64,
    /// How the terminal shows one.
    pub notify: Notify,
    /// What came of calls is shown whole.
    pub verbose: bool,
    /// Code without colours.
    pub plain_code: bool,
    /// A long turn does not say what it took.
    pub no_durations: bool,
    /// Prompts say when they were asked.
    pub stamps: bool,
    /// The window has the folder's name alone.
    pub no_session_title: bool,
    /// The model answers to `!` lines.
    pub shell_asks: bool,
    /// Words of the person's own for waiting; whether ours is said too.
    pub verbs: (Vec<String>, bool),
    /// Letters that stand for escape where vim inserts.
    pub escapes: Vec<String>,
}

/// How the person is notified when the terminal has no focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notify {
    /// By the bell.
    #[default]
    Bell,
    /// OSC 9.
    Nine,
    /// OSC 99, of kitty.
    Kitty,
    /// OSC 777, of VTE and foot.
    Urxvt,
    /// Not at all.
    Off,
}

impl Notify {
    /// The bytes.
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

/// The variables that matter.
#[derive(Debug, Clone, Default)]
pub struct Variables<'a> {
    pub term: &'a str,
    pub no_color: &'a str,
    pub colorterm: &'a str,
    /// The first that is set of `LC_ALL`, `LC_CTYPE`, `LANG`.
    pub locale: &'a str,
    /// `TERM_PROGRAM`.
    pub program: &'a str,
    /// Inside tmux or screen.
    pub multiplexer: bool,
    /// `TERM_PROGRAM_VERSION`.
    pub program_version: &'a str,
    /// `VTE_VERSION`.
    pub vte: &'a str,
    /// `WT_SESSION` or `ConEmuANSI` is set.
    pub windows: bool,
}

impl Variables<'_> {
    /// What the terminal can do, as far as they say so.
    #[must_use]
    pub fn able(&self) -> Able {
        Able::named(&Named {
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
    /// Works them out from the settings files and the variables.
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

/// The texts of a list.
fn words(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The letters that stand for escape; nothing else can stand for something here.
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
    /// The folder as people write it.
    #[must_use]
    pub fn folder_word(&self) -> String {
        match self.folder.strip_prefix(&self.home) {
            Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => self.folder.display().to_string(),
        }
    }

    /// What brings a session back.
    #[must_use]
    pub fn coming_back(&self, session: &str) -> String {
        let short = session.get(..8).unwrap_or(session);
        format!("{} -r {short}", self.command.as_deref().unwrap_or("sluice"))
    }

    /// Whether the demo model answers.
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
    fn variables_win_over_the_theme() {
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
