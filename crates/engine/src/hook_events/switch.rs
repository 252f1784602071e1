//! Hooks on a change of the model, and on the display of a response.

use std::time::Duration;

use serde_json::Value;
use sluice_hooks::event::Event;
use sluice_hooks::merge::Merged;
use sluice_model::cost::Tokens;
use sluice_model::models;
use sluice_wire::Number;
use sluice_wire::control::RequestId;
use sluice_wire::hook::{HookInput, HookSpecificOutput};

use super::input::hook_input;
use crate::hooks::Purpose;
use crate::messages;
use crate::model_choice::Switch;
use crate::session::Session;
use crate::session_loop::SessionLoop;

/// Lifetime of the provider's prompt cache.
const CACHE_LIFETIME: Duration = Duration::from_secs(5 * 60);

/// Cost estimate for the first request to another model.
struct SwitchCost {
    tokens: u64,
    warm: bool,
    dollars: f64,
    pricing: &'static str,
}

impl Session {
    /// Runs `PreModelSwitch` hooks for a change that the host requested. Returns false if there are none. The change
    /// applies when they are done.
    pub(crate) async fn hooks_before_switch(&mut self, id: &RequestId, switch: &Switch) -> bool {
        if switch.to == self.model.name || !self.hooks.await_any(&[Event::PreModelSwitch]) {
            return false;
        }
        let input = self.switch_input(switch).await;
        let purpose = Purpose::Switch(Box::new((id.clone(), switch.clone())));
        self.spawn_hooks(input, purpose).await
    }

    /// Applies or refuses a requested change after its hooks are done.
    pub(super) async fn apply_switch_after_hooks(&mut self, id: &RequestId, switch: Switch, merged: &Merged) {
        match refusal(merged) {
            Some(why) => self.refuse_model(id, "blocked_by_hook", why).await,
            None => self.apply_model(id, switch).await,
        }
    }

    /// Changes the model. Returns the previous one.
    pub(crate) fn change_model(&mut self, switch: &Switch) -> String {
        // Without a name, the model of the launch options is used.
        let name = switch.requested.as_deref().or(self.options.model.name.as_deref());
        self.model.planner = self.model.planner_of(name);
        std::mem::replace(&mut self.model.name, switch.to.clone())
    }

    /// Raises `PostModelSwitch` after a change.
    pub(crate) async fn hook_switched(&mut self, from: String, switch: Switch) {
        if from == switch.to || !self.hooks.await_any(&[Event::PostModelSwitch]) {
            return;
        }
        let switch_cost = self.switch_cost(&switch.to).await;
        let input = hook_input!(self, Bare, PostModelSwitch(PostModelSwitchInput) {
            from_model: from,
            to_model: switch.to,
            requested_model: switch.requested,
            source: switch.source.to_owned(),
            context_tokens: switch_cost.tokens,
            prompt_cache_warm: switch_cost.warm,
            cache_ttl: "5m".to_owned(),
            estimated_cache_write_usd: Number(switch_cost.dollars),
            pricing: switch_cost.pricing.to_owned(),
        });
        self.spawn_hooks(input, Purpose::ReportOnly).await;
    }

    async fn switch_input(&mut self, switch: &Switch) -> HookInput {
        let switch_cost = self.switch_cost(&switch.to).await;
        hook_input!(self, Bare, PreModelSwitch(PreModelSwitchInput) {
            from_model: self.model.name.clone(),
            to_model: switch.to.clone(),
            requested_model: switch.requested.clone(),
            source: switch.source.to_owned(),
            context_tokens: switch_cost.tokens,
            prompt_cache_warm: switch_cost.warm,
            cache_ttl: "5m".to_owned(),
            estimated_cache_write_usd: Number(switch_cost.dollars),
            pricing: switch_cost.pricing.to_owned(),
        })
    }

    async fn switch_cost(&mut self, to: &str) -> SwitchCost {
        self.await_history().await;
        let tokens = if self.conversation.history.is_empty() {
            0
        } else {
            self.context_tokens()
        };
        let cost = Tokens {
            cache_write: tokens,
            ..Tokens::default()
        };
        let dollars = cost.cost(&models::facts(to));
        SwitchCost {
            tokens,
            warm: self
                .turn
                .times
                .first_token
                .is_some_and(|at| at.elapsed() < CACHE_LIFETIME),
            // Rounded to 0.0001 dollars, because it is an estimate.
            dollars: (dollars.unwrap_or(0.0) * 1e4).round() / 1e4,
            pricing: if dollars.is_some() { "catalog" } else { "default" },
        }
    }
}

impl SessionLoop {
    /// Runs `PreModelSwitch` hooks and waits for them. Returns `Err` with the reason if they reject the change.
    pub(crate) async fn hook_switch(&mut self, switch: &Switch) -> Result<(), String> {
        if switch.to == self.session.model.name || !self.session.hooks.await_any(&[Event::PreModelSwitch]) {
            return Ok(());
        }
        let input = self.session.switch_input(switch).await;
        let merged = self.ask_hooks(input).await.unwrap_or_default();
        refusal(&merged).map_or(Ok(()), Err)
    }

    /// Returns the text with which a `MessageDisplay` hook replaces a text of the model for display. The conversation
    /// keeps the original.
    pub(crate) async fn hook_display(&mut self, block: &Value) -> Option<String> {
        if self.session.hooks.speaker().is_some() || !self.session.hooks.await_any(&[Event::MessageDisplay]) {
            return None;
        }
        let text = block.get("text").and_then(Value::as_str)?;
        let input = hook_input!(self.session, Bare, MessageDisplay(MessageDisplayInput) {
            turn_id: self.session.conversation.transcript.prompt_id().unwrap_or_default().to_owned(),
            message_id: messages::fresh_id(),
            index: 0,
            last: true,
            delta: text.to_owned(),
        });
        let merged = self.ask_hooks(input).await?;
        merged.specific.into_iter().rev().find_map(|specific| match specific {
            HookSpecificOutput::MessageDisplay(it) => it.display_content,
            _ => None,
        })
    }
}

/// The reason for which hooks reject the change, if they do.
fn refusal(merged: &Merged) -> Option<String> {
    let why = merged
        .block
        .as_ref()
        .map(|block| &block.shown)
        .or(merged.halt.as_ref())?;
    Some(format!("The model stays the same: a hook refuses the change. {why}"))
}
