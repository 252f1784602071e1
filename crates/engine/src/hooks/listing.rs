//! Which hooks there are, for hosts that ask.

use serde_json::{Value, json};

use super::config::{Handler, Origin};
use super::event::Event;
use crate::session::Session;

impl Session {
    /// What `get_hooks_listing` answers.
    pub(crate) fn hooks_listing(&self) -> Value {
        let count = |event: Event| self.hooks.list.iter().filter(|hook| hook.event == event).count();
        let described = |event: &Event| json!({"name": event.as_str(), "summary": event.summary(), "supportsMatcher": event.has_matcher()});
        let events = Event::ALL.iter().filter(|event| count(**event) > 0).map(|event| {
            let mut described = described(event);
            if let Some(map) = described.as_object_mut() {
                map.insert("hookCount".to_owned(), count(*event).into());
            }
            described
        });
        let hooks = self.hooks.list.iter().map(|hook| {
            let text = hook.handler.text();
            let mut listed = json!({
                "event": hook.event.as_str(), "matcher": hook.matcher_text, "source": source(&hook.origin),
                "sourceLabel": hook.origin.label(), "type": hook.handler.kind(), "displayText": text,
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
                if hook.once {
                    map.insert("runsOnce".to_owned(), true.into());
                }
                if matches!(hook.handler, Handler::Command { is_async: true, .. }) {
                    map.insert("runsInBackground".to_owned(), true.into());
                }
            }
            listed
        });
        let settings = &self.options.settings;
        let says = |key: &str| settings.policy(key).and_then(Value::as_bool) == Some(true);
        let managed = self.hooks.list.iter().filter(|hook| hook.origin.is_managed()).count();
        json!({
            "events": events.collect::<Vec<_>>(),
            "hooks": hooks.collect::<Vec<_>>(),
            "eventCatalog": Event::ALL.iter().map(described).collect::<Vec<_>>(),
            "policy": {
                "disabledByPolicy": says("disableAllHooks"),
                "managedOnly": says("allowManagedHooksOnly"),
                "pluginOnly": false,
                "allDisabled": settings.bool("disableAllHooks") == Some(true),
                "policyHookCount": managed,
            },
        })
    }
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
