//! Fills the arguments of a slash command into its body.
//!
//! `$ARGUMENTS` is replaced with all arguments, `$ARGUMENTS[n]` and `$n` with one of them (from zero), and `$name` with
//! one that the front matter names. A placeholder without an argument is unchanged. Inserted text is not scanned again,
//! so an argument cannot contain a placeholder.

/// The arguments of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments<'a> {
    all: &'a str,
    each: Vec<String>,
    names: &'a [String],
}

impl<'a> Arguments<'a> {
    pub fn new(all: &'a str, names: &'a [String]) -> Self {
        Self {
            all,
            each: split(all),
            names,
        }
    }

    /// Fills the placeholders of a text. Also returns whether there was one.
    pub fn fill(&self, text: &str) -> (String, bool) {
        let mut filled = String::with_capacity(text.len() + self.all.len());
        let mut used = false;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            match self.placeholder(after) {
                // A single backslash escapes the placeholder; two backslashes are literal.
                Some((_, length)) if before.ends_with('\\') && !before.ends_with("\\\\") => {
                    filled.pop();
                    filled.push('$');
                    filled.push_str(after.get(..length).unwrap_or_default());
                    used = true;
                    rest = after.get(length..).unwrap_or_default();
                }
                Some((value, length)) => {
                    filled.push_str(value);
                    used = true;
                    rest = after.get(length..).unwrap_or_default();
                }
                None => {
                    filled.push('$');
                    rest = after;
                }
            }
        }
        filled.push_str(rest);
        (filled, used)
    }

    /// Returns the value of the placeholder after a `$`, and the length of the placeholder.
    fn placeholder(&self, text: &str) -> Option<(&str, usize)> {
        const ALL: &str = "ARGUMENTS";
        if let Some(rest) = text.strip_prefix(ALL) {
            if let Some((digits, length)) = bracketed(rest) {
                return self.nth(digits).map(|value| (value, ALL.len() + length));
            }
            return Some((self.all, ALL.len()));
        }
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            return self.nth(text.get(..digits)?).map(|value| (value, digits));
        }
        let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
        let name = text.get(..end).filter(|name| !name.is_empty())?;
        let at = self.names.iter().position(|known| known == name)?;
        self.each.get(at).map(|value| (value.as_str(), end))
    }

    fn nth(&self, digits: &str) -> Option<&str> {
        self.each.get(digits.parse::<usize>().ok()?).map(String::as_str)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Returns the digits of an index like `[12]` at the start of the text, and the length of the index.
fn bracketed(text: &str) -> Option<(&str, usize)> {
    let (digits, _) = text.strip_prefix('[')?.split_once(']')?;
    let whole = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    whole.then_some((digits, digits.len() + 2))
}

/// Splits at whitespace, except inside quotes. An unclosed quote and an apostrophe inside a word are ordinary
/// characters.
fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut begun = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        let quotes = c == '"' || (c == '\'' && !begun);
        match rest.split_once(c).filter(|_| quotes) {
            Some((inside, behind)) => {
                word.push_str(inside);
                rest = behind;
                begun = true;
            }
            None if c.is_whitespace() => {
                if std::mem::take(&mut begun) {
                    words.push(std::mem::take(&mut word));
                }
            }
            None => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    use super::*;

    fn fill(text: &str, args: &str) -> String {
        Arguments::new(args, &[]).fill(text).0
    }

    #[test]
    fn placeholders_are_filled_and_counted_from_zero() {
        let text = "zero=$0 one=$1 two=$2 all=$ARGUMENTS i=$ARGUMENTS[1] far=$ARGUMENTS[9]";
        let expected = "zero=one two one=three two=$2 all=\"one two\" three i=three far=$ARGUMENTS[9]";
        assert_eq!(fill(text, "\"one two\" three"), expected);
    }

    #[test]
    fn placeholders_without_arguments() {
        assert_eq!(fill("Paint it $ARGUMENTS.", ""), "Paint it .");
        assert_eq!(fill("Costs $5 and $", ""), "Costs $5 and $");
    }

    #[test]
    fn arguments_can_have_names() {
        let names = ["who".to_owned(), "how".to_owned()];
        let arguments = Arguments::new("alice", &names);
        let (text, used) = arguments.fill("Greet $who $how, not $whose $HOME");
        assert_eq!((text.as_str(), used), ("Greet alice $how, not $whose $HOME", true));
    }

    #[test]
    fn quotes_group_and_an_unclosed_one_is_literal() {
        assert_eq!(
            split("a 'b c' \"d  e\"f \"\" it's Bob's"),
            ["a", "b c", "d  ef", "", "it's", "Bob's"]
        );
        assert_eq!(split("k=\"a b\" \"open"), ["k=a b", "\"open"]);
        assert_eq!(split("  "), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn inserted_text_is_not_scanned_again(args in "[$a-z0-9 ]{0,20}") {
            let names = ["x".to_owned()];
            prop_assert_eq!(Arguments::new(&args, &names).fill("<$ARGUMENTS>").0, format!("<{args}>"));
        }

        #[test]
        fn a_text_without_placeholders_is_unchanged(text in "[^$]{0,60}", args in ".{0,20}") {
            let (filled, used) = Arguments::new(&args, &[]).fill(&text);
            prop_assert!(filled == text && !used);
        }

        #[test]
        fn words_without_quotes_are_split_at_spaces(text in "[a-z ]{0,40}") {
            let words: Vec<&str> = text.split_whitespace().collect();
            prop_assert_eq!(split(&text), words);
        }

        #[test]
        fn every_word_can_be_quoted(words in proptest::collection::vec("[a-z '$]{0,8}", 0..6)) {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            let text = quoted.join(" ");
            prop_assert_eq!(&split(&text), &words);
            for (n, word) in words.iter().enumerate() {
                let placeholder = format!("${n}");
                prop_assert_eq!(&Arguments::new(&text, &[]).fill(&placeholder).0, word);
            }
        }

        #[test]
        fn any_text_is_handled_without_a_panic(text in "\\PC{0,40}", args in "\\PC{0,40}") {
            let names = ["x".to_owned()];
            let _ = Arguments::new(&args, &names).fill(&text).1;
        }
    }
}
