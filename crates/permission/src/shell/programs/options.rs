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
    /// Options whose values are separate words, with those words.
    pub(crate) apart: Vec<(String, Word)>,
    /// A word among the arguments may have any value, so it may also be an option.
    pub(crate) loose: bool,
}

impl Parsed {
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.given(names).next().is_some()
    }

    /// The values of the options with one of these names.
    pub(crate) fn given(&self, names: &[&str]) -> impl DoubleEndedIterator<Item = Option<&Word>> {
        let named = self.options.iter().filter(|(name, _)| names.contains(&name.as_str()));
        named.map(|(_, value)| value.as_ref())
    }

    /// Adds an option with its value, which is glued to it or the next word.
    fn add(&mut self, name: &str, mark: char, glued: Option<Word>, next: impl FnOnce() -> Option<Word>) -> Option<()> {
        let value = match (mark, glued) {
            (' ', Some(_)) => return None,
            (' ' | '?', None) => None,
            (_, Some(value)) => Some(value),
            (_, None) => {
                let value = next()?;
                self.apart.push((name.to_owned(), value.clone()));
                Some(value)
            }
        };
        if mark == '%' {
            self.paths.extend(value.clone());
        }
        self.options.push((name.to_owned(), value));
        Some(())
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
        let long = self.names().map(|(name, mark)| (format!("--{name}"), mark));
        let short = self.letters().map(|(letter, mark)| (format!("-{letter}"), mark));
        short.chain(long).collect()
    }

    fn letters(&self) -> impl Iterator<Item = (char, char)> {
        let mut rest = self.short.chars().peekable();
        std::iter::from_fn(move || {
            let letter = rest.next()?;
            let mark = rest.next_if(|mark| matches!(mark, ':' | '%' | '?'));
            Some((letter, mark.unwrap_or(' ')))
        })
    }

    fn names(&self) -> impl Iterator<Item = (&'static str, char)> {
        self.long.split(' ').filter(|name| !name.is_empty()).map(|known| {
            let name = known.trim_end_matches(['=', '%', '?']);
            (name, known.chars().nth(name.len()).unwrap_or(' '))
        })
    }

    /// Splits `arguments`; `None` for an option that is not known. `tame`: no option does more than read.
    pub(crate) fn parse(&self, arguments: &[Word], tame: bool) -> Option<Parsed> {
        let mut parsed = Parsed::default();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            // A word that may become several words may become options.
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
            // A pattern that begins with a dash may become any option; in a glued value it remains a value, since no
            // pattern of a line that only reads becomes a word with a dash in front (see `quiet`).
            let value = text
                .find('=')
                .is_some_and(|at| text.find(['*', '?', '[']).is_some_and(|star| star > at));
            if word.glob && !(text.starts_with("--") && value) {
                return None;
            }
            if let Some(long) = text.strip_prefix("--") {
                let unknown = || Word {
                    text: None,
                    prefix: String::new(),
                    ..word.clone()
                };
                let quoted = |value: &str| Word {
                    quoted: true,
                    ..Word::plain(value)
                };
                let (name, glued) = match long.split_once('=') {
                    Some((name, _)) if word.unknown() => (name, Some(unknown())),
                    Some((name, value)) => (name, Some(quoted(value))),
                    None => (long, None),
                };
                let mark = self.names().find(|(known, _)| *known == name)?.1;
                parsed.add(name, mark, glued, || value_of(rest.next(), tame))?;
                continue;
            }
            let letters = text.get(1..)?;
            if self.numbers && letters.bytes().all(|b| b.is_ascii_digit()) {
                continue;
            }
            for (at, letter) in letters.char_indices() {
                let mark = self.letters().find(|(known, _)| *known == letter)?.1;
                let glued = letters.get(at + letter.len_utf8()..);
                let glued = glued.filter(|rest| !rest.is_empty() && mark != ' ').map(Word::plain);
                parsed.add(&letter.to_string(), mark, glued, || value_of(rest.next(), tame))?;
                if mark != ' ' {
                    break;
                }
            }
        }
        Some(parsed)
    }

    /// `--name=…` with a value that is one word, but unknown.
    fn glued(&self, word: &Word) -> bool {
        word.unknown() && !word.split && word.prefix.starts_with("--") && word.prefix.contains('=')
    }
}

/// The number of words at the beginning of `arguments` that are options, or values of those in `valued`.
pub(super) fn leading(arguments: &[Word], valued: &[&str]) -> usize {
    let mut own = 0;
    while let Some(text) = arguments.get(own).and_then(Word::literal)
        && text.starts_with('-')
    {
        own += if valued.contains(&text) { 2 } else { 1 };
    }
    own
}

/// The value of an option, in a separate word. One that could become several words would shift all that follow.
fn value_of(word: Option<&Word>, tame: bool) -> Option<Word> {
    let word = word?;
    // One that looks like an option may be one: some programs take the value only when it is glued.
    if !tame && word.text.as_deref().unwrap_or(&word.prefix).starts_with('-') {
        return None;
    }
    (!word.split && !word.glob).then(|| word.clone())
}
