//! `sed` and `awk`, whose arguments contain a language. A small part of each is known to only read.

use super::super::Word;
use super::options::Options;
use super::{Doing, Kind, Reach};

const SED: Options = Options {
    short: "nErsuze:i?l:",
    long: "quiet silent regexp-extended separate unbuffered null-data expression= in-place? \
        posix sandbox debug line-length= version",
    numbers: false,
};

/// Whether a `sed` runs and writes nothing but, with `-i`, the files it names.
#[must_use]
pub fn sed_is_plain(arguments: &[Word]) -> bool {
    sed(arguments).is_some()
}

/// What `sed` reads and, with `-i`, writes.
pub(super) fn sed(arguments: &[Word]) -> Option<Doing> {
    let parsed = SED.parse(arguments)?;
    // What stands before it is done all the same.
    if parsed.has(&["version"]) {
        return (arguments.len() == 1).then(Doing::read_only);
    }
    let mut scripts: Vec<&Word> = parsed
        .options
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "e" | "expression"))
        .filter_map(|(_, value)| value.as_ref())
        .collect();
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
    let in_place = parsed.has(&["i", "in-place"]);
    // The old file is kept under another name, which a `*` or a `/` in the suffix makes another place.
    let suffixes = || {
        parsed
            .options
            .iter()
            .filter(|(name, _)| matches!(name.as_str(), "i" | "in-place"))
    };
    let suffix = suffixes().filter_map(|(_, value)| value.as_ref()).next_back();
    let suffix = match suffix {
        Some(word) => Some(word.literal().filter(|text| !text.contains(['/', '*']))?),
        None => None,
    };
    let mut doing = if in_place { Doing::file_op() } else { Doing::read_only() };
    for file in files {
        if in_place {
            if file.glob || file.split || file.unknown() {
                return None;
            }
            if let Some(suffix) = suffix {
                let kept = format!("{}{suffix}", file.text.as_deref()?);
                doing.writes.push(Word {
                    text: Some(kept),
                    ..file.clone()
                });
            }
            doing.writes.push(file.clone());
        }
        doing.reads.push((file.clone(), Reach::File));
    }
    debug_assert!(in_place || doing.kind == Kind::ReadOnly);
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
            's' => {
                let delimiter = rest
                    .next()
                    .filter(|c| !c.is_alphanumeric() && !matches!(c, '\\' | '\n'))?;
                delimited(&mut rest, delimiter)?;
                delimited(&mut rest, delimiter)?;
                while rest
                    .next_if(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit())
                    .is_some()
                {}
            }
            'y' => {
                let delimiter = rest
                    .next()
                    .filter(|c| !c.is_alphanumeric() && !matches!(c, '\\' | '\n'))?;
                delimited(&mut rest, delimiter)?;
                delimited(&mut rest, delimiter)?;
            }
            _ => return None,
        }
        while rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        match rest.peek() {
            None | Some(';' | '\n' | '}') => {}
            Some('{') => {}
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

const AWK: Options = Options {
    short: "F:v:",
    long: "field-separator= assign= version",
    numbers: false,
};

/// Whether an `awk` program runs and writes nothing.
#[must_use]
pub fn awk_is_plain(arguments: &[Word]) -> bool {
    awk(arguments).is_some()
}

/// What `awk` reads.
pub(super) fn awk(arguments: &[Word]) -> Option<Doing> {
    let parsed = AWK.parse(arguments)?;
    let (program, files) = parsed.positionals.split_first()?;
    // Its options end at the program; what follows is a file, whatever it looks like.
    let begun = arguments.iter().position(|word| word == program)?;
    let option = |word: &Word| {
        word.text
            .as_deref()
            .is_none_or(|text| text.starts_with('-') && text != "-")
    };
    if arguments.iter().skip(begun).any(option) {
        return None;
    }
    if program.glob || program.split {
        return None;
    }
    let text = program.text.as_deref()?;
    // `|` and `>` run and write, `getline` reads elsewhere, `@` loads and calls by name.
    let words = [
        "system",
        "getline",
        "close",
        "fflush",
        "ENVIRON",
        "ARGV",
        "PROCINFO",
        "SYMTAB",
        "FUNCTAB",
        "extension",
        "BEGINFILE",
    ];
    if text.contains(['@', '`']) || words.iter().any(|word| text.contains(word)) || !only_compares(text) {
        return None;
    }
    let mut doing = Doing::read_only();
    for file in files {
        let value = file.text.as_deref()?;
        if file.split || value.contains('=') || value.starts_with('/') && value.starts_with("/inet") {
            return None;
        }
        doing.reads.push((file.clone(), Reach::File));
    }
    Some(doing)
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
        // Not at the end of a line: after a comma or an operator the statement goes on.
        .split([';', '{', '}'])
        .all(|statement| !statement.contains('>') || !statement.contains("print"))
}

const JQ: Options = Options {
    short: "rcsSenRaCMjh",
    long: "raw-output compact-output slurp sort-keys exit-status null-input raw-input \
        ascii-output color-output monochrome-output join-output tab indent= version",
    numbers: false,
};

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
    let parsed = JQ.parse(&rest)?;
    let mut doing = Doing::read_only();
    let Some((filter, files)) = parsed.positionals.split_first() else {
        return Some(doing);
    };
    let text = filter.literal()?;
    // What is in the environment may be a secret.
    if ["import", "include", "modulemeta", "env", "ENV"]
        .iter()
        .any(|word| text.contains(word))
    {
        return None;
    }
    for file in files {
        if file.split {
            return None;
        }
        doing.reads.push((file.clone(), Reach::File));
    }
    Some(doing)
}

/// The programs of this file with their options.
pub(super) fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    [("sed", SED), ("awk", AWK), ("jq", JQ)]
        .map(|(name, options)| (name.to_owned(), options.all()))
        .to_vec()
}
