//! The response to `get_hooks_listing`: the configured hooks.

use std::sync::Arc;

use serde_json::Value;
use sluice_permission::Source;
use sluice_settings::Settings;
use sluice_settings::keys::{self, Key};
use sluice_wire::control::{EditableHook, GetHooksListingResponse, HookEventListing, HookListing, HookPolicy};
use sluice_wire::{Number, Raw};

use crate::config::{Handler, Hook, Origin};
use crate::event::Event;
use crate::list::HookList;

impl HookList {
    /// Returns the response to `get_hooks_listing`.
    #[must_use]
    pub fn listing(&self, settings: &Settings) -> GetHooksListingResponse {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let runs = |hook: &&Arc<Hook>| hook.handler != Handler::HeldBack;
        let count = |event: Event| number(self.iter().filter(runs).filter(|hook| hook.event == event).count());
        let described = |event: &Event| HookEventListing {
            name: event.as_str().to_owned(),
            summary: event.summary().to_owned(),
            supports_matcher: event.has_matcher(),
            ..HookEventListing::default()
        };
        let used_events = Event::ALL.iter().filter(|event| count(**event) > 0);
        let events = used_events.map(|event| HookEventListing {
            hook_count: Some(count(*event)),
            ..described(event)
        });
        let mut sorted: Vec<&Hook> = self.iter().filter(runs).map(AsRef::as_ref).collect();
        sorted.sort_by_key(|hook| (hook.event, hook.matcher_text.clone()));
        let is_true = |key: &Key| settings.policy(key).and_then(Value::as_bool) == Some(true);
        let managed = self.iter().filter(|hook| hook.origin.is_managed()).count();
        GetHooksListingResponse {
            events: events.collect(),
            hooks: sorted.into_iter().map(listed).collect(),
            event_catalog: Event::ALL.iter().map(described).collect(),
            policy: HookPolicy {
                disabled_by_policy: is_true(&keys::DISABLE_ALL_HOOKS),
                managed_only: is_true(&keys::ALLOW_MANAGED_HOOKS_ONLY),
                all_disabled: settings.bool(&keys::DISABLE_ALL_HOOKS) == Some(true),
                policy_hook_count: number(managed),
                ..HookPolicy::default()
            },
            ..GetHooksListingResponse::default()
        }
    }
}

fn listed(hook: &Hook) -> HookListing {
    let text = hook.handler.text();
    let once = hook.config.as_ref().and_then(|config| config.get("once"));
    HookListing {
        event: hook.event.as_str().to_owned(),
        matcher: hook.matcher_text.clone(),
        source: source(&hook.origin).to_owned(),
        source_label: hook.origin.label(),
        plugin_name: match &hook.origin {
            Origin::Plugin { name, .. } => Some(name.clone()),
            _ => None,
        },
        kind: hook.handler.kind().to_owned(),
        display_text: hook.status.as_ref().unwrap_or(&text).clone(),
        content_label: label(&hook.handler).to_owned(),
        condition: hook.condition_text.clone(),
        timeout: hook.timeout.map(|timeout| Number(timeout.as_secs_f64())),
        status_message: hook.status.clone(),
        runs_once: (once == Some(&Value::Bool(true))).then_some(true),
        runs_in_background: matches!(hook.handler, Handler::Command { is_async: true, .. }).then_some(true),
        editable: editable(hook),
        command_text: text,
        ..HookListing::default()
    }
}

/// Returns a hook as it is written in its settings file, so that a host can edit it. Values of headers are removed.
fn editable(hook: &Hook) -> Option<EditableHook> {
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
    Some(EditableHook {
        matcher: hook.matcher_text.clone(),
        config: Raw::of(&config),
        headers_redacted: redacted.then_some(true),
        ..EditableHook::default()
    })
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
        Handler::HeldBack => "Held back",
    }
}
