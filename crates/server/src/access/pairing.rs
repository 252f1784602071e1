//! State machine of pairing codes; time is passed as an argument.

use std::time::Duration;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::scope::Scope;

/// Letters and digits without the ambiguous `0`, `O`, `1` and `I`: 32 characters, five bits each.
pub(crate) const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
pub(crate) const LENGTH: usize = 8;

/// Lifetime of codes, and limits on guessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairingLimits {
    pub(crate) lifetime: Duration,
    pub(crate) wrong: u32,
    pub(crate) lock: Duration,
    /// Maximum number of valid codes; a new one replaces the oldest.
    pub(crate) open: usize,
}

impl Default for PairingLimits {
    fn default() -> Self {
        Self {
            lifetime: Duration::from_secs(600),
            wrong: 5,
            lock: Duration::from_secs(60),
            open: 16,
        }
    }
}

/// A valid code.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct OpenCode {
    letters: [u8; LENGTH],
    pub(crate) scope: Option<Scope>,
    until: Duration,
}

impl std::fmt::Debug for OpenCode {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OpenCode")
            .field("scope", &self.scope)
            .field("until", &self.until)
            .finish_non_exhaustive()
    }
}

/// Result of an entered code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attempt<T> {
    /// The code was valid and is now used.
    Good(T),
    /// Unknown, used or expired.
    Wrong,
    /// As [`Attempt::Wrong`], and pairing is now locked.
    Locks { wait: Duration },
    /// Not checked, because pairing is locked.
    Locked { wait: Duration },
}

#[derive(Debug, Default)]
pub(crate) struct Pairing {
    limits: PairingLimits,
    open: Vec<OpenCode>,
    wrong: u32,
    locked_until: Option<Duration>,
}

impl Pairing {
    pub(crate) fn new(limits: PairingLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Creates a code and returns its lifetime.
    pub(crate) fn offer(&mut self, now: Duration, letters: [u8; LENGTH], scope: Option<Scope>) -> Duration {
        self.forget_old(now);
        if self.open.len() >= self.limits.open.max(1) {
            self.open.remove(0);
        }
        self.open.push(OpenCode {
            letters,
            scope,
            until: now + self.limits.lifetime,
        });
        self.limits.lifetime
    }

    pub(crate) fn attempt(&mut self, now: Duration, text: &str) -> Attempt<OpenCode> {
        if let Some(until) = self.locked_until {
            if now < until {
                return Attempt::Locked { wait: until - now };
            }
            self.locked_until = None;
            self.wrong = 0;
        }
        self.forget_old(now);
        // Compares with a dummy if the text cannot be a code, so that the same work is done.
        let letters = read(text).unwrap_or([0; LENGTH]);
        let mut place = u32::MAX;
        for (index, code) in (0u32..).zip(&self.open) {
            let same: Choice = code.letters.ct_eq(&letters);
            place.conditional_assign(&index, same);
        }
        let place = place as usize;
        if place < self.open.len() {
            self.wrong = 0;
            return Attempt::Good(self.open.remove(place));
        }
        self.wrong += 1;
        if self.wrong < self.limits.wrong {
            return Attempt::Wrong;
        }
        self.locked_until = Some(now + self.limits.lock);
        Attempt::Locks { wait: self.limits.lock }
    }

    /// Makes a used code valid again after pairing failed.
    pub(crate) fn give_back(&mut self, code: OpenCode) {
        self.open.push(code);
    }

    fn forget_old(&mut self, now: Duration) {
        self.open.retain(|code| now < code.until);
    }
}

/// Normalizes an entered code: case, dashes and spaces are ignored.
pub(crate) fn read(text: &str) -> Option<[u8; LENGTH]> {
    let mut letters = text
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b' '))
        .map(|byte| byte.to_ascii_uppercase());
    let mut code = [0; LENGTH];
    for place in &mut code {
        *place = letters.next().filter(|letter| ALPHABET.contains(letter))?;
    }
    letters.next().is_none().then_some(code)
}

/// Formats a code as two groups of four characters.
pub(crate) fn write(letters: [u8; LENGTH]) -> String {
    let (first, second) = letters.split_at(LENGTH / 2);
    format!("{}-{}", String::from_utf8_lossy(first), String::from_utf8_lossy(second))
}

#[cfg(test)]
#[path = "pairing_tests.rs"]
mod tests;
