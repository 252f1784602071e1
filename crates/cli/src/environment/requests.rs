//! Variables that affect every model request.

use serde_json::{Map, Value};
use sluice_model::{Adjustments, Cache};

use super::Variables;

/// Variables that affect every model request.
#[derive(Debug, Clone)]
pub(crate) struct RequestVariables {
    /// `DISABLE_PROMPT_CACHING` or `ENABLE_PROMPT_CACHING_1H`.
    cache: Option<Cache>,
    /// `CLAUDE_CODE_DISABLE_THINKING`.
    no_thinking: bool,
    /// `CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING`.
    eager_tool_input: bool,
    /// `CLAUDE_CODE_EXTRA_BODY`.
    extra_body: Option<String>,
}

impl RequestVariables {
    pub(super) fn read(variables: &Variables) -> Self {
        let hour = || variables.truthy("ENABLE_PROMPT_CACHING_1H").then_some(Cache::Hour);
        Self {
            cache: match variables.truthy("DISABLE_PROMPT_CACHING") {
                true => Some(Cache::Off),
                false => hour(),
            },
            no_thinking: variables.truthy("CLAUDE_CODE_DISABLE_THINKING"),
            eager_tool_input: variables.truthy("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING"),
            extra_body: variables.text("CLAUDE_CODE_EXTRA_BODY"),
        }
    }

    /// Returns the changes to every request; `models` is the setting `modelOverrides`.
    pub(crate) fn adjustments(&self, models: Map<String, Value>) -> Result<Adjustments, String> {
        let body: Map<String, Value> = match &self.extra_body {
            Some(text) => serde_json::from_str(text)
                .map_err(|error| format!("CLAUDE_CODE_EXTRA_BODY must be a JSON object: {error}"))?,
            None => Map::new(),
        };
        if let Some(field) = Adjustments::FIXED.iter().find(|field| body.contains_key(**field)) {
            return Err(format!("CLAUDE_CODE_EXTRA_BODY cannot replace `{field}`: leave it out"));
        }
        Ok(Adjustments {
            cache: self.cache,
            no_thinking: self.no_thinking,
            eager_tool_input: self.eager_tool_input,
            body,
            models,
        })
    }
}
