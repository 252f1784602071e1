//! The model that answers. With the alias `opusplan` one answers in plan mode and another one everywhere else.

use std::sync::Arc;

use sluice_model::{Client, models};

use crate::options::Options;

const ALIAS: &str = "opusplan";

/// Who answers.
#[derive(Debug)]
pub(crate) struct ModelChoice {
    pub(crate) client: Arc<Client>,
    /// The model.
    pub(crate) name: String,
    /// The model that answers in plan mode, where that is another one.
    pub(crate) planner: Option<String>,
    /// How hard the launch said to try.
    pub(crate) launch_effort: Option<String>,
}

impl ModelChoice {
    pub(crate) fn new(options: &Options, client: Arc<Client>) -> Self {
        Self {
            client,
            name: models::resolve(options.model.as_deref()),
            planner: planner(options.model.as_deref()),
            launch_effort: options.effort.clone(),
        }
    }
}

/// A change of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Switch {
    pub(crate) to: String,
    /// As it was asked for.
    pub(crate) requested: Option<String>,
    /// `sdk`, `command` or `auto`.
    pub(crate) source: &'static str,
    /// How a host that asked for it is answered.
    pub(crate) answers: Answers,
}

/// What a host asked for when it asked for another model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Answers {
    /// `set_model`, or nothing at all.
    #[default]
    SetModel,
    /// Settings, one of which is the model.
    Settings,
}

/// The model that answers in plan mode, where a name asks for another one there.
pub(crate) fn planner(name: Option<&str>) -> Option<String> {
    let name = name?.trim().to_ascii_lowercase();
    let window = name.strip_prefix(ALIAS)?;
    matches!(window, "" | "[1m]").then(|| models::resolve(Some(&format!("opus{window}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_alias_asks_for_another_model_in_plan_mode() {
        assert_eq!(planner(Some("opusplan")), Some(models::resolve(Some("opus"))));
        assert_eq!(planner(Some(" OpusPlan[1m]")), Some(models::resolve(Some("opus[1m]"))));
        for other in [None, Some("opus"), Some("opusplanner"), Some("sonnet"), Some("")] {
            assert_eq!(planner(other), None, "{other:?}");
        }
    }
}
