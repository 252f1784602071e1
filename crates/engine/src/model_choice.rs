//! The model that answers. With the alias `opusplan` one answers in plan mode and another one everywhere else.

use std::sync::Arc;

use sluice_model::{Client, Names};

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
            name: client.names().resolve(options.model.name.as_deref()),
            planner: planner(options.model.name.as_deref(), client.names()),
            client,
            launch_effort: options.model.effort.clone(),
        }
    }

    /// The id a name stands for.
    pub(crate) fn resolve(&self, name: Option<&str>) -> String {
        self.client.names().resolve(name)
    }

    /// The model that answers in plan mode, where a name asks for another one there.
    pub(crate) fn planner_of(&self, name: Option<&str>) -> Option<String> {
        planner(name, self.client.names())
    }
}

fn planner(name: Option<&str>, names: &Names) -> Option<String> {
    let name = name?.trim().to_ascii_lowercase();
    let window = name.strip_prefix(ALIAS)?;
    matches!(window, "" | "[1m]").then(|| names.resolve(Some(&format!("opus{window}"))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_alias_asks_for_another_model_in_plan_mode() {
        let names = Names::default();
        assert_eq!(planner(Some("opusplan"), &names), Some(names.resolve(Some("opus"))));
        assert_eq!(
            planner(Some(" OpusPlan[1m]"), &names),
            Some(names.resolve(Some("opus[1m]")))
        );
        for other in [None, Some("opus"), Some("opusplanner"), Some("sonnet"), Some("")] {
            assert_eq!(planner(other, &names), None, "{other:?}");
        }
    }
}
