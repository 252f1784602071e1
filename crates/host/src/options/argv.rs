//! Converts options to a command line and an environment in the way of the official SDKs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::{Options, Settings, Skills, SystemPrompt, Thinking, Tools};
use crate::error::{Error, ErrorKind};
use crate::transport::{Launch, Start};

impl Options {
    /// Returns the program, its arguments and its environment.
    ///
    /// # Errors
    /// Returns an error if options contradict each other, or a settings file that has to be merged cannot be read.
    pub fn launch(&self, start: &Start) -> Result<Launch, Error> {
        Ok(Launch {
            program: self.program.clone(),
            args: self.argv(start)?,
            env: self.environment(),
            clear_env: self.clear_env,
            cwd: self.cwd.clone(),
            uid: self.user,
        })
    }

    /// Returns the arguments.
    ///
    /// # Errors
    /// See [`Options::launch`].
    pub fn argv(&self, start: &Start) -> Result<Vec<OsString>, Error> {
        self.check()?;
        let mut args = Args(self.program_args.clone());
        args.pair("--output-format", "stream-json");
        args.flag("--verbose");
        self.model_flags(&mut args);
        self.permission_flags(&mut args);
        self.session_flags(&mut args, start);
        self.settings_flags(&mut args)?;
        self.server_flags(&mut args);
        self.output_flags(&mut args);
        for (flag, value) in &self.extra_args {
            match value {
                None => args.flag(&format!("--{flag}")),
                // As a separate argument, a value that starts with a dash would be parsed as a flag.
                Some(value) if value.starts_with('-') => args.flag(&format!("--{flag}={value}")),
                Some(value) => args.pair(&format!("--{flag}"), value),
            }
        }
        args.pair("--input-format", "stream-json");
        Ok(args.0)
    }

    fn check(&self) -> Result<(), Error> {
        let asks = self.asks || self.callbacks.permission.is_some();
        if asks && self.permission_prompt_tool_name.is_some() {
            let text = "permission requests can be answered by this program or by a tool, not by both";
            return Err(Error::new(ErrorKind::Options, text));
        }
        if asks && self.permission_prompts_none {
            let text = "permission requests can be answered or denied immediately, not both";
            return Err(Error::new(ErrorKind::Options, text));
        }
        Ok(())
    }

    fn model_flags(&self, args: &mut Args) {
        match &self.system_prompt {
            SystemPrompt::None => args.pair("--system-prompt", ""),
            SystemPrompt::Text(text) => args.pair("--system-prompt", text),
            SystemPrompt::File(path) => args.path("--system-prompt-file", path),
            SystemPrompt::Preset { append: Some(append) } => args.pair("--append-system-prompt", append),
            // Prompts of several texts are sent in `initialize`.
            SystemPrompt::Preset { append: None } | SystemPrompt::Texts(_) => {}
        }
        match &self.tools {
            Some(Tools::Preset) => args.pair("--tools", "default"),
            Some(Tools::Only(tools)) => args.pair("--tools", &tools.join(",")),
            None => {}
        }
        let mut allowed = self.allowed_tools.clone();
        match &self.skills {
            Some(Skills::All) => allowed.push("Skill".to_owned()),
            Some(Skills::Only(names)) => allowed.extend(names.iter().map(|name| format!("Skill({name})"))),
            None => {}
        }
        args.list("--allowedTools", &allowed);
        args.optional("--max-turns", self.max_turns.filter(|turns| *turns > 0));
        args.optional("--max-budget-usd", self.max_budget_usd);
        args.optional("--task-budget", self.task_budget);
        args.list("--disallowedTools", &self.disallowed_tools);
        args.optional("--model", self.model.as_ref());
        args.list("--fallback-model", &self.fallback_model);
        args.list("--betas", &self.betas);
        match &self.thinking {
            Some(Thinking::Adaptive(display)) => {
                args.pair("--thinking", "adaptive");
                args.optional("--thinking-display", display.as_ref());
            }
            Some(Thinking::Enabled(tokens)) => args.pair("--max-thinking-tokens", &tokens.to_string()),
            Some(Thinking::Disabled) => args.pair("--thinking", "disabled"),
            None => args.optional("--max-thinking-tokens", self.max_thinking_tokens),
        }
        args.optional("--effort", self.effort.as_ref());
        args.optional("--json-schema", self.output_schema.as_ref());
    }

    fn permission_flags(&self, args: &mut Args) {
        if self.asks || self.callbacks.permission.is_some() {
            args.pair("--permission-prompt-tool", "stdio");
        } else {
            args.optional("--permission-prompt-tool", self.permission_prompt_tool_name.as_ref());
        }
        if self.permission_prompts_none {
            args.pair("--permission-prompts", "none");
        }
        args.optional("--permission-mode", self.permission_mode.as_ref());
        args.flag_if(
            "--allow-dangerously-skip-permissions",
            self.allow_dangerously_skip_permissions,
        );
    }

    fn session_flags(&self, args: &mut Args, start: &Start) {
        if let Some(session) = &start.resume {
            // For a restart, options about how the session came about do not apply again.
            args.flag(&format!("--resume={session}"));
        } else if start.new_session {
            args.joined("--session-id", self.session_id.as_ref());
        } else {
            args.flag_if("--continue", self.continue_conversation);
            args.joined("--resume", self.resume.as_ref());
            args.joined("--session-id", self.session_id.as_ref());
            args.flag_if("--fork-session", self.fork_session);
            args.joined("--resume-session-at", self.resume_session_at.as_ref());
            args.joined("--resume-drops-turn", self.resume_drops_turn.as_ref());
        }
        args.flag_if("--no-session-persistence", !self.persist_session);
        args.flag_if("--session-mirror", self.session_mirror || self.session_store.is_some());
    }

    fn settings_flags(&self, args: &mut Args) -> Result<(), Error> {
        match (&self.settings, &self.sandbox) {
            (None, None) => {}
            (Some(Settings::File(path)), None) => args.path("--settings", path),
            (Some(Settings::Object(object)), None) => args.pair("--settings", &object.to_string()),
            (settings, Some(sandbox)) => {
                let mut merged = match settings {
                    None => json!({}),
                    Some(Settings::Object(object)) => object.clone(),
                    Some(Settings::File(path)) => read_settings(path)?,
                };
                if let Some(object) = merged.as_object_mut() {
                    object.insert("sandbox".to_owned(), sandbox.clone());
                }
                args.pair("--settings", &merged.to_string());
            }
        }
        args.optional("--managed-settings", self.managed_settings.as_ref());
        let sources = match (&self.setting_sources, &self.skills) {
            (Some(sources), _) => Some(sources.join(",")),
            // Skills are located in the folders of these sources.
            (None, Some(_)) => Some("user,project".to_owned()),
            (None, None) => None,
        };
        args.joined("--setting-sources", sources.as_ref());
        for dir in &self.add_dirs {
            args.path("--add-dir", dir);
        }
        if let Some(root) = &self.project_config_root {
            args.flag(&format!("--project-config-root={}", root.display()));
        }
        Ok(())
    }

    fn server_flags(&self, args: &mut Args) {
        let mut servers = serde_json::Map::new();
        for (name, config) in &self.mcp_servers {
            servers.insert(name.clone(), config.clone());
        }
        for server in &self.sdk_servers {
            let config = json!({"type": "sdk", "name": server.name()});
            servers.insert(server.name().to_owned(), config);
        }
        if let Some(path) = &self.mcp_config {
            args.path("--mcp-config", path);
        }
        if !servers.is_empty() {
            args.pair("--mcp-config", &json!({"mcpServers": servers}).to_string());
        }
        args.flag_if("--strict-mcp-config", self.strict_mcp_config);
        args.flag_if("--await-initialize", self.plugins_in_greeting);
        for plugin in self.plugins.iter().filter(|_| !self.plugins_in_greeting) {
            if plugin.skip_mcp {
                args.flag(&format!("--plugin-dir-no-mcp={}", plugin.path.display()));
            } else {
                args.path("--plugin-dir", &plugin.path);
            }
        }
    }

    fn output_flags(&self, args: &mut Args) {
        args.flag_if("--include-partial-messages", self.include_partial_messages);
        args.flag_if("--include-hook-events", self.include_hook_events);
        args.flag_if("--replay-user-messages", self.replay_user_messages);
        args.optional("--agent", self.agent.as_ref());
        args.flag_if("--debug", self.debug);
        if let Some(path) = &self.debug_file {
            args.flag(&format!("--debug-file={}", path.display()));
        }
    }

    fn environment(&self) -> BTreeMap<OsString, Option<OsString>> {
        let mut env: BTreeMap<OsString, Option<OsString>> = BTreeMap::new();
        let mut set = |name: &str, value: &str| env.insert(name.into(), Some(value.into()));
        set("CLAUDE_CODE_ENTRYPOINT", &self.entrypoint);
        set("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1");
        // The most reliable indication of activity; agents that do not know the variable ignore it.
        set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1");
        if let Some(cwd) = &self.cwd {
            env.insert("PWD".into(), Some(cwd.into()));
        }
        if let Some(config) = &self.config_dir {
            env.insert("CLAUDE_CONFIG_DIR".into(), Some(config.into()));
        }
        // A nested agent must not assume that it runs inside the outer one.
        env.insert("CLAUDECODE".into(), None);
        env.extend(self.env.clone());
        let mut always = |name: &str, value: &str| env.insert(name.into(), Some(value.into()));
        always("CLAUDE_AGENT_SDK_VERSION", env!("CARGO_PKG_VERSION"));
        if self.enable_file_checkpointing {
            always("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "true");
        }
        if let Some(format) = &self.question_preview_format {
            always("CLAUDE_CODE_QUESTION_PREVIEW_FORMAT", format);
        }
        if let Some(app) = &self.client_app {
            always("CLAUDE_AGENT_SDK_CLIENT_APP", app);
        }
        env
    }
}

fn read_settings(path: &Path) -> Result<Value, Error> {
    let invalid =
        |reason: &dyn std::fmt::Display| Error::new(ErrorKind::Options, format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| invalid(&error))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| invalid(&error))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(invalid(&"the settings are not a JSON object"))
    }
}

struct Args(Vec<OsString>);

impl Args {
    fn flag(&mut self, flag: &str) {
        self.0.push(flag.into());
    }

    fn flag_if(&mut self, flag: &str, set: bool) {
        if set {
            self.flag(flag);
        }
    }

    fn pair(&mut self, flag: &str, value: &str) {
        self.flag(flag);
        self.0.push(value.into());
    }

    fn path(&mut self, flag: &str, value: &Path) {
        self.flag(flag);
        self.0.push(value.into());
    }

    fn optional(&mut self, flag: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.pair(flag, &value.to_string());
        }
    }

    /// Adds flag and value as one argument, so that an empty value or one that starts with a dash is parsed correctly.
    fn joined(&mut self, flag: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.flag(&format!("{flag}={value}"));
        }
    }

    fn list(&mut self, flag: &str, values: &[String]) {
        if !values.is_empty() {
            self.pair(flag, &values.join(","));
        }
    }
}
