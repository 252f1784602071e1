//! `find`, expression by expression.

use super::super::Word;
use super::super::builtins::listed;
use super::super::wrappers::known_name;
use super::{Doing, Kind, Reach, look_up as look_up_any};

/// Expressions without a value.
const FLAGS: &str = "( ) ! , -a -and -o -or -not -print -print0 -ls -prune -quit -empty -true -false -depth -d -xdev -mount \
    -daystart -readable -writable -executable -nouser -nogroup -noleaf";
/// Expressions whose value is a pattern or a number.
const VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime -mmin -atime \
    -amin -ctime -cmin -perm -user -group -uid -gid -links -inum -maxdepth -mindepth -printf -regextype \
    -lname -used -fstype";
/// Expressions whose value is a file.
const FILES: &str = "-newer -anewer -cnewer -samefile";

/// What `find` reads; nothing is said about one that runs, removes or writes.
pub(super) fn look_up(arguments: &[Word]) -> Option<Doing> {
    let mut doing = Doing::default();
    let mut rest = arguments.iter().peekable();
    while rest.next_if(|word| word.is("-H") || word.is("-P")).is_some() {}
    while let Some(path) = rest.next_if(|word| !begins_expression(word)) {
        if path.split {
            return None;
        }
        doing.reads.push((path.clone(), Reach::Names));
    }
    if doing.reads.is_empty() {
        doing.reads.push((Word::plain("."), Reach::Names));
    }
    while let Some(word) = rest.next() {
        match word.literal()? {
            text if listed(FLAGS, text) => {}
            text if listed(VALUED, text) => {
                // The pattern itself; unquoted, the shell would have expanded it already.
                rest.next()?.text.as_deref()?;
            }
            text if listed(FILES, text) => {
                doing.reads.push((rest.next()?.clone(), Reach::File));
            }
            "-newermt" | "-newerct" | "-newerat" => {
                rest.next()?.literal()?;
            }
            "-exec" => run(&mut doing, &mut rest)?,
            _ => return None,
        }
    }
    Some(doing)
}

/// `-exec`: a program that only reads, given the names of the files that were found, reads those files.
fn run<'a>(doing: &mut Doing, rest: &mut impl Iterator<Item = &'a Word>) -> Option<()> {
    let mut words: Vec<Word> = Vec::new();
    let all = loop {
        let word = rest.next()?;
        match word.literal()? {
            ";" => break false,
            "+" if words.last().is_some_and(|word| word.piped) => break true,
            "{}" => words.push(Word {
                raw: "{}".to_owned(),
                prefix: "./".to_owned(),
                piped: true,
                ..Word::default()
            }),
            text if text.contains("{}") => return None,
            _ => words.push(word.clone()),
        }
    };
    match words.first().and_then(known_name) {
        // What reads more names reads others than those that were found.
        Some("xargs" | "read" | "cd") => return None,
        // All at once: a program that takes one file writes the second.
        Some("uniq" | "xxd") if all => return None,
        _ => {}
    }
    let inner = look_up_any(&words)
        .filter(|inner| inner.kind == Kind::ReadOnly && inner.repository.is_none() && inner.obeys.is_empty())?;
    let option = |(root, _): &(Word, Reach)| root.may_be(|text| text.starts_with('-'));
    // A program that ignores the names is not used as intended.
    if !inner.reads.iter().any(|(word, _)| word.piped) || doing.reads.iter().any(option) {
        return None;
    }
    let roots = doing.reads.iter().filter(|(_, reach)| *reach == Reach::Names);
    let roots: Vec<_> = roots.map(|(root, _)| (root.clone(), Reach::Linked)).collect();
    for (word, reach) in inner.reads {
        match word.piped {
            true => doing.reads.extend(roots.iter().cloned()),
            false => doing.reads.push((word, reach)),
        }
    }
    Some(())
}

fn begins_expression(word: &Word) -> bool {
    word.may_be(|text| text.starts_with('-') || matches!(text, "(" | "!" | ")" | ","))
}

/// The expressions, as options.
pub(super) fn corpus() -> Vec<(String, char)> {
    let marked = |list: &str, mark: char| list.split(' ').map(|name| (name.to_owned(), mark)).collect::<Vec<_>>();
    [marked(FLAGS, ' '), marked(VALUED, ':'), marked(FILES, '%')].concat()
}
