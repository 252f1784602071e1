//! Model names. `ANTHROPIC_DEFAULT_OPUS_MODEL` and the like say what `opus`, `sonnet` and `haiku` mean for a server.
//! They are values of a session, not of the process, so that two sessions may differ.

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::models::{ALIASES, LARGE, LARGE_WINDOW, Prices, SMALL, Thinks, facts, find};

/// An alias, and the variable that sets its model.
const VARIABLES: &[(&str, &str)] = &[
    ("opus", "ANTHROPIC_DEFAULT_OPUS_MODEL"),
    ("sonnet", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
    ("haiku", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
    ("fable", "ANTHROPIC_DEFAULT_FABLE_MODEL"),
    (SMALL_FAST, "ANTHROPIC_SMALL_FAST_MODEL"),
    (NO_LARGE, "CLAUDE_CODE_DISABLE_1M_CONTEXT"),
];

/// The model for small jobs. It is no alias that a person could name.
const SMALL_FAST: &str = "[small]";
/// The model for small jobs where no variable sets one.
const SMALL_OF_SERVER: &str = "[small of the server]";

/// Set where names with `[1m]` mean the model with its usual window. It is no alias that a person could name.
const NO_LARGE: &str = "[no large window]";

/// The model names of a session, and the models that some of them stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Arc<[(&'static str, String)]>);

impl Names {
    /// Reads the variables. `variable` returns the value of one, `None` if it is not set.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let named = VARIABLES
            .iter()
            .filter_map(|(alias, variable)| Some((*alias, value(variable)?)));
        Self(named.collect())
    }

    /// These, overridden by the variables of an environment.
    #[must_use]
    pub fn within(&self, env: &[(OsString, OsString)]) -> Self {
        let said = Self::read(|wanted| {
            let (_, value) = env.iter().rev().find(|(name, _)| name == wanted)?;
            value.to_str().map(str::to_owned)
        });
        let kept = self.0.iter().filter(|(alias, _)| said.called(alias).is_none());
        Self(said.0.iter().chain(kept).cloned().collect())
    }

    fn called(&self, alias: &str) -> Option<&str> {
        let (_, id) = self.0.iter().find(|(name, _)| *name == alias)?;
        Some(id)
    }

    /// These, with `main` for small jobs unless a variable sets another model: for servers that may have no other one.
    #[must_use]
    pub fn with_main(&self, main: &str) -> Self {
        let known = self.0.iter().filter(|(alias, _)| *alias != SMALL_OF_SERVER);
        Self(known.cloned().chain([(SMALL_OF_SERVER, main.to_owned())]).collect())
    }

    /// The model for small jobs beside the conversation.
    pub fn small(&self) -> &str {
        let named = [SMALL_FAST, "haiku", SMALL_OF_SERVER];
        named.into_iter().find_map(|alias| self.called(alias)).unwrap_or(SMALL)
    }

    /// Whether a name is an alias, and no id of a model.
    pub fn is_alias(name: &str) -> bool {
        let name = name.trim().trim_end_matches(LARGE).to_ascii_lowercase();
        !name.starts_with("claude-") && ALIASES.iter().any(|(alias, _)| *alias == name)
    }

    /// The id a name stands for; no name stands for the default, one that is no alias for itself.
    pub fn resolve(&self, name: Option<&str>) -> String {
        let name = name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("default");
        let (base, large) = match name.strip_suffix(LARGE) {
            Some(base) => (base, !self.called(NO_LARGE).is_some_and(is_truthy)),
            None => (name, false),
        };
        let lower = base.to_ascii_lowercase();
        // The model that is set for Opus is the default, too.
        let alias = match lower.as_str() {
            "default" | "best" => "opus",
            SMALL_FAST | SMALL_OF_SERVER | NO_LARGE => "",
            other => other,
        };
        if let Some(id) = self.called(alias) {
            return if large { format!("{id}{LARGE}") } else { id.to_owned() };
        }
        let id = ALIASES
            .iter()
            .find(|(alias, _)| *alias == lower)
            .map_or(base, |(_, id)| id);
        let large = large && find(id).is_none_or(|model| model.window < LARGE_WINDOW);
        if large { format!("{id}{LARGE}") } else { id.to_owned() }
    }

    /// The models a person is offered, as `models` of the answer to `initialize`.
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
                "supportsAdaptiveThinking": model.thinking == Thinks::Adaptively,
            })
        };
        vec![
            offer("default", "Default", "what is used unless you choose"),
            offer("opus", "Opus", "for everyday and difficult work"),
            offer("fable", "Fable", "for the hardest and longest work"),
            offer("sonnet", "Sonnet", "for routine work at a lower price"),
            offer("haiku", "Haiku", "for quick answers"),
        ]
    }
}

/// Whether the value of a variable switches something on.
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
    fn the_environment_says_what_stands_for_an_alias() {
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

    /// Seen in 2.1.325: the variable for small jobs wins, and does not change the alias.
    #[test]
    fn small_jobs_have_a_model_of_their_own() {
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
    fn a_server_with_one_model_does_the_small_jobs_with_it() {
        assert_eq!(Names::default().small(), SMALL);
        assert_eq!(Names::default().with_main("qwen").small(), "qwen");
        let pinned = Names::default().within(&env(&[("ANTHROPIC_DEFAULT_HAIKU_MODEL", "tiny")]));
        assert_eq!(pinned.with_main("qwen").small(), "tiny");
    }

    #[test]
    fn the_pin_of_opus_moves_the_default_and_fable_has_its_own() {
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
    fn an_environment_is_laid_over_what_was_known() {
        let known = Names::read(|name| (name == "ANTHROPIC_DEFAULT_OPUS_MODEL").then(|| "one".to_owned()));
        let names = known.within(&env(&[("ANTHROPIC_DEFAULT_HAIKU_MODEL", "tiny")]));
        assert_eq!((names.resolve(Some("opus")).as_str(), names.small()), ("one", "tiny"));
        let other = known.within(&env(&[("ANTHROPIC_DEFAULT_OPUS_MODEL", "two")]));
        assert_eq!(other.resolve(Some("opus")), "two");
    }
}
