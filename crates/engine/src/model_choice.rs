//! The current model. With the alias `opusplan`, plan mode uses a different model.

use std::sync::Arc;

use sluice_model::{Client, Names};

use crate::options::Options;

const ALIAS: &str = "opusplan";

/// The current model and its client.
#[derive(Debug)]
pub(crate) struct ModelChoice {
    pub(crate) client: Arc<Client>,
    /// The id of the model.
    pub(crate) name: String,
    /// The model for plan mode, if it is a different one.
    pub(crate) planner: Option<String>,
    /// The effort level of the launch options.
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

    /// Resolves a name or alias to a model id.
    pub(crate) fn resolve(&self, name: Option<&str>) -> String {
        self.client.names().resolve(name)
    }

    /// The model for plan mode, if a name specifies a different one.
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
    /// The name that was requested.
    pub(crate) requested: Option<String>,
    /// `sdk`, `command` or `auto`.
    pub(crate) source: &'static str,
    /// The kind of response to the host.
    pub(crate) answers: Answers,
}

/// The request that changed the model, which determines the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Answers {
    /// `set_model`, or no request of a host.
    #[default]
    SetModel,
    /// `apply_flag_settings` with a model.
    Settings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_opusplan_alias_has_a_separate_plan_model() {
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
