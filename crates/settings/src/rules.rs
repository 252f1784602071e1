//! Permission rules of a settings layer. A deny or ask rule that cannot be parsed covers more than intended, never
//! less.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sluice_permission::{Behavior, PermissionMode, Rule, Source, print_rule, split_rules};

use super::document::{Effect, Problem, position_of};
use super::keys::{self, permissions};
use super::layer::Layer;

const LISTS: [Behavior; 3] = [Behavior::Deny, Behavior::Ask, Behavior::Allow];

/// A problem at a position of a document.
struct EntryProblem {
    keys: Vec<&'static str>,
    index: Option<usize>,
    what: String,
    effect: Effect,
}

/// Returns the rules of a document.
pub(super) fn rules(value: &Map<String, Value>, source: Source, root: &Path) -> Vec<Rule> {
    let mut problems_found = Vec::new();
    collect(value, source, root, &mut problems_found)
}

/// Returns the problems of a document that is valid JSON.
pub(super) fn problems(layer: &Layer, name: &Path, text: Option<&str>) -> Vec<Problem> {
    let mut problems_found = Vec::new();
    collect(&layer.value, layer.source, &layer.root, &mut problems_found);
    check_other_values(&layer.value, &mut problems_found);
    let name: PathBuf = name.to_owned();
    problems_found
        .into_iter()
        .map(|problems_found| {
            let (line, column) = text
                .and_then(|text| position_of(text, &problems_found.keys, problems_found.index))
                .unwrap_or_default();
            Problem {
                source: layer.source,
                path: name.clone(),
                line,
                column,
                message: problems_found.what,
                effect: problems_found.effect,
            }
        })
        .collect()
}

/// Whether the deny or ask rules of a document cannot be read at all.
pub(super) fn unreadable(value: &Map<String, Value>) -> bool {
    let list = |list: &Value| matches!(list, Value::Null | Value::Array(_) | Value::String(_));
    match value.get(keys::PERMISSIONS.name) {
        None | Some(Value::Null) => false,
        Some(Value::Object(permissions)) => {
            let restricting = [Behavior::Deny, Behavior::Ask].into_iter();
            let mut lists = restricting.filter_map(|behavior| permissions.get(behavior.as_str()));
            !lists.all(list)
        }
        Some(_) => true,
    }
}

fn collect(
    value: &Map<String, Value>,
    source: Source,
    root: &Path,
    problems_found: &mut Vec<EntryProblem>,
) -> Vec<Rule> {
    let permissions = match value.get(keys::PERMISSIONS.name) {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Object(permissions)) => permissions,
        Some(_) => {
            problems_found.push(EntryProblem {
                keys: vec![keys::PERMISSIONS.name],
                index: None,
                what: "`permissions` must be an object; write { \"deny\": [], \"ask\": [], \"allow\": [] }".to_owned(),
                effect: Effect::Ignored,
            });
            return Vec::new();
        }
    };
    let mut rules = Vec::new();
    for behavior in LISTS {
        let key = behavior.as_str();
        let at = |index: Option<usize>, what: String, effect: Effect| EntryProblem {
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
                        let what = format!(
                            "entry {} of `permissions.{key}` is not a string; write a rule",
                            index + 1
                        );
                        problems_found.push(at(Some(index), what, Effect::Ignored));
                        continue;
                    };
                    let (found, error) = read(behavior, source, root, text);
                    if let Some(error) = error {
                        let effect = effect_of(&found);
                        let what = format!("in `permissions.{key}`: {error}; correct `{text}`");
                        problems_found.push(at(Some(index), what, effect));
                    }
                    rules.extend(found);
                }
            }
            Some(Value::String(text)) if behavior != Behavior::Allow => {
                let (found, _) = read(behavior, source, root, text);
                let what = format!("`permissions.{key}` must be a list; enclose `{text}` in [ and ]");
                problems_found.push(at(None, what, effect_of(&found)));
                rules.extend(found);
            }
            Some(_) => {
                let what = format!("`permissions.{key}` must be a list of rules; write [ … ]");
                problems_found.push(at(None, what, Effect::Ignored));
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

/// Parses one entry. An invalid allow rule allows nothing; an invalid deny or ask rule applies to every tool it names, and
/// with the missing parenthesis to the commands and paths it names.
fn read(behavior: Behavior, source: Source, root: &Path, text: &str) -> (Vec<Rule>, Option<String>) {
    let error = match Rule::parse(behavior, source, root, text) {
        Ok(rule) => return (vec![rule], None),
        Err(error) => error.to_string(),
    };
    if behavior == Behavior::Allow {
        return (Vec::new(), Some(error));
    }
    let parse = |text: &str| Rule::parse(behavior, source, root, text).ok();
    let read = |piece: &String| match parse(piece) {
        Some(rule) => vec![rule],
        None => {
            let whole = parse(&print_rule(leading_name(piece), None));
            let closed = parse(&format!("{piece})"));
            whole.into_iter().chain(closed).collect()
        }
    };
    let rules = split_rules(text).iter().flat_map(read).collect();
    (rules, Some(error))
}

fn leading_name(text: &str) -> &str {
    let ends = |c: char| matches!(c, '(' | ')' | ',') || c.is_whitespace() || c.is_control();
    text.trim_start_matches(ends).split(ends).next().unwrap_or_default()
}

/// Adds the problems of other values, which would be ignored silently otherwise.
fn check_other_values(value: &Map<String, Value>, problems_found: &mut Vec<EntryProblem>) {
    let mode = value
        .get(keys::PERMISSIONS.name)
        .and_then(|value| value.get(permissions::DEFAULT_MODE.name));
    if let Some(mode) = mode.filter(|mode| !mode.is_null() && known_mode(mode).is_none()) {
        problems_found.push(EntryProblem {
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
        problems_found.push(EntryProblem {
            keys: vec![keys::PERMISSIONS.name, permissions::ADDITIONAL_DIRECTORIES.name],
            index: None,
            what: "`permissions.additionalDirectories` must be a list of folders; write [ … ]".to_owned(),
            effect: Effect::Ignored,
        });
    }
    let plain = |value: &Value| matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    let variables = |env: &Value| env.as_object().is_some_and(|env| env.values().all(plain));
    if value
        .get(keys::ENV.name)
        .is_some_and(|env| !env.is_null() && !variables(env))
    {
        problems_found.push(EntryProblem {
            keys: vec![keys::ENV.name],
            index: None,
            what: "`env` must be an object with string values; write { \"NAME\": \"value\" }".to_owned(),
            effect: Effect::Ignored,
        });
    }
    // These keys have more specific messages, above and where hooks are parsed.
    let checked_elsewhere = [keys::PERMISSIONS, keys::ENV, keys::HOOKS];
    let misshapen = keys::misshapen(value)
        .into_iter()
        .filter(|key| !checked_elsewhere.contains(key));
    problems_found.extend(misshapen.map(|key| EntryProblem {
        keys: vec![key.name],
        index: None,
        what: format!("`{}` must be {}", key.name, key.shape.words()),
        effect: Effect::Ignored,
    }));
}

/// Parses the name of a permission mode.
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
