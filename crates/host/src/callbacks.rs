//! Callbacks of the host: permission requests, hooks, elicitations and messages to in-process MCP servers.

use std::fmt;
use std::sync::Arc;

use sluice_wire::control::{
    Allow, CanUseTool, CanUseToolResponse, Deny, Elicitation, ElicitationAction, ElicitationResponse, HookMatcher,
    RequestId, RequestUserDialog, RequestUserDialogResponse,
};
use sluice_wire::hook::{HookInput, HookOutput};
use sluice_wire::permission_update::PermissionUpdate;
use sluice_wire::{Map, Number, Raw};

use crate::conversation::AskVerdict;
use crate::transport::BoxFuture;

/// A permission request of the agent (`can_use_tool`).
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionAsk {
    /// The id to pass to [`Client::answer`](crate::Client::answer).
    pub request_id: RequestId,
    /// The tool call.
    pub call: CanUseTool,
}

impl PermissionAsk {
    /// Returns the name of the tool.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.call.tool_name
    }

    /// Returns the input of the tool.
    #[must_use]
    pub fn input(&self) -> serde_json::Value {
        self.call.input.to_value()
    }
}

/// The answer to a [`PermissionAsk`].
///
/// ```
/// use sluice_host::PermissionDecision;
/// let yes = PermissionDecision::allow();
/// let other = PermissionDecision::allow_with(serde_json::json!({"command": "ls -l"}));
/// let no = PermissionDecision::deny("not on a Friday");
/// let stop = PermissionDecision::deny("not at all").and_stop();
/// # drop((yes, other, no, stop));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionDecision(CanUseToolResponse);

impl PermissionDecision {
    /// Allows the call.
    #[must_use]
    pub fn allow() -> Self {
        Self(Allow::default().into())
    }

    /// Allows the call with another input.
    #[must_use]
    pub fn allow_with(input: impl Into<Raw>) -> Self {
        Self(
            Allow {
                updated_input: Some(input.into()),
                ..Allow::default()
            }
            .into(),
        )
    }

    /// Denies the call. The agent receives the message as the reason and continues the turn.
    pub fn deny(message: impl Into<String>) -> Self {
        Self(
            Deny {
                message: message.into(),
                ..Deny::default()
            }
            .into(),
        )
    }

    /// Also ends the turn. Only has an effect on a denial.
    #[must_use]
    pub fn and_stop(mut self) -> Self {
        if let CanUseToolResponse::Deny(deny) = &mut self.0 {
            deny.interrupt = Some(true);
        }
        self
    }

    /// Also changes permissions, for example by the suggestions of the request. Only has an effect if the call is allowed.
    #[must_use]
    pub fn and_remember(mut self, updates: impl IntoIterator<Item = PermissionUpdate>) -> Self {
        if let CanUseToolResponse::Allow(allow) = &mut self.0 {
            allow.updated_permissions = Some(updates.into_iter().collect());
        }
        self
    }

    /// Completes the response for the agent. Older agents require the input in an allow and a reason in a deny.
    pub(crate) fn for_call(self, input: &Raw) -> CanUseToolResponse {
        match self.0 {
            CanUseToolResponse::Allow(mut allow) => {
                allow.updated_input.get_or_insert_with(|| input.clone());
                CanUseToolResponse::Allow(allow)
            }
            CanUseToolResponse::Deny(mut deny) => {
                if deny.message.is_empty() {
                    deny.message = "denied".to_owned();
                }
                CanUseToolResponse::Deny(deny)
            }
            other @ CanUseToolResponse::Unknown(_) => other,
        }
    }
}

/// Converts a response to the input of the conversation state machine.
pub(crate) fn verdict(answer: &CanUseToolResponse) -> AskVerdict {
    match answer {
        CanUseToolResponse::Deny(_) => AskVerdict::Deny(Raw::of(answer)),
        CanUseToolResponse::Allow(_) | CanUseToolResponse::Unknown(_) => AskVerdict::Allow(Some(Raw::of(answer))),
    }
}

impl From<CanUseToolResponse> for PermissionDecision {
    fn from(response: CanUseToolResponse) -> Self {
        Self(response)
    }
}

/// Returns a response that accepts an elicitation with this content.
#[must_use]
pub fn accept(content: impl Into<Raw>) -> ElicitationResponse {
    ElicitationResponse {
        action: ElicitationAction::Accept,
        content: Some(content.into()),
        ..ElicitationResponse::default()
    }
}

type Callback<In, Out> = Arc<dyn Fn(In) -> BoxFuture<'static, Out> + Send + Sync>;

/// A hook of the host.
#[derive(Clone)]
pub(crate) struct Hook {
    pub(crate) event: String,
    pub(crate) matcher: Option<String>,
    pub(crate) timeout_s: Option<f64>,
    pub(crate) block_on_failure: bool,
    pub(crate) call: Callback<HookInput, HookOutput>,
}

/// All callbacks of a host.
#[derive(Clone, Default)]
pub(crate) struct Callbacks {
    pub(crate) permission: Option<Callback<PermissionAsk, PermissionDecision>>,
    pub(crate) elicitation: Option<Callback<Elicitation, ElicitationResponse>>,
    pub(crate) dialog: Option<Callback<RequestUserDialog, RequestUserDialogResponse>>,
    pub(crate) hooks: Vec<Hook>,
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks")
            .field("permission", &self.permission.is_some())
            .field("elicitation", &self.elicitation.is_some())
            .field("dialog", &self.dialog.is_some())
            .field("hooks", &self.hooks.len())
            .finish()
    }
}

pub(crate) fn callback<In, Out, F>(call: impl Fn(In) -> F + Send + Sync + 'static) -> Callback<In, Out>
where
    F: Future<Output = Out> + Send + 'static,
{
    Arc::new(move |input| Box::pin(call(input)))
}

impl Callbacks {
    /// Returns the hook with this callback id.
    pub(crate) fn hook(&self, id: &str) -> Option<&Hook> {
        let number: usize = id.strip_prefix("hook_")?.parse().ok()?;
        self.hooks.get(number)
    }

    /// Returns the hooks for `initialize`: grouped by event, and numbered across all events.
    pub(crate) fn matchers(&self) -> Option<Map<Vec<HookMatcher>>> {
        if self.hooks.is_empty() {
            return None;
        }
        let mut by_event: Map<Vec<HookMatcher>> = Map::default();
        for (number, hook) in self.hooks.iter().enumerate() {
            let matcher = HookMatcher {
                matcher: hook.matcher.clone(),
                hook_callback_ids: vec![format!("hook_{number}")],
                timeout: hook.timeout_s.map(Number::from),
                on_failure: hook.block_on_failure.then(|| "block".to_owned()),
                ..HookMatcher::default()
            };
            by_event.entry(hook.event.clone()).or_default().push(matcher);
        }
        Some(by_event)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
    use serde_json::json;
    use sluice_wire::Raw;

    use super::PermissionDecision;

    #[test]
    fn allow_always_has_an_input_and_deny_always_a_reason() {
        let input = Raw::from(json!({"a": 1}));
        let yes = serde_json::to_value(PermissionDecision::allow().for_call(&input)).unwrap();
        assert_eq!(yes, json!({"behavior": "allow", "updatedInput": {"a": 1}}));
        let other = serde_json::to_value(PermissionDecision::allow_with(json!({"b": 2})).for_call(&input)).unwrap();
        assert_eq!(other, json!({"behavior": "allow", "updatedInput": {"b": 2}}));
        let no = serde_json::to_value(PermissionDecision::deny("").and_stop().for_call(&input)).unwrap();
        assert_eq!(no, json!({"behavior": "deny", "message": "denied", "interrupt": true}));
    }
}
