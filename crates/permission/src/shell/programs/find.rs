//! `find`, expression by expression.

use super::super::Word;
use super::{Doing, Reach};

/// What `find` reads; nothing is said about one that runs, removes or writes.
pub(super) fn look_up(arguments: &[Word]) -> Option<Doing> {
    let mut doing = Doing::read_only();
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next_if(|word| matches!(word.literal(), Some("-L" | "-H" | "-P"))) {
        let _ = word;
    }
    while let Some(path) = rest.next_if(|word| !begins_expression(word)) {
        if path.glob && path.raw.starts_with(['*', '?', '[']) {
            return None;
        }
        doing.reads.push((path.clone(), Reach::Names));
    }
    if doing.reads.is_empty() {
        doing.reads.push((Word::plain("."), Reach::Names));
    }
    while let Some(word) = rest.next() {
        match word.literal()? {
            "(" | ")" | "!" | "," | "-a" | "-and" | "-o" | "-or" | "-not" | "-print" | "-print0" | "-ls" | "-prune"
            | "-quit" | "-empty" | "-true" | "-false" | "-depth" | "-d" | "-xdev" | "-mount" | "-daystart"
            | "-follow" | "-readable" | "-writable" | "-executable" | "-nouser" | "-nogroup" | "-noleaf" => {}
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" | "-regex" | "-iregex" | "-type"
            | "-xtype" | "-size" | "-mtime" | "-mmin" | "-atime" | "-amin" | "-ctime" | "-cmin" | "-perm" | "-user"
            | "-group" | "-uid" | "-gid" | "-links" | "-inum" | "-maxdepth" | "-mindepth" | "-printf"
            | "-regextype" | "-lname" | "-used" | "-fstype" => {
                // The pattern itself; unquoted, the shell would have expanded it already.
                rest.next()?.text.as_deref()?;
            }
            "-newer" | "-anewer" | "-cnewer" | "-samefile" => {
                doing.reads.push((rest.next()?.clone(), Reach::File));
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
