//! How `PreToolUse` hooks change a permission decision. They can deny or ask about any call, and allow a call unless a
//! rule denies or asks about it or it needs an answer of the user.

use sluice_permission::decide::after_hook;
use sluice_permission::{Decision, PermissionMode, Reason, ReasonKind, Verdict};

/// The permission decision of a hook, ordered from the least to the most strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    Allow,
    Ask,
    /// The turn ends without running the call.
    Defer,
    Deny,
}

/// The merged decision of all `PreToolUse` hooks about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookVerdict {
    pub permission: Permission,
    /// The reason as the hook gave it.
    pub reason: String,
    /// The reason with the name of the hook, if it is needed.
    pub shown: String,
    pub silence: Option<Silence>,
}

/// The kind of hook that gave no result, if that determines the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// A hook of a settings file.
    Hook,
    /// A callback of the host. The call fails instead of being denied.
    Host,
    /// A hook that did not run because its folder is not trusted.
    HeldBack,
}

impl HookVerdict {
    /// Whether the call fails because the host did not answer its callback.
    pub(crate) fn is_failure(&self) -> bool {
        self.permission == Permission::Deny && self.silence == Some(Silence::Host)
    }

    /// Returns the decision about a call of `tool` after the hooks.
    pub(crate) fn adjust(&self, decision: Decision, tool: &str, mode: &PermissionMode) -> Decision {
        let reason = || Reason {
            kind: Some(ReasonKind::Hook),
            text: Some(self.reason.clone()).filter(|said| !said.is_empty()),
            rule: None,
        };
        let shown = &self.shown;
        match (self.permission, decision.behavior) {
            (Permission::Deny, _) if self.silence.is_some() => Decision::deny(reason(), shown.clone()),
            (Permission::Deny, _) => Decision::deny(reason(), format!("PreToolUse:{tool} hook error: {shown}")),
            (Permission::Ask | Permission::Defer | Permission::Allow, Verdict::Deny) => decision,
            (Permission::Ask | Permission::Defer, _) if *mode == PermissionMode::DontAsk => {
                let why = match self.silence {
                    Some(Silence::HeldBack) => "The permission mode dontAsk denies what needs approval.",
                    _ => "A hook asks about this call, and the permission mode dontAsk denies what needs approval.",
                };
                Decision::deny(reason(), format!("{why} {shown}"))
            }
            (Permission::Ask | Permission::Defer, _) => {
                let message = match self.silence {
                    Some(Silence::HeldBack) => shown.clone(),
                    _ => format!("A hook asks about this call. {shown}"),
                };
                let asked = Decision::ask(reason(), message);
                Decision {
                    requires_user_interaction: decision.requires_user_interaction,
                    ..asked
                }
            }
            (Permission::Allow, _) => match after_hook(&decision) {
                Verdict::Allow => Decision::allow(reason()),
                Verdict::Ask | Verdict::Deny => decision,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sluice_permission::{Behavior, Rule, Source};

    use super::*;

    fn said(permission: Permission) -> HookVerdict {
        HookVerdict {
            permission,
            reason: "because".to_owned(),
            shown: "because".to_owned(),
            silence: None,
        }
    }

    fn by_rule(behavior: Behavior) -> Decision {
        let rule = Rule::parse(behavior, Source::User, Path::new("/"), "Bash(ls)");
        let reason = rule.map_or_else(|_| Reason::default(), |rule| Reason::rule(ReasonKind::Rule, &rule));
        match behavior {
            Behavior::Allow => Decision::allow(reason),
            Behavior::Ask => Decision::ask(reason, "asked"),
            Behavior::Deny => Decision::deny(reason, "denied"),
        }
    }

    fn after(decision: &Decision, permission: Permission) -> Verdict {
        let decision = said(permission).adjust(decision.clone(), "Bash", &PermissionMode::Default);
        decision.behavior
    }

    #[test]
    fn hooks_can_deny_everything_and_allow_calls_without_objections() {
        let open = Decision::ask(Reason::kind(ReasonKind::Other), "open");
        for (decision, allow, ask) in [
            (by_rule(Behavior::Deny), Verdict::Deny, Verdict::Deny),
            (by_rule(Behavior::Ask), Verdict::Ask, Verdict::Ask),
            (by_rule(Behavior::Allow), Verdict::Allow, Verdict::Ask),
            (open.clone(), Verdict::Allow, Verdict::Ask),
            (open.for_a_person(), Verdict::Ask, Verdict::Ask),
        ] {
            assert_eq!(after(&decision, Permission::Allow), allow, "{decision:?}");
            assert_eq!(after(&decision, Permission::Ask), ask, "{decision:?}");
            assert_eq!(after(&decision, Permission::Deny), Verdict::Deny, "{decision:?}");
        }
    }

    #[test]
    fn an_ask_is_a_deny_in_the_mode_dont_ask() {
        let decision = said(Permission::Ask).adjust(by_rule(Behavior::Allow), "Bash", &PermissionMode::DontAsk);
        assert_eq!(decision.behavior, Verdict::Deny);
    }
}
