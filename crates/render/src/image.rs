//! Images made fit to be kept, sent and shown: upright, of a bounded size, without what a camera writes beside them.
//!
//! Nothing is decoded before its header has said how large it is: a few bytes can claim to be a picture as large as
//! the memory.

mod decode;
mod encode;
mod header;
mod orientation;
mod scale;

/// The most bytes of a result: 5 MiB in base64.
pub const MOST_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;
/// The longest side of a result, in pixels.
pub const LONGEST_SIDE: u32 = 2000;
/// The most pixels that are decoded.
pub const MOST_PIXELS: u64 = 40_000_000;

/// An image as it may be passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub bytes: Vec<u8>,
    /// `image/png` or `image/jpeg`.
    pub mime: &'static str,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// Why an image is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Not one of the kinds we read.
    #[error("not an image that can be read; use png, jpeg, gif or webp")]
    Unknown,
    /// Its header has no size.
    #[error("the header of the image does not say how large it is")]
    Unmeasured,
    /// Decoding it would take too much memory.
    #[error("the image measures {width}x{height} pixels, more than can be decoded; scale it down first")]
    TooManyPixels { width: u32, height: u32 },
    /// It is broken, or uses something we do not know.
    #[error("the image cannot be decoded ({0})")]
    Undecodable(String),
    /// No size of it is small enough.
    #[error("the image cannot be made small enough")]
    TooManyBytes,
}

/// What a result may be at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub bytes: usize,
    /// In pixels.
    pub longest_side: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes: MOST_BYTES,
            longest_side: LONGEST_SIDE,
        }
    }
}

/// The (first) picture in `bytes`, encoded anew within the default [`Bounds`].
pub fn normalise(bytes: &[u8]) -> Result<Image, ImageError> {
    normalise_within(bytes, Bounds::default())
}

/// As [`normalise`], within other bounds.
pub fn normalise_within(bytes: &[u8], bounds: Bounds) -> Result<Image, ImageError> {
    let header = header::header(bytes).ok_or(ImageError::Unknown)?;
    let (width, height) = header.size.ok_or(ImageError::Unmeasured)?;
    fit(width, height, bounds.longest_side)?;
    let picture = decode::scaled(bytes, header.format, bounds.longest_side)?;
    encode::within(picture, bounds.bytes)
}

/// The size to show an image of this size at.
fn fit(width: u32, height: u32, side: u32) -> Result<(u32, u32), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MOST_PIXELS {
        return Err(ImageError::TooManyPixels { width, height });
    }
    if pixels == 0 {
        return Err(ImageError::Undecodable("it has no pixels".to_owned()));
    }
    let (longest, side) = (u64::from(width.max(height)), side.max(1));
    if longest <= u64::from(side) {
        return Ok((width, height));
    }
    let scaled = |length: u32| {
        let scaled = (u64::from(length) * u64::from(side) + longest / 2) / longest;
        u32::try_from(scaled).unwrap_or(side).max(1)
    };
    Ok((scaled(width), scaled(height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_side_decides() {
        assert_eq!(fit(4000, 1000, 2000), Ok((2000, 500)));
        assert_eq!(fit(1000, 4000, 2000), Ok((500, 2000)));
        assert_eq!(fit(100, 50, 2000), Ok((100, 50)));
        assert_eq!(fit(60_000, 2, 2000), Ok((2000, 1)));
        assert_eq!(
            fit(60_000, 60_000, 2000),
            Err(ImageError::TooManyPixels {
                width: 60_000,
                height: 60_000
            })
        );
        assert!(fit(0, 5, 2000).is_err());
    }
}
