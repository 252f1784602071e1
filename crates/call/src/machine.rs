//! The state machine of a call: its events, and the effects that the caller has to carry out.
//!
//! ```text
//! Proposed ─► Hooked ─► Decided ─► Asking ─► Keeping ─► Running ─► Ran ─► Done
//!    │          │ │        │         │ └─► Withdrawn ──────────────────────► ▲
//!    │          │ └────────┴─────────┴─► Refused ──────────────────────────► │
//!    │          └─► Deferred                                                 │
//!    └───────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! An event that is not possible in the current state changes nothing. The end of a call is reported once, because only
//! the transition to `Done` reports it and no transition leads out of `Done`. A call only runs if the rules, evaluated
//! in the transition that starts it, do not deny it, regardless of who allows it and of changes since the permission
//! request.

use serde_json::Value;
use sluice_permission::decide::after_hook;
use sluice_permission::{Decision, PermissionMode, PermissionUpdate, Reason, Verdict};
use sluice_tools::{Outcome, Pins};

use crate::answer::{Change, Changed, Denial, Grant, PermissionAnswer};
use crate::end::{Basis, End, for_model, result_block};
use crate::state::{Ask, AskedOf, Call, State};
use crate::verdict::{HookVerdict, Permission};

/// The current permission rules and mode.
pub struct Rules<'a> {
    pub decide: &'a dyn Fn(&Call) -> Decision,
    pub mode: &'a PermissionMode,
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("mode", self.mode).finish_non_exhaustive()
    }
}

/// An event of a call.
#[derive(Debug, Clone)]
pub enum CallEvent {
    /// The call is processed now; with its resolved paths.
    Begun(Pins),
    /// The call is invalid: the tool does not exist, or the input does not match its schema.
    Unfit(Box<Outcome>),
    /// The call needs no tool: the caller supplies its outcome.
    Supplied,
    /// The `PreToolUse` hooks have ended, if there are any.
    HooksSaid {
        changed: Option<Changed>,
        verdict: Option<HookVerdict>,
    },
    /// The call cannot be deferred.
    NotDeferred,
    /// A permission request was sent.
    Asked { request_id: String, of: AskedOf },
    /// No permission request can be sent; with the reason, if it differs from that of the decision.
    Unasked(Option<Reason>),
    /// The permission request was answered.
    Answered(PermissionAnswer),
    /// The `PermissionRequest` hooks have ended; with their answer, if they gave one.
    HooksAnswered(Option<PermissionAnswer>),
    /// The permission request was withdrawn.
    Withdrawn,
    /// The checkpoint of the file that the call changes was made, if it changes one.
    Kept,
    /// The tool has run.
    Ran(Box<Outcome>),
    /// The outcome is final; with the new end, if hooks changed it.
    Settled(Option<Box<End>>),
    /// The turn was stopped; with the end of the call if it has not run.
    Stopped(Box<End>),
}

/// An effect that the caller has to carry out.
#[derive(Debug)]
pub enum CallEffect {
    /// Run the `PreToolUse` hooks; [`CallEvent::HooksSaid`] follows.
    ShowToHooks,
    /// End the turn without running the call, or send [`CallEvent::NotDeferred`].
    Defer,
    /// Send a permission request; [`CallEvent::Asked`], [`CallEvent::Unasked`] or [`CallEvent::Unfit`] follows.
    Ask(Box<Decision>),
    /// Only hooks were asked, and they gave no answer; [`CallEvent::Unasked`] follows.
    LeftUnanswered,
    /// Withdraw this permission request, because hooks have answered it.
    WithdrawRequest(String),
    /// Apply the changes of permissions in the answer, for later calls.
    Apply(Vec<PermissionUpdate>),
    /// Count the call as a denial of the turn.
    NoteDenial,
    /// Report that the rules deny the call; [`CallEvent::Settled`] follows.
    Refuse(Box<Decision>),
    /// Stop the turn.
    StopTurn,
    /// Make a checkpoint of the file that the call changes; [`CallEvent::Kept`] follows.
    Keep,
    /// Run the tool; [`CallEvent::Ran`] follows.
    Run,
    /// Run the hooks for the outcome; [`CallEvent::Settled`] follows.
    ShowOutcome,
    /// Report the end of the call.
    Tell { end: Box<End>, block: Value },
}

impl Call {
    /// Processes an event. Returns the effects in the order in which they must be carried out.
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
            (state @ (State::Deferred | State::Done(_)), CallEvent::Stopped(_)) => self.set_state(state),
            (_, CallEvent::Stopped(end)) => self.end(*end),
            (state, _) => self.set_state(state),
        }
    }

    fn set_state(&mut self, state: State) -> Vec<CallEffect> {
        self.state = state;
        Vec::new()
    }

    /// Processes the result of the `PreToolUse` hooks.
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

    /// Evaluates the rules: the call runs, is denied or needs a permission request.
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

    /// Denies the call, because no permission request can be sent.
    fn unasked(&mut self, mut decision: Decision, reason: Option<Reason>, rules: &Rules<'_>) -> Vec<CallEffect> {
        let now = (rules.decide)(self);
        if now.behavior == Verdict::Deny {
            return self.refuse(now);
        }
        decision.reason = reason.unwrap_or(decision.reason);
        self.refuse(decision)
    }

    /// Processes the answer to the permission request. An answer can change the input, but not override a deny rule:
    /// the rules are evaluated again, before the changes that come with the answer are applied.
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
        let apply = (!updates.is_empty()).then_some(CallEffect::Apply(updates));
        apply.into_iter().chain(next).collect()
    }

    /// Processes the result of the `PermissionRequest` hooks. Their decision counts if the user has not answered yet.
    /// They cannot allow a call, in its original or their changed form, to which a rule objects or which the user must
    /// answer.
    fn hooks_answered(&mut self, ask: Ask, answer: Option<PermissionAnswer>, rules: &Rules<'_>) -> Vec<CallEffect> {
        let Some(answer) = answer else {
            return self.left_open(ask);
        };
        let mut objection = None;
        if let PermissionAnswer::Allow { changed, .. } = &answer {
            objection = self.objection(rules);
            if let (None, Some(Changed::Valid(change))) = (&objection, changed) {
                let original = (self.input.clone(), self.presented, self.given.clone());
                let original_checked = (self.checked.clone(), self.pins.clone());
                self.change(change.as_ref().clone());
                objection = self.objection(rules);
                (self.input, self.presented, self.given) = original;
                (self.checked, self.pins) = original_checked;
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

    /// Returns the decision that prevents hooks from allowing the call.
    fn objection(&self, rules: &Rules<'_>) -> Option<Decision> {
        let decision = (rules.decide)(self);
        (after_hook(&decision) != Verdict::Allow).then_some(decision)
    }

    /// Handles a permission request that no hook has answered.
    fn left_open(&mut self, ask: Ask) -> Vec<CallEffect> {
        match ask.of {
            AskedOf::Person => self.set_state(State::Asking(Box::new(ask))),
            AskedOf::Hooks => {
                self.state = State::Decided(Box::new(ask.decision));
                vec![CallEffect::LeftUnanswered]
            }
        }
    }

    /// Replaces the input.
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

    /// Allows the call.
    fn allow(&mut self, grant: Grant) -> Vec<CallEffect> {
        self.state = State::Keeping(grant);
        vec![CallEffect::Keep]
    }

    /// Denies the call by the rules, without a permission request.
    fn refuse(&mut self, decision: Decision) -> Vec<CallEffect> {
        self.state = State::Refused(Box::new(End::denied(Denial::by_rules(&decision))));
        vec![CallEffect::Refuse(Box::new(decision))]
    }

    /// Denies the call by an answer.
    fn deny(&mut self, denial: Denial) -> Vec<CallEffect> {
        let end = self.end(End::denied(denial));
        [CallEffect::NoteDenial].into_iter().chain(end).collect()
    }

    /// Ends the call. This happens exactly once for each call.
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
