//! Runs one call without a session, driven by its state machine ([`sluice_call`]).

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sluice_call::{AskedOf, Basis, Call, CallEffect, CallEvent, Changed, Denial, End, Grant, PermissionAnswer, Rules};
use sluice_permission::{Decision, PermissionMode};
use sluice_tools::{AnyTool, Context, Outcome, Pins, Tool};
use sluice_wire::hook::PermissionRequestDecision;
use sluice_wire::permission_update::Behavior;
use tokio_util::sync::CancellationToken;

use super::{Guarded, GuardedAnswer, GuardedCall, Question, Ran};
use crate::hooks::{BeforeCall, HookedCall, SessionlessHooks};
use crate::options::Options;
use crate::sandbox;

/// How long a cancelled call may take to end before it is dropped.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(3);

/// The execution of one call.
pub(super) struct Passage<'a, A> {
    guarded: &'a Guarded,
    request: GuardedCall,
    tool: &'static dyn Tool,
    call: Call,
    /// The permission mode when the call starts.
    mode: PermissionMode,
    hooks: SessionlessHooks,
    options: Arc<Options>,
    cwd: PathBuf,
    /// The outcome of `PreToolUse` hooks.
    before: BeforeCall,
    /// Asks the person. `None` once used.
    ask: Option<A>,
}

impl<'a, A: AsyncFnOnce(Question) -> GuardedAnswer> Passage<'a, A> {
    pub(super) fn new(guarded: &'a Guarded, request: GuardedCall, tool: &'static dyn Tool, ask: A) -> Self {
        let rules = guarded.rules();
        Self {
            call: Call::new(
                request.id.clone(),
                tool.descriptor().name.to_string(),
                tool.fill(&request.input),
                Some(AnyTool::Builtin(tool)),
            ),
            mode: rules.policy.mode.clone(),
            hooks: rules.hooks.clone(),
            options: rules.options.clone(),
            cwd: guarded.cwd.get(),
            before: BeforeCall::default(),
            ask: Some(ask),
            guarded,
            request,
            tool,
        }
    }

    /// Runs the call to its end.
    pub(super) async fn run(mut self) -> Ran {
        let first = match self.tool.check(&self.call.input, &self.cwd) {
            Err(invalid) => CallEvent::Unfit(Box::new(invalid.into())),
            Ok(checked) => {
                let pins = Pins::of(self.tool.descriptor().touches, &checked, &self.cwd);
                self.call.checked = checked;
                CallEvent::Begun(pins)
            }
        };
        let mut effects = VecDeque::from(self.step(first));
        loop {
            let event = match effects.pop_front() {
                Some(CallEffect::Tell { end, .. }) => {
                    return match end.basis {
                        Basis::Denied(denial) => Ran::Denied(denial.message),
                        _ => Ran::Done(end.outcome),
                    };
                }
                Some(effect) => self.perform(effect).await,
                // Hooks have left the request open.
                None => Some(self.ask_person().await),
            };
            effects.extend(event.into_iter().flat_map(|event| self.step(event)));
        }
    }

    /// Advances the state machine with the current rules.
    fn step(&mut self, event: CallEvent) -> Vec<CallEffect> {
        let (guarded, tool) = (self.guarded, self.tool.descriptor().facts());
        let rules = Rules {
            decide: &|call| guarded.decide(tool, &call.checked, &call.pins),
            mode: &self.mode,
        };
        self.call.step(event, &rules)
    }

    /// Performs an effect of the state machine. Returns the resulting event.
    async fn perform(&mut self, effect: CallEffect) -> Option<CallEvent> {
        match effect {
            CallEffect::ShowToHooks => Some(self.show_to_hooks().await),
            CallEffect::Defer => Some(CallEvent::NotDeferred),
            CallEffect::Ask(decision) => Some(self.ask(*decision).await),
            CallEffect::LeftUnanswered => Some(CallEvent::Unasked(None)),
            CallEffect::Apply(updates) => {
                self.guarded.allow(updates);
                None
            }
            // Only the caller is notified.
            CallEffect::Refuse(_) => Some(CallEvent::Settled(None)),
            CallEffect::StopTurn => Some(interrupted()),
            CallEffect::Keep => Some(CallEvent::Kept),
            CallEffect::Run => {
                let (input, context) = (self.call.run_input().clone(), self.context());
                // A tool that does not react to its cancellation is dropped, which ends its processes.
                let ended = run_until_cancelled(self.tool.run(input, &context), &self.request.cancel).await;
                let outcome = ended.unwrap_or_else(Outcome::interrupted);
                Some(CallEvent::Ran(Box::new(outcome)))
            }
            CallEffect::ShowOutcome => {
                self.show_outcome().await;
                Some(CallEvent::Settled(None))
            }
            CallEffect::WithdrawRequest(_) | CallEffect::NoteDenial | CallEffect::Tell { .. } => None,
        }
    }

    async fn show_to_hooks(&mut self) -> CallEvent {
        let looked = self.hooks.before(&self.options, self.hook_call(), &self.call.checked);
        let Some(mut before) = run_until_cancelled(looked, &self.request.cancel).await else {
            return interrupted();
        };
        if let Some(why) = before.halt() {
            return CallEvent::Stopped(Box::new(End::denied(Denial::by_hook(why))));
        }
        let changed = before.input.take().and_then(|input| self.changed(&input));
        let verdict = before.verdict();
        self.before = before;
        CallEvent::HooksSaid { changed, verdict }
    }

    /// Runs `PermissionRequest` hooks. If they do not answer, the person is asked next.
    async fn ask(&mut self, decision: Decision) -> CallEvent {
        let context = self.context();
        let read = |reading| self.guarded.decide(reading, &self.call.checked, &self.call.pins);
        if sandbox::may_look(self.tool.descriptor().touches, read)
            && let Some(outcome) = self.tool.vet(&self.call.checked, &context).await
        {
            return CallEvent::Unfit(Box::new(outcome));
        }
        self.step(CallEvent::Asked {
            request_id: self.request.id.clone(),
            of: AskedOf::Person,
        });
        let asked = (self.hook_call(), &self.call.checked);
        let hooked = self.hooks.asked(&self.options, asked, &decision);
        let Some(hooked) = run_until_cancelled(hooked, &self.request.cancel).await else {
            return interrupted();
        };
        CallEvent::HooksAnswered(hooked.map(|decision| self.answer_of_hook(decision)))
    }

    fn answer_of_hook(&self, decision: PermissionRequestDecision) -> PermissionAnswer {
        if decision.behavior == Behavior::Deny {
            return PermissionAnswer::Deny(Denial::of_hook(decision.message));
        }
        let mut changed = decision.updated_input.and_then(|input| self.changed(&input.to_value()));
        if let Some(Changed::Valid(change)) = &mut changed {
            change.as_given = true;
        }
        PermissionAnswer::Allow {
            changed,
            updates: decision.updated_permissions.unwrap_or_default(),
            grant: Grant::by_hook(),
        }
    }

    /// Sends the permission request to the person, once.
    async fn ask_person(&mut self) -> CallEvent {
        let (Some(open), Some(ask)) = (self.call.ask(), self.ask.take()) else {
            return interrupted();
        };
        let suggestions = open.decision.suggestions.clone();
        let question = Question {
            tool: &self.tool.descriptor().name,
            input: self.call.checked.clone(),
            decision: open.decision.clone(),
        };
        let updates = match run_until_cancelled(ask(question), &self.request.cancel).await {
            None | Some(GuardedAnswer::Withdrawn) => return interrupted(),
            Some(GuardedAnswer::Deny(why)) => {
                return CallEvent::Answered(PermissionAnswer::Deny(Denial::by_person(why)));
            }
            Some(GuardedAnswer::Allow) => Vec::new(),
            Some(GuardedAnswer::AllowFromNowOn) => suggestions.unwrap_or_default(),
        };
        CallEvent::Answered(PermissionAnswer::Allow {
            changed: None,
            updates,
            grant: Grant::by("user_temporary"),
        })
    }

    /// Runs hooks on the outcome. A call that ran is reported even if the hooks are cancelled.
    async fn show_outcome(&mut self) {
        let Some(end) = self.call.untold() else { return };
        let before = std::mem::take(&mut self.before);
        let call = (self.hook_call(), &self.call.checked);
        let after = self.hooks.after(&self.options, call, before, end.outcome.clone());
        if let Some(outcome) = run_until_cancelled(after, &self.request.cancel).await
            && let Some(end) = self.call.untold_mut()
        {
            end.outcome = outcome;
        }
    }

    /// The input with which hooks replaced the input of the call.
    fn changed(&self, input: &Value) -> Option<Changed> {
        Changed::by_hook(&self.call, input, &self.cwd)
    }

    fn hook_call(&self) -> HookedCall<'_> {
        HookedCall {
            id: &self.request.id,
            tool: &self.call.name,
            mode: &self.mode,
            cwd: &self.cwd,
        }
    }

    fn context(&self) -> Context {
        self.guarded.context(&self.request, self.call.pins.clone())
    }
}

fn interrupted() -> CallEvent {
    CallEvent::Stopped(Box::new(End::stopped(Outcome::interrupted())))
}

/// Awaits `work`. After a cancellation, `work` has [`CANCEL_TIMEOUT`] to end: to kill its processes and withdraw its
/// requests.
async fn run_until_cancelled<T>(work: impl Future<Output = T>, cancel: &CancellationToken) -> Option<T> {
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => return Some(done),
        () = cancel.cancelled() => {}
    }
    tokio::time::timeout(CANCEL_TIMEOUT, work).await.ok()
}
