//! The permission policy of a session, and parsing of the host's answers to permission requests (`can_use_tool`).

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use sluice_call::Grant;
use sluice_permission::{Behavior, PermissionMode, PermissionUpdate, Policy, Rule, Source, Touches};
use sluice_tools::{Descriptor, ListKind, World};

use crate::options::Options;

/// The initial policy of a session.
pub(crate) fn policy(options: &Options) -> Policy {
    let mut policy = Policy::new(options.cwd.clone(), options.folders.home.clone());
    let settings = &options.settings;
    policy.bypass_launched = options.permissions.bypass_launched;
    // Settings may select a mode, but only the launch options may select one without permission requests.
    let configured = settings
        .default_mode()
        .filter(|mode| *mode != PermissionMode::BypassPermissions || policy.bypass_launched);
    policy.mode = options.permissions.mode.clone().or(configured).unwrap_or_default();
    policy.confined = options.permissions.restricted;
    policy.readable.push(options.folders.outputs.clone());
    for (behavior, texts) in [
        (Behavior::Allow, &options.permissions.allowed),
        (Behavior::Deny, &options.permissions.disallowed),
    ] {
        let rules = texts
            .iter()
            .filter_map(|text| Rule::parse(behavior, Source::CliArg, &options.cwd, text).ok());
        policy.rules.extend(rules);
    }
    apply_settings(&mut policy, options);
    policy
}

/// Replaces the rules and folders of the settings files. Those from launch options and from the session are kept.
pub(crate) fn apply_settings(policy: &mut Policy, options: &Options) {
    let of_file = |source: Source| {
        matches!(
            source,
            Source::Policy | Source::Flag | Source::Local | Source::Project | Source::User
        )
    };
    policy.rules.retain(|rule| !of_file(rule.source));
    policy.rules.extend(options.settings.rules());
    let configured = options.settings.additional_directories();
    for directory in options.folders.added.iter().chain(&configured) {
        if !policy.roots.contains(directory) {
            policy.roots.push(directory.clone());
        }
    }
    apply_managed_limits(policy, options);
}

/// Removes from a policy what managed settings forbid. Must be called after every change of a policy, including the
/// first.
pub(crate) fn apply_managed_limits(policy: &mut Policy, options: &Options) {
    let settings = &options.settings;
    if settings.bypass_disabled() {
        policy.bypass_launched = false;
        if policy.mode == PermissionMode::BypassPermissions {
            policy.mode = PermissionMode::Default;
        }
    }
    policy.rules.retain(|rule| settings.may_apply(rule));
    let path = options.env.iter().find(|(name, _)| name == "PATH");
    let folders = path.map(|(_, value)| std::env::split_paths(value));
    policy.search(folders.into_iter().flatten(), &World);
}

/// Changes the destination of a permission update to the session, so that it is not saved.
#[must_use]
pub fn for_now(mut update: PermissionUpdate) -> PermissionUpdate {
    update.set_destination(sluice_permission::Destination::Session);
    update
}

/// True if a tool is available: selected by the launch options, and not removed by a rule.
pub(crate) fn is_available(options: &Options, policy: &Policy, tool: &Descriptor) -> bool {
    let chosen = options.tools.has_default() || is_selected(options, tool);
    // The older todo list replaces the task list if it is selected.
    let listed = match tool.list {
        Some(ListKind::Todos) => options.tools.todo_list,
        Some(ListKind::Tasks) => !options.tools.todo_list,
        None => true,
    };
    // In a restricted session, tools that run programs or access the network must be named explicitly.
    let confined = matches!(tool.touches, Touches::Shell { .. } | Touches::Fetches { .. });
    let confined = options.permissions.restricted && confined && !is_selected(options, tool);
    chosen && listed && !confined && !sluice_permission::tool_removed(policy, tool.facts())
}

/// The files that a search must not show.
pub(crate) fn hidden_by(policy: Arc<Policy>) -> sluice_tools::Hidden {
    Arc::new(move |path: &Path| sluice_permission::hidden(&policy, path, &World))
}

/// True if `--tools` names the tool.
pub(crate) fn is_selected(options: &Options, tool: &Descriptor) -> bool {
    let named = |name: &String| tool.is_called(name) || sluice_servers::names::covers(name, &tool.name);
    options
        .tools
        .offered
        .as_ref()
        .is_some_and(|tools| tools.iter().any(named))
}

/// The parsed answer of a host to a permission request (`can_use_tool`).
#[derive(Debug, PartialEq)]
pub(crate) enum HostAnswer {
    /// The call is allowed, possibly with a changed input.
    Allow {
        input: Option<Value>,
        updates: Vec<PermissionUpdate>,
        grant: Grant,
    },
    /// The call is denied.
    Deny { message: String, interrupt: bool },
    /// The answer is invalid; the text describes the expected format.
    Invalid(String),
}

impl HostAnswer {
    /// Parses an answer. Required fields must be valid; invalid permission updates are ignored, because the answer
    /// about the call itself is valid.
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

/// How the host classifies the permission.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn valid_answers_are_parsed() {
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
    fn invalid_answers_are_recognized() {
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
    fn invalid_permission_update_is_skipped() {
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
