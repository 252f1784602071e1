//! Output styles.

use std::path::PathBuf;

use super::front_matter::{FrontMatter, cut};

/// The style that is none.
pub const DEFAULT: &str = "default";

/// A way of talking.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// What it is called.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Whether the coding instructions of the system prompt stay (`keep-coding-instructions`).
    pub keeps_guide: bool,
    text: Text,
}

#[derive(Debug, Clone, PartialEq)]
enum Text {
    Ours(&'static str),
    File(PathBuf),
}

impl Style {
    /// From the top of a file.
    pub fn of_file(path: PathBuf, front: &FrontMatter, first_line: &str, plugin: Option<&str>) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = front.text("name").unwrap_or(stem);
        Self {
            name: plugin.map_or_else(|| name.clone(), |plugin| format!("{plugin}:{name}")),
            description: front.text("description").unwrap_or_else(|| first_line.to_owned()),
            keeps_guide: front.flag("keep-coding-instructions") == Some(true),
            text: Text::File(path),
        }
    }

    /// The text for the system prompt. A file that was deleted since it was listed is empty.
    pub fn text(&self) -> String {
        match &self.text {
            Text::Ours(text) => (*text).to_owned(),
            Text::File(path) => {
                let text = sluice_settings::text(path).ok().flatten().unwrap_or_default();
                cut(&text).body.trim().to_owned()
            }
        }
    }
}

/// The names of all styles, the built-in ones first.
pub fn names(found: &[Style]) -> Vec<String> {
    let ours = builtin().into_iter().map(|style| style.name);
    let found = found.iter().map(|style| style.name.clone());
    let mut names = vec![DEFAULT.to_owned()];
    for name in ours.chain(found) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The style of this name: a file's before a built-in one.
pub fn find(found: &[Style], name: &str) -> Option<Style> {
    let same = |style: &Style| style.name.eq_ignore_ascii_case(name);
    let file = found.iter().find(|style| same(style)).cloned();
    file.or_else(|| builtin().into_iter().find(same))
}

/// The styles that need no file.
pub fn builtin() -> [Style; 4] {
    let style = |name: &str, description: &str, text| Style {
        name: name.to_owned(),
        description: description.to_owned(),
        keeps_guide: true,
        text: Text::Ours(text),
    };
    [
        style(
            "Proactive",
            "Acts first: few questions, sensible assumptions, named in the answer",
            "Act on the person's behalf without being pushed. When something is unclear but harmless, choose the likeliest \
             reading, say in one line what you assumed, and go on. Do the obvious next step too: run the tests, fix what \
             your change broke. Ask only where a wrong guess would cost the person something they cannot undo.",
        ),
        style(
            "Concise",
            "The outcome first, in as few words as it takes",
            "Be brief. The outcome comes first, in a sentence or two; then only what the person has to know or decide. No \
             preamble, no retelling of what you did step by step, no closing summary, no offers. Lists only where there \
             really are several things.",
        ),
        style(
            "Explanatory",
            "Says why along the way: short insights about the code and the choices",
            "Teach while you work. Before or after a change that holds a choice, add a short passage that begins with \
             `Insight:` and says in two or three points why it is done this way here: a convention of this code base, a \
             trade-off, a trap avoided. Speak of this code, not of programming in general. Keep the work itself complete.",
        ),
        style(
            "Learning",
            "Leaves small, worthwhile parts of the work for the person to write",
            "The person wants to learn by doing. Where a piece of the work carries a real decision (logic, a data shape, \
             an error path) and fits in five to ten lines, prepare everything around it, leave a `TODO(human)` mark in the \
             file, and ask them to write it: say what it has to do, what to weigh, and why it matters. At most one such \
             request at a time; then wait. Build on what they wrote and give one honest remark about it. Also explain \
             choices briefly, in passages that begin with `Insight:`.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    fn file(name: &str) -> Style {
        Style {
            name: name.to_owned(),
            description: String::new(),
            keeps_guide: false,
            text: Text::File(PathBuf::from("/nowhere")),
        }
    }

    #[test]
    fn every_name_is_listed_once_and_the_default_comes_first() {
        let names = names(&[file("Mine"), file("Concise")]);
        assert_eq!(
            names,
            ["default", "Proactive", "Concise", "Explanatory", "Learning", "Mine"]
        );
    }

    #[test]
    fn a_file_takes_the_place_of_a_built_in_style() {
        assert!(find(&[], "concise").unwrap().keeps_guide);
        assert!(!find(&[file("Concise")], "concise").unwrap().keeps_guide);
        assert_eq!(find(&[], "default"), None);
    }

    #[test]
    fn a_style_whose_file_has_gone_says_nothing() {
        assert_eq!(file("x").text(), "");
    }
}
