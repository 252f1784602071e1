//! Removes invisible characters and normalises characters that look alike, as the official SDKs do.

use icu_normalizer::ComposingNormalizerBorrowed;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Maximum number of passes: normalising the result of one pass may change it again.
const MAX_PASSES: usize = 10;

/// Returns the visible characters of a text in their compatibility form (NFKC), without format characters, private-use
/// characters and unassigned code points.
pub(super) fn visible_text(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..MAX_PASSES {
        let plain = ComposingNormalizerBorrowed::new_nfkc().normalize(&text);
        let clean: String = plain.chars().filter(|character| is_visible(*character)).collect();
        if clean == text {
            break;
        }
        text = clean;
    }
    text.trim().to_owned()
}

fn is_visible(character: char) -> bool {
    use GeneralCategory::{Format, PrivateUse, Unassigned};
    !matches!(get_general_category(character), Format | PrivateUse | Unassigned)
}

#[cfg(test)]
mod tests {
    use super::visible_text;

    // The expected values are the results of the official Python SDK.
    #[test]
    fn invisible_characters_are_removed_from_tags() {
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
            assert_eq!(visible_text(tag), kept, "{tag:?}");
        }
    }
}
