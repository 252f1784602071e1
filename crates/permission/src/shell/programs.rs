//! What programs do, by their arguments: a list of what is known, so that the rest is not.

mod files;
mod find;
mod git;
mod scripts;
mod table;

use super::Word;
use super::wrappers::known_name;

pub use scripts::{awk_is_plain, sed_is_plain};

/// How much of a path a program looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The file itself.
    File,
    /// The names in a directory.
    Names,
    /// Everything beneath it.
    Tree,
}

/// What kind of program it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Only reads.
    ReadOnly,
    /// Makes, moves or removes the files it names and nothing else.
    FileOp,
}

/// What a command does with files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    /// What kind it is.
    pub kind: Kind,
    /// What it reads.
    pub reads: Vec<(Word, Reach)>,
    /// What it writes, makes or removes.
    pub writes: Vec<Word>,
    /// What it removes with everything beneath.
    pub removes: Vec<Word>,
    /// It runs what a repository's configuration says, so where it runs matters.
    pub repository: bool,
}

impl Doing {
    fn read_only() -> Self {
        Self {
            kind: Kind::ReadOnly,
            reads: Vec::new(),
            writes: Vec::new(),
            removes: Vec::new(),
            repository: false,
        }
    }

    fn file_op() -> Self {
        Self {
            kind: Kind::FileOp,
            ..Self::read_only()
        }
    }
}

/// What `words` does, if every one of its arguments is known to be harmless or a path.
#[must_use]
pub fn look_up(words: &[Word]) -> Option<Doing> {
    let (first, arguments) = words.split_first()?;
    let name = known_name(first)?;
    // A word only known later could be anything, also an option.
    if arguments.iter().any(|word| word.text.is_none()) {
        return None;
    }
    match name {
        "git" => git::look_up(arguments),
        "find" => find::look_up(arguments),
        "sed" => scripts::sed(arguments),
        "awk" | "gawk" | "mawk" => scripts::awk(arguments),
        "mkdir" | "touch" | "rm" | "rmdir" | "mv" | "cp" => files::look_up(name, arguments),
        "cd" => files::change_directory(arguments),
        "test" | "[" => files::test(name, arguments),
        _ => table::look_up(name, arguments),
    }
}

/// What `words` removes, known program or not, for the checks that hold in every mode.
#[must_use]
pub fn removals(words: &[Word]) -> Vec<Word> {
    let Some((first, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let name = first.text.as_deref().map(super::wrappers::base);
    let named = || {
        arguments
            .iter()
            .filter(|word| !word.raw.starts_with('-'))
            .cloned()
            .collect()
    };
    match name {
        Some("rm" | "rmdir" | "unlink" | "shred" | "srm") => named(),
        Some("find" | "gfind") if empties(arguments) => arguments
            .iter()
            .take_while(|word| !word.raw.starts_with('-'))
            .cloned()
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a `find` removes all it finds, and nothing narrows what that is.
fn empties(arguments: &[Word]) -> bool {
    let texts: Vec<&str> = arguments.iter().filter_map(|word| word.text.as_deref()).collect();
    let removes = texts.contains(&"-delete")
        || texts.windows(2).any(|pair| {
            matches!(pair, ["-exec" | "-execdir" | "-ok" | "-okdir", program]
                if matches!(super::wrappers::base(program), "rm" | "unlink" | "shred" | "rmdir"))
        });
    let narrows = texts.iter().any(|text| {
        [
            "-name",
            "-iname",
            "-path",
            "-ipath",
            "-regex",
            "-iregex",
            "-wholename",
            "-newer",
            "-mtime",
            "-mmin",
            "-size",
            "-empty",
            "-samefile",
        ]
        .contains(text)
    });
    removes && !narrows
}

/// Options of a program, and what is left of its arguments.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) positionals: Vec<Word>,
    /// The options given, long ones by name, short ones by letter, with their values.
    pub(crate) options: Vec<(String, Option<Word>)>,
    /// Values that are paths to read.
    pub(crate) paths: Vec<Word>,
}

impl Parsed {
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(&name.as_str()))
    }
}

/// The options a program may be given.
///
/// `short` lists letters: `a` a flag, `b:` one with a value, `c%` one whose value is a path to
/// read, `d?` one whose value can only be glued to it. `long` likewise with `=`, `%` and `?` at
/// the end of the name, separated by spaces. Abbreviations are not known, so they are not accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) short: &'static str,
    pub(crate) long: &'static str,
    /// `-5` is a number of lines.
    pub(crate) numbers: bool,
}

impl Options {
    fn short(&self, letter: char) -> Option<char> {
        let mut rest = self.short.chars().peekable();
        while let Some(known) = rest.next() {
            let mark = match rest.peek() {
                Some(mark @ (':' | '%' | '?')) if known != '?' || *mark != '?' => Some(*mark),
                _ => None,
            };
            if mark.is_some() {
                rest.next();
            }
            if known == letter {
                return Some(mark.unwrap_or(' '));
            }
        }
        None
    }

    fn long(&self, name: &str) -> Option<char> {
        self.long.split(' ').find_map(|known| {
            let bare = known.trim_end_matches(['=', '%', '?']);
            (bare == name).then(|| known.get(bare.len()..).and_then(|m| m.chars().next()).unwrap_or(' '))
        })
    }

    /// Takes `arguments` apart; `None` for an option that is not known.
    pub(crate) fn parse(&self, arguments: &[Word]) -> Option<Parsed> {
        self.parse_of(arguments, false)
    }

    /// The same for a program that may be `tame`: none of its options does more than read.
    pub(crate) fn parse_of(&self, arguments: &[Word], tame: bool) -> Option<Parsed> {
        let mut parsed = Parsed::default();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_deref()?;
            if text == "--" {
                parsed.positionals.extend(rest.cloned());
                break;
            }
            if text == "-" || !text.starts_with('-') {
                parsed.positionals.push(word.clone());
                continue;
            }
            // A pattern that begins with a dash may become any option.
            if word.glob && !tame {
                return None;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, glued) = match long.split_once('=') {
                    Some((name, value)) => (
                        name,
                        Some(Word {
                            quoted: true,
                            ..Word::plain(value)
                        }),
                    ),
                    None => (long, None),
                };
                let mark = self.long(name)?;
                let value = match (mark, glued) {
                    (' ', Some(_)) => return None,
                    (' ' | '?', None) => None,
                    (_, Some(value)) => Some(value),
                    (_, None) => Some(rest.next()?.clone()),
                };
                if mark == '%' {
                    parsed.paths.extend(value.clone());
                }
                parsed.options.push((name.to_owned(), value));
                continue;
            }
            let letters = text.get(1..)?;
            if self.numbers && letters.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            for (at, letter) in letters.char_indices() {
                let mark = self.short(letter)?;
                let glued = text.get(1 + at + letter.len_utf8()..).filter(|rest| !rest.is_empty());
                let value = match mark {
                    ' ' => None,
                    '?' => glued.map(Word::plain),
                    _ => match glued {
                        Some(glued) => Some(Word::plain(glued)),
                        None => Some(rest.next()?.clone()),
                    },
                };
                if mark == '%' {
                    parsed.paths.extend(value.clone());
                }
                parsed.options.push((letter.to_string(), value));
                if mark != ' ' {
                    break;
                }
            }
        }
        Some(parsed)
    }
}
