//! Limits that are checked before anything is parsed, in one pass.

use super::Problem;

/// The longest line that is parsed. Longer ones are always asked about.
pub const MOST_CHARS: usize = 10_000;
/// How deep quotes, brackets and compound commands may nest.
pub const MOST_DEPTH: usize = 12;
/// How many words a line may have outside quotes and here-documents.
pub const MOST_WORDS: usize = 600;
/// How many commands it may have.
pub const MOST_COMMANDS: usize = 150;
/// How many substitutions and compounds may open: the parser tries again at each.
pub const MOST_OPENINGS: usize = 64;
/// How many shells within shells are followed.
pub const MOST_SHELLS: usize = 4;

/// Why `text` is not analysed at all.
#[must_use]
pub fn check(text: &str) -> Option<Problem> {
    if let Some(c) = text.chars().find(|c| hides(*c)) {
        return Some(Problem::Invisible(c));
    }
    if text.len() > MOST_CHARS * 4 || text.chars().count() > MOST_CHARS {
        return Some(Problem::TooLong);
    }
    None
}

/// Characters that people do not see, or see in another order, or that bash and its readers
/// split differently.
#[must_use]
pub fn hides(c: char) -> bool {
    match c {
        '\n' | '\t' | ' ' => false,
        c if c.is_control() => true,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{1680}' | '\u{3000}' | '\u{feff}'
        | '\u{fffc}' | '\u{3164}' | '\u{ffa0}' | '\u{115f}' | '\u{1160}' | '\u{2800}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        // Variation selectors, but the one that only colours an emoji.
        '\u{fe00}'..='\u{fe0e}' => true,
        _ => false,
    }
}

/// `text` with everything that hides shown as `\u{…}`, for people to read.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if hides(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}
