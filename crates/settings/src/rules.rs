//! Permission rules of a settings layer. A deny or ask rule that cannot be parsed covers more, never less.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_permission::{Behavior, PermissionMode, Rule, Source, print_rule, split_rules};

use super::document::{Effect, Problem, place};
use super::keys::{self, permissions};
use super::layer::Layer;

const LISTS: [Behavior; 3] = [Behavior::Deny, Behavior::Ask, Behavior::Allow];

/// Something wrong at a place in a document.
struct Bad {
    keys: Vec<&'static str>,
    index: Option<usize>,
    what: String,
    effect: Effect,
}

/// The rules of a document.
pub(super) fn rules(value: &Map<String, Value>, source: Source, root: &Path) -> Vec<Rule> {
    let mut bad = Vec::new();
    collect(value, source, root, &mut bad)
}

/// What is wrong inside a document that could be parsed.
pub(super) fn problems(layer: &Layer, name: &Path, text: Option<&str>) -> Vec<Problem> {
    let mut bad = Vec::new();
    collect(&layer.value, layer.source, &layer.root, &mut bad);
    others(&layer.value, &mut bad);
    let name: PathBuf = name.to_owned();
    bad.into_iter()
        .map(|bad| {
            let (line, column) = text
                .and_then(|text| place(text, &bad.keys, bad.index))
                .unwrap_or_default();
            Problem {
                source: layer.source,
                path: name.clone(),
                line,
                column,
                message: bad.what,
                effect: bad.effect,
            }
        })
        .collect()
}

fn collect(value: &Map<String, Value>, source: Source, root: &Path, bad: &mut Vec<Bad>) -> Vec<Rule> {
    let permissions = match value.get(keys::PERMISSIONS.name) {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Object(permissions)) => permissions,
        Some(_) => {
            bad.push(Bad {
                keys: vec![keys::PERMISSIONS.name],
                index: None,
                what: "`permissions` has to be an object; write { \"deny\": [], \"ask\": [], \"allow\": [] }"
                    .to_owned(),
                effect: Effect::Ignored,
            });
            return Vec::new();
        }
    };
    let mut rules = Vec::new();
    for behavior in LISTS {
        let key = behavior.as_str();
        let at = |index: Option<usize>, what: String, effect: Effect| Bad {
            keys: vec![keys::PERMISSIONS.name, key],
            index,
            what,
            effect,
        };
        match permissions.get(key) {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) => {
                for (index, entry) in entries.iter().enumerate() {
                    let Some(text) = entry.as_str() else {
                        let what = format!("entry {} of `permissions.{key}` is not text; write a rule", index + 1);
                        bad.push(at(Some(index), what, Effect::Ignored));
                        continue;
                    };
                    let (found, error) = read(behavior, source, root, text);
                    if let Some(error) = error {
                        let effect = effect_of(&found);
                        let what = format!("in `permissions.{key}`: {error}; correct `{text}`");
                        bad.push(at(Some(index), what, effect));
                    }
                    rules.extend(found);
                }
            }
            Some(Value::String(text)) if behavior != Behavior::Allow => {
                let (found, _) = read(behavior, source, root, text);
                let what = format!("`permissions.{key}` has to be a list; put `{text}` between [ and ]");
                bad.push(at(None, what, effect_of(&found)));
                rules.extend(found);
            }
            Some(_) => {
                let what = format!("`permissions.{key}` has to be a list of rules; write [ … ]");
                bad.push(at(None, what, Effect::Ignored));
            }
        }
    }
    rules
}

fn effect_of(found: &[Rule]) -> Effect {
    if found.is_empty() {
        Effect::Ignored
    } else {
        Effect::Stricter
    }
}

/// One entry. What is no rule allows nothing; what was meant to forbid forbids every tool it names.
fn read(behavior: Behavior, source: Source, root: &Path, text: &str) -> (Vec<Rule>, Option<String>) {
    let error = match Rule::parse(behavior, source, root, text) {
        Ok(rule) => return (vec![rule], None),
        Err(error) => error.to_string(),
    };
    if behavior == Behavior::Allow {
        return (Vec::new(), Some(error));
    }
    let rules = split_rules(text)
        .iter()
        .filter_map(|piece| {
            Rule::parse(behavior, source, root, piece)
                .or_else(|_| Rule::parse(behavior, source, root, &print_rule(leading_name(piece), None)))
                .ok()
        })
        .collect();
    (rules, Some(error))
}

fn leading_name(text: &str) -> &str {
    let ends = |c: char| matches!(c, '(' | ')' | ',') || c.is_whitespace() || c.is_control();
    text.trim_start_matches(ends).split(ends).next().unwrap_or_default()
}

/// Values outside the lists of rules that would be dropped without a word.
fn others(value: &Map<String, Value>, bad: &mut Vec<Bad>) {
    let mode = value
        .get(keys::PERMISSIONS.name)
        .and_then(|value| value.get(permissions::DEFAULT_MODE.name));
    if let Some(mode) = mode.filter(|mode| !mode.is_null() && known_mode(mode).is_none()) {
        bad.push(Bad {
            keys: vec![keys::PERMISSIONS.name, permissions::DEFAULT_MODE.name],
            index: None,
            what: format!("{mode} is not a mode; use one of {}", PermissionMode::KNOWN.join(", ")),
            effect: Effect::Ignored,
        });
    }
    let directories = value
        .get(keys::PERMISSIONS.name)
        .and_then(|value| value.get(permissions::ADDITIONAL_DIRECTORIES.name));
    let listed = |list: &Value| list.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    if directories.is_some_and(|list| !list.is_null() && !listed(list)) {
        bad.push(Bad {
            keys: vec![keys::PERMISSIONS.name, permissions::ADDITIONAL_DIRECTORIES.name],
            index: None,
            what: "`permissions.additionalDirectories` has to be a list of folders; write [ … ]".to_owned(),
            effect: Effect::Ignored,
        });
    }
    let plain = |value: &Value| matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    let variables = |env: &Value| env.as_object().is_some_and(|env| env.values().all(plain));
    if value
        .get(keys::ENV.name)
        .is_some_and(|env| !env.is_null() && !variables(env))
    {
        bad.push(Bad {
            keys: vec![keys::ENV.name],
            index: None,
            what: "`env` has to be an object with string values; write { \"NAME\": \"value\" }".to_owned(),
            effect: Effect::Ignored,
        });
    }
    // These have words of their own, here and where hooks are read.
    let told = [keys::PERMISSIONS, keys::ENV, keys::HOOKS];
    let misshapen = keys::misshapen(value).into_iter().filter(|key| !told.contains(key));
    bad.extend(misshapen.map(|key| Bad {
        keys: vec![key.name],
        index: None,
        what: format!("`{}` has to be {}", key.name, key.shape.words()),
        effect: Effect::Ignored,
    }));
}

/// The mode a settings value names.
pub(super) fn known_mode(value: &Value) -> Option<PermissionMode> {
    match PermissionMode::from(value.as_str()?) {
        PermissionMode::Other(word) if &*word == "manual" => Some(PermissionMode::Default),
        PermissionMode::Other(_) => None,
        known => Some(known),
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
