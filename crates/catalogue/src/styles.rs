//! Output styles.

use std::path::PathBuf;

use super::front_matter::{FrontMatter, cut};

/// The name of the default style, which adds no text.
pub const DEFAULT: &str = "default";

/// An output style.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// Whether the system prompt keeps its coding instructions (`keep-coding-instructions`).
    pub keeps_guide: bool,
    text: StyleText,
}

#[derive(Debug, Clone, PartialEq)]
enum StyleText {
    Builtin(&'static str),
    File(PathBuf),
}

impl Style {
    /// Creates a style from the front matter of a file.
    pub fn of_file(path: PathBuf, front: &FrontMatter, first_line: &str, plugin: Option<&str>) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = front.text("name").unwrap_or(stem);
        Self {
            name: plugin.map_or_else(|| name.clone(), |plugin| format!("{plugin}:{name}")),
            description: front.text("description").unwrap_or_else(|| first_line.to_owned()),
            keeps_guide: front.flag("keep-coding-instructions") == Some(true),
            text: StyleText::File(path),
        }
    }

    /// Returns the text for the system prompt; empty if the file was deleted meanwhile.
    pub fn text(&self) -> String {
        match &self.text {
            StyleText::Builtin(text) => (*text).to_owned(),
            StyleText::File(path) => {
                let text = sluice_settings::text(path).ok().flatten().unwrap_or_default();
                cut(&text).body.trim().to_owned()
            }
        }
    }
}

/// Returns the names of all styles, the built-in ones first.
pub fn names(found: &[Style]) -> Vec<String> {
    let builtin_names = builtin().into_iter().map(|style| style.name);
    let found = found.iter().map(|style| style.name.clone());
    let mut names = vec![DEFAULT.to_owned()];
    for name in builtin_names.chain(found) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns the style with this name. A style from a file has precedence over a built-in one.
pub fn find(found: &[Style], name: &str) -> Option<Style> {
    let same = |style: &Style| style.name.eq_ignore_ascii_case(name);
    let file = found.iter().find(|style| same(style)).cloned();
    file.or_else(|| builtin().into_iter().find(same))
}

/// Returns the built-in styles.
pub fn builtin() -> [Style; 4] {
    let style = |name: &str, description: &str, text| Style {
        name: name.to_owned(),
        description: description.to_owned(),
        keeps_guide: true,
        text: StyleText::Builtin(text),
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
            text: StyleText::File(PathBuf::from("/nowhere")),
        }
    }

    #[test]
    fn names_are_unique_and_the_default_comes_first() {
        let names = names(&[file("Mine"), file("Concise")]);
        assert_eq!(
            names,
            ["default", "Proactive", "Concise", "Explanatory", "Learning", "Mine"]
        );
    }

    #[test]
    fn a_file_replaces_a_built_in_style() {
        assert!(find(&[], "concise").unwrap().keeps_guide);
        assert!(!find(&[file("Concise")], "concise").unwrap().keeps_guide);
        assert_eq!(find(&[], "default"), None);
    }

    #[test]
    fn a_style_whose_file_was_deleted_is_empty() {
        assert_eq!(file("x").text(), "");
    }
}
