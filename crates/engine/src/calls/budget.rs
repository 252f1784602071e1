//! The budget for all results of one message: in memory, for the host and for the model.

use serde_json::Value;
use sluice_tools::Outcome;

/// The maximum number of bytes that the results of one message may have together, as sent to the model and the host:
/// half of the maximum size of a model request.
const MAX_BYTES: usize = 32 << 20;
/// The maximum number of calls that run at the same time. The results of running calls are not counted yet.
pub(super) const MAX_RUNNING: usize = 64;

/// Bytes used by the results of the current message.
#[derive(Debug, Default)]
pub(super) struct ResultBudget {
    used: usize,
    exceeded: bool,
}

impl ResultBudget {
    /// Counts the result of a call. A result that exceeds the budget is replaced by an error; its effects are kept. The
    /// first result always fits, because each tool limits its own results.
    pub(super) fn count(&mut self, outcome: Outcome) -> Outcome {
        let total = self.used.saturating_add(size(&outcome.content) + size(&outcome.result));
        if total <= MAX_BYTES || self.used == 0 {
            self.used = total;
            return outcome;
        }
        self.exceeded = true;
        Outcome {
            effects: outcome.effects,
            ..error("The call ran, but its result was dropped")
        }
    }

    /// The error for a call that is not run because an earlier result exceeded the budget.
    pub(super) fn refusal(&self) -> Option<Outcome> {
        self.exceeded.then(|| error("The call was not run"))
    }
}

fn error(what: &str) -> Outcome {
    Outcome::failed(format!(
        "{what}: the results of one message may have {} MiB together, and the calls of this message reached that. Make \
         fewer calls in one message, or ask for smaller parts.",
        MAX_BYTES >> 20
    ))
}

/// The approximate number of bytes of a value as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|item| size(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields
                .iter()
                .map(|(key, item)| key.len() + size(item) + 4)
                .sum::<usize>()
                + 2
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sluice_tools::Effect;

    use super::*;

    #[test]
    fn oversized_result_is_replaced_and_later_calls_are_refused() {
        let mut budget = ResultBudget::default();
        let large = "x".repeat(MAX_BYTES);
        let first = budget.count(Outcome::ok("y", json!({"text": large})));
        assert_eq!((first.is_error, budget.refusal()), (None, None));
        let second = budget.count(Outcome::ok("z", json!([])).with(Effect::EnterPlan));
        assert_eq!((second.is_error, second.effects), (Some(true), vec![Effect::EnterPlan]));
        assert!(budget.refusal().is_some_and(|refusal| refusal.is_error == Some(true)));
    }
}
