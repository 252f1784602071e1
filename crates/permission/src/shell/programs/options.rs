//! Command-line options of a program, and the arguments left over.

use super::super::Word;

/// Options of a program, and what is left of its arguments.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) positionals: Vec<Word>,
    /// The options given, long ones by name, short ones by letter, with their values.
    pub(crate) options: Vec<(String, Option<Word>)>,
    /// Values that are paths to read.
    pub(crate) paths: Vec<Word>,
    /// Options whose values stand in words of their own, with those words.
    pub(crate) apart: Vec<(String, Word)>,
    /// A word among the arguments may be anything, also an option.
    pub(crate) loose: bool,
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
    /// Every option, as it is written, with its mark.
    pub(crate) fn all(&self) -> Vec<(String, char)> {
        let long = self.long.split(' ').filter(|name| !name.is_empty()).map(|known| {
            let bare = known.trim_end_matches(['=', '%', '?']);
            let mark = known.get(bare.len()..).and_then(|m| m.chars().next()).unwrap_or(' ');
            (format!("--{bare}"), mark)
        });
        let letters = self.short.chars().filter(|c| !matches!(c, ':' | '%' | '?'));
        let short = letters.filter_map(|letter| Some((format!("-{letter}"), self.short(letter)?)));
        short.chain(long).collect()
    }

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
            // What may become any number of words may become options.
            if (word.split || word.unknown()) && !self.glued(word) {
                let path = word.id || (!word.split && !word.prefix.is_empty() && !word.prefix.starts_with('-'));
                if !tame && !path {
                    return None;
                }
                parsed.loose |= !path;
                parsed.positionals.push(word.clone());
                continue;
            }
            let text = word.text.as_deref().unwrap_or(&word.prefix);
            if text == "--" {
                parsed.positionals.extend(rest.cloned());
                break;
            }
            if text == "-" || !text.starts_with('-') {
                parsed.positionals.push(word.clone());
                continue;
            }
            // A pattern that begins with a dash may become any option; in a glued value it is what it is, since no
            // pattern of a line that reads becomes a word with a dash in front (see `quiet`).
            let value = text
                .find('=')
                .is_some_and(|at| text.find(['*', '?', '[']).is_some_and(|star| star > at));
            if word.glob && !(text.starts_with("--") && value) {
                return None;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (name, glued) = match long.split_once('=') {
                    Some((name, _)) if word.unknown() => (
                        name,
                        Some(Word {
                            text: None,
                            prefix: String::new(),
                            ..word.clone()
                        }),
                    ),
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
                    (_, None) => {
                        let value = value_of(rest.next(), tame)?;
                        parsed.apart.push((name.to_owned(), value.clone()));
                        Some(value)
                    }
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
                        None => {
                            let value = value_of(rest.next(), tame)?;
                            parsed.apart.push((letter.to_string(), value.clone()));
                            Some(value)
                        }
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

    /// `--name=…` with a value that is one word, whatever it is.
    fn glued(&self, word: &Word) -> bool {
        word.unknown() && !word.split && word.prefix.starts_with("--") && word.prefix.contains('=')
    }
}

/// The value of an option, in a word of its own. One that could become several words would shift all that follow.
fn value_of(word: Option<&Word>, tame: bool) -> Option<Word> {
    let word = word?;
    // One that looks like an option may be one: some programs take the value only when it is glued.
    if !tame && word.text.as_deref().unwrap_or(&word.prefix).starts_with('-') {
        return None;
    }
    (!word.split && !word.glob).then(|| word.clone())
}
