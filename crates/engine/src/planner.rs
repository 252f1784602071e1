//! The model alias `opusplan`: one model answers in plan mode, another one everywhere else.

use sluice_model::models;

const ALIAS: &str = "opusplan";

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
