//! Unicode characters that look alike or are invisible, treated as the official SDKs treat them.

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_general_category::{GeneralCategory, get_general_category};

/// How often a tag is cleaned, at most: what is left of one round may be new to the next.
const ROUNDS: usize = 10;

/// What a person sees of a text: letters in their plain form, without those for direction, for private use or for nothing.
pub(super) fn seen(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(&text);
        let clean: String = plain.chars().filter(|letter| is_seen(*letter)).collect();
        if clean == text {
            break;
        }
        text = clean;
    }
    text.trim().to_owned()
}

fn is_seen(letter: char) -> bool {
    use GeneralCategory::{Format, PrivateUse, Unassigned};
    !matches!(get_general_category(letter), Format | PrivateUse | Unassigned)
}

#[cfg(test)]
mod tests {
    use super::seen;

    // Each with what the official Python SDK makes of it.
    #[test]
    fn tags_are_what_is_seen_of_them() {
        for (tag, kept) in [
            ("  plain  ", "plain"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("\u{fb01}x \u{2460}", "fix 1"),
            ("\u{ff21}\u{ff22}", "AB"),
            ("a\u{200b}b\u{202e}c\u{ad}d", "abcd"),
            ("\u{e000}x\u{f0000}y\u{378}", "xy"),
            ("a\tb\u{7}", "a\tb\u{7}"),
            ("\u{1f980}\u{fe0f}", "\u{1f980}\u{fe0f}"),
            ("\u{feff}\u{2060}", ""),
        ] {
            assert_eq!(seen(tag), kept, "{tag:?}");
        }
    }
}
