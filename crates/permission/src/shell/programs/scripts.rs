//! `sed` and `awk`, whose arguments contain a language. A small part of each is known to only read.

use super::super::Word;
use super::{Doing, Kind, Reach, table};

/// What `sed` reads and, with `-i`, writes.
pub(crate) fn sed(arguments: &[Word]) -> Option<Doing> {
    let parsed = table::parse("sed", arguments)?;
    // It runs what precedes `--version` all the same.
    if parsed.has(&["version"]) {
        return (arguments.len() == 1).then(Doing::default);
    }
    let mut scripts: Vec<&Word> = parsed.given(&["e", "expression"]).flatten().collect();
    let mut files = parsed.positionals.as_slice();
    if scripts.is_empty() {
        let (first, rest) = files.split_first()?;
        scripts.push(first);
        files = rest;
    }
    for script in scripts {
        if script.glob || script.split {
            return None;
        }
        plain_script(script.text.as_deref()?)?;
    }
    let in_place: Vec<Option<&Word>> = parsed.given(&["i", "in-place"]).collect();
    if in_place.is_empty() {
        return Some(Doing::reading(files.iter().cloned(), Reach::File));
    }
    // The old file is kept under another name, which a `*` or a `/` in the suffix makes another place.
    let suffix = match in_place.iter().flatten().next_back() {
        Some(word) => word.literal().filter(|text| !text.contains(['/', '*']))?,
        None => "",
    };
    let mut doing = Doing {
        kind: Kind::FileOp,
        ..Doing::reading(files.iter().cloned(), Reach::File)
    };
    for file in files {
        if file.glob || file.split {
            return None;
        }
        let name = file.text.as_deref()?;
        doing.writes.push(file.with(format!("{name}{suffix}")));
        doing.writes.push(file.clone());
    }
    Some(doing)
}

/// Follows a script command by command; `None` at the first that could write or run.
fn plain_script(script: &str) -> Option<()> {
    let mut rest = script.chars().peekable();
    loop {
        while rest
            .next_if(|c| c.is_whitespace() || matches!(c, ';' | '{' | '}'))
            .is_some()
        {}
        if rest.peek().is_none() {
            return Some(());
        }
        address(&mut rest)?;
        if rest.next_if_eq(&',').is_some() {
            while rest.next_if(|c| matches!(c, '+' | '~')).is_some() {}
            address(&mut rest)?;
        }
        while rest.next_if(|c| c.is_whitespace() || *c == '!').is_some() {}
        match rest.next()? {
            'p' | 'd' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'l' | '{' | '}' => {}
            'q' | 'Q' => while rest.next_if(char::is_ascii_digit).is_some() {},
            command @ ('s' | 'y') => {
                let delimits = |c: &char| !c.is_alphanumeric() && !matches!(c, '\\' | '\n');
                let delimiter = rest.next().filter(delimits)?;
                delimited(&mut rest, delimiter)?;
                delimited(&mut rest, delimiter)?;
                let flag =
                    |c: &char| command == 's' && (matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit());
                while rest.next_if(flag).is_some() {}
            }
            _ => return None,
        }
        while rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        match rest.peek() {
            None | Some(';' | '\n' | '}' | '{') => {}
            Some(_) => return None,
        }
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn address(rest: &mut Chars<'_>) -> Option<()> {
    match rest.peek() {
        Some('$') => {
            rest.next();
        }
        Some('/') => {
            rest.next();
            delimited(rest, '/')?;
            while rest.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
        }
        Some('\\') => return None,
        _ => while rest.next_if(|c| c.is_ascii_digit() || *c == '~').is_some() {},
    }
    while rest.next_if_eq(&' ').is_some() {}
    Some(())
}

/// Up to the next `delimiter`. A bracket expression hides it from some seds and not from others.
fn delimited(rest: &mut Chars<'_>, delimiter: char) -> Option<()> {
    let mut bracket = false;
    loop {
        match rest.next()? {
            '\\' => {
                rest.next()?;
            }
            '\n' => return None,
            '[' => bracket = true,
            ']' => bracket = false,
            c if c == delimiter => return (!bracket).then_some(()),
            _ => {}
        }
    }
}

/// What `awk` reads.
pub(crate) fn awk(arguments: &[Word]) -> Option<Doing> {
    let parsed = table::parse("awk", arguments)?;
    let (program, files) = parsed.positionals.split_first()?;
    // Its options end at the program; everything after it is a file, even with a dash in front.
    let begun = arguments.iter().position(|word| word == program)?;
    let option = |word: &Word| word.may_be(|text| text.starts_with('-') && text != "-");
    if arguments.iter().skip(begun).any(option) || program.glob || program.split {
        return None;
    }
    let text = program.text.as_deref()?;
    // `|` and `>` run and write, `getline` reads elsewhere, `@` loads and calls by name.
    const OTHER: &str = "@ ` system getline close fflush ENVIRON ARGV PROCINFO SYMTAB FUNCTAB extension BEGINFILE";
    if OTHER.split(' ').any(|word| text.contains(word)) || !only_compares(text) {
        return None;
    }
    let file = |file: &Word| !file.split && !file.may_be(|text| text.contains('=') || text.starts_with("/inet"));
    let reads = files.iter().all(file);
    reads.then(|| Doing::reading(files.iter().cloned(), Reach::File))
}

/// Whether every `>` of an awk program compares and every `|` is a part of a pattern or an `||`.
fn only_compares(program: &str) -> bool {
    let text = program.replace("||", "  ");
    // A pipe needs a `print` before or a `getline` behind it.
    if text.contains('|') && text.contains("print") {
        return false;
    }
    if !text.contains('>') {
        return true;
    }
    // Where texts and patterns begin and end must be plain to see.
    if text.contains(['/', '\\', '#']) || text.contains(">>") || text.matches('"').count() % 2 == 1 {
        return false;
    }
    let outside: String = text.split('"').step_by(2).collect::<Vec<_>>().join("x");
    outside
        // Not at the end of a line: after a comma or an operator the statement continues.
        .split([';', '{', '}'])
        .all(|statement| !statement.contains('>') || !statement.contains("print"))
}

/// `jq`: a filter that imports nothing, then files.
pub(super) fn jq(arguments: &[Word]) -> Option<Doing> {
    // `--arg name value` takes two.
    let mut rest: Vec<Word> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some("--") => {
                rest.push(word.clone());
                rest.extend(words.by_ref().cloned());
            }
            Some("--arg" | "--argjson") => {
                words.next()?.literal()?;
                let value = words.next()?;
                if value.split || value.glob {
                    return None;
                }
            }
            _ => rest.push(word.clone()),
        }
    }
    let parsed = table::parse("jq", &rest)?;
    let Some((filter, files)) = parsed.positionals.split_first() else {
        return Some(Doing::default());
    };
    let text = filter.literal()?;
    // Environment variables may contain secrets.
    let other = ["import", "include", "modulemeta", "env", "ENV"];
    if other.iter().any(|word| text.contains(word)) || files.iter().any(|file| file.split) {
        return None;
    }
    Some(Doing::reading(files.iter().cloned(), Reach::File))
}
