//! An answer in the shape the host asked for: the model gives it as the input of a tool that exists for nothing
//! else, and the turn ends with the first one that fits.

use serde_json::{Value, json};
use sluice_tools::Outcome;

use crate::call::CallEvent;
use crate::messages;
use crate::session::Session;
use crate::turn::Ending;

/// The tool's name.
pub(crate) const TOOL: &str = "StructuredOutput";
/// How many answers of the wrong shape end the turn.
const MOST_FAILURES: u32 = 5;

const DESCRIPTION: &str = "Gives your final answer to the program that asked, as the input of this call. Call it once, \
    at the end, with the complete answer. What you write as text does not reach that program.";
/// What the model is told when it ends without the call.
const ENFORCE: &str = "[structured-output-enforce] Your answer counts only as a call of the StructuredOutput tool. \
    Call it now, with the complete answer.";
const GIVEN: &str = "Structured output provided successfully";

/// What came of the answers of one turn.
#[derive(Debug, Default)]
pub(crate) struct Structured {
    /// The first that fits.
    pub(crate) given: Option<Value>,
    failures: u32,
    last_failure: String,
    enforced: bool,
}

impl Structured {
    /// Judges an answer.
    fn judge(&mut self, checked: Result<(), String>, value: &Value) -> Outcome {
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

    /// How the turn ends because of them, if it does.
    fn ending(&mut self) -> Option<Ending> {
        if let Some(value) = self.given.take() {
            return Some(Ending::Structured(value));
        }
        (self.failures >= MOST_FAILURES).then(|| Ending::Unstructured {
            attempts: self.failures,
            last: std::mem::take(&mut self.last_failure),
        })
    }
}

impl Session {
    /// The tool as the model is offered it, where an answer of a certain shape is wanted.
    pub(crate) fn structured_tool(&self) -> Option<Value> {
        let schema = self.options.output_schema.as_ref()?;
        Some(json!({"name": TOOL, "description": DESCRIPTION, "input_schema": schema.offered()}))
    }

    /// Whether a call of this name is an answer.
    pub(crate) fn is_structured(&self, name: &str) -> bool {
        name == TOOL && self.options.output_schema.is_some()
    }

    /// Judges an answer. It goes the way of every call, so that its result comes in its place.
    pub(crate) fn judge(&mut self, index: usize) {
        let (Some(call), Some(schema)) = (self.calls.list.get(index), &self.options.output_schema) else {
            return;
        };
        let checked = match call.input.get(messages::UNPARSED) {
            Some(_) => Err("the input is not valid JSON".to_owned()),
            None => schema.check(&call.input),
        };
        let outcome = self.turn.structured.judge(checked, &call.input);
        self.step(index, CallEvent::Supplied);
        self.calls.running.spawn(std::future::ready((index, outcome)));
    }

    /// How the turn ends because of the answers so far, if it does.
    pub(crate) fn structured_ending(&mut self) -> Option<Ending> {
        self.turn.structured.ending()
    }

    /// Whether the model may be asked, once, for the call it left out.
    pub(crate) fn lacks_structured(&self) -> bool {
        self.options.output_schema.is_some() && !self.turn.structured.enforced
    }

    /// Asks for the call the model left out.
    pub(crate) async fn enforce_structured(&mut self) {
        self.turn.structured.enforced = true;
        self.nudge(ENFORCE).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_that_fits_ends_the_turn() {
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
    fn the_fifth_that_does_not_fit_ends_it_too() {
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
