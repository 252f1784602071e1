//! Normalises images for storing, sending and displaying: upright, of limited size, and without metadata.
//!
//! The size is read from the header before anything is decoded, as a few bytes can declare an image that would fill the
//! memory.

mod decode;
mod encode;
mod header;
mod orientation;
mod scale;

/// The maximum size of a result in bytes: 5 MiB in base64.
pub const MAX_BYTES: usize = 5 * 1024 * 1024 / 4 * 3;
/// The maximum width and height of a result in pixels.
pub const MAX_SIDE: u32 = 2000;
/// The maximum number of pixels that are decoded.
pub const MAX_PIXELS: u64 = 40_000_000;

/// A normalised image.
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

/// Why an image was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The format is not supported.
    #[error("not a supported image; use PNG, JPEG, GIF or WebP")]
    UnsupportedFormat,
    /// The header contains no size.
    #[error("the header of the image contains no size")]
    UnknownSize,
    /// Decoding it would take too much memory.
    #[error("the image has {width}x{height} pixels, which is too large to decode; scale it down first")]
    TooManyPixels { width: u32, height: u32 },
    /// The data is damaged or uses an unsupported feature.
    #[error("the image cannot be decoded ({0})")]
    Undecodable(String),
    /// It is too large even at the smallest size.
    #[error("the image cannot be scaled down to the maximum size")]
    TooManyBytes,
}

/// The limits for a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub bytes: usize,
    /// In pixels.
    pub longest_side: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes: MAX_BYTES,
            longest_side: MAX_SIDE,
        }
    }
}

/// Normalises the (first) image in `bytes` within the default [`Bounds`].
pub fn normalise(bytes: &[u8]) -> Result<Image, ImageError> {
    normalise_within(bytes, Bounds::default())
}

/// Like [`normalise`], within the given bounds.
pub fn normalise_within(bytes: &[u8], bounds: Bounds) -> Result<Image, ImageError> {
    let header = header::header(bytes).ok_or(ImageError::UnsupportedFormat)?;
    let (width, height) = header.size.ok_or(ImageError::UnknownSize)?;
    fit(width, height, bounds.longest_side)?;
    let picture = decode::decode(bytes, header.format, bounds.longest_side)?;
    encode::encode_within(picture, bounds.bytes)
}

/// Returns the size of an image after scaling it down to fit into a square.
fn fit(width: u32, height: u32, side: u32) -> Result<(u32, u32), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MAX_PIXELS {
        return Err(ImageError::TooManyPixels { width, height });
    }
    if pixels == 0 {
        return Err(ImageError::Undecodable("it has no pixels".to_owned()));
    }
    let (longest, side) = (u64::from(width.max(height)), side.max(1));
    if longest <= u64::from(side) {
        return Ok((width, height));
    }
    let scale = |length: u32| {
        let scale = (u64::from(length) * u64::from(side) + longest / 2) / longest;
        u32::try_from(scale).unwrap_or(side).max(1)
    };
    Ok((scale(width), scale(height)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_side_determines_the_scale() {
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
