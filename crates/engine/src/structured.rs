//! An answer in the shape the host asked for: the model gives it as the input of a tool that exists for nothing
//! else, and the turn ends with the first one that fits.

use serde_json::{Value, json};
use sluice_call::CallEvent;

use crate::messages;
use crate::session::Session;
use crate::turn::Ending;

/// The tool's name.
pub(crate) const TOOL: &str = "StructuredOutput";

const DESCRIPTION: &str = "Gives your final answer to the program that asked, as the input of this call. Call it once, \
    at the end, with the complete answer. What you write as text does not reach that program.";
/// What the model is told when it ends without the call.
const ENFORCE: &str = "[structured-output-enforce] Your answer counts only as a call of the StructuredOutput tool. \
    Call it now, with the complete answer.";

impl Session {
    /// The tool as the model is offered it, where an answer of a certain shape is wanted.
    pub(crate) fn structured_tool(&self) -> Option<Value> {
        let schema = self.options.conversation.output_schema.as_ref()?;
        Some(json!({"name": TOOL, "description": DESCRIPTION, "input_schema": schema.offered()}))
    }

    /// Whether a call of this name is an answer.
    pub(crate) fn is_structured(&self, name: &str) -> bool {
        name == TOOL && self.options.conversation.output_schema.is_some()
    }

    /// Judges an answer. It goes the way of every call, so that its result comes in its place.
    pub(crate) fn judge(&mut self, index: usize) {
        let (Some(call), Some(schema)) = (self.calls.get(index), &self.options.conversation.output_schema) else {
            return;
        };
        let checked = match call.input.get(messages::UNPARSED) {
            Some(_) => Err("the input is not valid JSON".to_owned()),
            None => schema.check(&call.input),
        };
        let outcome = self.turn.structured.judge(checked, &call.input);
        self.step(index, CallEvent::Supplied);
        self.calls.run(index, std::future::ready(outcome));
    }

    /// How the turn ends because of the answers so far, if it does.
    pub(crate) fn structured_ending(&mut self) -> Option<Ending> {
        self.turn.structured.ending()
    }

    /// Whether the model may be asked, once, for the call it left out.
    pub(crate) fn lacks_structured(&self) -> bool {
        self.options.conversation.output_schema.is_some() && !self.turn.structured.enforced
    }

    /// Asks for the call the model left out.
    pub(crate) async fn enforce_structured(&mut self) {
        self.turn.structured.enforced = true;
        self.nudge(ENFORCE).await;
    }
}
