//! Splits the body of a slash command or skill into text and shell commands, which are replaced by their output.
//!
//! A shell command is written as !`command` at the start of a line or after a space, or as a fenced block that opens
//! with three backticks and an exclamation mark. Parts are found before arguments are filled in: an argument can be
//! part of a shell command, but cannot become one.

use crate::arguments::Arguments;

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Text(String),
    /// A shell command to run, and its source text.
    Run {
        command: String,
        written: String,
    },
}

/// Returns the parts of a body with the arguments filled in. If the body has no placeholder, the arguments are
/// appended.
pub fn parts(body: &str, arguments: &Arguments<'_>, all: &str) -> Vec<Part> {
    let mut used = false;
    let mut fill = |text: &str| {
        let (text, filled) = arguments.fill(text);
        used |= filled;
        text
    };
    let mut parts: Vec<Part> = split(body)
        .into_iter()
        .map(|part| match part {
            Piece::Text(text) => Part::Text(fill(text)),
            Piece::Inline(command) => {
                let command = fill(command);
                Part::Run {
                    written: format!("!`{command}`"),
                    command,
                }
            }
            Piece::Block(command) => {
                let command = fill(command);
                Part::Run {
                    written: format!("```!\n{command}\n```"),
                    command,
                }
            }
        })
        .collect();
    if !used && !all.is_empty() {
        parts.push(Part::Text(format!("\n\nARGUMENTS: {all}")));
    }
    parts
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Inline(&'a str),
    Block(&'a str),
}

/// Splits a body into text and shell commands.
fn split(body: &str) -> Vec<Piece<'_>> {
    const FENCE: &str = "```!";
    let mut parts = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(rest) = body.get(at..).filter(|rest| !rest.is_empty()) {
        let before = body.get(..at).unwrap_or_default();
        let at_line_start = before.is_empty() || before.ends_with('\n');
        let found = if at_line_start && rest.starts_with(FENCE) {
            block(rest)
        } else if rest.starts_with("!`") && (at_line_start || before.ends_with(char::is_whitespace)) {
            inline(rest)
        } else {
            None
        };
        match found {
            Some((part, length)) => {
                parts.extend(body.get(from..at).filter(|text| !text.is_empty()).map(Piece::Text));
                parts.push(part);
                at += length;
                from = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    parts.extend(body.get(from..).filter(|text| !text.is_empty()).map(Piece::Text));
    parts
}

fn inline(rest: &str) -> Option<(Piece<'_>, usize)> {
    let (command, _) = rest.strip_prefix("!`")?.split_once('`')?;
    let fits = !command.trim().is_empty() && !command.contains('\n');
    fits.then_some((Piece::Inline(command), command.len() + 3))
}

fn block(rest: &str) -> Option<(Piece<'_>, usize)> {
    let opening = rest.split_inclusive('\n').next()?;
    let inside = rest.get(opening.len()..)?;
    let end = inside
        .find("\n```")
        .or_else(|| inside.starts_with("```").then_some(0))?;
    let command = inside.get(..end)?;
    let closing = if end == 0 && inside.starts_with("```") { 3 } else { 4 };
    (!command.trim().is_empty()).then_some((Piece::Block(command), opening.len() + end + closing))
}

/// Whether a body contains shell commands.
#[must_use]
pub fn runs_commands(body: &str) -> bool {
    first_command(body).is_some()
}

/// Returns the source text of the first shell command of a body.
#[must_use]
pub fn first_command(body: &str) -> Option<String> {
    parts(body, &Arguments::new("", &[]), "")
        .into_iter()
        .find_map(|part| match part {
            Part::Run { written, .. } => Some(written),
            Part::Text(_) => None,
        })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    fn run(command: &str) -> Part {
        Part::Run {
            command: command.to_owned(),
            written: format!("!`{command}`"),
        }
    }

    fn text(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    fn of(body: &str, args: &str) -> Vec<Part> {
        parts(body, &Arguments::new(args, &[]), args)
    }

    #[test]
    fn commands_are_found_at_line_starts_and_after_spaces() {
        let body = "!`a` and !`b c`\n```!\nd\ne\n```\nend";
        let block = Part::Run {
            command: "d\ne".to_owned(),
            written: "```!\nd\ne\n```".to_owned(),
        };
        assert_eq!(
            of(body, ""),
            [run("a"), text(" and "), run("b c"), text("\n"), block, text("\nend")]
        );
    }

    #[test]
    fn incomplete_commands_are_text() {
        for body in [
            "x!`a`",
            "=!`a`",
            "! `a`",
            "!`a",
            "!``",
            "!`a\nb`",
            "```!\nnever closed",
            "say ```!\na\n```",
        ] {
            assert_eq!(of(body, ""), [text(body)], "{body:?}");
        }
    }

    #[test]
    fn an_argument_can_be_part_of_a_command_but_not_become_one() {
        assert_eq!(of("!`git show $0`", "HEAD"), [run("git show HEAD")]);
        assert_eq!(of("See $ARGUMENTS", "!`rm -r x`"), [text("See !`rm -r x`")]);
        assert_eq!(of("See", "!`rm`"), [text("See"), text("\n\nARGUMENTS: !`rm`")]);
    }

    #[test]
    fn arguments_without_a_placeholder_are_appended() {
        assert_eq!(
            of("Say.\n", "one two"),
            [text("Say.\n"), text("\n\nARGUMENTS: one two")]
        );
        assert_eq!(of("Say.\n", ""), [text("Say.\n")]);
    }

    proptest! {
        #[test]
        fn splitting_loses_nothing(body in "([a-z!` \n]|```!\n|\n```\n|!`x`){0,30}") {
            let mut joined = String::new();
            for part in split(&body) {
                match part {
                    Piece::Text(text) => joined.push_str(text),
                    Piece::Inline(command) => joined.push_str(&["!`", command, "`"].concat()),
                    Piece::Block(_) => return Ok(()),
                }
            }
            prop_assert_eq!(joined, body);
        }
    }
}
