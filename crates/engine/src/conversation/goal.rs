//! The goal of a session: a condition that is checked when a turn would end.

use serde::Deserialize;

/// A goal and its progress.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Goal {
    condition: String,
    /// Number of checks that found the goal not met.
    iterations: u64,
    last_reason: Option<String>,
}

impl Goal {
    /// Creates a goal that was not checked yet.
    pub(crate) fn new(condition: &str) -> Self {
        Self {
            condition: condition.trim().to_owned(),
            iterations: 0,
            last_reason: None,
        }
    }

    pub(crate) fn condition(&self) -> &str {
        &self.condition
    }

    /// Counts a check that found the goal not met.
    pub(crate) fn miss(&mut self, reason: &str) {
        self.iterations += 1;
        self.last_reason = Some(reason.to_owned());
    }

    /// Describes the goal in one line.
    pub(crate) fn status(&self) -> String {
        let condition = &self.condition;
        match &self.last_reason {
            Some(reason) => format!("Goal: {condition} (checked {} times; {reason})", self.iterations),
            None => format!("Goal: {condition} (not checked yet)"),
        }
    }
}

/// The model's answer to the question whether a goal is met.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Assessment {
    /// Some models use the field name of the reference CLI, `ok`.
    #[serde(alias = "ok")]
    pub(crate) met: bool,
    /// The goal cannot be met.
    #[serde(default)]
    pub(crate) impossible: bool,
    #[serde(default)]
    pub(crate) reason: String,
}

impl Assessment {
    /// Parses the JSON object in an answer. Text around the object is ignored.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let object = text.get(text.find('{')?..=text.rfind('}')?)?;
        serde_json::from_str(object).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assessment_is_parsed_from_surrounding_text() {
        let read = Assessment::read("```json\n{\"met\": false, \"reason\": \"no file {x}\"}\n```");
        let expected = Assessment {
            met: false,
            impossible: false,
            reason: "no file {x}".to_owned(),
        };
        assert_eq!(read, Some(expected));
        assert!(Assessment::read("{\"ok\": true}").is_some_and(|read| read.met));
        for no_answer in ["", "yes", "}{", "{\"met\": \"yes\"}"] {
            assert_eq!(Assessment::read(no_answer), None, "{no_answer}");
        }
    }
}
