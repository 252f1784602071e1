//! Programs that only read, with the options under which that is true.

mod rows;

use self::rows::PROGRAMS;
use super::super::Word;
use super::super::words::is_everybodys;
use super::options::{Options, Parsed};
use super::{Doing, Reach};

/// What the arguments that are no options mean.
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
    /// Files, or folders with all that lies in them.
    Compared,
    /// At most one file: a second would be written.
    OneFile,
}

struct Program {
    name: &'static str,
    options: Options,
    takes: Takes,
    /// No option of the program, known here or not, does more than read what lies in the working directory. Only
    /// then may a word that nobody knows stand where an option could.
    tame: bool,
    /// Options with which it reads whole trees.
    deep: &'static [&'static str],
    /// Options with which it follows the links in them.
    follows: &'static [&'static str],
}

const fn program(name: &'static str, short: &'static str, long: &'static str, takes: Takes, tame: bool) -> Program {
    Program {
        name,
        options: Options {
            short,
            long,
            numbers: false,
        },
        takes,
        tame,
        deep: &[],
        follows: &[],
    }
}

const fn numbered(mut program: Program) -> Program {
    program.options.numbers = true;
    program
}

const fn deep(mut program: Program, deep: &'static [&'static str], follows: &'static [&'static str]) -> Program {
    program.deep = deep;
    program.follows = follows;
    program
}

const DOCKER: &[(&str, Options)] = &[
    (
        "ps",
        Options {
            short: "aqlsn:f:",
            long: "all quiet latest size no-trunc last= filter= format=",
            numbers: false,
        },
    ),
    (
        "images",
        Options {
            short: "aqf:",
            long: "all quiet digests no-trunc filter= format=",
            numbers: false,
        },
    ),
];

/// Programs that are asked one thing only: which version they are. None of them reads the folder it stands in, as those
/// that find their toolchain there do.
const VERSIONED: &str = "gcc g++ clang make cmake docker \
    rg fd jq bash git php perl curl wget gzip sed awk gawk mawk grep find ls cat uv";

const VERSION: &[&str] = &["--version"];
const PYTHON_VERSION: &[&str] = &["--version", "-V"];
const PYTHON: &[&str] = &[".python-version", ".tool-versions", "mise.toml", ".mise.toml"];
/// The files of version managers, which can replace any program.
const MANAGERS: &[&str] = &[".tool-versions", "mise.toml", ".mise.toml"];

/// Programs that read the folder to find out which version they are; what they do then is theirs alone where no file of
/// the folder speaks to them. With the arguments that ask for the version, and those files.
const TOOLCHAINS: &[(&str, &[&str], &[&str])] = &[
    (
        "node",
        &["--version", "-v"],
        &[".node-version", ".nvmrc", ".tool-versions", "mise.toml", ".mise.toml"],
    ),
    ("python", PYTHON_VERSION, PYTHON),
    ("python3", PYTHON_VERSION, PYTHON),
    ("pip", VERSION, PYTHON),
    ("pip3", VERSION, PYTHON),
    (
        "ruby",
        VERSION,
        &[".ruby-version", ".tool-versions", "mise.toml", ".mise.toml"],
    ),
    // The machine's own options may also come from a file, as may what it compiles.
    (
        "java",
        &["--version", "-version"],
        &[
            ".java-version",
            ".hotspotrc",
            ".hotspot_compiler",
            ".tool-versions",
            "mise.toml",
            ".mise.toml",
        ],
    ),
    ("psql", PYTHON_VERSION, MANAGERS),
    ("kubectl", &["version --client", "version --client=true"], MANAGERS),
    // It names the plugins of the folder, as they are written in the lock file, and runs none.
    (
        "terraform",
        &["version", "--version", "-version"],
        &[".terraform-version", ".tool-versions", "mise.toml", ".mise.toml"],
    ),
    ("npm", &["--version", "-v"], &[".npmrc"]),
    (
        "pnpm",
        VERSION,
        &[".npmrc", "package.json", "pnpm-workspace.yaml", ".pnpmfile.cjs"],
    ),
    ("bun", VERSION, &["bunfig.toml", ".env"]),
    ("deno", VERSION, &[]),
    ("tsc", VERSION, &[]),
    ("rustc", VERSION, &["rust-toolchain", "rust-toolchain.toml"]),
    (
        "cargo",
        VERSION,
        &[
            "rust-toolchain",
            "rust-toolchain.toml",
            ".cargo/config",
            ".cargo/config.toml",
        ],
    ),
    ("rustup", VERSION, &["rust-toolchain", "rust-toolchain.toml"]),
];

/// What `name` with these arguments does.
pub(super) fn look_up(name: &str, arguments: &[Word]) -> Option<Doing> {
    let question: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
    let question = question.unwrap_or_default().join(" ");
    if question == "--version" && VERSIONED.split(' ').any(|known| known == name) {
        return Some(Doing::read_only());
    }
    if let Some((_, questions, files)) = TOOLCHAINS.iter().find(|(known, ..)| *known == name)
        && questions.contains(&question.as_str())
    {
        let mut doing = Doing::read_only();
        doing.obeys.extend(files.iter().map(|file| Word::plain(file)));
        return Some(doing);
    }
    if let ("command", [flag, rest @ ..]) = (name, arguments)
        && matches!(flag.literal(), Some("-v" | "-V"))
    {
        let names = rest.iter().all(|word| word.literal().is_some());
        let mut doing = Doing::read_only();
        read(&mut doing, rest, Reach::File);
        return names.then_some(doing);
    }
    match (name, arguments) {
        // What is everybody's to see.
        ("printenv", [_, ..]) => {
            let seen = |word: &Word| word.literal().is_some_and(is_everybodys);
            return arguments.iter().all(seen).then(Doing::read_only);
        }
        ("docker", _) => return docker(arguments),
        ("go", [only]) if only.literal() == Some("version") => return Some(Doing::read_only()),
        _ => {}
    }
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    if matches!(name, "nm" | "size" | "readelf" | "strings")
        && arguments
            .iter()
            .any(|word| word.text.as_deref().is_none_or(|text| text.starts_with('@')))
    {
        return None;
    }
    // It looks at the first letter of an option only: `-ps` is `-p`, and what follows it a file.
    let exact = |text: &str| {
        let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit());
        text.len() <= 2
            || (text.starts_with(['-'])
                && text.get(2..).is_some_and(digits)
                && text[1..].starts_with(['c', 'g', 'l', 'o', 's']))
    };
    if name == "xxd"
        && arguments.iter().any(|word| {
            word.text
                .as_deref()
                .is_none_or(|text| text.starts_with('-') && !exact(text))
        })
    {
        return None;
    }
    // Bare letters with an `e` among them make it show what others have in their environment, secrets too.
    let shows = |text: &str| {
        let letters = text.trim_start_matches('-');
        letters.bytes().all(|b| b.is_ascii_alphabetic()) && letters.contains('e') && !text.starts_with("--")
    };
    if name == "ps"
        && !lists_all(arguments)
        && arguments
            .iter()
            .filter(|word| !matches!(word.raw.as_str(), "$$" | "$PPID"))
            .any(|word| word.text.as_deref().is_none_or(shows))
    {
        return None;
    }
    // It goes on reading letters behind one whose value is the next word.
    let among = |text: &str| {
        let letters = text
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))
            .unwrap_or_default();
        let mut all = letters.chars();
        all.next_back();
        all.any(|c| matches!(c, 'I' | 'P' | 'L'))
    };
    if name == "tree" && arguments.iter().any(|word| word.text.as_deref().is_none_or(among)) {
        return None;
    }
    match name {
        // What a command prints falls apart there, and patterns in it match names: more is shown than it printed.
        "echo" if arguments.iter().any(falls_apart) => return None,
        // Their arguments are text whatever they begin with.
        "echo" | "expr" => {
            return Some(Doing {
                tame: true,
                ..Doing::read_only()
            });
        }
        "printf" => return printf(arguments),
        _ => {}
    }
    let parsed = program.options.parse_of(arguments, program.tame)?;
    // Its options come first: what follows the file is where it writes.
    if program.takes == Takes::OneFile
        && parsed.positionals.first() != arguments.last()
        && !parsed.positionals.is_empty()
    {
        return None;
    }
    // What it cannot read backwards it keeps in a file first.
    let piped = |word: &Word| {
        word.text
            .as_deref()
            .is_none_or(|text| text == "-" || text.starts_with("/dev/"))
    };
    if name == "tac"
        && (parsed.positionals.is_empty() || parsed.positionals.iter().any(piped))
        && !parsed.has(&["version"])
    {
        return None;
    }
    // It looks whether a pattern with a slash in it is a folder, wherever that is.
    let slashed = |word: &Word| word.text.as_deref().is_none_or(|text| text.contains('/'));
    if matches!(name, "fd" | "fdfind") && parsed.positionals.first().is_some_and(slashed) {
        return None;
    }
    if name == "lsof" && !(parsed.has(&["i"]) && lists_sockets(arguments)) {
        return None;
    }
    // Without `-n` it asks a server for names.
    if name == "netstat" && !parsed.has(&["n", "numeric"]) {
        return None;
    }
    // A date given as text sets the clock.
    if name == "date"
        && parsed
            .positionals
            .iter()
            .any(|word| word.literal().is_none_or(|text| !text.starts_with('+')))
    {
        return None;
    }
    reads(program, &parsed)
}

/// Whether a word is, outside quotes, what a command printed or nobody knows.
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

/// What runs and which images there are, as the daemon of the person's own configuration says.
fn docker(arguments: &[Word]) -> Option<Doing> {
    let (verb, rest) = arguments.split_first()?;
    let known = DOCKER.iter().find(|(name, _)| Some(*name) == verb.literal())?;
    known.1.parse(rest)?.positionals.is_empty().then(Doing::read_only)
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
    (known
        && !format
            .text
            .as_deref()
            .is_none_or(|text| text.contains('%') && text.contains('n') && sets(text)))
    .then(Doing::read_only)
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
/// anew as bare letters.
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
    let mut doing = Doing::read_only();
    doing.tame = program.tame;
    doing
        .reads
        .extend(parsed.paths.iter().cloned().map(|path| (path, Reach::File)));
    let positionals = parsed.positionals.as_slice();
    let here = || Word::plain(".");
    let directories = parsed.options.iter().any(|(name, value)| {
        matches!(name.as_str(), "d" | "directories")
            && value
                .as_ref()
                .is_none_or(|value| value.literal() != Some("skip") && value.literal() != Some("read"))
    });
    // A word that may be an option may be one of those.
    let loose = parsed.loose && !program.deep.is_empty();
    let tree = program.takes == Takes::PatternTree
        || parsed.has(program.deep)
        || (program.takes == Takes::PatternFiles && directories)
        || loose;
    let reach = match tree {
        true if parsed.has(program.follows) || loose => Reach::Linked,
        true => Reach::Tree,
        false => Reach::File,
    };
    match program.takes {
        Takes::Nothing => {
            if !positionals.is_empty() {
                return None;
            }
        }
        Takes::Text => {}
        Takes::OneFile => {
            if positionals.len() > 1 || positionals.iter().any(|word| word.glob || word.split) {
                return None;
            }
            read(&mut doing, positionals, Reach::File);
        }
        Takes::Files => read(&mut doing, positionals, reach),
        Takes::Directories => {
            let reach = if tree { reach } else { Reach::Names };
            if positionals.is_empty() {
                doing.reads.push((here(), reach));
            }
            read(&mut doing, positionals, reach);
        }
        // Folders are compared file by file, and links in them are followed.
        Takes::Compared => read(&mut doing, positionals, Reach::Linked),
        Takes::PatternFiles | Takes::PatternTree => {
            let given = parsed.has(&["e", "f", "regexp", "file", "files", "type-list"]);
            // Where a word may fall apart nobody knows which one is the pattern.
            let files = match positionals {
                [first, rest @ ..] if !given && !first.split && !first.glob && !parsed.loose => rest,
                [first, rest @ ..] if !given && first.literal().is_some() => rest,
                _ if given => positionals,
                [] => positionals,
                [_, ..] if positionals.iter().all(|word| word.piped) => positionals,
                [first, ..] if first.glob => positionals,
                _ => return None,
            };
            if tree && files.is_empty() {
                doing.reads.push((here(), reach));
            }
            read(&mut doing, files, reach);
        }
    }
    Some(doing)
}

fn read(doing: &mut Doing, words: &[Word], reach: Reach) {
    let files = words.iter().filter(|word| word.text.as_deref() != Some("-"));
    doing.reads.extend(files.cloned().map(|word| (word, reach)));
}

/// The options `name` is given here, by their names; `None` where one is not known.
pub(super) fn given(name: &str, arguments: &[Word]) -> Option<Vec<String>> {
    let program = PROGRAMS.iter().find(|program| program.name == name)?;
    let parsed = program.options.parse_of(arguments, program.tame)?;
    let named = parsed.options.into_iter().map(|(name, _)| name);
    (!parsed.loose).then(|| named.collect())
}

/// The programs of the table with their options.
pub(super) fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    let docker = DOCKER
        .iter()
        .map(|(verb, options)| (format!("docker {verb}"), options.all()));
    let all = PROGRAMS.iter();
    all.map(|program| (program.name.to_owned(), program.options.all()))
        .chain(docker)
        .collect()
}
