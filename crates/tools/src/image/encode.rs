//! Encodes images: lossless if small enough, otherwise lossy.

use jpeg_encoder::{ColorType, Encoder};

use super::header::Format;
use super::scale::Picture;
use super::{Shrunk, Unfit};

/// JPEG qualities to try, in order, until the result is small enough.
const QUALITIES: [u8; 4] = [85, 70, 50, 30];

/// Encodes the image in at most `most` bytes.
pub(super) fn within(picture: &Picture, most: usize) -> Result<Shrunk, Unfit> {
    let done = |format, bytes| Shrunk {
        format,
        bytes,
        size: (picture.width, picture.height),
    };
    let is_opaque = picture.rgba.iter().skip(3).step_by(4).all(|alpha| *alpha == 255);
    if !(picture.is_photo && is_opaque)
        && let Some(bytes) = png(picture, is_opaque)
        && bytes.len() <= most
    {
        return Ok(done(Format::Png, bytes));
    }
    let rgb = on_white(picture);
    QUALITIES
        .iter()
        .filter_map(|quality| jpeg(picture, &rgb, *quality))
        .find(|bytes| bytes.len() <= most)
        .map(|bytes| done(Format::Jpeg, bytes))
        .ok_or(Unfit::TooManyBytes)
}

fn png(picture: &Picture, is_opaque: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if is_opaque {
        png::ColorType::Rgb
    } else {
        png::ColorType::Rgba
    });
    let mut writer = encoder.write_header().ok()?;
    if is_opaque {
        writer.write_image_data(&on_white(picture)).ok()?;
    } else {
        writer.write_image_data(&picture.rgba).ok()?;
    }
    writer.finish().ok()?;
    Some(bytes)
}

fn jpeg(picture: &Picture, rgb: &[u8], quality: u8) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (u16::try_from(picture.width).ok()?, u16::try_from(picture.height).ok()?);
    Encoder::new(&mut bytes, quality)
        .encode(rgb, width, height, ColorType::Rgb)
        .ok()?;
    Some(bytes)
}

/// Replaces transparency by white.
fn on_white(picture: &Picture) -> Vec<u8> {
    picture
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|[red, green, blue, alpha]| {
            let over = |colour: &u8| {
                let mixed = (u32::from(*colour) * u32::from(*alpha) + 255 * (255 - u32::from(*alpha)) + 127) / 255;
                u8::try_from(mixed).unwrap_or(u8::MAX)
            };
            [over(red), over(green), over(blue)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn noise(alpha: u8) -> Picture {
        let mut state = 1u32;
        let rgba = (0..256 * 256)
            .flat_map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let [_, red, green, blue] = state.to_le_bytes();
                [red, green, blue, alpha]
            })
            .collect();
        Picture {
            width: 256,
            height: 256,
            rgba,
            is_photo: false,
        }
    }

    #[test]
    fn lossy_encoding_is_used_only_if_needed() {
        let small = within(&noise(255), 1 << 20).unwrap();
        assert_eq!(small.format, Format::Png);
        let tight = within(&noise(255), 100_000).unwrap();
        assert!(tight.format == Format::Jpeg && tight.bytes.len() <= 100_000);
        let seen_through = within(&noise(200), 1 << 20).unwrap();
        assert_eq!(seen_through.format, Format::Png);
        assert!(matches!(within(&noise(255), 10), Err(Unfit::TooManyBytes)));
    }

    #[test]
    fn transparency_becomes_white() {
        let picture = Picture {
            width: 2,
            height: 1,
            rgba: vec![10, 20, 30, 255, 0, 0, 0, 0],
            is_photo: false,
        };
        assert_eq!(on_white(&picture), [10, 20, 30, 255, 255, 255]);
    }
}
