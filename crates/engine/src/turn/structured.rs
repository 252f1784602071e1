//! The structured output of one turn.

use serde_json::{Value, json};
use sluice_tools::Outcome;

use super::Ending;

/// The number of invalid outputs that ends the turn.
const MAX_FAILURES: u32 = 5;
const GIVEN: &str = "Structured output provided successfully";

/// The state of structured output in one turn.
#[derive(Debug, Default)]
pub(crate) struct Structured {
    /// The first valid output.
    pub(crate) given: Option<Value>,
    failures: u32,
    last_failure: String,
    pub(crate) enforced: bool,
}

impl Structured {
    /// Validates an output. Returns the result of the call.
    pub(crate) fn judge(&mut self, checked: Result<(), String>, value: &Value) -> Outcome {
        match checked {
            Ok(()) => {
                self.given.get_or_insert_with(|| value.clone());
                Outcome::ok(GIVEN, json!(GIVEN))
            }
            Err(issues) => {
                self.failures += 1;
                self.last_failure = format!("Output does not match required schema: {issues}");
                Outcome::failed(&self.last_failure)
            }
        }
    }

    /// Returns how the turn ends because of structured output, if it does.
    pub(crate) fn ending(&mut self) -> Option<Ending> {
        if let Some(value) = self.given.take() {
            return Some(Ending::Structured(value));
        }
        (self.failures >= MAX_FAILURES).then(|| Ending::Unstructured {
            attempts: self.failures,
            last: std::mem::take(&mut self.last_failure),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_valid_output_ends_the_turn() {
        let mut structured = Structured::default();
        assert_eq!(
            structured.judge(Err("/n: must be number".into()), &json!({})).is_error,
            Some(true)
        );
        assert_eq!(structured.ending(), None);
        structured.judge(Ok(()), &json!({"n": 1}));
        structured.judge(Ok(()), &json!({"n": 2}));
        assert_eq!(structured.ending(), Some(Ending::Structured(json!({"n": 1}))));
    }

    #[test]
    fn fifth_invalid_output_ends_the_turn() {
        let mut structured = Structured::default();
        for _ in 0..4 {
            structured.judge(Err("/n: must be number".into()), &json!({}));
            assert_eq!(structured.ending(), None);
        }
        structured.judge(Err("/m: must be string".into()), &json!({}));
        assert_eq!(
            structured.ending(),
            Some(Ending::Unstructured {
                attempts: 5,
                last: "Output does not match required schema: /m: must be string".into(),
            })
        );
    }
}
