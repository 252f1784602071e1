//! Programs that list or unpack archives to the terminal.

use super::super::Word;
use super::options::Options;
use super::{Doing, Reach};

/// What `tar -t` may be given. Not `-I`, `-F`, `--to-command`, `--checkpoint-action` and `--rsh-command`, which run
/// something, nor `-C`, `-T`, `-X` and `-g`, which name other files.
const TAR: Options = Options {
    short: "tvzjJZf%",
    long: "list verbose gzip bzip2 xz zstd lzma lzip file% wildcards no-wildcards exclude= strip-components= \
        full-time numeric-owner utc",
    numbers: false,
};
/// Not `-p`, which shows what is in it, and nothing that unpacks.
const UNZIP: Options = Options {
    short: "lvqz",
    long: "",
    numbers: false,
};
const ZCAT: Options = Options {
    short: "f",
    long: "force",
    numbers: false,
};
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

/// What `name` reads with these arguments, where it writes nothing.
pub(super) fn look_up(name: &str, arguments: &[Word]) -> Option<Doing> {
    match name {
        "tar" => tar(arguments),
        "unzip" => unzip(arguments),
        _ => zcat(arguments),
    }
}

/// `tar -tzf x.tgz`, also with the first letters written without a dash.
fn tar(arguments: &[Word]) -> Option<Doing> {
    let (first, rest) = arguments.split_first()?;
    if let ("--version", []) = (first.literal()?, rest) {
        return Some(Doing::read_only());
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
    let parsed = TAR.parse(&words)?;
    // Without a file it reads a tape, or a place that a variable names; `host:file` is on another machine.
    let away = |word: &Word| word.text.as_deref().is_none_or(|text| text.contains(':'));
    if !parsed.has(&["t", "list"]) || parsed.paths.is_empty() || parsed.paths.iter().any(away) {
        return None;
    }
    let mut doing = Doing::read_only();
    doing
        .reads
        .extend(parsed.paths.into_iter().map(|word| (word, Reach::File)));
    doing.runs = UNPACKERS;
    Some(doing)
}

/// `unzip -l x.zip`. It would unpack without `-l` or `-v` before the name, and a dash of its own takes them back.
fn unzip(arguments: &[Word]) -> Option<Doing> {
    let (first, rest) = arguments.split_first()?;
    let lists = |text: &str| text.starts_with('-') && text.contains(['l', 'v']);
    let negates = |word: &Word| {
        word.text
            .as_deref()
            .is_none_or(|text| text == "-" || text.starts_with("--"))
    };
    if !lists(first.literal()?) || rest.iter().any(negates) {
        return None;
    }
    let parsed = UNZIP.parse(arguments)?;
    let mut doing = Doing::read_only();
    if let Some(archive) = parsed.positionals.first() {
        // It matches patterns itself.
        let name = archive.literal().filter(|text| !text.contains(['*', '?', '[', '\\']))?;
        // Where there is no such file it tries others.
        for suffix in ["", ".zip", ".ZIP"] {
            doing.reads.push((with_suffix(archive, name, suffix), Reach::File));
        }
    }
    Some(doing)
}

/// `zcat x.gz`: a script that runs `gzip`.
fn zcat(arguments: &[Word]) -> Option<Doing> {
    let parsed = ZCAT.parse(arguments)?;
    let mut doing = Doing::read_only();
    for word in &parsed.positionals {
        // For a name without such an ending it tries others; some append `.Z` to any.
        let ends = |text: &&str| [".gz", ".tgz", ".Z"].iter().any(|ending| text.ends_with(ending));
        let name = word.text.as_deref().filter(ends)?;
        for suffix in ["", ".Z"] {
            doing.reads.push((with_suffix(word, name, suffix), Reach::File));
        }
    }
    doing.runs = UNPACKERS;
    Some(doing)
}

fn with_suffix(word: &Word, name: &str, suffix: &str) -> Word {
    Word {
        text: Some(format!("{name}{suffix}")),
        ..word.clone()
    }
}

/// The programs with their options.
pub(super) fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    [("tar", TAR), ("unzip", UNZIP), ("zcat", ZCAT)]
        .map(|(name, options)| (name.to_owned(), options.all()))
        .to_vec()
}
