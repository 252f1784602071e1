//! Highlighting with the grammars of `syntect`, and the mapping of their scopes to classes.

use std::sync::LazyLock;
use std::time::Instant;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::{lines as lines_of, plain_line};
use crate::class::{Class, Run, push};

/// Lines longer than this (in bytes) are not parsed: the time of the regular expressions grows quadratically.
const MAX_LINE: usize = 256;

static SET: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// The classes of scopes by prefix; the first match applies.
static SCOPE_CLASSES: LazyLock<Vec<(Scope, Class)>> = LazyLock::new(|| {
    [
        ("comment", Class::Com),
        ("punctuation.definition.comment", Class::Com),
        ("string", Class::Str),
        ("punctuation.definition.string", Class::Str),
        ("constant.character", Class::Str),
        ("constant", Class::Num),
        ("keyword.operator.word", Class::Key),
        ("keyword.operator.logical.python", Class::Key),
        ("keyword.operator", Class::Plain),
        ("keyword", Class::Key),
        ("storage.type.function", Class::Key),
        ("storage.type.numeric", Class::Num),
        ("storage", Class::Key),
        ("entity.name.function", Class::Fn),
        ("entity.name.tag", Class::Key),
        ("entity.name.section", Class::Key),
        ("entity.name", Class::Type),
        ("entity.other.inherited-class", Class::Type),
        ("entity.other.attribute-name", Class::Type),
        ("support.function", Class::Fn),
        ("support.type.property-name", Class::Key),
        ("support.constant", Class::Num),
        ("support", Class::Type),
        ("variable.function", Class::Fn),
        ("variable.language", Class::Key),
        ("markup.heading", Class::Key),
        ("markup.raw", Class::Str),
        ("markup.underline.link", Class::Str),
        ("markup.inserted", Class::Str),
        ("markup.deleted", Class::Key),
        ("meta.diff.header", Class::Com),
        ("meta.diff.range", Class::Num),
    ]
    .into_iter()
    .filter_map(|(name, class)| Some((Scope::new(name).ok()?, class)))
    .collect()
});

/// Finds the grammar for the name of a language or the extension of a file.
pub(super) fn find(name: &str) -> Option<&'static SyntaxReference> {
    let same = |have: &String| have.eq_ignore_ascii_case(name);
    SET.syntaxes()
        .iter()
        .find(|syntax| !syntax.hidden && (same(&syntax.name) || syntax.file_extensions.iter().any(same)))
        .filter(|syntax| syntax.name != "Plain Text")
}

/// Converts all lines to runs; lines after the deadline stay plain.
pub(super) fn lines(syntax: &SyntaxReference, text: &str, deadline: Instant) -> Vec<Vec<Run>> {
    let mut state = Some((ParseState::new(syntax), ScopeStack::new()));
    let mut out = Vec::new();
    for (with_end, text) in text.split_inclusive('\n').zip(lines_of(text)) {
        // the first line is always parsed, so that there is a result even on a slow machine
        if Instant::now() >= deadline && !out.is_empty() {
            state = None;
        }
        let runs = state
            .as_mut()
            .filter(|_| text.len() <= MAX_LINE)
            .and_then(|(state, scopes)| line(state, scopes, with_end, text));
        out.push(runs.unwrap_or_else(|| plain_line(text)));
    }
    out
}

fn line(state: &mut ParseState, scopes: &mut ScopeStack, with_end: &str, text: &str) -> Option<Vec<Run>> {
    let changes = state.parse_line(with_end, &SET).ok()?;
    let mut runs = Vec::new();
    let mut at = 0;
    for (position, change) in changes {
        let position = position.min(text.len());
        if position > at {
            push(&mut runs, class(scopes), text.get(at..position)?);
            at = position;
        }
        scopes.apply(&change).ok()?;
    }
    push(&mut runs, class(scopes), text.get(at..)?);
    Some(runs)
}

/// Returns the class of the innermost scope that has one. Inside comments, the class is always that of comments.
fn class(scopes: &ScopeStack) -> Class {
    let class_of = |scope: &Scope| {
        SCOPE_CLASSES
            .iter()
            .find(|(prefix, _)| prefix.is_prefix_of(*scope))
            .map(|(_, class)| *class)
    };
    let mut found = None;
    for class in scopes.scopes.iter().rev().filter_map(class_of) {
        if class == Class::Com {
            return class;
        }
        found.get_or_insert(class);
    }
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn shown(name: &str, text: &str) -> String {
        let lines = lines(find(name).unwrap(), text, Instant::now() + Duration::from_secs(60));
        let line = |line: &Vec<Run>| -> String {
            line.iter()
                .map(|run| match run.class {
                    Class::Plain => run.text.clone(),
                    class => format!("<{}:{}>", class.as_str(), run.text),
                })
                .collect()
        };
        lines.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn scopes_become_classes() {
        assert_eq!(
            shown("ruby", "def go(x)\n  \"a#{x}\" # why\nend"),
            "<key:def> <fn:go>(x)\n  <str:\"a#{x}\"> <com:# why>\n<key:end>"
        );
        assert_eq!(
            shown("html", "<a href=\"x\">y</a>"),
            "<<key:a> <type:href>=<str:\"x\">>y</<key:a>>"
        );
        assert_eq!(
            shown("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y"),
            "<com:--- a>\n<com:+++ b>\n<num:@@ -1 +1 @@>\n<key:-x>\n<str:+y>"
        );
    }

    #[test]
    fn lines_after_the_deadline_and_long_lines_stay_plain() {
        let long = format!("x = '{}'", "a".repeat(MAX_LINE));
        let text = format!("def a\n{long}\nend");
        assert_eq!(shown("ruby", &text), format!("<key:def> <fn:a>\n{long}\n<key:end>"));
        let late = lines(find("ruby").unwrap(), "def a\nend", Instant::now());
        assert_eq!(late[0][0].class, Class::Key);
        assert_eq!(late[1], plain_line("end"));
    }
}
