//! The permission policy of a session: decisions about calls, permission requests to the host (`can_use_tool`), and
//! what its answers change.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sluice_permission::{Behavior, Found, OnDisk, Paths, PermissionMode, PermissionUpdate, Policy, Rule, Source};
use sluice_tools::{Descriptor, Pins};

use crate::call::Grant;
use crate::messages;
use crate::options::{Asker, Options};
use crate::sandbox;
use crate::session::Session;

/// The file system, as far as a decision needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World;

impl Paths for World {
    fn resolve(&self, path: &Path) -> PathBuf {
        sluice_tools::settled(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn read(&self, path: &Path) -> Found<String> {
        OnDisk.read(path)
    }

    fn names(&self, path: &Path) -> Found<Vec<String>> {
        OnDisk.names(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        OnDisk.is_link(path)
    }

    fn tracked(&self, path: &Path) -> Found<Vec<PathBuf>> {
        OnDisk.tracked(path)
    }
}

/// The file system as it was when the paths of a call were looked at: a decision and what follows from it go by one
/// look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pinned<'a>(pub(crate) &'a Pins);

impl Paths for Pinned<'_> {
    fn resolve(&self, path: &Path) -> PathBuf {
        self.0.resolve(path).map_or_else(|| World.resolve(path), Path::to_owned)
    }

    fn is_dir(&self, path: &Path) -> bool {
        World.is_dir(self.0.resolve(path).unwrap_or(path))
    }

    fn read(&self, path: &Path) -> Found<String> {
        World.read(path)
    }

    fn names(&self, path: &Path) -> Found<Vec<String>> {
        World.names(path)
    }

    fn is_link(&self, path: &Path) -> bool {
        World.is_link(path)
    }

    fn tracked(&self, path: &Path) -> Found<Vec<PathBuf>> {
        World.tracked(path)
    }
}

/// The policy a session begins with.
pub(crate) fn policy(options: &Options) -> Policy {
    let mut policy = Policy::new(options.cwd.clone(), options.home.clone());
    let settings = &options.settings;
    policy.bypass_launched = options.bypass_launched && !settings.bypass_disabled();
    // Settings may name a mode; only the launch may name one in which nothing is asked.
    let configured = settings
        .default_mode()
        .filter(|mode| *mode != PermissionMode::BypassPermissions || policy.bypass_launched);
    policy.mode = options.mode.clone().or(configured).unwrap_or_default();
    policy.confined = options.restricted;
    policy.readable.push(options.output_dir.clone());
    for (behavior, texts) in [
        (Behavior::Allow, &options.allowed),
        (Behavior::Deny, &options.disallowed),
    ] {
        let rules = texts
            .iter()
            .filter_map(|text| Rule::parse(behavior, Source::CliArg, &options.cwd, text).ok());
        policy.rules.extend(rules);
    }
    lay_out(&mut policy, options);
    policy
}

/// Puts what the settings files say in the place of what they said before. What was given at the
/// launch or during the session stays.
pub(crate) fn lay_out(policy: &mut Policy, options: &Options) {
    let of_file = |source: Source| {
        matches!(
            source,
            Source::Policy | Source::Flag | Source::Local | Source::Project | Source::User
        )
    };
    policy.rules.retain(|rule| !of_file(rule.source));
    policy.rules.extend(options.settings.rules());
    let configured = options.settings.additional_directories();
    for directory in options.add_dirs.iter().chain(&configured) {
        if !policy.roots.contains(directory) {
            policy.roots.push(directory.clone());
        }
    }
}

/// The same change of permissions, written down nowhere.
#[must_use]
pub fn for_now(mut update: PermissionUpdate) -> PermissionUpdate {
    use sluice_permission::Destination::Session;
    match &mut update {
        PermissionUpdate::AddRules(it) => it.destination = Session,
        PermissionUpdate::ReplaceRules(it) => it.destination = Session,
        PermissionUpdate::RemoveRules(it) => it.destination = Session,
        PermissionUpdate::SetMode(it) => it.destination = Session,
        PermissionUpdate::AddDirectories(it) => it.destination = Session,
        PermissionUpdate::RemoveDirectories(it) => it.destination = Session,
        PermissionUpdate::Unknown { .. } => {}
    }
    update
}

/// The tools of the task list, in whose place the older todo list may stand.
const TASK_LIST: &[&str] = &["TaskCreate", "TaskGet", "TaskUpdate", "TaskList"];

/// What a restricted session has only when it is named: whatever runs programs or reaches the network by itself.
const RUNS_OR_FETCHES: &[&str] = &["Bash", "WebFetch"];
/// What stands in for a shell where there is none.
const SEARCHES: &[&str] = &["Glob", "Grep"];

/// Whether a tool is there at all: chosen at the launch, and not taken out by a rule.
pub(crate) fn there(options: &Options, policy: &Policy, tool: &Descriptor) -> bool {
    let says_default = |tools: &Vec<String>| tools.iter().any(|name| name == "default");
    let chosen = match &options.tools {
        Some(tools) => named(options, tool) || (tool.default && says_default(tools)),
        None => true,
    };
    let listed = match &*tool.name {
        "TodoWrite" => options.todo_list,
        name if TASK_LIST.contains(&name) => !options.todo_list,
        _ => true,
    };
    let confined = options.restricted && RUNS_OR_FETCHES.contains(&&*tool.name) && !named(options, tool);
    chosen && listed && !confined && !sluice_permission::tool_removed(policy, &tool.name)
}

/// Which files a search must not show.
pub(crate) fn hiding(policy: Policy) -> sluice_tools::Hidden {
    std::sync::Arc::new(move |path: &Path| sluice_permission::hidden(&policy, path, &World))
}

/// Whether `--tools` names it.
fn named(options: &Options, tool: &Descriptor) -> bool {
    let named = |name: &String| tool.is_called(name) || sluice_servers::names::covers(name, &tool.name);
    options.tools.as_ref().is_some_and(|tools| tools.iter().any(named))
}

/// What the host answered to an ask (`can_use_tool`), as it says it.
#[derive(Debug, PartialEq)]
pub(crate) enum HostAnswer {
    /// It may run, as it is or with another input.
    Allow {
        input: Option<Value>,
        updates: Vec<PermissionUpdate>,
        grant: Grant,
    },
    /// It may not.
    Deny { message: String, interrupt: bool },
    /// Not an answer; the text says what one looks like.
    Invalid(String),
}

impl HostAnswer {
    /// Reads an answer. A part that decides something must be right; an update that is none is
    /// passed over, since the call itself was answered.
    pub(crate) fn read(value: &Value) -> Self {
        match value.get("behavior").and_then(Value::as_str) {
            Some("allow") => match value.get("updatedInput") {
                Some(input) if !input.is_object() => {
                    Self::invalid("`updatedInput` must be an object where it is given")
                }
                input => Self::Allow {
                    input: input.cloned(),
                    updates: updates(value),
                    grant: granted(value),
                },
            },
            Some("deny") => match value.get("message").and_then(Value::as_str) {
                Some(message) => Self::Deny {
                    message: message.to_owned(),
                    interrupt: value.get("interrupt").and_then(Value::as_bool).unwrap_or(false),
                },
                None => Self::invalid("a denial needs a `message`"),
            },
            _ => Self::invalid("`behavior` must be \"allow\" or \"deny\""),
        }
    }

    fn invalid(why: &str) -> Self {
        Self::Invalid(format!(
            "The canUseTool callback returned an invalid permission result: {why}. Expected \
             {{behavior: \"allow\", updatedInput?: object}} or {{behavior: \"deny\", message: string}}."
        ))
    }
}

fn updates(answer: &Value) -> Vec<PermissionUpdate> {
    let list = answer.get("updatedPermissions").and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|update| serde_json::from_value(update.clone()).ok())
        .collect()
}

/// How the host says the call came to be allowed.
fn granted(answer: &Value) -> Grant {
    let lasting = answer
        .get("updatedPermissions")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty());
    Grant::by(match answer.get("decisionClassification").and_then(Value::as_str) {
        Some(said) => said,
        None if lasting => "user_permanent",
        None => "user_temporary",
    })
}

impl Session {
    /// Whether the model may use a tool at all.
    pub(crate) fn offers(&self, tool: &Descriptor) -> bool {
        let loaded = self.loaded.iter().any(|name| *name == tool.name);
        self.has(tool) && (tool.default || loaded || self.names(tool) || self.helps(tool) || self.searches(tool))
    }

    /// Models that do not keep track by themselves are given a list to do it with.
    fn helps(&self, tool: &Descriptor) -> bool {
        let tracks = sluice_model::models::facts(&self.model).thinking == sluice_model::models::Thinks::Adaptively;
        TASK_LIST.contains(&&*tool.name) && self.options.tools.is_none() && !tracks
    }

    /// Without a shell, files are searched by tools.
    fn searches(&self, tool: &Descriptor) -> bool {
        let shell = || sluice_tools::find("Bash").is_some_and(|bash| self.has(bash.descriptor()));
        SEARCHES.contains(&&*tool.name) && self.options.tools.is_none() && !shell()
    }

    /// Whether the tool is there, offered or not.
    pub(crate) fn has(&self, tool: &Descriptor) -> bool {
        let answered = !tool.needs_person || self.options.asker == Asker::Host;
        answered && there(&self.options, &self.policy, tool)
    }

    /// Whether `--tools` names it.
    fn names(&self, tool: &Descriptor) -> bool {
        named(&self.options, tool)
    }

    /// Which files a search must not show.
    pub(crate) fn hidden(&self) -> sluice_tools::Hidden {
        hiding(self.policy.clone())
    }

    /// Applies a change of permissions that came with an answer, and writes it down where it is to last.
    pub(crate) async fn apply(&mut self, update: &PermissionUpdate) {
        self.amend(update);
        let before = self.policy.mode.clone();
        let places = self.options.settings.places().clone();
        let applied = sluice_permission::apply(&mut self.policy, update, &|source| places.root(source), &World);
        if let Ok(Some(change)) = applied {
            if let Err(error) = sluice_settings::write(&places, &change) {
                self.say(messages::informational(
                    &format!("The rule was not written down: {error}"),
                    "warning",
                ))
                .await;
            } else {
                // The file decides what holds: a project's rules wait until its folder is trusted.
                let before = sandbox::wanted(&self.options);
                self.options.settings.reload();
                self.lay_out_settings(before.as_ref());
                self.lay_out_hooks();
                if change.destination == Source::Local && self.options.settings.waits(Source::Local) {
                    // The person has just said so themselves: it holds now, and from then on once the folder is trusted.
                    let now = for_now(update.clone());
                    let _said = sluice_permission::apply(&mut self.policy, &now, &|source| places.root(source), &World);
                }
            }
        }
        if self.policy.mode != before {
            self.say(messages::mode(&self.policy.mode)).await;
        }
    }

    /// A settings file has changed.
    pub(crate) async fn settings_changed(&mut self) {
        let mut settings = self.options.settings.clone();
        if settings.reload() {
            self.settings_reloaded(settings).await;
        }
    }

    /// These settings hold from now on.
    pub(crate) async fn take_settings(&mut self, settings: sluice_settings::Settings) {
        let before = sandbox::wanted(&self.options);
        self.options.settings = settings;
        self.lay_out_settings(before.as_ref());
        self.lay_out_hooks();
        self.say_settings_problems().await;
    }

    /// Names what is wrong with the settings files, each thing once.
    pub(crate) async fn say_settings_problems(&mut self) {
        let mut problems: Vec<String> = self
            .options
            .settings
            .problems()
            .iter()
            .map(ToString::to_string)
            .chain(self.hooks.problems().map(str::to_owned))
            .chain(self.transcript.problem())
            .collect();
        if self.agents.id().is_none() {
            problems.extend(crate::untrusted::held_back(&self.options));
        }
        for problem in problems {
            if !self.told_problems.contains(&problem) {
                self.say(messages::informational(&problem, "warning")).await;
                self.told_problems.push(problem);
            }
        }
    }

    /// Who is asked. The settings can say that nobody is.
    pub(crate) fn asker(&self) -> Asker {
        let settings = &self.options.settings;
        match settings.at(&["permissions", "denyInsteadOfPrompting"]) {
            Some(Value::Bool(true)) => Asker::Refuses,
            _ => self.options.asker.clone(),
        }
    }

    /// Switches the mode, or says why not.
    pub(crate) fn set_mode(&mut self, word: Option<&str>) -> Result<(), (&'static str, String)> {
        let mode = match word {
            Some("manual") => PermissionMode::Default,
            Some(word) => PermissionMode::from(word),
            None => PermissionMode::Other("".into()),
        };
        match mode {
            PermissionMode::Other(_) | PermissionMode::Delegate => Err((
                "invalid_mode",
                "Cannot set permission mode: must be one of acceptEdits, auto, bypassPermissions, default, dontAsk, plan"
                    .to_owned(),
            )),
            PermissionMode::BypassPermissions if self.options.settings.bypass_disabled() => Err((
                "bypass_disabled",
                "Cannot set permission mode to bypassPermissions: the settings forbid it".to_owned(),
            )),
            PermissionMode::BypassPermissions if !self.policy.bypass_launched => Err((
                "bypass_not_launched",
                "Cannot set permission mode to bypassPermissions because the session was not launched with \
                 --dangerously-skip-permissions"
                    .to_owned(),
            )),
            mode => {
                self.policy.mode = mode;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_says_allow_or_deny() {
        let HostAnswer::Allow { input, updates, .. } = HostAnswer::read(&json!({"behavior": "allow"})) else {
            unreachable!("a bare allow is an answer")
        };
        assert_eq!((input, updates), (None, vec![]));
        assert_eq!(
            HostAnswer::read(&json!({"behavior": "deny", "message": "no", "interrupt": true})),
            HostAnswer::Deny {
                message: "no".into(),
                interrupt: true
            }
        );
    }

    #[test]
    fn what_is_no_answer_is_told_so() {
        for bad in [
            json!({}),
            json!({"decision": "allow"}),
            json!({"behavior": "allow", "updatedInput": null}),
            json!({"behavior": "deny"}),
            json!("allow"),
            json!(null),
        ] {
            assert!(matches!(HostAnswer::read(&bad), HostAnswer::Invalid(_)), "{bad}");
        }
    }

    #[test]
    fn an_update_that_is_none_does_not_spoil_the_answer() {
        let answer = HostAnswer::read(&json!({
            "behavior": "allow",
            "updatedPermissions": [
                {"type": "addRules", "rules": "junk"},
                {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
            ],
        }));
        let HostAnswer::Allow { updates, .. } = answer else {
            unreachable!("still an answer")
        };
        assert_eq!(updates.len(), 1);
    }
}
