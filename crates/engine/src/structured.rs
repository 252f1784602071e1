//! Structured output: the model passes its final answer as the input of a special tool. The turn ends with the first
//! input that matches the schema.

use serde_json::{Value, json};
use sluice_call::CallEvent;

use crate::messages;
use crate::session::Session;
use crate::turn::Ending;

/// The name of the tool.
pub(crate) const TOOL: &str = "StructuredOutput";

const DESCRIPTION: &str = "Gives your final answer to the program that asked, as the input of this call. Call it once, \
    at the end, with the complete answer. What you write as text does not reach that program.";
/// The prompt for a model that ended its turn without the call.
const ENFORCE: &str = "[structured-output-enforce] Your answer counts only as a call of the StructuredOutput tool. \
    Call it now, with the complete answer.";

impl Session {
    /// The tool definition, if structured output is enabled.
    pub(crate) fn structured_tool(&self) -> Option<Value> {
        let schema = self.options.conversation.output_schema.as_ref()?;
        Some(json!({"name": TOOL, "description": DESCRIPTION, "input_schema": schema.offered()}))
    }

    /// True if a call of this name is structured output.
    pub(crate) fn is_structured(&self, name: &str) -> bool {
        name == TOOL && self.options.conversation.output_schema.is_some()
    }

    /// Validates structured output. It is handled like any call, so that its result is sent in order.
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

    /// Returns how the turn ends because of structured output, if it does.
    pub(crate) fn structured_ending(&mut self) -> Option<Ending> {
        self.turn.structured.ending()
    }

    /// True if the model may be prompted, once, for the missing call.
    pub(crate) fn lacks_structured(&self) -> bool {
        self.options.conversation.output_schema.is_some() && !self.turn.structured.enforced
    }

    /// Prompts the model for the missing call.
    pub(crate) async fn enforce_structured(&mut self) {
        self.turn.structured.enforced = true;
        self.nudge(ENFORCE).await;
    }
}
