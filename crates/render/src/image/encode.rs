//! Encoding images: PNG for drawings and transparency, JPEG for photos.

use std::collections::HashSet;

use jpeg_encoder::{ColorType, Encoder};

use super::scale::{Picture, Samples, Scaler};
use super::{Image, ImageError};

const QUALITY: u8 = 85;
/// Images with more colours than this are treated as photos.
const MAX_DRAWING_COLOURS: usize = 4096;
/// Images whose longer side is at most this many pixels are not scaled down further.
const MIN_SIDE: u32 = 16;

/// Encodes the image in at most `max` bytes; scales it down until it fits.
pub(super) fn encode_within(mut picture: Picture, max: usize) -> Result<Image, ImageError> {
    loop {
        let (bytes, mime) = encode(&picture).ok_or(ImageError::TooManyBytes)?;
        let (width, height) = (picture.width, picture.height);
        if bytes.len() <= max {
            return Ok(Image {
                bytes,
                mime,
                width,
                height,
            });
        }
        if width.max(height) <= MIN_SIDE {
            return Err(ImageError::TooManyBytes);
        }
        picture = shrink(&picture);
    }
}

fn encode(picture: &Picture) -> Option<(Vec<u8>, &'static str)> {
    let is_opaque = picture.rgba.iter().skip(3).step_by(4).all(|alpha| *alpha == 255);
    if !is_opaque || (!picture.is_photo && has_few_colours(picture)) {
        return Some((png(picture, is_opaque)?, "image/png"));
    }
    let photo = jpeg(picture)?;
    if !picture.is_photo {
        // a scaled screenshot has many colours too, and is often smaller without compression losses
        let as_png = png(picture, is_opaque)?;
        if as_png.len() <= photo.len() {
            return Some((as_png, "image/png"));
        }
    }
    Some((photo, "image/jpeg"))
}

fn has_few_colours(picture: &Picture) -> bool {
    let mut colours = HashSet::new();
    picture.rgba.as_chunks::<4>().0.iter().all(|pixel| {
        colours.insert(*pixel);
        colours.len() <= MAX_DRAWING_COLOURS
    })
}

/// Scales both sides to three quarters.
fn shrink(picture: &Picture) -> Picture {
    let less = |side: u32| (side * 3 / 4).max(1);
    let from = (picture.width, picture.height);
    let mut scaler = Scaler::new(Samples::Rgba, from, (less(from.0), less(from.1)));
    for row in picture.rgba.chunks_exact(from.0 as usize * 4) {
        scaler.row(row);
    }
    Picture {
        is_photo: picture.is_photo,
        ..scaler.finish()
    }
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
        writer.write_image_data(&rgb(picture)).ok()?;
    } else {
        writer.write_image_data(&picture.rgba).ok()?;
    }
    writer.finish().ok()?;
    Some(bytes)
}

fn jpeg(picture: &Picture) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (width, height) = (u16::try_from(picture.width).ok()?, u16::try_from(picture.height).ok()?);
    Encoder::new(&mut bytes, QUALITY)
        .encode(&rgb(picture), width, height, ColorType::Rgb)
        .ok()?;
    Some(bytes)
}

fn rgb(picture: &Picture) -> Vec<u8> {
    let pixels = picture.rgba.as_chunks::<4>().0;
    pixels
        .iter()
        .flat_map(|[red, green, blue, _]| [*red, *green, *blue])
        .collect()
}

#[cfg(test)]
mod tests {
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
    fn photos_become_jpeg_and_transparent_images_png() {
        assert_eq!(encode_within(noise(255), 1 << 20).unwrap().mime, "image/jpeg");
        assert_eq!(encode_within(noise(200), 1 << 20).unwrap().mime, "image/png");
    }

    #[test]
    fn images_are_scaled_down_until_they_fit() {
        for alpha in [255, 200] {
            let tight = encode_within(noise(alpha), 20_000).unwrap();
            assert!(tight.bytes.len() <= 20_000);
            assert!(tight.width < 256 && tight.width == tight.height);
        }
        assert_eq!(encode_within(noise(255), 10), Err(ImageError::TooManyBytes));
    }
}
