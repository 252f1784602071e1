//! The name of the folder in which the sessions of a project are saved. It is the same as that of the reference CLI, so
//! that each program finds the sessions of the other.

use icu_normalizer::ComposingNormalizerBorrowed;

/// Maximum length of a name before a hash is used: longer names are truncated to this length and get a hash suffix.
pub(super) const MAX_LENGTH: usize = 200;

/// Returns the name of the folder for a project at `path`, with its letters composed (Unicode NFC).
#[must_use]
pub fn folder_name(path: &str) -> String {
    uncomposed_folder_name(&ComposingNormalizerBorrowed::new_nfc().normalize(path))
}

/// Returns the name without composing the letters. Agents differ in whether they compose them.
pub(super) fn uncomposed_folder_name(path: &str) -> String {
    // Counted in UTF-16 code units, as the reference CLI does.
    let plain = |unit: u16| match char::from_u32(u32::from(unit)) {
        Some(letter) if letter.is_ascii_alphanumeric() => letter,
        _ => '-',
    };
    let mut name: String = path.encode_utf16().map(plain).collect();
    if name.len() > MAX_LENGTH {
        name.truncate(MAX_LENGTH);
        name.push('-');
        name.push_str(&hash(path));
    }
    name
}

/// Returns the rolling hash that distinguishes long paths, in base 36.
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
    fn characters_other_than_letters_and_digits_become_dashes() {
        assert_eq!(folder_name("/home/a_b/.c d"), "-home-a-b--c-d");
        // Two UTF-16 code units become two dashes.
        assert_eq!(folder_name("/é🦀"), "----");
    }

    #[test]
    fn letters_are_composed_unless_requested_otherwise() {
        assert_eq!(folder_name("/cafe\u{301}"), "-caf-");
        assert_eq!(uncomposed_folder_name("/cafe\u{301}"), "-cafe-");
    }

    #[test]
    fn a_long_name_is_truncated_and_gets_a_hash() {
        let path = format!("/tmp/sess-lab/r/{}/{}", "a".repeat(120), "b".repeat(120));
        let name = folder_name(&path);
        assert_eq!(name.len(), MAX_LENGTH + "-etphus".len());
        assert!(name.ends_with("b-etphus"), "{name}");
    }
}
