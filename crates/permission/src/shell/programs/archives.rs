//! Programs that list or unpack archives to the terminal.

use super::super::Word;
use super::{Doing, Reach, table};

/// What `tar` may run to unpack what it reads.
const UNPACKERS: &[&str] = &[
    "gzip",
    "gunzip",
    "bzip2",
    "xz",
    "lzma",
    "lzip",
    "lzop",
    "zstd",
    "compress",
    "uncompress",
    "grzip",
    "lrzip",
    "lz4",
];

/// `tar -tzf x.tgz`, also with the first letters written without a dash.
pub(super) fn tar(arguments: &[Word]) -> Option<Doing> {
    let (first, rest) = arguments.split_first()?;
    if let ("--version", []) = (first.literal()?, rest) {
        return Some(Doing::default());
    }
    let mut words = Vec::new();
    let mut rest = rest.iter().cloned();
    match first.literal()? {
        text if text.starts_with('-') => words.push(first.clone()),
        letters => {
            // The values follow in the order of their letters.
            for letter in letters.chars() {
                words.push(Word::plain(&format!("-{letter}")));
                if letter == 'f' {
                    words.push(rest.next()?);
                }
            }
        }
    }
    words.extend(rest);
    let parsed = table::parse("tar", &words)?;
    // Without a file it reads a tape, or a place that a variable names; `host:file` is on another machine.
    let away = |word: &Word| word.may_be(|text| text.contains(':'));
    if !parsed.has(&["t", "list"]) || parsed.paths.is_empty() || parsed.paths.iter().any(away) {
        return None;
    }
    Some(Doing {
        runs: UNPACKERS,
        ..Doing::reading(parsed.paths, Reach::File)
    })
}

/// `unzip -l x.zip`. It would unpack without `-l` or `-v` before the name, and a separate dash takes them back.
pub(super) fn unzip(arguments: &[Word]) -> Option<Doing> {
    let (first, rest) = arguments.split_first()?;
    let lists = |text: &str| text.starts_with('-') && text.contains(['l', 'v']);
    let negates = |word: &Word| word.may_be(|text| text == "-" || text.starts_with("--"));
    if !lists(first.literal()?) || rest.iter().any(negates) {
        return None;
    }
    let parsed = table::parse("unzip", arguments)?;
    let Some(archive) = parsed.positionals.first() else {
        return Some(Doing::default());
    };
    // It matches patterns itself. If the file does not exist it tries others.
    let name = archive.literal().filter(|text| !text.contains(['*', '?', '[', '\\']))?;
    let names = ["", ".zip", ".ZIP"].map(|suffix| archive.with(format!("{name}{suffix}")));
    Some(Doing::reading(names, Reach::File))
}

/// `zcat x.gz`: a script that runs `gzip`.
pub(super) fn zcat(arguments: &[Word]) -> Option<Doing> {
    let parsed = table::parse("zcat", arguments)?;
    let mut names = Vec::new();
    for word in &parsed.positionals {
        // For a name without such an ending it tries others; some append `.Z` to any.
        let ends = |text: &&str| [".gz", ".tgz", ".Z"].iter().any(|ending| text.ends_with(ending));
        let name = word.text.as_deref().filter(ends)?;
        names.extend(["", ".Z"].map(|suffix| word.with(format!("{name}{suffix}"))));
    }
    Some(Doing {
        runs: UNPACKERS,
        ..Doing::reading(names, Reach::File)
    })
}
