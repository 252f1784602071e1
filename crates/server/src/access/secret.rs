//! Secrets: generated here, shown once, stored as a hash.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::pairing::{ALPHABET, LENGTH};

/// 32 random bytes in base64url.
const TOKEN_LENGTH: usize = 43;

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0u8; N];
    rand::rng().fill_bytes(&mut bytes);
    bytes
}

pub(crate) fn new_token() -> String {
    URL_SAFE_NO_PAD.encode(random::<32>())
}

pub(crate) fn new_code() -> [u8; LENGTH] {
    // 256 is a multiple of 32, so all characters are equally likely.
    random::<LENGTH>().map(|byte| ALPHABET.get(usize::from(byte & 31)).copied().unwrap_or(b'A'))
}

/// The stored hash of a token.
#[derive(Clone, Copy)]
pub(crate) struct TokenHash([u8; 32]);

impl TokenHash {
    /// Returns `None` if the text cannot be a token.
    pub(crate) fn of(token: &str) -> Option<Self> {
        (token.len() == TOKEN_LENGTH).then(|| Self(Sha256::digest(token.as_bytes()).into()))
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let mut bytes = [0u8; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(place * 2..place * 2 + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    pub(crate) fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// Compares in constant time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // Cannot fail when writing to a string.
            write!(text, "{byte:02x}").ok();
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_enough_and_matches_its_own_hash_alone() {
        let (one, other) = (new_token(), new_token());
        assert_ne!(one, other);
        assert_eq!(one.len(), TOKEN_LENGTH);
        let kept = TokenHash::from_hex(&TokenHash::of(&one).unwrap().to_hex()).unwrap();
        assert!(kept.is(&TokenHash::of(&one).unwrap()));
        assert!(!kept.is(&TokenHash::of(&other).unwrap()));
        assert!(TokenHash::of("").is_none());
        assert!(TokenHash::from_hex(&"é".repeat(32)).is_none());
    }

    #[test]
    fn a_code_is_made_of_the_alphabet() {
        for _ in 0..200 {
            assert!(new_code().iter().all(|letter| ALPHABET.contains(letter)));
        }
        assert_ne!(new_code(), new_code());
    }
}
