//! Commands of ours: those that are about the screen, the person's files or another session.

use sluice_wire::mode::PermissionMode;

use super::{Act, App, Next, Now, Picker, Picks};
use crate::text::Row;
use crate::view::amount;

/// Name, what follows it, what it does.
pub(crate) const OURS: &[(&str, &str, &str)] = &[
    ("agents", "", "the subagents there are"),
    ("btw", "<question>", "ask something beside the conversation"),
    ("clear", "", "begin a new session"),
    ("config", "", "settings"),
    ("context", "", "what fills the context"),
    ("copy", "", "the last answer to the clipboard"),
    ("cost", "", "what was spent"),
    ("diff", "", "what differs in the work tree"),
    ("exit", "", "leave"),
    ("export", "[file]", "the conversation as a text file"),
    ("fork", "", "go on in a copy of this session"),
    ("help", "", "keys and commands"),
    ("hooks", "", "the hooks there are"),
    ("keybindings", "", "keys of your own, in your editor"),
    ("login", "", "bring a key, or a server of your own"),
    ("mcp", "", "servers: how they stand, on and off"),
    ("memory", "", "what is remembered for this project, in your editor"),
    ("mode", "", "how much is done without asking"),
    ("model", "[name]", "who answers"),
    ("permissions", "", "the rules that hold"),
    ("rename", "<title>", "give this session a title"),
    ("reprint", "[n]", "the last items anew, at this width"),
    ("resume", "[all]", "go on with another session"),
    ("rewind", "", "go back to before a prompt"),
    ("serve", "", "carry this session to browsers and phones"),
    ("take", "", "bring a served session back to this terminal alone"),
    ("tasks", "", "what runs in the background"),
    ("status", "", "who answers, where, and how"),
    ("theme", "", "colours"),
    ("vim", "", "edit as in vim, or no longer"),
];

/// Mode, its word, what it does.
pub(crate) const MODES: &[(PermissionMode, &str, &str)] = &[
    (PermissionMode::Default, "ask", "asks before every change"),
    (
        PermissionMode::AcceptEdits,
        "edits",
        "changes files here unasked, asks for more",
    ),
    (PermissionMode::Plan, "plan", "looks and plans, changes nothing"),
    (
        PermissionMode::Auto,
        "auto",
        "as edits, and commands proven to only read",
    ),
    (
        PermissionMode::DontAsk,
        "deny",
        "never asks: what no rule allows is refused",
    ),
    (PermissionMode::BypassPermissions, "bypass", "only if launched for it"),
];

impl App {
    /// Does what a line that begins with `/` says, if it is one of ours.
    pub(super) fn command(&mut self, line: &str, now: Now) -> bool {
        let Some(rest) = line.strip_prefix('/') else {
            return false;
        };
        let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let argument = argument.trim();
        match name {
            "exit" | "quit" => self.leave(0),
            "clear" | "new" => self.acts.push(Act::Again(Next::Fresh { prompt: None })),
            "fork" => match self.begun() {
                Some(session) => self.acts.push(Act::Again(Next::Resume { session, fork: true })),
                None => self.notify("there is nothing to fork yet", now),
            },
            "help" => self.help = true,
            "model" if !argument.is_empty() => self.acts.push(Act::SetModel(Some(argument.to_owned()))),
            "model" => self.acts.push(Act::Models),
            "mode" => self.pick_mode(),
            "mcp" => self.acts.push(Act::Servers),
            "permissions" | "allowed-tools" => self.acts.push(Act::Rules),
            "context" => self.acts.push(Act::Context),
            "cost" | "usage" => self.acts.push(Act::Cost),
            "resume" | "continue" => {
                let everywhere = argument == "all";
                self.acts.push(Act::Sessions { everywhere });
            }
            "rename" if !argument.is_empty() => self.acts.push(Act::Rename(argument.to_owned())),
            "rename" => self.notify("a title has to follow: /rename fix the retry loop", now),
            "tasks" | "bashes" => self.pick_job(now),
            "copy" => self.copy_answer(now),
            "export" => {
                let default = format!(
                    "sluice-{}.md",
                    self.picture
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
            "serve" if self.facts.served.is_some() => self.notify("it is served already; /take brings it back", now),
            "serve" if self.facts.agent.is_some() => self.notify("only a session of sluice itself can be served", now),
            "serve" if self.picture.is_busy() => self.pick_serving(),
            "serve" => self.serve(),
            "take" if self.facts.served.is_none() => self.notify("it is here already", now),
            "take" if self.picture.is_busy() => self.notify("a turn runs; esc stops it, then /take", now),
            "take" => self.acts.push(Act::Again(Next::Take)),
            "rewind" | "checkpoint" => self.acts.push(Act::Points),
            "agents" => self.acts.push(Act::Agents),
            "config" | "settings" => self.acts.push(Act::Settings),
            "hooks" => self.acts.push(Act::Hooks),
            "btw" if !argument.is_empty() => self.acts.push(Act::Aside(argument.to_owned())),
            "btw" => self.notify("a question has to follow: /btw what does serde do?", now),
            "keybindings" => self
                .acts
                .push(Act::EditFile(self.facts.config_dir.join("keybindings.json"))),
            "memory" => self.acts.push(Act::EditFile(self.facts.folder.join("CLAUDE.md"))),
            "reprint" => self.acts.push(Act::Reprint(argument.parse().unwrap_or(20))),
            "status" => self.say_status(),
            "vim" => {
                let on = self.vim.is_none();
                self.set_vim(on);
                let word = if on { "vim" } else { "normal" };
                self.acts.push(Act::Setting(serde_json::json!({ "editorMode": word })));
                self.notify(format!("editor mode: {word}"), now);
            }
            "login" => {
                let session = self.begun();
                self.acts.push(Act::Again(Next::Login { session }));
            }
            _ => return false,
        }
        true
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
            self.notify("sent to the terminal's clipboard", now);
        }
    }

    fn pick_mode(&mut self) {
        let rows = MODES
            .iter()
            .map(|(mode, word, about)| (word.to_string(), format!("{about:<44}{}", mode.as_str())));
        let now = self.picture.mode.clone().unwrap_or(PermissionMode::Default);
        let mut picker = Picker::new("Mode", Picks::Mode, rows);
        picker.selected = MODES.iter().position(|(mode, ..)| *mode == now).unwrap_or(0);
        self.picker = Some(picker);
    }

    fn pick_serving(&mut self) {
        let rows = ["When this turn ends", "Now, which stops it"].map(|name| (name.to_owned(), String::new()));
        let mut picker = Picker::new("Serve this session", Picks::Serving, rows);
        let about = "  This terminal stays one of its screens. Leaving it no longer stops the turn.";
        picker.head = crate::text::wrap::words(&Row::faint(about), self.columns, 2);
        self.picker = Some(picker);
    }

    fn say_status(&mut self) {
        let word = |text: &Option<String>| text.clone().unwrap_or_else(|| "not yet".to_owned());
        let mode = self.picture.mode.as_ref().map_or("ask", crate::view::status::mode_word);
        let servers = self.picture.failed_servers;
        let facts = [
            ("version", format!("sluice {}", self.facts.version)),
            ("folder", self.facts.folder_word()),
            ("session", word(&self.picture.session)),
            (
                "model",
                self.picture.model.clone().unwrap_or_else(|| self.facts.model.clone()),
            ),
            ("mode", mode.to_owned()),
            ("settings", self.facts.config_dir.display().to_string()),
            ("servers", format!("{servers} failed")),
        ];
        self.say(crate::view::report::facts("Status", &facts, self.columns));
    }

    pub(super) fn pick_theme(&mut self) {
        let rows = [
            ("terminal", "its own 16 colours"),
            ("auto", "dark or light, by the terminal's background"),
            ("dark", "for dark backgrounds"),
            ("dark-daltonized", "dark, for colour-blind eyes"),
            ("light", "for light backgrounds"),
            ("light-daltonized", "light, for colour-blind eyes"),
            ("none", "no colours"),
        ];
        let mut picker = Picker::new(
            "Theme",
            Picks::Theme,
            rows.map(|(name, about)| (name.to_owned(), about.to_owned())),
        );
        picker.selected = rows
            .iter()
            .position(|(name, _)| *name == self.facts.settings.theme.name())
            .unwrap_or(0);
        self.picker = Some(picker);
    }

    fn pick_job(&mut self, now: Now) {
        if self.picture.jobs.is_empty() {
            self.notify("nothing runs in the background", now);
            return;
        }
        let rows = self.picture.jobs.iter().map(|job| {
            let is_agent = &*job.kind == "local_agent";
            let kind = if is_agent { "Agent" } else { "Bash" };
            let mut facts = vec![amount::running(std::time::Duration::from_millis(
                now.saturating_sub(job.began.0),
            ))];
            if is_agent {
                facts.push(amount::count(job.calls, "call"));
                facts.push(format!("{} tokens", amount::tokens(job.tokens)));
            }
            let what = crate::text::width::head(&job.description, 36);
            let gap = " ".repeat(36_usize.saturating_sub(crate::text::width::of(what)));
            (
                job.id.to_string(),
                format!("{kind:<6} {what}{gap}  {}", facts.join(" ∙ ")),
            )
        });
        let title = format!("Jobs  {} running", self.picture.jobs.len());
        let mut picker = Picker::new(&title, Picks::Job, rows.collect::<Vec<_>>());
        picker.hints = vec!["enter its output", "x stop", "esc"];
        self.picker = Some(picker);
    }

    /// The next mode of the first four.
    pub(super) fn cycle_mode(&mut self) {
        let now = self.picture.mode.clone().unwrap_or(PermissionMode::Default);
        let at = MODES.iter().position(|(mode, ..)| *mode == now).unwrap_or(0);
        let next = MODES.iter().take(4).map(|(mode, ..)| mode.clone()).nth((at + 1) % 4);
        self.acts.extend(next.map(Act::SetMode));
    }

    /// The keys, below the composer.
    pub(super) fn help_rows(&self) -> Vec<Row> {
        let wide = [
            "  / commands   @ files   ! shell   # note   esc esc rewind   ctrl+r history",
            "  enter send          ctrl+j newline         ctrl+g editor    ctrl+o read it all",
            "  shift+tab mode      alt+p model            ctrl+t tasks     ctrl+b background",
            "  esc stop            ctrl+c clear, leave    ctrl+s stash     alt+y copy answer",
        ];
        let narrow = [
            "  / commands  @ files  ! shell",
            "  enter send   ctrl+j newline",
            "  esc stop     ctrl+c clear, leave",
            "  shift+tab mode   alt+p model",
            "  ctrl+r history   ctrl+o read it all",
            "  esc esc rewind   ctrl+g editor",
        ];
        let rows: &[&str] = if self.columns >= 80 { &wide } else { &narrow };
        rows.iter().map(|row| Row::faint(row).cut(self.columns)).collect()
    }
}
