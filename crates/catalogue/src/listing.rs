//! The list of skills the model is shown: names and descriptions, within a budget. Bodies are read when a skill is
//! used.

use super::entry::Entry;

/// The longest description, unless the settings set another limit.
const LONGEST: usize = 500;
/// The share of the context window that the list may take, unless the settings set another one.
const SHARE: f64 = 0.01;
/// About how many characters a token has.
const PER_TOKEN: f64 = 4.0;

/// The size limits of the list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Characters of all descriptions and names together.
    pub all: usize,
    /// Characters of one description.
    pub one: usize,
}

impl Budget {
    /// For a context window of so many tokens, by the settings.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss
    )]
    pub fn new(window: u64, share: Option<f64>, longest: Option<f64>) -> Self {
        let share = share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or(SHARE);
        let longest = longest
            .filter(|longest| *longest >= 0.0)
            .map(|longest| longest as usize);
        Self {
            all: (window as f64 * share * PER_TOKEN) as usize,
            one: longest.unwrap_or(LONGEST),
        }
    }
}

/// The list, or nothing where there is nothing to tell.
pub fn list<'a>(entries: impl Iterator<Item = &'a Entry>, budget: Budget) -> Option<String> {
    let lines = lines(entries, budget);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// One line for each, in order. Where they would be too long every description is cut to the same length, and at last
/// only names are told.
pub fn lines<'a>(entries: impl Iterator<Item = &'a Entry>, budget: Budget) -> Vec<String> {
    let entries: Vec<(&str, String)> = entries.map(|entry| (entry.name.as_str(), described(entry))).collect();
    let names: usize = entries.iter().map(|(name, _)| name.chars().count() + 5).sum();
    let room = budget.all.saturating_sub(names);
    let longest = fair(&entries, room).min(budget.one);
    entries
        .iter()
        .map(|(name, text)| match clip(text, longest) {
            text if text.is_empty() => format!("- {name}"),
            text => format!("- {name}: {text}"),
        })
        .collect()
}

/// The description of one, on one line.
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

/// The largest length to which all may be cut so that together they fit.
fn fair(entries: &[(&str, String)], room: usize) -> usize {
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

fn clip(text: &str, longest: usize) -> String {
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
    fn what_fits_is_told_whole() {
        let entries = [skill("paint", "paints things"), skill("sweep", "sweeps\\n  the floor")];
        let budget = Budget { all: 1000, one: 100 };
        let expected = "- paint: paints things\n- sweep: sweeps the floor";
        assert_eq!(list(entries.iter(), budget).as_deref(), Some(expected));
        assert_eq!(list([].iter(), budget), None);
    }

    #[test]
    fn the_long_ones_give_way_first_and_names_are_never_lost() {
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
    fn the_budget_is_a_share_of_the_window() {
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
        fn a_list_keeps_to_its_budget(texts in proptest::collection::vec("[a-z ]{0,80}", 1..20), all in 0usize..2000) {
            let entries: Vec<Entry> = texts.iter().enumerate().map(|(n, text)| skill(&format!("s{n}"), text)).collect();
            let names: usize = entries.iter().map(|entry| entry.name.len() + 5).sum();
            let list = list(entries.iter(), Budget { all, one: 60 }).unwrap();
            prop_assert!(list.chars().count() <= all.max(names));
            for entry in &entries {
                let (bare, described) = (format!("- {}", entry.name), format!("- {}: ", entry.name));
                prop_assert!(list.lines().any(|told| told == bare || told.starts_with(&described)));
            }
        }
    }
}
