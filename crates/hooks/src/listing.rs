//! Which hooks there are, for hosts that ask.

use serde_json::{Value, json};
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_settings::keys::{self, Key};

use crate::config::{Handler, Hook, Origin};
use crate::event::Event;
use crate::list::HookList;

impl HookList {
    /// What `get_hooks_listing` answers.
    #[must_use]
    pub fn listing(&self, settings: &Settings) -> Value {
        let count = |event: Event| self.iter().filter(|hook| hook.event == event).count();
        let described = |event: &Event| json!({"name": event.as_str(), "summary": event.summary(), "supportsMatcher": event.has_matcher()});
        let events = Event::ALL.iter().filter(|event| count(**event) > 0).map(|event| {
            let mut described = described(event);
            if let Some(map) = described.as_object_mut() {
                map.insert("hookCount".to_owned(), count(*event).into());
            }
            described
        });
        let mut sorted: Vec<_> = self.iter().collect();
        sorted.sort_by_key(|hook| (hook.event, hook.matcher_text.clone()));
        let hooks = sorted.into_iter().map(|hook| {
            let text = hook.handler.text();
            let shown = hook.status.as_ref().unwrap_or(&text);
            let mut listed = json!({
                "event": hook.event.as_str(), "matcher": hook.matcher_text, "source": source(&hook.origin),
                "sourceLabel": hook.origin.label(), "type": hook.handler.kind(), "displayText": shown,
                "commandText": text, "contentLabel": label(&hook.handler),
            });
            if let Some(map) = listed.as_object_mut() {
                if let Origin::Plugin { name, .. } = &hook.origin {
                    map.insert("pluginName".to_owned(), name.as_str().into());
                }
                if let Some(condition) = &hook.condition_text {
                    map.insert("condition".to_owned(), condition.as_str().into());
                }
                if let Some(timeout) = hook.timeout {
                    map.insert("timeout".to_owned(), timeout.as_secs_f64().into());
                }
                if let Some(status) = &hook.status {
                    map.insert("statusMessage".to_owned(), status.as_str().into());
                }
                let says_once = hook.config.as_ref().and_then(|config| config.get("once"));
                if says_once == Some(&Value::Bool(true)) {
                    map.insert("runsOnce".to_owned(), true.into());
                }
                if matches!(hook.handler, Handler::Command { is_async: true, .. }) {
                    map.insert("runsInBackground".to_owned(), true.into());
                }
                if let Some(editable) = editable(hook) {
                    map.insert("editable".to_owned(), editable);
                }
            }
            listed
        });
        let says = |key: &Key| settings.policy(key).and_then(Value::as_bool) == Some(true);
        let managed = self.iter().filter(|hook| hook.origin.is_managed()).count();
        json!({
            "events": events.collect::<Vec<_>>(),
            "hooks": hooks.collect::<Vec<_>>(),
            "eventCatalog": Event::ALL.iter().map(described).collect::<Vec<_>>(),
            "policy": {
                "disabledByPolicy": says(&keys::DISABLE_ALL_HOOKS),
                "managedOnly": says(&keys::ALLOW_MANAGED_HOOKS_ONLY),
                "pluginOnly": false,
                "allDisabled": settings.bool(&keys::DISABLE_ALL_HOOKS) == Some(true),
                "policyHookCount": managed,
            },
        })
    }
}

/// What a host needs to write a hook anew: its own text. What headers hold stays here.
fn editable(hook: &Hook) -> Option<Value> {
    let ours = matches!(
        hook.origin,
        Origin::Settings(Source::User | Source::Project | Source::Local)
    );
    let mut config = hook.config.clone().filter(|_| ours)?;
    let headers = config.get_mut("headers").and_then(Value::as_object_mut);
    let redacted = headers.is_some_and(|headers| {
        headers.values_mut().for_each(|value| *value = "".into());
        !headers.is_empty()
    });
    let mut editable = json!({"matcher": hook.matcher_text, "config": config});
    if let (true, Some(map)) = (redacted, editable.as_object_mut()) {
        map.insert("headersRedacted".to_owned(), true.into());
    }
    Some(editable)
}

fn source(origin: &Origin) -> &'static str {
    match origin {
        Origin::Settings(source) => source.as_str(),
        Origin::Host => "sdk",
        Origin::Plugin { .. } => "plugin",
        Origin::Skill { .. } => "skill",
        Origin::Agent { .. } => "agent",
    }
}

fn label(handler: &Handler) -> &'static str {
    match handler {
        Handler::Command { .. } => "Command",
        Handler::Http { .. } => "URL",
        Handler::Prompt { .. } | Handler::Agent { .. } => "Prompt",
        Handler::McpTool { .. } => "Tool",
        Handler::Callback(_) => "Callback",
    }
}
