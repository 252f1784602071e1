//! What hooks may do to a decision. Pure: they may forbid anything and ask about anything, and they allow only what no
//! rule and no need for a person objects to.

use sluice_permission::decide::after_hook;
use sluice_permission::{Decision, PermissionMode, Reason, ReasonKind, Verdict};

use super::merge;
use super::output::Permission;

/// The decision about a call, once its hooks have spoken.
pub(super) fn adjusted(
    decision: Decision,
    verdict: Option<&merge::Verdict>,
    name: &str,
    mode: &PermissionMode,
) -> Decision {
    let Some(verdict) = verdict else { return decision };
    let reason = || {
        let said = Some(verdict.block.reason.clone()).filter(|said| !said.is_empty());
        Reason {
            kind: Some(ReasonKind::Hook),
            text: said,
            rule: None,
        }
    };
    let shown = &verdict.block.shown;
    match (verdict.permission, decision.behavior) {
        (Permission::Deny, _) if verdict.silence => Decision::deny(reason(), shown.clone()),
        (Permission::Deny, _) => Decision::deny(reason(), format!("{name} hook error: {shown}")),
        (Permission::Ask | Permission::Defer | Permission::Allow, Verdict::Deny) => decision,
        (Permission::Ask | Permission::Defer, _) if *mode == PermissionMode::DontAsk => Decision::deny(
            reason(),
            format!("A hook asks about this call, and the mode dontAsk refuses what would need a question. {shown}"),
        ),
        (Permission::Ask | Permission::Defer, _) => {
            let asked = Decision::ask(reason(), format!("A hook asks about this call. {shown}"));
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sluice_permission::{Behavior, Rule, Source};

    use super::*;
    use crate::hooks::config::Origin;
    use crate::hooks::output::Block;

    fn said(permission: Permission) -> merge::Verdict {
        merge::Verdict {
            permission,
            block: Block::plain("because"),
            origin: Origin::Host,
            silence: false,
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
        let verdict = said(permission);
        adjusted(
            decision.clone(),
            Some(&verdict),
            "PreToolUse:Bash",
            &PermissionMode::Default,
        )
        .behavior
    }

    #[test]
    fn a_hook_forbids_everything_and_allows_what_nobody_objects_to() {
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
    fn where_nothing_is_asked_an_ask_is_a_no() {
        let verdict = said(Permission::Ask);
        let decision = adjusted(by_rule(Behavior::Allow), Some(&verdict), "x", &PermissionMode::DontAsk);
        assert_eq!(decision.behavior, Verdict::Deny);
    }
}
