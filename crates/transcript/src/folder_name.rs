//! The name of the folder in which the sessions of a project are saved: the same as that of the reference CLI, so that
//! each finds the other's.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Names longer than this are cut, and told apart by a hash.
pub(super) const LONGEST: usize = 200;

/// The folder's name for a project at `path`, its letters composed (NFC).
#[must_use]
pub fn folder_name(path: &str) -> String {
    folder_name_as_spelled(&ComposingNormalizerBorrowed::new_nfc().normalize(path))
}

/// The same for letters as they are spelled: agents differ in whether they compose them.
pub(super) fn folder_name_as_spelled(path: &str) -> String {
    // Counted in the units of UTF-16, as the reference agent does.
    let plain = |unit: u16| match char::from_u32(u32::from(unit)) {
        Some(letter) if letter.is_ascii_alphanumeric() => letter,
        _ => '-',
    };
    let mut name: String = path.encode_utf16().map(plain).collect();
    if name.len() > LONGEST {
        name.truncate(LONGEST);
        name.push('-');
        name.push_str(&hash(path));
    }
    name
}

/// The rolling hash by which long paths are told apart, in base 36.
fn hash(path: &str) -> String {
    let rolled = path.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_shl(5).wrapping_sub(hash).wrapping_add(i32::from(unit))
    });
    let mut rest = rolled.unsigned_abs();
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_that_is_no_letter_or_digit_is_a_dash() {
        assert_eq!(folder_name("/home/a_b/.c d"), "-home-a-b--c-d");
        // Two units of UTF-16, two dashes.
        assert_eq!(folder_name("/é🦀"), "----");
    }

    #[test]
    fn letters_are_composed_unless_their_spelling_is_wanted() {
        assert_eq!(folder_name("/cafe\u{301}"), "-caf-");
        assert_eq!(folder_name_as_spelled("/cafe\u{301}"), "-cafe-");
    }

    #[test]
    fn a_long_name_is_cut_and_told_apart_by_a_hash() {
        let path = format!("/tmp/sess-lab/r/{}/{}", "a".repeat(120), "b".repeat(120));
        let name = folder_name(&path);
        assert_eq!(name.len(), LONGEST + "-etphus".len());
        assert!(name.ends_with("b-etphus"), "{name}");
    }
}
