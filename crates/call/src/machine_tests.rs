use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::{Behavior, ReasonKind, Rule, Source};

use super::*;
use crate::verdict::Silence;

/// The result of an evaluation of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Evaluation {
    Allow,
    Ask,
    /// A rule asks, so that no hook may answer.
    AskByRule,
    Deny,
}

impl Evaluation {
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

/// A call, the results of rule evaluations, and all effects.
struct DrivenCall {
    call: Call,
    /// The results of the next evaluations. The last one is repeated.
    upcoming: RefCell<Vec<Evaluation>>,
    /// The results of all evaluations so far.
    evaluated: RefCell<Vec<Evaluation>>,
    effects: Vec<CallEffect>,
}

impl DrivenCall {
    fn new(upcoming: &[Evaluation]) -> Self {
        Self {
            call: Call::new("t".to_owned(), "Bash".to_owned(), json!({}), None),
            upcoming: RefCell::new(upcoming.iter().rev().copied().collect()),
            evaluated: RefCell::default(),
            effects: Vec::new(),
        }
    }

    /// Processes an event and returns the names of the effects.
    fn step(&mut self, event: CallEvent) -> Vec<&'static str> {
        let evaluation = |_: &Call| {
            let mut upcoming = self.upcoming.borrow_mut();
            let evaluation = match upcoming.len() {
                0 => Evaluation::Ask,
                1 => upcoming[0],
                _ => upcoming.pop().unwrap_or(Evaluation::Ask),
            };
            self.evaluated.borrow_mut().push(evaluation);
            evaluation.decision()
        };
        let rules = Rules {
            decide: &evaluation,
            mode: &PermissionMode::Default,
        };
        let effects = self.call.step(event, &rules);
        let names = effects.iter().map(name).collect();
        self.effects.extend(effects);
        names
    }

    /// Creates a call with an open permission request.
    fn asked(upcoming: &[Evaluation], of: AskedOf) -> Self {
        let mut driven = Self::new(upcoming);
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
fn an_allowed_call_runs_and_its_end_is_reported() {
    let mut driven = DrivenCall::new(&[Evaluation::Allow]);
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
fn rules_added_during_a_permission_request_apply_to_the_answer() {
    for of in [AskedOf::Person, AskedOf::Hooks] {
        for changed in [None, Some(other_input())] {
            let mut driven = DrivenCall::asked(&[Evaluation::Ask, Evaluation::Deny], of);
            assert_eq!(driven.step(CallEvent::Answered(yes(changed.clone()))), ["refuse"]);
            let mut driven = DrivenCall::asked(&[Evaluation::Ask, Evaluation::Deny], of);
            let effects = driven.step(CallEvent::HooksAnswered(Some(yes(changed))));
            assert_eq!(effects.last(), Some(&"refuse"), "{of:?}");
            assert_eq!(effects.contains(&"withdraw"), of == AskedOf::Person);
        }
    }
}

#[test]
fn rules_of_an_answer_are_applied_after_the_evaluation() {
    let mut driven = DrivenCall::asked(&[Evaluation::Ask], AskedOf::Person);
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
fn hooks_cannot_allow_a_call_that_an_ask_rule_matches() {
    // The original call, and the call as the hook changed it.
    for upcoming in [
        &[Evaluation::Ask, Evaluation::AskByRule][..],
        &[Evaluation::Ask, Evaluation::Ask, Evaluation::AskByRule],
    ] {
        let mut driven = DrivenCall::asked(upcoming, AskedOf::Person);
        let own = driven.call.checked.clone();
        assert!(
            driven
                .step(CallEvent::HooksAnswered(Some(yes(Some(other_input())))))
                .is_empty()
        );
        assert!(driven.call.ask().is_some() && driven.call.checked == own);
        assert_eq!(driven.step(CallEvent::Answered(yes(None))), ["keep"]);
    }
    let mut driven = DrivenCall::asked(&[Evaluation::Ask, Evaluation::AskByRule], AskedOf::Hooks);
    assert_eq!(driven.step(CallEvent::HooksAnswered(Some(yes(None)))), ["unanswered"]);
    assert_eq!(driven.step(CallEvent::Unasked(None)), ["refuse"]);
}

#[test]
fn a_callback_without_an_answer_is_a_failure_and_not_a_denial() {
    for (silence, effects) in [(Silence::Host, &["tell"][..]), (Silence::Hook, &["refuse"])] {
        let mut driven = DrivenCall::new(&[Evaluation::Allow]);
        driven.step(begun());
        let event = CallEvent::HooksSaid {
            changed: None,
            verdict: Some(verdict(Permission::Deny, Some(silence))),
        };
        assert_eq!(driven.step(event), effects);
    }
}

#[test]
fn a_denied_call_is_not_deferred() {
    for (evaluation, effects) in [(Evaluation::Deny, ["refuse"]), (Evaluation::Ask, ["defer"])] {
        let mut driven = DrivenCall::new(&[evaluation]);
        driven.step(begun());
        assert_eq!(driven.step(said(Some(Permission::Defer))), effects);
    }
    let mut driven = DrivenCall::new(&[Evaluation::Ask, Evaluation::Deny]);
    driven.step(begun());
    driven.step(said(Some(Permission::Defer)));
    assert_eq!(driven.step(CallEvent::NotDeferred), ["refuse"]);
}

#[test]
fn a_call_that_needs_an_answer_is_always_asked_about() {
    let mut driven = DrivenCall::new(&[Evaluation::Allow]);
    driven.call.needs_answer = true;
    driven.step(begun());
    assert_eq!(driven.step(said(Some(Permission::Allow))), ["ask"]);
}

#[test]
fn a_finished_call_keeps_its_outcome_when_the_turn_is_stopped() {
    let mut driven = DrivenCall::new(&[Evaluation::Allow]);
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

fn evaluation() -> impl Strategy<Value = Evaluation> {
    prop_oneof![
        3 => Just(Evaluation::Allow),
        4 => Just(Evaluation::Ask),
        1 => Just(Evaluation::AskByRule),
        1 => Just(Evaluation::Deny),
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

/// The next event of a call.
#[derive(Debug, Clone)]
enum TestEvent {
    /// An event that the driver would send in the current state.
    Fitting {
        changed: Option<Changed>,
        verdict: Option<HookVerdict>,
        answer: PermissionAnswer,
        by_hooks: bool,
    },
    /// Any event.
    Stray(CallEvent),
}

impl TestEvent {
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

fn test_event() -> impl Strategy<Value = TestEvent> {
    let fitting = (changes(), verdicts(), answers(), any::<bool>()).prop_map(|(changed, verdict, answer, by_hooks)| {
        TestEvent::Fitting {
            changed,
            verdict,
            answer,
            by_hooks,
        }
    });
    prop_oneof![3 => fitting, 2 => events().prop_map(TestEvent::Stray)]
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

/// Checks the invariants at every step of a call.
#[derive(Default)]
struct InvariantChecker {
    /// Whether the call must not run any more, because it was denied or withdrawn or has ended.
    must_not_run: bool,
}

impl InvariantChecker {
    fn step(&mut self, driven: &mut DrivenCall, event: &CallEvent) {
        let evaluated_before = driven.evaluated.borrow().len();
        let was_deferred = driven.call.is_deferred();
        self.must_not_run |= match (&driven.call.state, event) {
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
        let evaluated = driven.evaluated.borrow();
        let now = evaluated.get(evaluated_before..).unwrap_or_default();
        self.must_not_run |= now.contains(&Evaluation::Deny);
        if names.contains(&"keep") || names.contains(&"run") {
            assert!(!self.must_not_run, "a denied or withdrawn call runs: {event:?}");
            assert!(
                !was_deferred || matches!(event, CallEvent::NotDeferred),
                "a deferred call runs: {event:?}"
            );
        }
        if names.contains(&"keep") {
            assert!(
                !now.is_empty(),
                "the rules were not evaluated before the call runs: {event:?}"
            );
        }
        assert!(!names.contains(&"run") || matches!(event, CallEvent::Kept));
        let told = driven.count("tell");
        assert!(told <= 1, "the end was reported twice");
        assert_eq!(
            told == 1,
            driven.call.result().is_some(),
            "the end is reported exactly if the call is done"
        );
    }
}

proptest! {
    #[test]
    fn every_call_ends_once_and_deny_never_becomes_allow(
        upcoming in proptest::collection::vec(evaluation(), 1..8),
        test_event in proptest::collection::vec(test_event(), 0..16),
        needs_answer: bool,
    ) {
        let mut driven = DrivenCall::new(&upcoming);
        driven.call.needs_answer = needs_answer;
        let mut checker = InvariantChecker::default();
        for test_event in test_event.into_iter().chain([TestEvent::Stray(stopped())]) {
            let event = test_event.event(&driven.call.state);
            checker.step(&mut driven, &event);
        }
        prop_assert!(driven.call.is_done());
        prop_assert_eq!(driven.call.is_deferred(), driven.count("tell") == 0);
        prop_assert!(driven.count("run") <= 1);
    }

    #[test]
    fn a_call_that_a_hook_asks_about_runs_only_after_an_allow(
        upcoming in proptest::collection::vec(evaluation(), 1..8),
        test_event in proptest::collection::vec(test_event(), 0..16),
    ) {
        let mut driven = DrivenCall::new(&upcoming);
        driven.step(begun());
        driven.step(said(Some(Permission::Ask)));
        let mut answered = false;
        for test_event in test_event {
            let event = test_event.event(&driven.call.state);
            let asked = matches!(driven.call.state, State::Asking(_));
            let allows = matches!(
                &event,
                CallEvent::Answered(PermissionAnswer::Allow { .. })
                    | CallEvent::HooksAnswered(Some(PermissionAnswer::Allow { .. }))
            );
            answered |= asked && allows;
            driven.step(event);
            prop_assert!(answered || driven.count("keep") == 0);
        }
    }
}
