use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::{Behavior, ReasonKind, Rule, Source};

use super::*;
use crate::verdict::Silence;

/// What the rules say at a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Allow,
    Ask,
    /// A rule asks: no hook may answer.
    AskByRule,
    Deny,
}

impl Look {
    fn decision(self) -> Decision {
        match self {
            Self::Allow => Decision::allow(Reason::kind(ReasonKind::Mode)),
            Self::Ask => Decision::ask(Reason::kind(ReasonKind::Other), "asked"),
            Self::AskByRule => {
                let rule = Rule::parse(Behavior::Ask, Source::User, std::path::Path::new("/"), "Bash").ok();
                let reason = rule.map(|rule| Reason::rule(ReasonKind::Rule, &rule));
                Decision::ask(reason.unwrap_or_default(), "asked by a rule")
            }
            Self::Deny => Decision::deny(Reason::kind(ReasonKind::Rule), "denied"),
        }
    }
}

/// A call, the rules it is held against, and all that followed.
struct Driven {
    call: Call,
    /// What the rules say at the looks to come; the last one holds from then on.
    looks: RefCell<Vec<Look>>,
    /// Every look so far.
    looked: RefCell<Vec<Look>>,
    effects: Vec<CallEffect>,
}

impl Driven {
    fn new(looks: &[Look]) -> Self {
        Self {
            call: Call::new("t".to_owned(), "Bash".to_owned(), json!({}), None),
            looks: RefCell::new(looks.iter().rev().copied().collect()),
            looked: RefCell::default(),
            effects: Vec::new(),
        }
    }

    /// Moves the call; gives the names of what has to be done.
    fn step(&mut self, event: CallEvent) -> Vec<&'static str> {
        let look = |_: &Call| {
            let mut looks = self.looks.borrow_mut();
            let look = match looks.len() {
                0 => Look::Ask,
                1 => looks[0],
                _ => looks.pop().unwrap_or(Look::Ask),
            };
            self.looked.borrow_mut().push(look);
            look.decision()
        };
        let rules = Rules {
            decide: &look,
            mode: &PermissionMode::Default,
        };
        let effects = self.call.step(event, &rules);
        let names = effects.iter().map(name).collect();
        self.effects.extend(effects);
        names
    }

    /// Until somebody is asked, whose question it then is.
    fn asked(looks: &[Look], of: AskedOf) -> Self {
        let mut driven = Self::new(looks);
        driven.step(begun());
        assert_eq!(driven.step(said(None)), ["ask"]);
        driven.step(asked(of));
        driven
    }

    fn count(&self, what: &str) -> usize {
        self.effects.iter().filter(|effect| name(effect) == what).count()
    }
}

fn name(effect: &CallEffect) -> &'static str {
    match effect {
        CallEffect::ShowToHooks => "show",
        CallEffect::Defer => "defer",
        CallEffect::Ask(_) => "ask",
        CallEffect::LeftUnanswered => "unanswered",
        CallEffect::WithdrawRequest(_) => "withdraw",
        CallEffect::Apply(_) => "apply",
        CallEffect::NoteDenial => "note",
        CallEffect::Refuse(_) => "refuse",
        CallEffect::StopTurn => "stop",
        CallEffect::Keep => "keep",
        CallEffect::Run => "run",
        CallEffect::ShowOutcome => "outcome",
        CallEffect::Tell { .. } => "tell",
    }
}

fn begun() -> CallEvent {
    CallEvent::Begun(Pins::default())
}

fn asked(of: AskedOf) -> CallEvent {
    CallEvent::Asked {
        request_id: "r".to_owned(),
        of,
    }
}

fn said(permission: Option<Permission>) -> CallEvent {
    CallEvent::HooksSaid {
        changed: None,
        verdict: permission.map(|permission| verdict(permission, None)),
    }
}

fn verdict(permission: Permission, silence: Option<Silence>) -> HookVerdict {
    HookVerdict {
        permission,
        reason: "because".to_owned(),
        shown: "because".to_owned(),
        silence,
    }
}

fn outcome() -> Box<Outcome> {
    Box::new(Outcome::ok("out", json!("out")))
}

fn stopped() -> CallEvent {
    CallEvent::Stopped(Box::new(End::stopped(Outcome::interrupted())))
}

fn yes(changed: Option<Changed>) -> PermissionAnswer {
    PermissionAnswer::Allow {
        changed,
        updates: Vec::new(),
        grant: Grant::by("user_temporary"),
    }
}

fn other_input() -> Changed {
    Changed::Valid(Box::new(Change {
        checked: json!({"command": "other"}),
        input: json!({"command": "other"}),
        as_given: true,
        ..Change::default()
    }))
}

#[test]
fn a_call_that_is_allowed_runs_and_is_told() {
    let mut driven = Driven::new(&[Look::Allow]);
    assert_eq!(driven.step(begun()), ["show"]);
    assert_eq!(driven.step(said(None)), ["keep"]);
    assert_eq!(driven.step(CallEvent::Kept), ["run"]);
    assert_eq!(driven.step(CallEvent::Ran(outcome())), ["outcome"]);
    assert_eq!(driven.step(CallEvent::Settled(None)), ["tell"]);
    assert_eq!(
        driven.call.result().and_then(|block| block.get("content")),
        Some(&json!("out"))
    );
}

#[test]
fn rules_that_came_while_a_question_was_open_count_for_every_answer() {
    for of in [AskedOf::Person, AskedOf::Hooks] {
        for changed in [None, Some(other_input())] {
            let mut driven = Driven::asked(&[Look::Ask, Look::Deny], of);
            assert_eq!(driven.step(CallEvent::Answered(yes(changed.clone()))), ["refuse"]);
            let mut driven = Driven::asked(&[Look::Ask, Look::Deny], of);
            let effects = driven.step(CallEvent::HooksAnswered(Some(yes(changed))));
            assert_eq!(effects.last(), Some(&"refuse"), "{of:?}");
            assert_eq!(effects.contains(&"withdraw"), of == AskedOf::Person);
        }
    }
}

#[test]
fn the_rules_an_answer_brings_come_behind_the_look_at_it() {
    let mut driven = Driven::asked(&[Look::Ask], AskedOf::Person);
    let update = serde_json::from_value(json!({"type": "setMode", "mode": "plan", "destination": "session"}));
    let answer = PermissionAnswer::Allow {
        changed: Some(other_input()),
        updates: update.into_iter().collect(),
        grant: Grant::by("user_permanent"),
    };
    assert_eq!(driven.step(CallEvent::Answered(answer)), ["apply", "keep"]);
    assert_eq!(driven.call.run_input(), &json!({"command": "other"}));
}

#[test]
fn hooks_answer_nothing_a_rule_wants_to_be_asked_about() {
    // What was asked about, and what they make of it.
    for looks in [
        &[Look::Ask, Look::AskByRule][..],
        &[Look::Ask, Look::Ask, Look::AskByRule],
    ] {
        let mut driven = Driven::asked(looks, AskedOf::Person);
        let own = driven.call.checked.clone();
        assert!(
            driven
                .step(CallEvent::HooksAnswered(Some(yes(Some(other_input())))))
                .is_empty()
        );
        assert!(driven.call.ask().is_some() && driven.call.checked == own);
        assert_eq!(driven.step(CallEvent::Answered(yes(None))), ["keep"]);
    }
    let mut driven = Driven::asked(&[Look::Ask, Look::AskByRule], AskedOf::Hooks);
    assert_eq!(driven.step(CallEvent::HooksAnswered(Some(yes(None)))), ["unanswered"]);
    assert_eq!(driven.step(CallEvent::Unasked(None)), ["refuse"]);
}

#[test]
fn a_callback_that_never_answers_is_a_failure_and_no_denial() {
    for (silence, effects) in [(Silence::Host, &["tell"][..]), (Silence::Hook, &["refuse"])] {
        let mut driven = Driven::new(&[Look::Allow]);
        driven.step(begun());
        let event = CallEvent::HooksSaid {
            changed: None,
            verdict: Some(verdict(Permission::Deny, Some(silence))),
        };
        assert_eq!(driven.step(event), effects);
    }
}

#[test]
fn what_is_denied_is_not_put_off() {
    for (look, effects) in [(Look::Deny, ["refuse"]), (Look::Ask, ["defer"])] {
        let mut driven = Driven::new(&[look]);
        driven.step(begun());
        assert_eq!(driven.step(said(Some(Permission::Defer))), effects);
    }
    let mut driven = Driven::new(&[Look::Ask, Look::Deny]);
    driven.step(begun());
    driven.step(said(Some(Permission::Defer)));
    assert_eq!(driven.step(CallEvent::NotDeferred), ["refuse"]);
}

#[test]
fn what_only_a_person_may_answer_for_is_asked_about_whatever_the_rules_say() {
    let mut driven = Driven::new(&[Look::Allow]);
    driven.call.needs_answer = true;
    driven.step(begun());
    assert_eq!(driven.step(said(Some(Permission::Allow))), ["ask"]);
}

#[test]
fn a_call_that_has_run_keeps_its_outcome_when_the_turn_is_stopped() {
    let mut driven = Driven::new(&[Look::Allow]);
    for event in [
        begun(),
        said(None),
        CallEvent::Kept,
        CallEvent::Ran(outcome()),
        stopped(),
    ] {
        driven.step(event);
    }
    assert_eq!(
        driven.call.result().and_then(|block| block.get("content")),
        Some(&json!("out"))
    );
}

fn look() -> impl Strategy<Value = Look> {
    prop_oneof![
        3 => Just(Look::Allow),
        4 => Just(Look::Ask),
        1 => Just(Look::AskByRule),
        1 => Just(Look::Deny),
    ]
}

fn changes() -> impl Strategy<Value = Option<Changed>> {
    prop_oneof![
        3 => Just(None),
        2 => Just(Some(other_input())),
        1 => Just(Some(Changed::Invalid(Box::new(Outcome::failed("no input"))))),
    ]
}

fn answers() -> impl Strategy<Value = PermissionAnswer> {
    prop_oneof![
        4 => changes().prop_map(yes),
        1 => Just(PermissionAnswer::Deny(Denial::by_person("no"))),
        1 => Just(PermissionAnswer::Interrupt),
    ]
}

fn verdicts() -> impl Strategy<Value = Option<HookVerdict>> {
    let permission = prop_oneof![
        Just(Permission::Allow),
        Just(Permission::Ask),
        Just(Permission::Defer),
        Just(Permission::Deny),
    ];
    let silence = prop_oneof![4 => Just(None), 1 => Just(Some(Silence::Host)), 1 => Just(Some(Silence::Hook))];
    proptest::option::of((permission, silence).prop_map(|(permission, silence)| verdict(permission, silence)))
}

/// What happens next to a call.
#[derive(Debug, Clone)]
enum Happens {
    /// What its driver would tell it, as it stands.
    Fitting {
        changed: Option<Changed>,
        verdict: Option<HookVerdict>,
        answer: PermissionAnswer,
        by_hooks: bool,
    },
    /// Anything at all.
    Stray(CallEvent),
}

impl Happens {
    fn event(self, state: &State) -> CallEvent {
        let (changed, verdict, answer, by_hooks) = match self {
            Self::Stray(event) => return event,
            Self::Fitting {
                changed,
                verdict,
                answer,
                by_hooks,
            } => (changed, verdict, answer, by_hooks),
        };
        match state {
            State::Proposed => begun(),
            State::Hooked => CallEvent::HooksSaid { changed, verdict },
            State::Decided(_) => asked(if by_hooks { AskedOf::Hooks } else { AskedOf::Person }),
            State::Asking(_) if by_hooks => CallEvent::HooksAnswered(Some(answer)),
            State::Asking(_) => CallEvent::Answered(answer),
            State::Keeping(_) => CallEvent::Kept,
            State::Running(_) => CallEvent::Ran(outcome()),
            State::Deferred => CallEvent::NotDeferred,
            State::Ran(_) | State::Refused(_) => CallEvent::Settled(None),
            State::Withdrawn | State::Done(_) => CallEvent::Answered(answer),
        }
    }
}

fn happens() -> impl Strategy<Value = Happens> {
    let fitting = (changes(), verdicts(), answers(), any::<bool>()).prop_map(|(changed, verdict, answer, by_hooks)| {
        Happens::Fitting {
            changed,
            verdict,
            answer,
            by_hooks,
        }
    });
    prop_oneof![3 => fitting, 2 => events().prop_map(Happens::Stray)]
}

fn events() -> impl Strategy<Value = CallEvent> {
    prop_oneof![
        Just(begun()),
        Just(CallEvent::Unfit(Box::new(Outcome::failed("unfit")))),
        Just(CallEvent::Supplied),
        (changes(), verdicts()).prop_map(|(changed, verdict)| CallEvent::HooksSaid { changed, verdict }),
        Just(CallEvent::NotDeferred),
        prop_oneof![Just(AskedOf::Person), Just(AskedOf::Hooks)].prop_map(asked),
        Just(CallEvent::Unasked(None)),
        answers().prop_map(CallEvent::Answered),
        proptest::option::of(answers()).prop_map(CallEvent::HooksAnswered),
        Just(CallEvent::Withdrawn),
        Just(CallEvent::Kept),
        Just(CallEvent::Ran(outcome())),
        Just(CallEvent::Settled(None)),
        Just(CallEvent::Settled(Some(Box::new(End::unfit(Outcome::failed(
            "other words"
        )))))),
        Just(stopped()),
    ]
}

/// What must hold at every step of a call, whatever comes.
#[derive(Default)]
struct Watch {
    /// It must never run any more: it was denied or withdrawn, or is over.
    barred: bool,
}

impl Watch {
    fn step(&mut self, driven: &mut Driven, event: &CallEvent) {
        let looks_before = driven.looked.borrow().len();
        let was_put_off = driven.call.is_deferred();
        self.barred |= match (&driven.call.state, event) {
            (State::Hooked, CallEvent::HooksSaid { verdict, .. }) => {
                verdict.as_ref().is_some_and(|said| said.permission == Permission::Deny)
            }
            (State::Asking(_), CallEvent::Answered(answer) | CallEvent::HooksAnswered(Some(answer))) => {
                !matches!(answer, PermissionAnswer::Allow { .. })
            }
            (State::Withdrawn | State::Refused(_) | State::Done(_), _) => true,
            _ => false,
        };
        let names = driven.step(event.clone());
        let looked = driven.looked.borrow();
        let now = looked.get(looks_before..).unwrap_or_default();
        self.barred |= now.contains(&Look::Deny);
        if names.contains(&"keep") || names.contains(&"run") {
            assert!(!self.barred, "it was denied or withdrawn, and runs: {event:?}");
            assert!(
                !was_put_off || matches!(event, CallEvent::NotDeferred),
                "it was put off, and runs: {event:?}"
            );
        }
        if names.contains(&"keep") {
            assert!(
                !now.is_empty(),
                "the rules were not looked at before it runs: {event:?}"
            );
        }
        assert!(!names.contains(&"run") || matches!(event, CallEvent::Kept));
        let told = driven.count("tell");
        assert!(told <= 1, "told twice");
        assert_eq!(told == 1, driven.call.result().is_some(), "told and done are one");
    }
}

proptest! {
    #[test]
    fn every_call_ends_once_and_deny_never_becomes_allow(
        looks in proptest::collection::vec(look(), 1..8),
        happens in proptest::collection::vec(happens(), 0..16),
        needs_answer: bool,
    ) {
        let mut driven = Driven::new(&looks);
        driven.call.needs_answer = needs_answer;
        let mut watch = Watch::default();
        for happens in happens.into_iter().chain([Happens::Stray(stopped())]) {
            let event = happens.event(&driven.call.state);
            watch.step(&mut driven, &event);
        }
        prop_assert!(driven.call.is_done());
        prop_assert_eq!(driven.call.is_deferred(), driven.count("tell") == 0);
        prop_assert!(driven.count("run") <= 1);
    }

    #[test]
    fn what_a_hook_asks_about_runs_only_after_a_yes(
        looks in proptest::collection::vec(look(), 1..8),
        happens in proptest::collection::vec(happens(), 0..16),
    ) {
        let mut driven = Driven::new(&looks);
        driven.step(begun());
        driven.step(said(Some(Permission::Ask)));
        let mut answered = false;
        for happens in happens {
            let event = happens.event(&driven.call.state);
            let asked = matches!(driven.call.state, State::Asking(_));
            let says_yes = matches!(
                &event,
                CallEvent::Answered(PermissionAnswer::Allow { .. })
                    | CallEvent::HooksAnswered(Some(PermissionAnswer::Allow { .. }))
            );
            answered |= asked && says_yes;
            driven.step(event);
            prop_assert!(answered || driven.count("keep") == 0);
        }
    }
}
