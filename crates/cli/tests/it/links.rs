//! Relative links in documents lead to files that exist, and to headings that exist.

use std::fs;
use std::path::Path;

use crate::repository::{root, tracked};

/// Returns the targets of the links of a Markdown text.
fn targets(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .filter(|target| {
            !target.contains("://") && !target.starts_with("mailto:") && !target.contains(char::is_whitespace)
        })
        .collect()
}

/// Returns the anchor of a heading, as Markdown viewers compute it.
fn anchor(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading
        .trim()
        .to_lowercase()
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

/// Returns the error of a link, if it has one.
fn error(file: &Path, target: &str) -> Option<String> {
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let linked = match path {
        "" => file.to_owned(),
        path => file.parent()?.join(path),
    };
    if !linked.exists() {
        return Some(format!("{}: no file {path}", file.display()));
    }
    let text = fs::read_to_string(&linked).unwrap_or_default();
    let mut headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let found = heading.is_empty() || headings.any(|line| anchor(line.trim_start_matches('#')) == heading);
    (!found).then(|| format!("{}: no heading {heading} in {}", file.display(), linked.display()))
}

#[test]
fn links_of_documents_lead_to_files_and_headings() {
    let root = root();
    let documents = tracked();
    let documents = documents
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "md"));
    let errors: Vec<String> = documents
        .flat_map(|file| {
            let file = root.join(file);
            let text = fs::read_to_string(&file).unwrap();
            targets(&text)
                .into_iter()
                .filter_map(|target| error(&file, target))
                .collect::<Vec<_>>()
        })
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let file = root().join("README.md");
    assert_eq!(error(&file, "ARCHITECTURE.md#terms"), None);
    assert!(error(&file, "ARCHITECTURE.md#nothing").is_some());
    assert!(error(&file, "docs/nothing.md").is_some());
    assert_eq!(
        targets("a [b](c.md) and [d](https://e.example) [f](#g)"),
        ["c.md", "#g"]
    );
    assert_eq!(
        anchor("What happens to a prompt, inside"),
        "what-happens-to-a-prompt-inside"
    );
}
