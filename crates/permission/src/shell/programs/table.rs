//! Programs that only read, with the options under which that is true.

mod rows;

use std::collections::HashMap;
use std::sync::LazyLock;

use self::rows::{PROGRAMS, TOOLCHAINS};
use super::super::Word;
use super::super::builtins::{is_everybodys, listed};
use super::options::{Options, Parsed};
use super::{Doing, Reach};

/// The meaning of the arguments that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// None are taken.
    Nothing,
    /// Text that is no path.
    Text,
    /// Files.
    Files,
    /// Directories, `.` when there is none; only names are read.
    Directories,
    /// A pattern, then files.
    PatternFiles,
    /// A pattern, then directories that are searched, `.` when there is none.
    PatternTree,
    /// Files, or folders with everything in them.
    Compared,
    /// At most one file: a second would be written.
    OneFile,
    /// They are read by code of the program's own.
    Own,
    /// Files that are changed.
    Changes,
}

struct Program {
    options: Options,
    takes: Takes,
    tame: bool,
    /// Options with which it reads whole trees.
    deep: Vec<&'static str>,
    /// Options with which it follows the links in them.
    follows: Vec<&'static str>,
    /// Whether the oracle runs it.
    listed: bool,
}

impl Program {
    /// Reads a row of the table: the names and the program.
    fn read(row: &'static str) -> Option<(&'static str, Self)> {
        let mut fields = row.split('|').map(str::trim);
        let (names, facts, short, long) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let takes = match facts.split(' ').next()? {
            "nothing" => Takes::Nothing,
            "text" => Takes::Text,
            "files" => Takes::Files,
            "directories" => Takes::Directories,
            "pattern-files" => Takes::PatternFiles,
            "pattern-tree" => Takes::PatternTree,
            "compared" => Takes::Compared,
            "one-file" => Takes::OneFile,
            "own" => Takes::Own,
            _ => Takes::Changes,
        };
        let list = |key: &str| {
            let found = facts.split(' ').find_map(|fact| fact.strip_prefix(key));
            found.map(|list| list.split(',').collect()).unwrap_or_default()
        };
        let program = Self {
            options: Options {
                short,
                long,
                numbers: listed(facts, "numbers"),
            },
            takes,
            tame: listed(facts, "tame"),
            deep: list("deep="),
            follows: list("follows="),
            listed: takes != Takes::Changes && !listed(facts, "unlisted"),
        };
        Some((names, program))
    }
}

/// The rows by the names of their programs.
static TABLE: LazyLock<HashMap<&'static str, &'static Program>> = LazyLock::new(|| {
    let rows = PROGRAMS.iter().filter_map(|row| Program::read(row));
    rows.flat_map(|(names, program)| {
        let program: &'static Program = Box::leak(Box::new(program));
        names.split(',').map(move |name| (name, program))
    })
    .collect()
});

/// The options and arguments of a program of the table; `None` where one is not known.
pub(super) fn parse(name: &str, arguments: &[Word]) -> Option<Parsed> {
    let program = TABLE.get(name)?;
    program.options.parse(arguments, program.tame)
}

/// Whether a subcommand of git may count as only reading.
pub(crate) fn is_git_reader(verb: &str) -> bool {
    let is = |name: &&str| name.strip_prefix("git ").and_then(|words| words.split(' ').next()) == Some(verb);
    TABLE.keys().any(is) || matches!(verb, "whatchanged" | "stash")
}

/// Programs that are asked one thing only: which version they are. None of them reads the current folder for that, as
/// those do that find their toolchain there.
const VERSIONED: &str = "gcc g++ clang make cmake docker rg fd jq bash git php perl curl wget gzip sed awk gawk mawk grep \
    find ls cat uv";

/// The files of version managers, which can replace any program.
const MANAGERS: &str = ".tool-versions mise.toml .mise.toml";

/// The version of a program that reads the folder to find it out: it does nothing else if none of these files exists.
fn toolchain(name: &str, question: &str) -> Option<Doing> {
    let asked = |row: &&[&'static str; 3]| {
        let [names, questions, _] = row;
        listed(names, name) && questions.split(", ").any(|known| known == question)
    };
    let [.., files] = TOOLCHAINS.iter().find(asked)?;
    let managers = match listed(files, "managers") {
        true => MANAGERS,
        false => "",
    };
    let files = files.split(' ').chain(managers.split(' '));
    Some(Doing {
        obeys: files.filter(|file| !file.is_empty()).map(Word::plain).collect(),
        ..Doing::default()
    })
}

/// What `name` with these arguments does.
pub(super) fn look_up(name: &str, arguments: &[Word]) -> Option<Doing> {
    let question: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
    let question = question.unwrap_or_default().join(" ");
    if question == "--version" && listed(VERSIONED, name) {
        return Some(Doing::default());
    }
    if let Some(doing) = toolchain(name, &question) {
        return Some(doing);
    }
    match (name, arguments) {
        ("command", [flag, rest @ ..]) if flag.is("-v") || flag.is("-V") => {
            let names = rest.iter().all(|word| word.literal().is_some());
            return names.then(|| Doing::reading(files(rest), Reach::File));
        }
        ("printenv", [_, ..]) => {
            let seen = |word: &Word| word.literal().is_some_and(is_everybodys);
            return arguments.iter().all(seen).then(Doing::default);
        }
        // The processes and images, as the daemon of the user's own configuration reports them.
        ("docker", [verb, rest @ ..]) => {
            let parsed = parse(&format!("docker {}", verb.literal()?), rest)?;
            return parsed.positionals.is_empty().then(Doing::default);
        }
        ("go", [only]) if only.is("version") => return Some(Doing::default()),
        ("printf", _) => return printf(arguments),
        // Their arguments are text, even with a dash in front. Unquoted output of a command is split there, and patterns
        // in it match names: more is shown than the command printed.
        ("echo" | "expr", _) => {
            let shows = name == "echo" && arguments.iter().any(falls_apart);
            return (!shows).then(|| Doing {
                tame: true,
                ..Doing::default()
            });
        }
        _ => {}
    }
    let program = TABLE.get(name)?;
    if misread(name, arguments) {
        return None;
    }
    let parsed = program.options.parse(arguments, program.tame)?;
    // The options come first: a second file would be written.
    if program.takes == Takes::OneFile
        && parsed.positionals.first() != arguments.last()
        && !parsed.positionals.is_empty()
    {
        return None;
    }
    let any = |test: &dyn Fn(&str) -> bool| parsed.positionals.iter().any(|word| word.may_be(test));
    let refused = match name {
        // It stores input that it cannot read backwards in a file first.
        "tac" => {
            let piped = parsed.positionals.is_empty() || any(&|text| text == "-" || text.starts_with("/dev/"));
            piped && !parsed.has(&["version"])
        }
        // It looks whether a pattern with a slash in it is a folder, even outside of the project.
        "fd" | "fdfind" => parsed
            .positionals
            .first()
            .is_some_and(|word| word.may_be(|text| text.contains('/'))),
        "lsof" => !(parsed.has(&["i"]) && lists_sockets(arguments)),
        // Without `-n` it asks a server for names.
        "netstat" => !parsed.has(&["n", "numeric"]),
        // A date given as text sets the clock.
        "date" => parsed
            .positionals
            .iter()
            .any(|word| word.literal().is_none_or(|text| !text.starts_with('+'))),
        _ => false,
    };
    if refused { None } else { reads(program, &parsed) }
}

/// Whether a program may read its arguments in another way than [`Options`] does.
fn misread(name: &str, arguments: &[Word]) -> bool {
    let any = |test: &dyn Fn(&str) -> bool| arguments.iter().any(|word| word.may_be(test));
    match name {
        // `@file` holds more options.
        "nm" | "size" | "readelf" | "strings" => any(&|text| text.starts_with('@')),
        // It looks at the first letter of an option only: `-ps` is `-p`, and the next word a file.
        "xxd" => any(&|text| {
            let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
            let number = text
                .strip_prefix('-')
                .and_then(|rest| rest.strip_prefix(['c', 'g', 'l', 'o', 's']));
            text.starts_with('-') && text.len() > 2 && !number.is_some_and(digits)
        }),
        // Bare letters with an `e` among them make it show the environment of other processes, secrets too.
        "ps" if !lists_all(arguments) => {
            let shows = |text: &str| {
                let letters = text.trim_start_matches('-');
                letters.bytes().all(|b| b.is_ascii_alphabetic()) && letters.contains('e') && !text.starts_with("--")
            };
            let mut others = arguments
                .iter()
                .filter(|word| !matches!(word.raw.as_str(), "$$" | "$PPID"));
            others.any(|word| word.may_be(shows))
        }
        // It continues to read letters behind one whose value is the next word.
        "tree" => any(&|text| {
            let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
            let mut all = letters.unwrap_or_default().chars();
            all.next_back();
            all.any(|c| matches!(c, 'I' | 'P' | 'L'))
        }),
        _ => false,
    }
}

/// Whether a word outside quotes contains the output of a command or an unknown value.
#[must_use]
pub fn falls_apart(word: &Word) -> bool {
    let name = |part: &str| -> String {
        let bare = part.trim_start_matches(['{', '#', '!']);
        bare.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect()
    };
    let mut names = word.raw.split('$').skip(1).map(name);
    word.split
        && word.unknown()
        && !word.id
        && (word.raw.contains(['`', '(']) || names.any(|name| !is_everybodys(&name)))
}

/// Whether `lsof` lists sockets only. Without `-i` it lists open files as well, and a word that is not the address of an
/// `-i` names a file. For an address with a host in it, a server is asked.
fn lists_sockets(arguments: &[Word]) -> bool {
    let mut address = false;
    arguments.iter().all(|word| {
        let Some(text) = word.literal().filter(|text| !text.contains(['@', '/'])) else {
            return false;
        };
        let option = text.starts_with('-') && text.len() > 1 && text != "--";
        let known = option || address;
        address = option && text.find('i') == Some(text.len() - 1);
        known
    })
}

/// The format has to be known, and neither an option nor one that sets a variable (`%n`).
fn printf(arguments: &[Word]) -> Option<Doing> {
    let format = match arguments {
        [dashes, format, ..] if dashes.literal() == Some("--") => format,
        [format, ..] => format,
        [] => return None,
    };
    let begins = format.text.as_deref().unwrap_or(&format.prefix);
    let known = !begins.is_empty() && !begins.starts_with('-') && !format.split && !format.glob;
    (known && !format.may_be(sets)).then(Doing::default)
}

/// Whether a format holds `%n`, with or without a width.
fn sets(format: &str) -> bool {
    format.split('%').skip(1).any(|rest| {
        rest.trim_start_matches(|c: char| {
            c.is_ascii_digit()
                || matches!(
                    c,
                    '-' | '+' | '#' | ' ' | '.' | '*' | '\'' | 'l' | 'h' | 'j' | 'z' | 't' | 'L' | 'q'
                )
        })
        .starts_with('n')
    })
}

/// `-e`, `-ef`: every process, and how much of each.
fn is_listing(word: &Word) -> bool {
    let letters = word.literal().and_then(|text| text.strip_prefix('-'));
    letters.is_some_and(|letters| !letters.is_empty() && letters.chars().all(|c| "eAafFlHjw".contains(c)))
}

/// Whether `ps` understands all of its arguments as they are meant here. With one that it does not, it reads all of them
/// again as bare letters.
fn lists_all(arguments: &[Word]) -> bool {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let plain = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || matches!(c, ',' | '%' | '=' | '_'))
        };
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b',');
        let known = match word.literal() {
            Some("-o" | "-C") => rest.next().and_then(Word::literal).is_some_and(plain),
            Some("-p") => rest
                .next()
                .is_some_and(|word| matches!(word.raw.as_str(), "$$" | "$PPID") || word.literal().is_some_and(digits)),
            Some("--forest" | "--no-headers" | "--headers") => true,
            Some(text) if text.starts_with("--sort=") => true,
            // `-eo pid,comm`
            Some(text) if text.strip_suffix('o').is_some_and(|all| is_listing(&Word::plain(all))) => {
                rest.next().and_then(Word::literal).is_some_and(plain)
            }
            _ => is_listing(word),
        };
        if !known {
            return false;
        }
    }
    true
}

fn reads(program: &Program, parsed: &Parsed) -> Option<Doing> {
    let mut doing = Doing {
        tame: program.tame,
        ..Doing::reading(parsed.paths.iter().cloned(), Reach::File)
    };
    let positionals = parsed.positionals.as_slice();
    let walks = |value: Option<&Word>| value.is_none_or(|value| !value.is("skip") && !value.is("read"));
    let directories = parsed.given(&["d", "directories"]).any(walks);
    // A word that may be an option may be one of those.
    let loose = parsed.loose && !program.deep.is_empty();
    let tree = program.takes == Takes::PatternTree
        || parsed.has(&program.deep)
        || (program.takes == Takes::PatternFiles && directories)
        || loose;
    let reach = match tree {
        true if parsed.has(&program.follows) || loose => Reach::Linked,
        true => Reach::Tree,
        false if program.takes == Takes::Directories => Reach::Names,
        false => Reach::File,
    };
    let (read, reach) = match program.takes {
        Takes::Own | Takes::Changes => return None,
        Takes::Nothing if !positionals.is_empty() => return None,
        Takes::Nothing | Takes::Text => (&[][..], reach),
        Takes::OneFile if positionals.len() > 1 || positionals.iter().any(|word| word.glob || word.split) => {
            return None;
        }
        Takes::Files | Takes::Directories | Takes::OneFile => (positionals, reach),
        // Folders are compared file by file, and links in them are followed.
        Takes::Compared => (positionals, Reach::Linked),
        Takes::PatternFiles | Takes::PatternTree => {
            let given = parsed.has(&["e", "f", "regexp", "file", "files", "type-list"]);
            // If a word may be split, the pattern is not known.
            let files = match positionals {
                [first, rest @ ..] if !given && !first.split && !first.glob && !parsed.loose => rest,
                [first, rest @ ..] if !given && first.literal().is_some() => rest,
                _ if given => positionals,
                [] => positionals,
                [_, ..] if positionals.iter().all(|word| word.piped) => positionals,
                [first, ..] if first.glob => positionals,
                _ => return None,
            };
            (files, reach)
        }
    };
    if read.is_empty() && (tree || program.takes == Takes::Directories) {
        doing.reads.push((Word::plain("."), reach));
    }
    doing.reads.extend(files(read).map(|word| (word, reach)));
    Some(doing)
}

/// The words but for those that mean the input.
fn files(words: &[Word]) -> impl Iterator<Item = Word> {
    words.iter().filter(|word| word.text.as_deref() != Some("-")).cloned()
}

/// The options `name` is given here, by their names; `None` where one is not known.
pub(super) fn given(name: &str, arguments: &[Word]) -> Option<Vec<String>> {
    let parsed = parse(name, arguments)?;
    let named = parsed.options.into_iter().map(|(name, _)| name);
    (!parsed.loose).then(|| named.collect())
}

/// The programs that the oracle runs, with their options.
pub(super) fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    let shown = TABLE.iter().filter(|(_, program)| program.listed);
    shown
        .map(|(name, program)| ((*name).to_owned(), program.options.all()))
        .collect()
}
