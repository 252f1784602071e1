//! The list of skills for the model: names and descriptions, within a budget. Bodies are read when a skill is used.

use super::entry::Entry;

/// Default maximum length of a description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 500;
/// Default share of the context window for the list.
const DEFAULT_SHARE: f64 = 0.01;
/// Approximate number of characters per token.
const CHARS_PER_TOKEN: f64 = 4.0;

/// The size limits of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Maximum number of characters of all descriptions and names together.
    pub all: usize,
    /// Maximum number of characters of a description.
    pub one: usize,
}

impl Budget {
    /// Creates the budget for a context window of `window` tokens. `share` and `longest` come from the settings.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    pub fn new(window: u64, share: Option<f64>, longest: Option<f64>) -> Self {
        let share = share
            .filter(|share| (0.0..=1.0).contains(share))
            .unwrap_or(DEFAULT_SHARE);
        let longest = longest
            .filter(|longest| *longest >= 0.0)
            .map(|longest| longest as usize);
        Self {
            all: (window as f64 * share * CHARS_PER_TOKEN) as usize,
            one: longest.unwrap_or(MAX_DESCRIPTION_CHARS),
        }
    }
}

/// Returns the list, or `None` if it is empty.
pub fn list<'a>(entries: impl Iterator<Item = &'a Entry>, budget: Budget) -> Option<String> {
    let lines = lines(entries, budget);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns one line per entry, in order. If they exceed the budget, all descriptions are truncated to the same length;
/// in the extreme case only the names remain.
pub fn lines<'a>(entries: impl Iterator<Item = &'a Entry>, budget: Budget) -> Vec<String> {
    let entries: Vec<(&str, String)> = entries.map(|entry| (entry.name.as_str(), described(entry))).collect();
    let names: usize = entries.iter().map(|(name, _)| name.chars().count() + 5).sum();
    let room = budget.all.saturating_sub(names);
    let longest = common_limit(&entries, room).min(budget.one);
    entries
        .iter()
        .map(|(name, text)| match truncate(text, longest) {
            text if text.is_empty() => format!("- {name}"),
            text => format!("- {name}: {text}"),
        })
        .collect()
}

/// Returns the description of an entry on one line.
fn described(entry: &Entry) -> String {
    if entry.listed_by_name {
        return String::new();
    }
    let text = match &entry.when_to_use {
        Some(when) => format!("{} {when}", entry.description),
        None => entry.description.clone(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the largest maximum length for which all descriptions fit into `room` characters.
fn common_limit(entries: &[(&str, String)], room: usize) -> usize {
    let mut lengths: Vec<usize> = entries.iter().map(|(_, text)| text.chars().count()).collect();
    lengths.sort_unstable();
    let mut left = room;
    let mut remaining = lengths.len();
    for length in lengths {
        if length.saturating_mul(remaining) > left {
            return left / remaining.max(1);
        }
        left -= length;
        remaining -= 1;
    }
    usize::MAX
}

fn truncate(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    if longest < 8 {
        return String::new();
    }
    let cut: String = text.chars().take(longest - 1).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use std::path::PathBuf;

    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;
    use crate::entry::{Kind, Origin};
    use crate::front_matter::FrontMatter;

    fn skill(name: &str, description: &str) -> Entry {
        let front = FrontMatter::parse(&format!("description: \"{description}\""));
        let path = PathBuf::from("/s/SKILL.md");
        Entry::new(Kind::Skill, Origin::User, name.to_owned(), path, &front, "")
    }

    #[test]
    fn descriptions_within_the_budget_are_complete() {
        let entries = [skill("paint", "paints things"), skill("sweep", "sweeps\\n  the floor")];
        let budget = Budget { all: 1000, one: 100 };
        let expected = "- paint: paints things\n- sweep: sweeps the floor";
        assert_eq!(list(entries.iter(), budget).as_deref(), Some(expected));
        assert_eq!(list([].iter(), budget), None);
    }

    #[test]
    fn long_descriptions_are_truncated_first_and_names_never() {
        let long = "x".repeat(200);
        let entries = [skill("a", "short one"), skill("b", &long), skill("c", &long)];
        let text = list(entries.iter(), Budget { all: 150, one: 500 }).unwrap();
        assert!(text.contains("- a: short one\n"), "{text}");
        assert!(text.contains('…') && text.chars().count() <= 150, "{text}");
        assert_eq!(
            list(entries.iter(), Budget { all: 0, one: 500 }).unwrap(),
            "- a\n- b\n- c"
        );
    }

    #[test]
    fn the_budget_is_a_share_of_the_context_window() {
        assert_eq!(Budget::new(200_000, None, None), Budget { all: 8000, one: 500 });
        assert_eq!(
            Budget::new(200_000, Some(0.5), Some(10.0)),
            Budget { all: 400_000, one: 10 }
        );
        assert_eq!(
            Budget::new(200_000, Some(7.0), Some(-1.0)),
            Budget { all: 8000, one: 500 }
        );
    }

    proptest! {
        #[test]
        fn the_list_stays_within_the_budget(texts in proptest::collection::vec("[a-z ]{0,80}", 1..20), all in 0usize..2000) {
            let entries: Vec<Entry> = texts.iter().enumerate().map(|(n, text)| skill(&format!("s{n}"), text)).collect();
            let names: usize = entries.iter().map(|entry| entry.name.len() + 5).sum();
            let list = list(entries.iter(), Budget { all, one: 60 }).unwrap();
            prop_assert!(list.chars().count() <= all.max(names));
            for entry in &entries {
                let (bare, described) = (format!("- {}", entry.name), format!("- {}: ", entry.name));
                prop_assert!(list.lines().any(|line| line == bare || line.starts_with(&described)));
            }
        }
    }
}
