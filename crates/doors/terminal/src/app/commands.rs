//! Slash commands implemented by the terminal: screen, local files and other sessions.

use sluice_wire::mode::PermissionMode;

use super::{Act, App, Next, Now, Picker, PickerKind};
use crate::text::Row;
use crate::view::amount;

/// Name, arguments and description.
pub(crate) const OURS: &[(&str, &str, &str)] = &[
    ("add-dir", "<folder>", "add a working folder"),
    ("agents", "", "list subagents"),
    ("btw", "<question>", "ask a side question"),
    ("clear", "", "start a new session"),
    ("config", "[key=value]", "show or change settings"),
    ("context", "", "show context usage"),
    ("copy", "[n]", "copy the last answer or its nth code block"),
    ("cost", "", "show cost and usage"),
    ("diff", "", "show uncommitted changes"),
    ("exit", "", "leave"),
    ("export", "[file]", "export the conversation to a file"),
    ("fork", "", "continue in a copy of this session"),
    ("help", "", "show keys and commands"),
    ("hooks", "", "list hooks"),
    ("keybindings", "", "edit key bindings in your editor"),
    ("login", "", "set up an API key or a model server"),
    ("logout", "", "remove the key or server that /login saved"),
    ("mcp", "", "show MCP servers; turn them on and off"),
    ("memory", "", "edit a memory file"),
    ("mode", "", "choose the permission mode"),
    ("model", "[name]", "who answers"),
    ("permissions", "", "show and edit permission rules"),
    ("plan", "[prompt]", "plan without changing anything, or show the plan"),
    (
        "plugin",
        "[install <folder or zip>]",
        "plugins: list, enable, disable, install, remove",
    ),
    ("rename", "<title>", "rename this session"),
    ("reprint", "[n]", "redraw the last items at this width"),
    ("resume", "[all]", "resume another session"),
    ("rewind", "", "rewind to before a prompt"),
    ("serve", "", "open this session in browsers and phones"),
    ("statusline", "[command]", "set the command for the status line"),
    ("take", "", "take a served session back to this terminal"),
    ("tasks", "", "show background tasks"),
    ("skills", "", "list skills"),
    ("stash", "", "stash the draft, or restore it"),
    ("status", "", "show model, folder and status"),
    ("theme", "", "colours"),
    ("vim", "", "turn vim mode on or off"),
];

/// Aliases of these commands.
const ALIASES: &[&str] = &[
    "quit",
    "new",
    "usage",
    "continue",
    "bashes",
    "allowed-tools",
    "checkpoint",
    "settings",
    "plugins",
];

/// Permission mode, its label and its description.
pub(crate) const MODES: &[(PermissionMode, &str, &str)] = &[
    (PermissionMode::Default, "ask", "asks before every change"),
    (
        PermissionMode::AcceptEdits,
        "edits",
        "edits files in this folder without asking",
    ),
    (PermissionMode::Plan, "plan", "reads and plans, changes nothing"),
    (PermissionMode::Auto, "auto", "like edits, plus read-only commands"),
    (
        PermissionMode::DontAsk,
        "deny",
        "denies everything that needs permission",
    ),
    (PermissionMode::BypassPermissions, "bypass", "only if enabled at launch"),
];

impl App {
    /// Runs a line that starts with `/`. Returns false if it is not a terminal command.
    pub(super) fn command(&mut self, line: &str, now: Now) -> bool {
        let Some(rest) = line.strip_prefix('/') else {
            return false;
        };
        let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let argument = argument.trim();
        match name {
            "exit" | "quit" => self.leave(0),
            "clear" | "new" => self.acts.push(Act::StartNext(Next::Fresh { prompt: None })),
            "fork" => match self.begun() {
                Some(session) => self.acts.push(Act::StartNext(Next::Resume { session, fork: true })),
                None => self.notify("there is nothing to fork yet", now),
            },
            "help" => self.list_commands(),
            "model" if !argument.is_empty() => self.acts.push(Act::SetModel(Some(argument.to_owned()))),
            "model" => self.acts.push(Act::Models),
            "mode" => self.pick_mode(),
            "plugin" | "plugins" => self.plugin_command(argument, now),
            "mcp" => self.acts.push(Act::Servers),
            "permissions" | "allowed-tools" => self.acts.push(Act::Rules),
            "context" => self.acts.push(Act::Context),
            "cost" | "usage" => self.acts.push(Act::Cost),
            "resume" | "continue" => {
                let everywhere = argument == "all";
                self.acts.push(Act::Sessions { everywhere });
            }
            "rename" if !argument.is_empty() => self.acts.push(Act::Rename(argument.to_owned())),
            "rename" => self.notify("missing title: /rename fix the retry loop", now),
            "tasks" | "bashes" => self.pick_job(now),
            "copy" if !argument.is_empty() => self.copy_block(argument, now),
            "copy" => self.copy_answer(now),
            "add-dir" if argument.is_empty() => self.notify("missing folder: /add-dir ../docs", now),
            "add-dir" => {
                let folder = crate::plugins::path(argument, &self.facts.folder, &self.facts.home);
                self.acts.push(Act::AddFolder(folder));
            }
            "skills" => self.acts.push(Act::Skills),
            "statusline" => self.set_status_line(argument, now),
            "export" => {
                let default = format!(
                    "sluice-{}.md",
                    self.snapshot
                        .session
                        .as_deref()
                        .and_then(|id| id.get(..8))
                        .unwrap_or("session")
                );
                self.acts.push(Act::Export(if argument.is_empty() {
                    default
                } else {
                    argument.to_owned()
                }));
            }
            "diff" => self.acts.push(Act::Diff),
            "stash" => self.stash_key(now),
            "theme" => self.pick_theme(),
            "serve" if self.facts.served.is_some() => self.notify("already served; /take brings it back", now),
            "serve" if self.facts.agent.is_some() => self.notify("only a session of sluice itself can be served", now),
            "serve" if self.snapshot.is_busy() => self.pick_serving(),
            "serve" => self.serve(),
            "take" if self.facts.served.is_none() => self.notify("already in this terminal", now),
            "take" if self.snapshot.is_busy() => self.notify("a turn runs; esc stops it, then /take", now),
            "take" => self.acts.push(Act::StartNext(Next::Take)),
            "rewind" | "checkpoint" => self.acts.push(Act::Points),
            "agents" => self.acts.push(Act::Agents),
            "config" | "settings" if !argument.is_empty() => self.set_from_argument(argument, now),
            "config" | "settings" => self.acts.push(Act::Settings),
            "hooks" => self.acts.push(Act::Hooks),
            "btw" if !argument.is_empty() => self.acts.push(Act::Aside(argument.to_owned())),
            "btw" => self.notify("missing question: /btw what does serde do?", now),
            "keybindings" => self
                .acts
                .push(Act::EditFile(self.facts.config_dir.join("keybindings.json"))),
            "memory" => self.pick_memory(),
            "plan" if self.snapshot.mode != Some(PermissionMode::Plan) => {
                self.acts.push(Act::SetMode(PermissionMode::Plan));
                if !argument.is_empty() {
                    self.send(argument, Vec::new(), false, now);
                }
            }
            "plan" if !argument.is_empty() => self.send(argument, Vec::new(), false, now),
            "plan" => self.acts.push(Act::Plan),
            "reprint" => self.acts.push(Act::Reprint(argument.parse().unwrap_or(20))),
            "status" => self.print_status(),
            "vim" => {
                let word = if self.vim.is_none() { "vim" } else { "normal" };
                self.acts.push(Act::SettingIn(
                    "userSettings",
                    serde_json::json!({ "editorMode": word }),
                ));
            }
            "login" => {
                let session = self.begun();
                self.acts.push(Act::StartNext(Next::Login { session }));
            }
            "logout" => {
                let session = self.begun();
                self.acts.push(Act::StartNext(Next::Logout { session }));
            }
            _ => return false,
        }
        true
    }

    /// Returns all commands of terminal and agent: name, arguments, description.
    pub(super) fn all_commands(&self) -> Vec<(String, String, String)> {
        let ours = OURS.iter();
        let mut all: Vec<(String, String, String)> = ours
            .map(|(name, hint, about)| (String::from(*name), String::from(*hint), String::from(*about)))
            .collect();
        for command in &self.snapshot.commands {
            if !all.iter().any(|(name, ..)| **name == *command.name) {
                let text = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_owned();
                all.push((
                    command.name.to_string(),
                    text(&command.hint),
                    text(&command.description),
                ));
            }
        }
        all
    }

    /// True if `name` is the complete name of a command.
    pub(super) fn is_command(&self, name: &str) -> bool {
        let ours = OURS.iter().map(|(known, ..)| *known).chain(ALIASES.iter().copied());
        ours.chain(self.snapshot.commands.iter().map(|command| &*command.name))
            .any(|known| known == name)
    }

    /// Records that a command was used. Returns an error message for an unknown name. A path such as `/usr/bin/x` is
    /// not a name.
    pub(super) fn note_command(&mut self, line: &str) -> Result<(), String> {
        let name = line
            .trim_start_matches('/')
            .split_whitespace()
            .next()
            .unwrap_or_default();
        if self.is_command(name) {
            self.used.retain(|used| used != name);
            self.used.push(name.to_owned());
            return Ok(());
        }
        // Agents other than ours may support commands that they do not list.
        let lists_all =
            !self.snapshot.commands.is_empty() || (self.facts.agent.is_none() && self.facts.served.is_none());
        let is_name = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || "-_:".contains(it));
        if !is_name || !lists_all {
            return Ok(());
        }
        const MIN_LIKENESS: f64 = 0.7;
        let all = self.all_commands();
        let nearest = all
            .iter()
            .map(|(known, ..)| (strsim::jaro_winkler(known, name), known))
            .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        Err(match nearest {
            Some((_, known)) => format!("no command /{name}; did you mean /{known}?"),
            None => format!("no command /{name}; /help lists all commands"),
        })
    }

    /// Lists every command below the keys; selecting one inserts it into the composer.
    fn list_commands(&mut self) {
        let mut all = self.all_commands();
        all.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        let rows = all.iter().map(|(name, hint, about)| {
            let name = format!("/{name} {hint}");
            (
                name.trim_end().to_owned(),
                about.lines().next().unwrap_or_default().to_owned(),
            )
        });
        let mut picker = Picker::new("Help", PickerKind::Command, rows.collect::<Vec<_>>());
        // A small screen has no room for show keys and commands; `?` shows the keys.
        if self.columns >= 60 && self.rows >= 16 {
            picker.head = self.help_rows();
        }
        picker.hints = vec!["enter takes it into the line", "type to find", "esc"];
        self.picker = Some(picker);
    }

    /// Copies a code block of the last answer; blocks are counted from one.
    fn copy_block(&mut self, number: &str, now: Now) {
        let blocks = crate::view::markdown::code_blocks(&self.feed.answer);
        let wanted = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        match wanted.and_then(|at| blocks.into_iter().nth(at)) {
            Some(block) => {
                self.acts.push(Act::Copy(block));
                self.notify("copied to the clipboard", now);
            }
            None => {
                let count = crate::view::markdown::code_blocks(&self.feed.answer).len();
                let blocks = amount::count(count as u64, "code block");
                self.notify(format!("the last answer has {blocks}"), now);
            }
        }
    }

    /// Sets the status line command for all sessions; `off` restores the built-in status line.
    fn set_status_line(&mut self, command: &str, now: Now) {
        match command {
            "" => {
                let said = match &self.facts.settings.status_line {
                    Some(command) => format!("status line command: {command}; /statusline off removes it"),
                    None => {
                        "missing command; it receives the status as JSON on stdin, and its output is the status line"
                            .to_owned()
                    }
                };
                self.notify(said, now);
            }
            "off" => {
                self.acts.push(Act::SettingIn(
                    "userSettings",
                    serde_json::json!({ "statusLine": null }),
                ));
            }
            command => {
                let line = serde_json::json!({"type": "command", "command": command});
                self.acts.push(Act::SettingIn(
                    "userSettings",
                    serde_json::json!({ "statusLine": line }),
                ));
            }
        }
    }

    pub(super) fn leave(&mut self, code: i32) {
        self.leaving = true;
        self.acts.push(Act::Leave(code));
    }

    pub(super) fn copy_answer(&mut self, now: Now) {
        if self.feed.answer.is_empty() {
            self.notify("there is no answer yet", now);
        } else {
            self.acts.push(Act::Copy(self.feed.answer.clone()));
            self.notify("copied to the clipboard", now);
        }
    }

    fn pick_mode(&mut self) {
        let rows = MODES
            .iter()
            .map(|(mode, word, about)| (word.to_string(), format!("{about:<44}{}", mode.as_str())));
        let now = self.snapshot.mode.clone().unwrap_or(PermissionMode::Default);
        let mut picker = Picker::new("Mode", PickerKind::Mode, rows);
        picker.selected = MODES.iter().position(|(mode, ..)| *mode == now).unwrap_or(0);
        self.picker = Some(picker);
    }

    fn pick_serving(&mut self) {
        let rows = ["When this turn ends", "Now (stops the turn)"].map(|name| (name.to_owned(), String::new()));
        let mut picker = Picker::new("Serve this session", PickerKind::Serving, rows);
        let about = "  This terminal stays connected. Closing it no longer stops the turn.";
        picker.head = crate::text::wrap::words(&Row::faint(about), self.columns, 2);
        self.picker = Some(picker);
    }

    fn print_status(&mut self) {
        let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "not yet".to_owned());
        let mode = self
            .snapshot
            .mode
            .as_ref()
            .map_or("ask", crate::view::status::mode_word);
        let servers = match self.snapshot.failed_servers {
            0 => "none failed".to_owned(),
            failed => format!("{failed} failed; see /mcp"),
        };
        let model = match self.facts.is_demo() {
            true => "the built-in demo; /login sets up another".to_owned(),
            false => self.snapshot.model.clone().unwrap_or_else(|| self.facts.model.clone()),
        };
        let facts = [
            ("version", format!("sluice {}", self.facts.version)),
            ("folder", self.facts.folder_word()),
            ("session", word(&self.snapshot.session)),
            ("model", model),
            ("mode", mode.to_owned()),
            ("settings", self.facts.config_dir.display().to_string()),
            ("servers", servers),
        ];
        self.say(crate::view::report::facts("Status", &facts, self.columns));
    }

    /// Switches to the next of the first four permission modes.
    pub(super) fn cycle_mode(&mut self) {
        let now = self.snapshot.mode.clone().unwrap_or(PermissionMode::Default);
        let at = MODES.iter().position(|(mode, ..)| *mode == now).unwrap_or(0);
        let next = MODES.iter().take(4).map(|(mode, ..)| mode.clone()).nth((at + 1) % 4);
        self.acts.extend(next.map(Act::SetMode));
    }
}
