//! Images scaled down to what a model accepts.
//!
//! Nothing is decoded before its header has said how large it is, and one image is decoded at a time: a few bytes can
//! claim to be an image as large as the memory.

mod decode;
mod encode;
mod header;
mod orientation;
mod scale;

use std::sync::{Mutex, PoisonError};

pub(crate) use self::header::{Format, Header, header};

/// The most bytes a model takes: 5 MB in base64.
const MOST_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;
/// The longest side a model looks at; it would scale down what is longer itself.
const LONGEST_SIDE: u32 = 1568;
/// The most pixels that are decoded.
const MOST_PIXELS: u64 = 64_000_000;

static DECODING: Mutex<()> = Mutex::new(());

/// An image that was made smaller.
#[derive(Debug)]
pub(crate) struct Shrunk {
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// Width and height in pixels.
    pub(crate) size: (u32, u32),
}

/// Why an image cannot be made small enough.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// Decoding it would take too much memory.
    #[error("it measures {0}x{1} pixels, more than can be decoded; scale it down with a command first")]
    TooManyPixels(u32, u32),
    /// Its header has no size.
    #[error("its header does not say how large it is")]
    Unmeasured,
    /// It is broken, or uses something we do not know.
    #[error("it cannot be decoded ({0})")]
    Undecodable(String),
    /// It cannot be written.
    #[error("it cannot be made small enough")]
    TooManyBytes,
}

/// A smaller image in place of `bytes`, or `None` where they are small enough as they are.
pub(crate) fn shrunk(bytes: &[u8], header: Header) -> Result<Option<Shrunk>, Unfit> {
    let Some((width, height)) = header.size else {
        // the model's side may know more about it than we do
        return if bytes.len() > MOST_BYTES {
            Err(Unfit::Unmeasured)
        } else {
            Ok(None)
        };
    };
    if bytes.len() <= MOST_BYTES && width.max(height) <= LONGEST_SIDE {
        return Ok(None);
    }
    let target = fit(width, height)?;
    let _one_at_a_time = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let picture = decode::scaled(bytes, header.format, target)?;
    encode::within(&picture, MOST_BYTES).map(Some)
}

/// The size to show an image of this size at.
fn fit(width: u32, height: u32) -> Result<(u32, u32), Unfit> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MOST_PIXELS || pixels == 0 {
        return Err(Unfit::TooManyPixels(width, height));
    }
    let longest = u64::from(width.max(height));
    if longest <= u64::from(LONGEST_SIDE) {
        return Ok((width, height));
    }
    let side = |side: u32| {
        let scaled = (u64::from(side) * u64::from(LONGEST_SIDE) + longest / 2) / longest;
        u32::try_from(scaled).unwrap_or(LONGEST_SIDE).max(1)
    };
    Ok((side(width), side(height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_side_decides() {
        assert_eq!(fit(3136, 1000).ok(), Some((1568, 500)));
        assert_eq!(fit(1000, 3136).ok(), Some((500, 1568)));
        assert_eq!(fit(100, 50).ok(), Some((100, 50)));
        assert_eq!(fit(60_000, 2).ok(), Some((1568, 1)));
        assert!(fit(60_000, 60_000).is_err() && fit(0, 5).is_err());
    }
}
