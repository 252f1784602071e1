//! Permission updates, as hosts and hooks send them (`addRules`, `setMode` and so on).

use std::path::{Path, PathBuf};

use sluice_wire::mode::PermissionMode;
use sluice_wire::permission_update as wire;
use sluice_wire::permission_update::{Destination, PermissionUpdate};

use crate::path::{Paths, absolute};
use crate::policy::Policy;
use crate::rule::{Behavior, Rule, Source, is_whole, parse_rule, print_rule};

/// How many entries one update may carry.
pub const MOST_ENTRIES: usize = 4096;

/// The change of a settings file that makes an update permanent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Which file: user, project or local settings.
    pub destination: Source,
    /// What to write.
    pub edit: Edit,
}

/// One edit of the `permissions` object of a settings file. `sluice-settings` knows how that is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Add these texts to a list, once each.
    Add {
        /// The list.
        list: List,
        /// What to add.
        entries: Vec<String>,
    },
    /// Replace a list by these texts.
    Replace {
        /// The list.
        list: List,
        /// The new entries.
        entries: Vec<String>,
    },
    /// Remove these texts from a list.
    Remove {
        /// The list.
        list: List,
        /// What to remove.
        entries: Vec<String>,
    },
    /// Set the default permission mode.
    DefaultMode(String),
}

impl Edit {
    /// The allow rules that it adds to the file.
    #[must_use]
    pub fn allowed(&self) -> &[String] {
        match self {
            Self::Add { list, entries } | Self::Replace { list, entries } if *list == List::Rules(Behavior::Allow) => {
                entries
            }
            _ => &[],
        }
    }
}

/// A list in the `permissions` object of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// The permission rules of a behaviour.
    Rules(Behavior),
    /// The additional working directories.
    Directories,
}

/// Why an update was not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// An unknown type of update.
    #[error("unknown kind of permission update")]
    UnknownKind,
    /// An unknown destination.
    #[error("unknown destination `{0}`")]
    UnknownDestination(String),
    /// An unknown behaviour.
    #[error("unknown behaviour `{0}`")]
    UnknownBehavior(String),
    /// An unknown permission mode.
    #[error("unknown mode `{0}`")]
    UnknownMode(String),
    /// A rule that is none.
    #[error(transparent)]
    BadRule(#[from] crate::rule::RuleError),
    /// A list beyond reason.
    #[error("more than {MOST_ENTRIES} entries in one update")]
    TooMany,
}

/// Applies `update` to `policy` and returns the change of a settings file, if its destination is one.
///
/// A bypass that was not asked for at launch is ignored: no error, no change. `roots` gives the
/// base of `/x` patterns for each destination.
pub fn apply(
    policy: &mut Policy,
    update: &PermissionUpdate,
    root_of: &dyn Fn(Source) -> PathBuf,
    paths: &dyn Paths,
) -> Result<Option<FileChange>, UpdateError> {
    match update {
        PermissionUpdate::AddRules(add) => {
            let change = rules(&add.rules, &add.behavior, &add.destination, root_of)?;
            for rule in &change.rules {
                if !policy.rules.contains(rule) {
                    policy.rules.push(rule.clone());
                }
            }
            Ok(change.file(|list, entries| Edit::Add { list, entries }))
        }
        PermissionUpdate::ReplaceRules(replace) => {
            let change = rules(&replace.rules, &replace.behavior, &replace.destination, root_of)?;
            policy
                .rules
                .retain(|rule| rule.behavior != change.behavior || rule.source != change.source);
            policy.rules.extend(change.rules.iter().cloned());
            Ok(change.file(|list, entries| Edit::Replace { list, entries }))
        }
        PermissionUpdate::RemoveRules(remove) => {
            let change = rules(&remove.rules, &remove.behavior, &remove.destination, root_of)?;
            policy.rules.retain(|rule| {
                rule.behavior != change.behavior
                    || rule.source != change.source
                    || !change
                        .rules
                        .iter()
                        .any(|gone| gone.tool == rule.tool && gone.content == rule.content)
            });
            Ok(change.file(|list, entries| Edit::Remove { list, entries }))
        }
        PermissionUpdate::SetMode(set) => set_mode(policy, set),
        PermissionUpdate::AddDirectories(add) => {
            let source = source(&add.destination)?;
            bounded(add.directories.len())?;
            for directory in &add.directories {
                let directory = directory_path(policy, directory);
                let held = policy
                    .roots
                    .iter()
                    .any(|root| *root == directory || paths.resolve(root) == paths.resolve(&directory));
                if !held {
                    policy.roots.push(directory);
                }
            }
            Ok(file(
                source,
                |entries| Edit::Add {
                    list: List::Directories,
                    entries,
                },
                &add.directories,
            ))
        }
        PermissionUpdate::RemoveDirectories(remove) => {
            let source = source(&remove.destination)?;
            bounded(remove.directories.len())?;
            let gone: Vec<PathBuf> = remove
                .directories
                .iter()
                .map(|directory| directory_path(policy, directory))
                .collect();
            // The directory of the session always remains.
            let mut first = true;
            policy
                .roots
                .retain(|root| std::mem::take(&mut first) || !gone.contains(root));
            Ok(file(
                source,
                |entries| Edit::Remove {
                    list: List::Directories,
                    entries,
                },
                &remove.directories,
            ))
        }
        PermissionUpdate::Unknown(_) => Err(UpdateError::UnknownKind),
    }
}

fn set_mode(policy: &mut Policy, set: &wire::SetMode) -> Result<Option<FileChange>, UpdateError> {
    let source = source(&set.destination)?;
    let mode = match &set.mode {
        PermissionMode::Other(word) if &**word == "manual" => PermissionMode::Default,
        PermissionMode::Other(word) => return Err(UpdateError::UnknownMode(word.to_string())),
        PermissionMode::BypassPermissions if !policy.bypass_launched => return Ok(None),
        known => known.clone(),
    };
    policy.mode = mode.clone();
    Ok(is_file(source).then(|| FileChange {
        destination: source,
        edit: Edit::DefaultMode(mode.as_str().to_owned()),
    }))
}

struct RuleChange {
    behavior: Behavior,
    source: Source,
    rules: Vec<Rule>,
}

impl RuleChange {
    fn file(&self, edit: impl Fn(List, Vec<String>) -> Edit) -> Option<FileChange> {
        is_file(self.source).then(|| FileChange {
            destination: self.source,
            edit: edit(List::Rules(self.behavior), self.rules.iter().map(Rule::text).collect()),
        })
    }
}

fn rules(
    values: &[wire::Rule],
    behavior: &wire::Behavior,
    destination: &Destination,
    root_of: &dyn Fn(Source) -> PathBuf,
) -> Result<RuleChange, UpdateError> {
    bounded(values.len())?;
    let source = source(destination)?;
    let behavior = match behavior {
        wire::Behavior::Allow => Behavior::Allow,
        wire::Behavior::Deny => Behavior::Deny,
        wire::Behavior::Ask => Behavior::Ask,
        wire::Behavior::Other(word) => {
            return Err(UpdateError::UnknownBehavior(word.to_string()));
        }
    };
    let root = root_of(source);
    let rules = values
        .iter()
        .map(|value| {
            // A name with a parenthesis in it would mean something else when read back.
            let (tool, inner) = parse_rule(&value.tool_name)?;
            if inner.is_some() {
                return Err(crate::rule::RuleError::BadName(value.tool_name.clone()));
            }
            let content = value.rule_content.clone().filter(|c| !is_whole(Some(c)));
            parse_rule(&print_rule(&tool, content.as_deref()))?;
            Ok(Rule {
                behavior,
                source,
                root: root.clone(),
                tool,
                content,
            })
        })
        .collect::<Result<_, crate::rule::RuleError>>()?;
    Ok(RuleChange {
        behavior,
        source,
        rules,
    })
}

fn source(destination: &Destination) -> Result<Source, UpdateError> {
    match destination {
        Destination::Session => Ok(Source::Session),
        Destination::UserSettings => Ok(Source::User),
        Destination::ProjectSettings => Ok(Source::Project),
        Destination::LocalSettings => Ok(Source::Local),
        Destination::CliArg => Ok(Source::CliArg),
        Destination::Other(word) => Err(UpdateError::UnknownDestination(word.to_string())),
    }
}

fn bounded(entries: usize) -> Result<(), UpdateError> {
    if entries > MOST_ENTRIES {
        return Err(UpdateError::TooMany);
    }
    Ok(())
}

fn is_file(source: Source) -> bool {
    matches!(source, Source::User | Source::Project | Source::Local)
}

fn file(source: Source, edit: impl Fn(Vec<String>) -> Edit, entries: &[String]) -> Option<FileChange> {
    is_file(source).then(|| FileChange {
        destination: source,
        edit: edit(entries.to_vec()),
    })
}

fn directory_path(policy: &Policy, directory: &str) -> PathBuf {
    match directory.strip_prefix("~/") {
        Some(rest) => absolute(&policy.home, rest),
        None if directory == "~" => policy.home.clone(),
        None => absolute(policy.roots.first().map_or(Path::new("/"), PathBuf::as_path), directory),
    }
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;
