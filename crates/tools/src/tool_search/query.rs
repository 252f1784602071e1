//! Query of a tool search, and ranking of tools.

use std::cmp::Reverse;

use crate::services::DeferredTool;

/// A parsed query.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Query {
    /// Tools by name.
    Select(Vec<String>),
    /// The best matches for words.
    Words {
        /// Required words.
        required: Vec<String>,
        /// Optional words.
        wanted: Vec<String>,
    },
}

impl Query {
    pub(super) fn parse(text: &str) -> Self {
        let text = text.trim();
        if let Some(names) = text.strip_prefix("select:") {
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            return Self::Select(names.map(str::to_owned).collect());
        }
        let (mut required, mut wanted) = (Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            let (list, word) = match word.strip_prefix('+') {
                Some(word) => (&mut required, word),
                None => (&mut wanted, word),
            };
            if !word.is_empty() {
                list.push(word.to_lowercase());
            }
        }
        Self::Words { required, wanted }
    }

    /// Returns the names of matching tools, best first. A selection by name is not limited.
    pub(super) fn find(&self, tools: &[DeferredTool], most: usize) -> Vec<String> {
        match self {
            Self::Select(names) => {
                let mut found: Vec<String> = Vec::new();
                for name in names {
                    let exact = tools.iter().find(|tool| tool.name == *name);
                    let near = || tools.iter().find(|tool| tool.name.eq_ignore_ascii_case(name));
                    if let Some(tool) = exact.or_else(near)
                        && !found.contains(&tool.name)
                    {
                        found.push(tool.name.clone());
                    }
                }
                found
            }
            Self::Words { required, wanted } => {
                let mut fits: Vec<(u32, &str)> = tools
                    .iter()
                    .filter_map(|tool| Some((fit(tool, required, wanted)?, tool.name.as_str())))
                    .collect();
                // stable: equally good tools keep their order
                fits.sort_by_key(|(fit, _)| Reverse(*fit));
                fits.into_iter().take(most).map(|(_, name)| name.to_owned()).collect()
            }
        }
    }
}

/// Returns the score of a tool; `None` if it does not match.
fn fit(tool: &DeferredTool, required: &[String], wanted: &[String]) -> Option<u32> {
    let name = tool.name.to_lowercase();
    let parts = parts(&tool.name);
    let description = tool.description.to_lowercase();
    let score = |word: &String| -> u32 {
        let in_name = match () {
            () if name == *word => 20,
            () if parts.contains(word) => 10,
            () if name.contains(word.as_str()) => 5,
            () => 0,
        };
        in_name + u32::from(description.contains(word.as_str())) * 2
    };
    let mut sum = 0;
    for word in required {
        match score(word) {
            0 => return None,
            points => sum += points,
        }
    }
    sum += wanted.iter().map(score).sum::<u32>();
    (sum > 0).then_some(sum)
}

/// Splits a name into words, for example `mcp__files__read_text` and `NotebookEdit`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut open = false;
    let mut small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            open = false;
            continue;
        }
        if !open || (small && letter.is_uppercase()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut() {
            part.extend(letter.to_lowercase());
        }
        open = true;
        small = letter.is_lowercase();
    }
    parts
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
