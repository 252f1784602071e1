//! Parses the configuration of hooks: groups with a matcher by event, and handlers in each group.
//!
//! An invalid entry is reported and does not affect the others.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use sluice_permission::Source;
use sluice_tools::Launch;
use sluice_wire::control::HookMatcher;

use crate::event::Event;
use crate::matcher::{Condition, Matcher};

/// The origin of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A settings file.
    Settings(Source),
    /// The host (`initialize`).
    Host,
    /// A plugin: its name, its folder and its data folder.
    Plugin {
        /// `name@marketplace`, or only the name.
        name: String,
        root: PathBuf,
        data: Option<PathBuf>,
    },
    /// A skill or command while it is in use: its name and folder.
    Skill { name: String, root: PathBuf },
    /// A subagent while it runs. Its hooks only run for its own calls.
    Agent { name: String },
}

impl Origin {
    /// Whether it comes from managed settings.
    pub fn is_managed(&self) -> bool {
        *self == Self::Settings(Source::Policy)
    }

    /// Returns the name for the list of hooks.
    pub fn label(&self) -> String {
        match self {
            Self::Settings(source) => source.as_str().to_owned(),
            Self::Host => "sdk".to_owned(),
            Self::Plugin { name, .. } => format!("plugin:{name}"),
            Self::Skill { name, .. } => format!("skill:{name}"),
            Self::Agent { name, .. } => format!("agent:{name}"),
        }
    }
}

/// The action of a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum Handler {
    /// Runs a program.
    Command {
        launch: Launch,
        /// Whether it runs in the background.
        is_async: bool,
        /// Whether it runs in the background and its message wakes the model if it exits with code 2 (`asyncRewake`).
        rewakes: bool,
    },
    /// Sends a POST request.
    Http {
        url: String,
        headers: Vec<(String, String)>,
        /// The environment variables that its headers may use.
        variables: Vec<String>,
    },
    /// Asks a model.
    Prompt {
        prompt: String,
        model: Option<String>,
        /// Whether a block is sent to the model as a message instead of ending the turn.
        continues: bool,
    },
    /// Runs an agent.
    Agent { prompt: String, model: Option<String> },
    /// Calls a tool of an MCP server.
    McpTool {
        server: String,
        tool: String,
        input: Map<String, Value>,
    },
    /// Calls a callback of the host.
    Callback(String),
    /// Runs nothing, because the folder of the hook is not trusted. A call that the hook matches needs permission,
    /// because the hook might have denied it.
    HeldBack,
}

impl Handler {
    /// Returns the `type` of the hook.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Command { .. } => "command",
            Self::Http { .. } => "http",
            Self::Prompt { .. } => "prompt",
            Self::Agent { .. } => "agent",
            Self::McpTool { .. } => "mcp_tool",
            Self::Callback(_) => "callback",
            Self::HeldBack => "held_back",
        }
    }

    /// Returns a one-line description of the action.
    pub fn text(&self) -> String {
        match self {
            Self::Command { launch, .. } => match launch {
                Launch::Shell(line) => line.clone(),
                Launch::Exec(program, arguments) => {
                    let words = std::iter::once(program).chain(arguments).map(String::as_str);
                    words.collect::<Vec<_>>().join(" ")
                }
            },
            Self::Http { url, .. } => url.clone(),
            Self::Prompt { prompt, .. } | Self::Agent { prompt, .. } => prompt.clone(),
            Self::McpTool { server, tool, .. } => format!("{server}:{tool}"),
            Self::Callback(id) => id.clone(),
            Self::HeldBack => String::new(),
        }
    }
}

/// A configured hook.
#[derive(Debug, Clone)]
pub struct Hook {
    pub origin: Origin,
    pub event: Event,
    /// The matcher as text.
    pub matcher_text: String,
    pub matcher: Matcher,
    pub condition_text: Option<String>,
    pub condition: Option<Condition>,
    pub handler: Handler,
    pub timeout: Option<Duration>,
    /// `onFailure`: whether a failure of the hook denies.
    pub refuses_on_failure: Option<bool>,
    pub once: bool,
    pub status: Option<String>,
    /// The JSON configuration, if the hook comes from a file.
    pub config: Option<Value>,
}

/// Parses hook configurations.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    pub cwd: &'a Path,
    pub home: &'a Path,
}

impl Reader<'_> {
    /// Parses the value of `hooks`. Also returns its problems.
    pub fn read(&self, origin: &Origin, config: &Value) -> (Vec<Hook>, Vec<String>) {
        let (mut hooks, mut problems) = (Vec::new(), Vec::new());
        let mut wrong = |what: String| problems.push(format!("{} hooks: {what}", origin.label()));
        let Some(events) = config.as_object() else {
            wrong("the value must be an object that maps events to lists; no hook runs".to_owned());
            return (hooks, problems);
        };
        for (name, groups) in events {
            let Some(event) = Event::named(name) else {
                wrong(format!("{name} is not a hook event; its hooks do not run"));
                continue;
            };
            // A `Stop` hook in an agent definition means the end of the subagent.
            let event = match (event, origin) {
                (Event::Stop, Origin::Agent { .. }) => Event::SubagentStop,
                _ => event,
            };
            let Some(groups) = groups.as_array() else {
                wrong(format!("{name} must be a list; its hooks do not run"));
                continue;
            };
            for group in groups {
                let text = group.get("matcher").and_then(Value::as_str);
                let (matcher, trouble) = match event {
                    Event::FileChanged => (Matcher::files(text), None),
                    _ => Matcher::read(text),
                };
                if let Some(trouble) = trouble {
                    wrong(format!("{name}: {trouble}"));
                }
                for handler in group.get("hooks").and_then(Value::as_array).into_iter().flatten() {
                    match self.hook(origin, event, handler) {
                        Err(why) => wrong(format!("{name}: a hook does not run: {why}")),
                        Ok(hook) => hooks.push(Hook {
                            matcher: matcher.clone(),
                            matcher_text: text.unwrap_or_default().to_owned(),
                            ..hook
                        }),
                    }
                }
            }
        }
        (hooks, problems)
    }

    /// Parses the blocking `PreToolUse` hooks of an untrusted folder.
    pub fn read_held_back(&self, origin: &Origin, config: &Value) -> (Vec<Hook>, Vec<String>) {
        let decides = |hook: &Hook| {
            hook.event == Event::PreToolUse && !matches!(hook.handler, Handler::Command { is_async: true, .. })
        };
        let (hooks, problems) = self.read(origin, config);
        let hooks = hooks
            .into_iter()
            .filter(decides)
            .map(|hook| Hook {
                handler: Handler::HeldBack,
                timeout: None,
                refuses_on_failure: None,
                once: false,
                ..hook
            })
            .collect();
        (hooks, problems)
    }

    fn hook(&self, origin: &Origin, event: Event, value: &Value) -> Result<Hook, String> {
        let condition_text = value.get("if").and_then(Value::as_str).map(str::to_owned);
        let condition = match &condition_text {
            Some(text) if event.is_of_a_call() => Some(Condition::read(text, self.cwd, self.home)?),
            Some(_) => return Err("`if` works only for events of tool calls".to_owned()),
            None => None,
        };
        let seconds = value.get("timeout").and_then(Value::as_f64);
        let in_skill = matches!(origin, Origin::Skill { .. });
        Ok(Hook {
            origin: origin.clone(),
            event,
            matcher_text: String::new(),
            matcher: Matcher::All,
            condition_text,
            condition,
            handler: handler(value)?,
            timeout: seconds.and_then(duration),
            refuses_on_failure: refuses(value.get("onFailure").and_then(Value::as_str)),
            once: in_skill && value.get("once") == Some(&Value::Bool(true)),
            status: value.get("statusMessage").and_then(Value::as_str).map(str::to_owned),
            config: Some(value.clone()),
        })
    }
}

/// Parses the hooks that a host registers.
pub fn of_host<'a>(events: impl Iterator<Item = (&'a str, &'a [HookMatcher])>) -> (Vec<Hook>, Vec<String>) {
    let (mut hooks, mut problems) = (Vec::new(), Vec::new());
    for (name, groups) in events {
        let Some(event) = Event::named(name) else {
            problems.push(format!(
                "initialize.hooks: {name} is not a hook event; its callbacks are not called"
            ));
            continue;
        };
        for group in groups {
            let text = group.matcher.as_deref();
            let (matcher, trouble) = match event {
                Event::FileChanged => (Matcher::files(text), None),
                _ => Matcher::read(text),
            };
            problems.extend(trouble.map(|trouble| format!("initialize.hooks: {name}: {trouble}")));
            hooks.extend(group.hook_callback_ids.iter().map(|id| Hook {
                origin: Origin::Host,
                event,
                matcher_text: group.matcher.clone().unwrap_or_default(),
                matcher: matcher.clone(),
                condition_text: None,
                condition: None,
                handler: Handler::Callback(id.clone()),
                timeout: group.timeout.and_then(|seconds| duration(seconds.get())),
                refuses_on_failure: refuses(group.on_failure.as_deref()),
                once: false,
                status: None,
                config: None,
            }));
        }
    }
    (hooks, problems)
}

fn refuses(word: Option<&str>) -> Option<bool> {
    match word? {
        "block" => Some(true),
        "continue" => Some(false),
        _ => None,
    }
}

/// Maximum timeout, in seconds.
const MAX_TIMEOUT_SECONDS: f64 = 7.0 * 24.0 * 3600.0;

fn duration(seconds: f64) -> Option<Duration> {
    (seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(MAX_TIMEOUT_SECONDS)))
}

fn handler(value: &Value) -> Result<Handler, String> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_true = |key: &str| value.get(key) == Some(&Value::Bool(true));
    let needed = |key: &str| {
        text(key)
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| format!("`{key}` is missing"))
    };
    let strings = |key: &str| -> Vec<String> {
        let list = value.get(key).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    match value.get("type").and_then(Value::as_str) {
        Some("command") => {
            if text("shell").is_some_and(|shell| shell != "bash") {
                return Err("`shell` must be bash".to_owned());
            }
            let command = needed("command")?;
            let rewakes = is_true("asyncRewake");
            Ok(Handler::Command {
                launch: match value.get("args") {
                    Some(Value::Array(_)) => Launch::Exec(command, strings("args")),
                    _ => Launch::Shell(command),
                },
                is_async: is_true("async") || rewakes,
                rewakes,
            })
        }
        Some("http") => Ok(Handler::Http {
            url: needed("url")?,
            headers: {
                let map = value.get("headers").and_then(Value::as_object);
                let pairs = map.into_iter().flatten();
                pairs
                    .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                    .collect()
            },
            variables: strings("allowedEnvVars"),
        }),
        Some("prompt") => Ok(Handler::Prompt {
            prompt: needed("prompt")?,
            model: text("model"),
            continues: is_true("continueOnBlock"),
        }),
        Some("agent") => Ok(Handler::Agent {
            prompt: needed("prompt")?,
            model: text("model"),
        }),
        Some("mcp_tool") => Ok(Handler::McpTool {
            server: needed("server")?,
            tool: needed("tool")?,
            input: value
                .get("input")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
        }),
        Some(other) => Err(format!("unknown hook type {other:?}")),
        None => Err("`type` is missing".to_owned()),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
