//! Building the `result` message that ends each turn.

use sluice_model::cost::Tokens;
use sluice_wire::stdout::{DeferredToolUse, ResultSubtype, TerminalReason, TurnResult};
use sluice_wire::{Number, Raw};

use super::fresh_id;
use crate::turn::{Ending, Turn};

/// The result of a session that cannot start.
pub(crate) fn refusal(text: &str) -> TurnResult {
    let mut result = TurnResult {
        usage: serde_json::from_value(Tokens::default().to_usage()).unwrap_or_default(),
        uuid: fresh_id(),
        result_index: Some(0),
        ..TurnResult::default()
    };
    fail(&mut result, ResultSubtype::ErrorDuringExecution, text.to_owned());
    result
}

/// Fills in the fields that depend on the ending.
pub(crate) fn end(result: &mut TurnResult, ending: &Ending, turn: &Turn) {
    match ending {
        Ending::Completed => {
            succeed(result, turn.shown());
            result.terminal_reason = Some(TerminalReason::Completed);
        }
        Ending::Recorded => {
            succeed(result, "");
            result.num_turns = 0;
            result.duration_api_ms = 0;
            result.stop_reason = None;
        }
        Ending::Local { command, text } => {
            succeed(result, text);
            result.local_command.clone_from(command);
            result.num_turns = 0;
            result.duration_api_ms = 0;
            result.stop_reason = None;
        }
        Ending::Structured(value) => {
            succeed(result, &value.to_string());
            result.structured_output = Some(value.clone());
            result.terminal_reason = Some(TerminalReason::Completed);
        }
        Ending::Blocked(text) => {
            succeed(result, text);
            result.num_turns = 0;
            result.stop_reason = None;
        }
        Ending::HookStopped(reason) => {
            let ended = *reason == "stop_hook_prevented";
            succeed(result, if ended { turn.shown() } else { "" });
            result.terminal_reason = Some(TerminalReason::from(*reason));
        }
        Ending::Deferred(call) => {
            succeed(result, "");
            result.stop_reason = Some("tool_deferred".to_owned());
            result.terminal_reason = Some(TerminalReason::ToolDeferred);
            result.deferred_tool_use = Some(DeferredToolUse {
                id: call.id.clone(),
                name: call.name.clone(),
                input: Raw::of(&call.input),
                ..DeferredToolUse::default()
            });
        }
        Ending::DeferredUnavailable(name) => {
            let text = format!("The deferred call of {name} cannot run: this session has no such tool.");
            succeed(result, &text);
            result.is_error = true;
            result.stop_reason = Some("tool_deferred_unavailable".to_owned());
            result.terminal_reason = Some(TerminalReason::ToolDeferredUnavailable);
        }
        Ending::Superseded { tools } => {
            succeed(result, turn.shown());
            result.terminal_reason = Some(aborted(*tools));
        }
        Ending::Api(api) => {
            succeed(result, &api.text);
            result.is_error = true;
            result.terminal_reason = Some(TerminalReason::from(api.reason));
            result.api_error_status = api.status.map(u64::from);
            result.api_error_type.clone_from(&api.kind);
            result.api_error = api.error.map(str::to_owned);
        }
        Ending::Unstructured { .. } | Ending::Interrupted { .. } | Ending::MaxTurns(_) | Ending::Budget(_) => {
            fill_error(result, ending, turn);
        }
    }
}

/// Fills in the fields of an ending that is an error.
fn fill_error(result: &mut TurnResult, ending: &Ending, turn: &Turn) {
    match ending {
        Ending::Interrupted { tools } => {
            let what = if *tools { "tools ran" } else { "the model answered" };
            fail(
                result,
                ResultSubtype::ErrorDuringExecution,
                format!("The turn was interrupted while {what}"),
            );
            result.terminal_reason = Some(aborted(*tools));
            // A response that was cut off has no stop reason; use the one of the previous response.
            result.stop_reason = turn.stop_reason.clone().or_else(|| turn.last_stop.clone());
            if turn.times.first_request.is_none() {
                result.num_turns = 0;
            }
        }
        Ending::MaxTurns(limit) => {
            fail(
                result,
                ResultSubtype::ErrorMaxTurns,
                format!("Reached maximum number of turns ({limit})"),
            );
            result.terminal_reason = Some(TerminalReason::MaxTurns);
        }
        Ending::Budget(limit) => {
            let text = format!("Reached maximum budget (${})", Number(*limit));
            fail(result, ResultSubtype::ErrorMaxBudgetUsd, text);
            result.terminal_reason = Some(TerminalReason::BudgetExhausted);
        }
        Ending::Unstructured { attempts, last } => {
            let text = format!("Failed to provide valid structured output after {attempts} attempts: {last}");
            fail(result, ResultSubtype::ErrorMaxStructuredOutputRetries, text);
            result.terminal_reason = Some(TerminalReason::StructuredOutputRetryExhausted);
        }
        _ => {}
    }
}

fn aborted(tools: bool) -> TerminalReason {
    if tools {
        TerminalReason::AbortedTools
    } else {
        TerminalReason::AbortedStreaming
    }
}

fn succeed(result: &mut TurnResult, text: &str) {
    result.subtype = ResultSubtype::Success;
    result.result = Some(text.to_owned());
}

fn fail(result: &mut TurnResult, subtype: ResultSubtype, text: String) {
    result.subtype = subtype;
    result.is_error = true;
    result.errors = Some(vec![text]);
}
