#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::Source;

use super::*;

fn said(place: usize, what: Result<HookAnswer, Failure>) -> Said {
    Said {
        place,
        name: "PreToolUse:Bash".into(),
        text: "cmd".into(),
        origin: Origin::Settings(Source::User),
        refuses: Refuses::Never,
        what,
    }
}

fn with_permission(permission: Permission, input: Option<Value>) -> HookAnswer {
    HookAnswer {
        permission: Some((permission, Block::plain(format!("{permission:?}")))),
        updated_input: input,
        ..HookAnswer::default()
    }
}

/// Returns how much a merged result permits; higher means more.
fn permissiveness(merged: &Merged) -> u8 {
    let call = match merged.verdict.as_ref().map(|verdict| verdict.permission) {
        Some(Permission::Allow) => 4,
        None => 3,
        Some(Permission::Ask) => 2,
        Some(Permission::Defer) => 1,
        Some(Permission::Deny) => 0,
    };
    let asked = match merged.decision.as_ref().map(|decision| &decision.behavior) {
        Some(Behavior::Deny) => 0,
        None => 1,
        Some(_) => 2,
    };
    let blocked = u8::from(merged.block.is_none()) + u8::from(merged.halt.is_none());
    call * 16 + asked * 4 + blocked
}

fn answers() -> impl Strategy<Value = Result<HookAnswer, Failure>> {
    let permission = prop_oneof![
        Just(None),
        Just(Some(Permission::Allow)),
        Just(Some(Permission::Ask)),
        Just(Some(Permission::Defer)),
        Just(Some(Permission::Deny)),
    ];
    let decision = prop_oneof![Just(None), Just(Some(Behavior::Allow)), Just(Some(Behavior::Deny))];
    let answer = (permission, decision, any::<[bool; 4]>(), 0..3_i32).prop_map(|(permission, decision, is, number)| {
        Ok(HookAnswer {
            permission: permission.map(|permission| (permission, Block::plain(format!("p{number}")))),
            decision: decision.map(|behavior| PermissionRequestDecision {
                behavior,
                ..PermissionRequestDecision::default()
            }),
            halt: is[0].then(|| format!("h{number}")),
            block: is[1].then(|| Block::plain(format!("b{number}"))),
            updated_input: is[2].then(|| json!({"n": number})),
            context: is[3].then(|| format!("c{number}")),
            ..HookAnswer::default()
        })
    });
    prop_oneof![
        6 => answer,
        1 => Just(Err(Failure::TimedOut)),
        1 => Just(Err(Failure::Broken("x".into()))),
        1 => Just(Err(Failure::Cancelled)),
    ]
}

fn hooks() -> impl Strategy<Value = Vec<Said>> {
    let refuses = prop_oneof![Just(Refuses::Never), Just(Refuses::Silence), Just(Refuses::Always)];
    proptest::collection::vec((answers(), refuses), 0..6).prop_map(|list| {
        let each = list.into_iter().enumerate();
        each.map(|(place, (what, refuses))| Said {
            refuses,
            ..said(place, what)
        })
        .collect()
    })
}

proptest! {
    #[test]
    fn the_order_of_answers_does_not_matter(hooks in hooks(), seed in any::<u64>()) {
        let mut other = hooks.clone();
        let count = other.len().max(1);
        for step in 0..other.len() {
            let with = usize::try_from(seed.rotate_left(u32::try_from(step * 7).unwrap())).unwrap_or(0) % count;
            other.swap(step, with);
        }
        for event in [Event::PreToolUse, Event::PermissionRequest, Event::Stop] {
            prop_assert_eq!(merge(event, hooks.clone()), merge(event, other.clone()));
        }
    }

    #[test]
    fn a_denying_hook_never_permits_more(hooks in hooks(), place in 0..7_usize) {
        for event in Event::ALL {
            let before = permissiveness(&merge(*event, hooks.clone()));
            let mut more = hooks.clone();
            more.push(said(place, Ok(refusal(*event, Block::plain("no")))));
            let after = merge(*event, more);
            prop_assert!(permissiveness(&after) <= before);
            if *event == Event::PreToolUse {
                prop_assert_eq!(after.verdict.unwrap().permission, Permission::Deny);
            }
        }
    }

    #[test]
    fn a_required_hook_that_fails_never_permits_more(hooks in hooks(), place in 0..7_usize) {
        let before = merge(Event::PreToolUse, hooks.clone());
        let mut more = hooks;
        more.push(Said { refuses: Refuses::Always, ..said(place, Err(Failure::Broken("died".into()))) });
        let after = merge(Event::PreToolUse, more);
        prop_assert!(permissiveness(&after) <= permissiveness(&before));
        prop_assert_eq!(after.verdict.unwrap().permission, Permission::Deny);
    }

    #[test]
    fn an_empty_result_changes_nothing(hooks in hooks()) {
        let before = merge(Event::PreToolUse, hooks.clone());
        let mut more = hooks;
        more.push(said(9, Ok(HookAnswer::default())));
        prop_assert_eq!(merge(Event::PreToolUse, more), before);
    }
}

#[test]
fn an_allow_does_not_cover_an_input_changed_by_another_hook() {
    let allowed = said(0, Ok(with_permission(Permission::Allow, None)));
    let changed = HookAnswer {
        updated_input: Some(json!({"command": "other"})),
        ..HookAnswer::default()
    };
    let merged = merge(Event::PreToolUse, vec![allowed, said(1, Ok(changed))]);
    assert_eq!(merged.verdict, None);
    assert_eq!(merged.updated_input, Some(json!({"command": "other"})));
    let own = said(0, Ok(with_permission(Permission::Allow, Some(json!({"command": "x"})))));
    let merged = merge(Event::PreToolUse, vec![own]);
    assert_eq!(merged.verdict.unwrap().permission, Permission::Allow);
}

#[test]
fn the_effect_of_a_timeout_depends_on_the_hook_and_the_event() {
    let timed_out = |refuses| {
        let said = Said {
            refuses,
            ..said(0, Err(Failure::TimedOut))
        };
        merge(Event::PreToolUse, vec![said])
    };
    assert_eq!(timed_out(Refuses::Never).notes, [Note::NoVerdict]);
    assert_eq!(timed_out(Refuses::Never).verdict, None);
    let closed = timed_out(Refuses::Silence).verdict.unwrap();
    assert!(closed.silence.is_some() && closed.permission == Permission::Deny);
    // The session does not wait for these events, so a failed hook blocks nothing.
    for event in [
        Event::Stop,
        Event::PostToolUse,
        Event::SessionEnd,
        Event::PermissionRequest,
    ] {
        let said = Said {
            refuses: Refuses::Always,
            ..said(0, Err(Failure::TimedOut))
        };
        let merged = merge(event, vec![said]);
        assert_eq!((merged.block, merged.decision), (None, None), "{event:?}");
    }
}
