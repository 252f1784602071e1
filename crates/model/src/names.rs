//! Model names. `ANTHROPIC_DEFAULT_OPUS_MODEL` and similar variables define what `opus`, `sonnet` and `haiku` mean for a
//! server. The names belong to a session, not to the process, so that two sessions may differ.

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::models::{ALIASES, LARGE, LARGE_WINDOW, Prices, SMALL, ThinkingSupport, facts, find};

/// Aliases, and the variables that set their models.
const VARIABLES: &[(&str, &str)] = &[
    ("opus", "ANTHROPIC_DEFAULT_OPUS_MODEL"),
    ("sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
    ("haiku", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
    ("fable", "ANTHROPIC_DEFAULT_FABLE_MODEL"),
    (SMALL_FAST, "ANTHROPIC_SMALL_FAST_MODEL"),
    (NO_LARGE, "CLAUDE_CODE_DISABLE_1M_CONTEXT"),
];

/// The key of the model for small tasks. It is not an alias that a person could enter.
const SMALL_FAST: &str = "[small]";
/// The key of the model for small tasks if no variable sets one.
const SMALL_OF_SERVER: &str = "[small of the server]";

/// The key of the switch that makes `[1m]` names use the normal window. It is not an alias that a person could enter.
const NO_LARGE: &str = "[no large window]";

/// The model names of a session: aliases and the models they resolve to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Arc<[(&'static str, String)]>);

impl Names {
    /// Reads the variables. `variable` returns the value of a variable, or `None` if it is not set.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let named = VARIABLES
            .iter()
            .filter_map(|(alias, variable)| Some((*alias, value(variable)?)));
        Self(named.collect())
    }

    /// Returns these names, overridden by the variables of an environment.
    #[must_use]
    pub fn within(&self, env: &[(OsString, OsString)]) -> Self {
        let overrides = Self::read(|wanted| {
            let (_, value) = env.iter().rev().find(|(name, _)| name == wanted)?;
            value.to_str().map(str::to_owned)
        });
        let unchanged = self.0.iter().filter(|(alias, _)| overrides.model_of(alias).is_none());
        Self(overrides.0.iter().chain(unchanged).cloned().collect())
    }

    fn model_of(&self, alias: &str) -> Option<&str> {
        let (_, id) = self.0.iter().find(|(name, _)| *name == alias)?;
        Some(id)
    }

    /// Returns these names with `main` for small tasks unless a variable sets another model, for servers that may have no
    /// other one.
    #[must_use]
    pub fn with_main(&self, main: &str) -> Self {
        let known = self.0.iter().filter(|(alias, _)| *alias != SMALL_OF_SERVER);
        Self(known.cloned().chain([(SMALL_OF_SERVER, main.to_owned())]).collect())
    }

    /// Returns the model for small tasks outside the conversation.
    pub fn small(&self) -> &str {
        let named = [SMALL_FAST, "haiku", SMALL_OF_SERVER];
        named
            .into_iter()
            .find_map(|alias| self.model_of(alias))
            .unwrap_or(SMALL)
    }

    /// Returns whether a name is an alias rather than a model id.
    pub fn is_alias(name: &str) -> bool {
        let name = name.trim().trim_end_matches(LARGE).to_ascii_lowercase();
        !name.starts_with("claude-") && ALIASES.iter().any(|(alias, _)| *alias == name)
    }

    /// Returns the model id for a name. `None` gives the default model; a name that is not an alias is returned unchanged.
    pub fn resolve(&self, name: Option<&str>) -> String {
        let name = name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("default");
        let (base, large) = match name.strip_suffix(LARGE) {
            Some(base) => (base, !self.model_of(NO_LARGE).is_some_and(is_truthy)),
            None => (name, false),
        };
        let lower = base.to_ascii_lowercase();
        // A model that is set for Opus also becomes the default.
        let alias = match lower.as_str() {
            "default" | "best" => "opus",
            SMALL_FAST | SMALL_OF_SERVER | NO_LARGE => "",
            other => other,
        };
        if let Some(id) = self.model_of(alias) {
            return if large { format!("{id}{LARGE}") } else { id.to_owned() };
        }
        let id = ALIASES
            .iter()
            .find(|(alias, _)| *alias == lower)
            .map_or(base, |(_, id)| id);
        let large = large && find(id).is_none_or(|model| model.window < LARGE_WINDOW);
        if large { format!("{id}{LARGE}") } else { id.to_owned() }
    }

    /// Returns the models to choose from: `models` in the response to `initialize`.
    pub fn picker(&self) -> Vec<Value> {
        let offer = |value: &str, title: &str, what: &str| {
            let id = self.resolve(Some(value));
            let model = facts(&id);
            let prices = model.prices.unwrap_or(Prices::list(0.0, 0.0));
            json!({
                "value": value,
                "resolvedModel": id,
                "displayName": title,
                "description": format!("{} · {what} · ${}/${} per Mtok", model.name, prices.input, prices.output),
                "supportsEffort": !model.efforts.is_empty(),
                "supportedEffortLevels": model.efforts,
                "supportsAdaptiveThinking": model.thinking == ThinkingSupport::Adaptive,
            })
        };
        vec![
            offer("default", "Default", "used unless you choose another model"),
            offer("opus", "Opus", "for everyday and difficult work"),
            offer("fable", "Fable", "for the hardest and longest work"),
            offer("sonnet", "Sonnet", "for routine work at a lower price"),
            offer("haiku", "Haiku", "for quick answers"),
        ]
    }
}

/// Returns whether the value of a variable enables something.
fn is_truthy(value: &str) -> bool {
    ["1", "true", "yes", "on"].contains(&value.trim().to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn environment_sets_the_models_of_aliases() {
        let names = Names::default().within(&env(&[
            ("ANTHROPIC_DEFAULT_OPUS_MODEL", "qwen3"),
            ("ANTHROPIC_SMALL_FAST_MODEL", "tiny"),
            ("ANTHROPIC_DEFAULT_SONNET_MODEL", " "),
        ]));
        assert_eq!(names.resolve(Some("Opus")), "qwen3");
        assert_eq!(names.resolve(Some("opus[1m]")), "qwen3[1m]");
        assert_eq!(names.small(), "tiny");
        assert_eq!(names.resolve(Some("sonnet")), Names::default().resolve(Some("sonnet")));
        let offered = names.picker().iter().any(|model| model["resolvedModel"] == "qwen3");
        assert!(offered);
    }

    /// Observed with 2.1.325: the variable for small tasks takes precedence and does not change the alias.
    #[test]
    fn small_tasks_have_a_separate_model() {
        let names = Names::default().within(&env(&[
            ("ANTHROPIC_SMALL_FAST_MODEL", "tiny"),
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "haiku-here"),
        ]));
        assert_eq!(names.small(), "tiny");
        assert_eq!(names.resolve(Some("haiku")), "haiku-here");
        let alone = Names::default().within(&env(&[("ANTHROPIC_SMALL_FAST_MODEL", "tiny")]));
        assert_eq!(alone.resolve(Some("haiku")), Names::default().resolve(Some("haiku")));
    }

    #[test]
    fn main_model_is_used_for_small_tasks_if_none_is_set() {
        assert_eq!(Names::default().small(), SMALL);
        assert_eq!(Names::default().with_main("qwen").small(), "qwen");
        let pinned = Names::default().within(&env(&[("ANTHROPIC_DEFAULT_HAIKU_MODEL", "tiny")]));
        assert_eq!(pinned.with_main("qwen").small(), "tiny");
    }

    #[test]
    fn opus_variable_changes_the_default_but_not_fable() {
        let names = Names::default().within(&env(&[
            ("ANTHROPIC_DEFAULT_OPUS_MODEL", "big"),
            ("ANTHROPIC_DEFAULT_FABLE_MODEL", "biggest"),
        ]));
        assert_eq!(names.resolve(None), "big");
        assert_eq!(names.resolve(Some("default")), "big");
        assert_eq!(names.resolve(Some("fable")), "biggest");
        assert_eq!(names.resolve(Some("[small]")), "[small]");
        let small_window = names.within(&env(&[("CLAUDE_CODE_DISABLE_1M_CONTEXT", "true")]));
        assert_eq!(names.resolve(Some("claude-sonnet-4-5[1m]")), "claude-sonnet-4-5[1m]");
        assert_eq!(small_window.resolve(Some("claude-sonnet-4-5[1m]")), "claude-sonnet-4-5");
        assert!(Names::is_alias("Opus") && Names::is_alias("sonnet[1m]") && !Names::is_alias("claude-opus-5-5"));
    }

    #[test]
    fn environment_overrides_earlier_names() {
        let known = Names::read(|name| (name == "ANTHROPIC_DEFAULT_OPUS_MODEL").then(|| "one".to_owned()));
        let names = known.within(&env(&[("ANTHROPIC_DEFAULT_HAIKU_MODEL", "tiny")]));
        assert_eq!((names.resolve(Some("opus")).as_str(), names.small()), ("one", "tiny"));
        let other = known.within(&env(&[("ANTHROPIC_DEFAULT_OPUS_MODEL", "two")]));
        assert_eq!(other.resolve(Some("opus")), "two");
    }
}
