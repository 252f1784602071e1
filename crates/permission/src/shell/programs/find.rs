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
    let mut doing = Doing::read_only();
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next_if(|word| matches!(word.literal(), Some("-H" | "-P"))) {
        let _ = word;
    }
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
            // What only reads, given the names of what was found, reads what was found.
            "-exec" => {
                let mut words = Vec::new();
                loop {
                    let word = rest.next()?;
                    match word.literal()? {
                        ";" => break,
                        "+" if words.last().is_some_and(|word: &Word| word.piped) => {
                            // All at once: what takes one file writes the second.
                            if matches!(words.first().and_then(known_name), Some("uniq" | "xxd")) {
                                return None;
                            }
                            break;
                        }
                        "{}" => words.push(Word {
                            raw: "{}".to_owned(),
                            prefix: "./".to_owned(),
                            piped: true,
                            ..Word::default()
                        }),
                        text if text.contains("{}") => return None,
                        _ => words.push(word.clone()),
                    }
                }
                // What reads names of its own is given others than those that were found.
                if matches!(words.first().and_then(known_name), Some("xargs" | "read" | "cd")) {
                    return None;
                }
                let inner = look_up_any(&words).filter(|inner| {
                    inner.kind == Kind::ReadOnly && inner.repository.is_none() && inner.obeys.is_empty()
                })?;
                // What does nothing with the names is not what it is for.
                if !inner.reads.iter().any(|(word, _)| word.piped) {
                    return None;
                }
                if doing
                    .reads
                    .iter()
                    .any(|(root, _)| root.text.as_deref().is_none_or(|text| text.starts_with('-')))
                {
                    return None;
                }
                let roots: Vec<Word> = doing
                    .reads
                    .iter()
                    .filter(|(_, reach)| *reach == Reach::Names)
                    .map(|(root, _)| root.clone())
                    .collect();
                for (word, reach) in inner.reads {
                    if word.piped {
                        doing
                            .reads
                            .extend(roots.iter().map(|root| (root.clone(), Reach::Linked)));
                    } else {
                        doing.reads.push((word, reach));
                    }
                }
            }
            _ => return None,
        }
    }
    Some(doing)
}

fn begins_expression(word: &Word) -> bool {
    matches!(word.text.as_deref(), Some("(" | "!" | ")" | ","))
        || word.text.as_deref().is_none_or(|text| text.starts_with('-'))
}

/// The expressions, as options.
pub(super) fn corpus() -> Vec<(String, char)> {
    let marked = |list: &str, mark: char| list.split(' ').map(|name| (name.to_owned(), mark)).collect::<Vec<_>>();
    [marked(FLAGS, ' '), marked(VALUED, ':'), marked(FILES, '%')].concat()
}
