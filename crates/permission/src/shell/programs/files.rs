//! Programs that create, move and remove files, and those that test them.

use super::super::Word;
use super::{Doing, Kind, Reach, table};

/// What `name` does to the files it names.
pub(super) fn look_up(name: &str, arguments: &[Word]) -> Option<Doing> {
    let parsed = table::parse(name, arguments)?;
    if parsed.positionals.iter().any(|word| word.split) {
        return None;
    }
    let mut doing = Doing {
        kind: Kind::FileOp,
        ..Doing::reading(parsed.paths, Reach::File)
    };
    let files = parsed.positionals;
    match name {
        "mv" | "cp" => {
            let (target, sources) = files.split_last()?;
            if sources.is_empty() {
                return None;
            }
            for source in sources {
                doing.reads.push((source.clone(), Reach::File));
                if name == "mv" {
                    doing.writes.push(source.clone());
                    doing.removes.push(source.clone());
                }
                // If the target is a directory, the new file in it has the source's name.
                doing.writes.push(beneath(target, source)?);
            }
            doing.writes.push(target.clone());
        }
        // What keeps nothing is not written; a dash is the terminal to some and a file to others.
        "tee" => {
            if files.is_empty() || files.iter().any(|word| word.is("-")) {
                return None;
            }
            let kept = files.into_iter().filter(|word| !keeps_nothing(word));
            doing.writes.extend(kept);
        }
        _ => {
            if files.is_empty() {
                return None;
            }
            if matches!(name, "rm" | "rmdir") {
                doing.removes.clone_from(&files);
            }
            doing.writes.extend(files);
        }
    }
    // A pattern may name anything, a protected file too.
    let plain = doing.writes.iter().all(|word| !word.glob && !word.unknown());
    plain.then_some(doing)
}

/// Files that take anything and keep nothing.
#[must_use]
pub fn keeps_nothing(word: &Word) -> bool {
    matches!(
        word.literal(),
        Some("/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2" | "/dev/fd/63" | "/dev/tty")
    )
}

fn beneath(target: &Word, source: &Word) -> Option<Word> {
    let source = source.text.as_deref()?.trim_end_matches('/');
    let name = source.rsplit('/').next()?;
    let text = format!("{}/{name}", target.text.as_deref()?);
    Some(Word {
        raw: text.clone(),
        ..target.with(text)
    })
}

/// `cd` and `pushd` read the directory they go to. Without a directory, or with `+1`, `pushd` goes to one of its stack.
pub(super) fn change_directory(name: &str, arguments: &[Word]) -> Option<Doing> {
    let rotates = |word: &Word| word.may_be(|text| text.starts_with('+'));
    if name == "pushd" && (arguments.len() != 1 || arguments.iter().any(rotates)) {
        return None;
    }
    let target = match arguments {
        [] => Word {
            tilde: true,
            ..Word::plain("~")
        },
        [to] if !to.may_be(|text| text.starts_with('-')) && !to.split => to.clone(),
        [dashes, to] if dashes.is("--") => to.clone(),
        _ => return None,
    };
    Some(Doing::reading([target], Reach::Names))
}

/// `test` and `[`, without what evaluates its operands.
pub(super) fn test(name: &str, arguments: &[Word]) -> Option<Doing> {
    let inner = match (name, arguments.split_last()) {
        ("[", Some((last, inner))) if last.is("]") => inner,
        ("[", _) => return None,
        _ => arguments,
    };
    let mut doing = Doing::default();
    // An unknown value could be an operator, except where its place determines its meaning.
    let inner = match inner {
        [not, rest @ ..] if not.is("!") => rest,
        _ => inner,
    };
    let one = |word: &Word| !word.split && !word.glob && word.may_be(|text| !text.contains('['));
    match inner {
        [operator, operand] if matches!(operator.literal(), Some("-n" | "-z")) && one(operand) => return Some(doing),
        [left, operator, right] if matches!(operator.literal(), Some("=" | "==" | "!=")) && one(left) && one(right) => {
            return Some(doing);
        }
        _ => {}
    }
    let mut rest = inner.iter();
    // Where a test begins `-a` asks whether a file is there; behind one it joins two.
    let mut begins = true;
    while let Some(word) = rest.next() {
        let first = std::mem::replace(&mut begins, matches!(word.literal(), Some("!" | "-a" | "-o")));
        match word.literal()? {
            "-a" if first => {
                let file = rest.next().filter(|file| !file.split)?;
                doing.reads.push((file.clone(), Reach::File));
                begins = false;
            }
            "-e" | "-f" | "-d" | "-r" | "-w" | "-x" | "-s" | "-L" | "-h" | "-b" | "-c" | "-p" | "-S" => {
                let file = rest.next().filter(|file| !file.split)?;
                doing.reads.push((file.clone(), Reach::File));
            }
            "!" | "-a" | "-o" | "-n" | "-z" | "=" | "==" | "!=" | "<" | ">" => {}
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let number = rest.next()?.literal()?;
                number.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
            }
            text if text.starts_with('-') || text.contains('[') => return None,
            _ => {}
        }
    }
    Some(doing)
}
