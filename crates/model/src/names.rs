//! Model names. `ANTHROPIC_DEFAULT_OPUS_MODEL` and the like say what `opus`, `sonnet` and `haiku` mean for a server.
//! They are values of a session, not of the process, so that two sessions may differ.

use std::ffi::OsString;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::models::{ALIASES, DEFAULT, LARGE, LARGE_WINDOW, Prices, SMALL, Thinks, facts, find};

/// An alias, and the variables that set its model; the first that is set counts.
const VARIABLES: &[(&str, &[&str])] = &[
    ("opus", &["ANTHROPIC_DEFAULT_OPUS_MODEL"]),
    ("sonnet", &["ANTHROPIC_DEFAULT_SONNET_MODEL"]),
    (
        "haiku",
        &["ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_SMALL_FAST_MODEL"],
    ),
];

/// The model names of a session, and the models that some of them stand for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names(Arc<[(&'static str, String)]>);

impl Names {
    /// Reads the variables. `variable` returns the value of one, `None` if it is not set.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &&str| variable(name).filter(|value| !value.trim().is_empty());
        let named = VARIABLES
            .iter()
            .filter_map(|(alias, variables)| Some((*alias, variables.iter().find_map(value)?)));
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

    /// The model for small jobs beside the conversation.
    pub fn small(&self) -> &str {
        self.called("haiku").unwrap_or(SMALL)
    }

    /// The id a name stands for; no name stands for the default, one that is no alias for itself.
    pub fn resolve(&self, name: Option<&str>) -> String {
        let name = name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or(DEFAULT);
        let (base, large) = match name.strip_suffix(LARGE) {
            Some(base) => (base, true),
            None => (name, false),
        };
        let lower = base.to_ascii_lowercase();
        if let Some(id) = self.called(&lower) {
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

    #[test]
    fn the_name_of_today_wins_over_the_one_of_yesterday() {
        let names = Names::default().within(&env(&[
            ("ANTHROPIC_SMALL_FAST_MODEL", "old"),
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "new"),
        ]));
        assert_eq!(names.small(), "new");
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
