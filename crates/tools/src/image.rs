//! Scales images down to the limits of the model.
//!
//! The size in the header is checked before decoding, and images are decoded one at a time: a file of a few bytes can
//! declare an image as large as the memory.

mod decode;
mod encode;
mod header;
mod orientation;
mod scale;

use std::sync::{Mutex, PoisonError};

pub(crate) use self::header::{Format, Header, header};

/// Maximum size that the model accepts: 5 MB in base64.
const MAX_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;
/// Longest side that the model uses; it would scale down larger images itself.
const MAX_SIDE: u32 = 1568;
/// Maximum number of pixels to decode.
const MAX_PIXELS: u64 = 64_000_000;

static DECODING: Mutex<()> = Mutex::new(());

/// An image that was scaled down.
#[derive(Debug)]
pub(crate) struct Shrunk {
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// Width and height in pixels.
    pub(crate) size: (u32, u32),
}

/// Why an image cannot be scaled down.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    /// Decoding would need too much memory.
    #[error("it measures {0}x{1} pixels, more than can be decoded; scale it down with a command first")]
    TooManyPixels(u32, u32),
    /// The header contains no size.
    #[error("its header does not say how large it is")]
    Unmeasured,
    /// The image is damaged or uses an unsupported feature.
    #[error("it cannot be decoded ({0})")]
    Undecodable(String),
    /// No encoding is small enough.
    #[error("it cannot be made small enough")]
    TooManyBytes,
}

/// Returns a smaller image, or `None` if `bytes` are within the limits.
pub(crate) fn shrunk(bytes: &[u8], header: Header) -> Result<Option<Shrunk>, Unfit> {
    let Some((width, height)) = header.size else {
        // the model may support formats that are unknown here
        return if bytes.len() > MAX_BYTES {
            Err(Unfit::Unmeasured)
        } else {
            Ok(None)
        };
    };
    if bytes.len() <= MAX_BYTES && width.max(height) <= MAX_SIDE {
        return Ok(None);
    }
    let target = fit(width, height)?;
    let _one_at_a_time = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    let picture = decode::scaled(bytes, header.format, target)?;
    encode::within(&picture, MAX_BYTES).map(Some)
}

/// Returns the size to scale an image to.
fn fit(width: u32, height: u32) -> Result<(u32, u32), Unfit> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS || pixels == 0 {
        return Err(Unfit::TooManyPixels(width, height));
    }
    let longest = u64::from(width.max(height));
    if longest <= u64::from(MAX_SIDE) {
        return Ok((width, height));
    }
    let side = |side: u32| {
        let scaled = (u64::from(side) * u64::from(MAX_SIDE) + longest / 2) / longest;
        u32::try_from(scaled).unwrap_or(MAX_SIDE).max(1)
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
