//! The machine of a call: what may happen to it, and what has to be done then.
//!
//! ```text
//! Proposed ─► Hooked ─► Decided ─► Asking ─► Keeping ─► Running ─► Ran ─► Done
//!    │          │ │        │         │ └─► Withdrawn ──────────────────────► ▲
//!    │          │ └────────┴─────────┴─► Refused ──────────────────────────► │
//!    │          └─► Deferred                                                 │
//!    └───────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! What cannot happen to a call as it stands changes nothing. A call is told once, because only the step into `Done` says
//! so and no step leads out of it. It runs only by a step in which the rules, looked at in that very step, did not deny it:
//! whoever allows it, and whatever has changed since it was asked about.

use serde_json::Value;
use sluice_permission::decide::after_hook;
use sluice_permission::{Decision, PermissionMode, PermissionUpdate, Reason, Verdict};
use sluice_tools::{Outcome, Pins};

use crate::answer::{Change, Changed, Denial, Grant, PermissionAnswer};
use crate::end::{Basis, End, for_model, result_block};
use crate::state::{Ask, AskedOf, Call, State};
use crate::verdict::{HookVerdict, Permission};

/// The rules as they are now.
pub struct Rules<'a> {
    pub decide: &'a dyn Fn(&Call) -> Decision,
    pub mode: &'a PermissionMode,
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("mode", self.mode).finish_non_exhaustive()
    }
}

/// What may happen to a call.
#[derive(Debug, Clone)]
pub enum CallEvent {
    /// Its turn has come.
    Begun(Pins),
    /// It cannot be made: there is no such tool, or its input does not fit.
    Unfit(Box<Outcome>),
    /// It needs no tool: the caller supplies its outcome.
    Supplied,
    /// `PreToolUse` hooks have looked at it, if there are any.
    HooksSaid {
        changed: Option<Changed>,
        verdict: Option<HookVerdict>,
    },
    /// It cannot be deferred after all.
    NotDeferred,
    /// A permission request was made.
    Asked { request_id: String, of: AskedOf },
    /// No permission request can be made; with the reason, if the decision does not have it.
    Unasked(Option<Reason>),
    /// The permission request was answered.
    Answered(PermissionAnswer),
    /// `PermissionRequest` hooks have looked at the question; what they answer, if they do.
    HooksAnswered(Option<PermissionAnswer>),
    /// The question is withdrawn.
    Withdrawn,
    /// The file it changes is kept, if it changes one.
    Kept,
    /// It has run.
    Ran(Box<Outcome>),
    /// The outcome is final; another end, if it was changed.
    Settled(Option<Box<End>>),
    /// The turn is stopped; with the end of the call if it has not run.
    Stopped(Box<End>),
}

/// What has to be done.
#[derive(Debug)]
pub enum CallEffect {
    /// Show it to `PreToolUse` hooks; [`CallEvent::HooksSaid`] follows.
    ShowToHooks,
    /// End the turn with the call undone, or say [`CallEvent::NotDeferred`].
    Defer,
    /// Make a permission request; [`CallEvent::Asked`], [`CallEvent::Unasked`] or [`CallEvent::Unfit`] follows.
    Ask(Box<Decision>),
    /// Hooks alone were asked, and do not answer; [`CallEvent::Unasked`] follows.
    LeftUnanswered,
    /// Withdraw this request: hooks have answered it.
    WithdrawRequest(String),
    /// Take over what the answer changes for later calls.
    Apply(Vec<PermissionUpdate>),
    /// It counts among the turn's denials.
    NoteDenial,
    /// The rules deny it: report that; [`CallEvent::Settled`] follows.
    Refuse(Box<Decision>),
    /// The turn has to stop.
    StopTurn,
    /// Keep the file it is about to change; [`CallEvent::Kept`] follows.
    Keep,
    /// Run it; [`CallEvent::Ran`] follows.
    Run,
    /// Show what it came to to hooks; [`CallEvent::Settled`] follows.
    ShowOutcome,
    /// Tell what it came to.
    Tell { end: Box<End>, block: Value },
}

impl Call {
    /// Moves the call; gives what has to be done, in this order.
    pub fn step(&mut self, event: CallEvent, rules: &Rules<'_>) -> Vec<CallEffect> {
        match (std::mem::take(&mut self.state), event) {
            (State::Proposed, CallEvent::Begun(pins)) => {
                self.pins = pins;
                self.state = State::Hooked;
                vec![CallEffect::ShowToHooks]
            }
            (State::Proposed, CallEvent::Supplied) => {
                self.state = State::Running(Grant::by("config"));
                Vec::new()
            }
            (State::Proposed | State::Decided(_), CallEvent::Unfit(outcome)) => self.end(End::unfit(*outcome)),
            (State::Hooked, CallEvent::HooksSaid { changed, verdict }) => self.hooks_said(changed, verdict, rules),
            (State::Deferred, CallEvent::NotDeferred) => self.decide(None, rules),
            (State::Decided(decision), CallEvent::Asked { request_id, of }) => {
                self.state = State::Asking(Box::new(Ask {
                    request_id,
                    of,
                    decision: *decision,
                }));
                Vec::new()
            }
            (State::Decided(decision), CallEvent::Unasked(reason)) => self.unasked(*decision, reason, rules),
            (State::Decided(_) | State::Asking(_), CallEvent::Answered(PermissionAnswer::Deny(denial))) => {
                self.deny(denial)
            }
            (State::Asking(_), CallEvent::Answered(answer)) => self.answered(answer, rules),
            (State::Asking(ask), CallEvent::HooksAnswered(answer)) => self.hooks_answered(*ask, answer, rules),
            (State::Asking(_), CallEvent::Withdrawn) => {
                self.state = State::Withdrawn;
                vec![CallEffect::NoteDenial]
            }
            (State::Keeping(grant), CallEvent::Kept) => {
                self.state = State::Running(grant);
                vec![CallEffect::Run]
            }
            (State::Running(grant), CallEvent::Ran(outcome)) => {
                self.state = State::Ran(Box::new(End {
                    outcome: *outcome,
                    basis: Basis::Allowed(grant),
                }));
                vec![CallEffect::ShowOutcome]
            }
            (State::Ran(_) | State::Refused(_), CallEvent::Settled(Some(end))) => self.end(*end),
            (State::Ran(end) | State::Refused(end), CallEvent::Settled(None) | CallEvent::Stopped(_)) => self.end(*end),
            (state @ (State::Deferred | State::Done(_)), CallEvent::Stopped(_)) => self.stay(state),
            (_, CallEvent::Stopped(end)) => self.end(*end),
            (state, _) => self.stay(state),
        }
    }

    fn stay(&mut self, state: State) -> Vec<CallEffect> {
        self.state = state;
        Vec::new()
    }

    /// The `PreToolUse` hooks have answered.
    fn hooks_said(
        &mut self,
        changed: Option<Changed>,
        verdict: Option<HookVerdict>,
        rules: &Rules<'_>,
    ) -> Vec<CallEffect> {
        if verdict
            .as_ref()
            .is_some_and(|said| said.permission == Permission::Defer)
        {
            let decision = (rules.decide)(self);
            if decision.behavior == Verdict::Deny {
                return self.refuse(decision);
            }
            self.state = State::Deferred;
            return vec![CallEffect::Defer];
        }
        match changed {
            Some(Changed::Invalid(outcome)) => {
                return [CallEffect::NoteDenial]
                    .into_iter()
                    .chain(self.end(End::unfit(*outcome)))
                    .collect();
            }
            Some(Changed::Valid(change)) => self.change(*change),
            None => {}
        }
        match verdict {
            Some(silent) if silent.is_failure() => self.end(End::unfit(Outcome::failed(&silent.shown))),
            verdict => self.decide(verdict.as_ref(), rules),
        }
    }

    /// Runs it, denies it or asks about it.
    fn decide(&mut self, verdict: Option<&HookVerdict>, rules: &Rules<'_>) -> Vec<CallEffect> {
        let decision = (rules.decide)(self);
        let decision = match verdict {
            Some(verdict) => verdict.adjust(decision, &self.name, rules.mode),
            None => decision,
        };
        match decision.behavior {
            Verdict::Deny => self.refuse(decision),
            Verdict::Allow if !self.needs_answer => self.allow(Grant::by_rules(&decision)),
            Verdict::Allow | Verdict::Ask => {
                let decision = Box::new(decision);
                self.state = State::Decided(decision.clone());
                vec![CallEffect::Ask(decision)]
            }
        }
    }

    /// No permission request can be made: the rules decide alone.
    fn unasked(&mut self, mut decision: Decision, reason: Option<Reason>, rules: &Rules<'_>) -> Vec<CallEffect> {
        let now = (rules.decide)(self);
        if now.behavior == Verdict::Deny {
            return self.refuse(now);
        }
        decision.reason = reason.unwrap_or(decision.reason);
        self.refuse(decision)
    }

    /// The permission request was answered. An answer can change the input, but not override a deny rule: the rules
    /// are evaluated again, before those that come with the answer.
    fn answered(&mut self, answer: PermissionAnswer, rules: &Rules<'_>) -> Vec<CallEffect> {
        let (changed, updates, grant) = match answer {
            PermissionAnswer::Deny(denial) => return self.deny(denial),
            PermissionAnswer::Interrupt => {
                self.state = State::Withdrawn;
                return vec![CallEffect::StopTurn];
            }
            PermissionAnswer::Allow {
                changed,
                updates,
                grant,
            } => (changed, updates, grant),
        };
        let next = match changed {
            Some(Changed::Invalid(outcome)) => self.end(End::unfit(*outcome)),
            changed => {
                if let Some(Changed::Valid(change)) = changed {
                    self.change(*change);
                }
                let decision = (rules.decide)(self);
                match decision.behavior {
                    Verdict::Deny => self.refuse(decision),
                    Verdict::Allow | Verdict::Ask => self.allow(grant),
                }
            }
        };
        let brought = (!updates.is_empty()).then_some(CallEffect::Apply(updates));
        brought.into_iter().chain(next).collect()
    }

    /// `PermissionRequest` hooks have looked at the question. What they decide counts before the person answers; they
    /// allow nothing a rule or the need for a person objects to, be it what was asked about or what they make of it.
    fn hooks_answered(&mut self, ask: Ask, answer: Option<PermissionAnswer>, rules: &Rules<'_>) -> Vec<CallEffect> {
        let Some(answer) = answer else {
            return self.left_open(ask);
        };
        let mut objection = None;
        if let PermissionAnswer::Allow { changed, .. } = &answer {
            objection = self.objection(rules);
            if let (None, Some(Changed::Valid(change))) = (&objection, changed) {
                let own = (self.input.clone(), self.presented, self.given.clone());
                let looked_at = (self.checked.clone(), self.pins.clone());
                self.change(change.as_ref().clone());
                objection = self.objection(rules);
                (self.input, self.presented, self.given) = own;
                (self.checked, self.pins) = looked_at;
            }
        }
        let next = match objection {
            Some(decision) if decision.behavior == Verdict::Deny => self.refuse(decision),
            Some(_) => return self.left_open(ask),
            None => self.answered(answer, rules),
        };
        let withdrawn = (ask.of == AskedOf::Person).then_some(CallEffect::WithdrawRequest(ask.request_id));
        withdrawn.into_iter().chain(next).collect()
    }

    /// Why hooks cannot allow it.
    fn objection(&self, rules: &Rules<'_>) -> Option<Decision> {
        let decision = (rules.decide)(self);
        (after_hook(&decision) != Verdict::Allow).then_some(decision)
    }

    /// No hook answered the permission request.
    fn left_open(&mut self, ask: Ask) -> Vec<CallEffect> {
        match ask.of {
            AskedOf::Person => self.stay(State::Asking(Box::new(ask))),
            AskedOf::Hooks => {
                self.state = State::Decided(Box::new(ask.decision));
                vec![CallEffect::LeftUnanswered]
            }
        }
    }

    /// Replaces its input.
    fn change(&mut self, change: Change) {
        self.checked = change.checked;
        self.pins = change.pins;
        if change.as_given {
            self.given = Some(change.input);
        } else {
            self.input = change.input;
            self.presented = false;
        }
    }

    /// It may run.
    fn allow(&mut self, grant: Grant) -> Vec<CallEffect> {
        self.state = State::Keeping(grant);
        vec![CallEffect::Keep]
    }

    /// The rules deny it, without a permission request.
    fn refuse(&mut self, decision: Decision) -> Vec<CallEffect> {
        self.state = State::Refused(Box::new(End::denied(Denial::by_rules(&decision))));
        vec![CallEffect::Refuse(Box::new(decision))]
    }

    /// It is denied.
    fn deny(&mut self, denial: Denial) -> Vec<CallEffect> {
        let told = self.end(End::denied(denial));
        [CallEffect::NoteDenial].into_iter().chain(told).collect()
    }

    /// Every call ends here, once.
    fn end(&mut self, end: End) -> Vec<CallEffect> {
        let block = result_block(&self.id, &end.outcome.content, end.outcome.is_error);
        self.state = State::Done(for_model(block.clone()));
        let end = Box::new(end);
        vec![CallEffect::Tell { end, block }]
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
