//! Any input gives an image within the limits, or an error.

use std::io::Cursor;

use proptest::prelude::*;
use sluice_render::image::{Bounds, ImageError, MAX_BYTES, MAX_SIDE, normalise, normalise_within};

/// Returns an image with many colours whose upper half has the given alpha value.
fn rgba(width: u32, height: u32, alpha: u8) -> Vec<u8> {
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .flat_map(|(x, y)| {
            [
                (x * 7 % 256) as u8,
                (y * 3 % 256) as u8,
                ((x * y) % 256) as u8,
                if y < height / 2 { alpha } else { 255 },
            ]
        })
        .collect()
}

fn png(width: u32, height: u32, color: png::ColorType, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_compression(png::Compression::Fast);
    encoder
        .add_text_chunk("Author".to_owned(), "somebody".to_owned())
        .unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

fn jpeg(width: u16, height: u16, orientation: Option<u8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
    if let Some(orientation) = orientation {
        let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
        encoder.add_app_segment(1, exif).unwrap();
    }
    let data = rgba(width.into(), height.into(), 255);
    encoder
        .encode(&data, width, height, jpeg_encoder::ColorType::Rgba)
        .unwrap();
    bytes
}

fn gif(width: u16, height: u16, frames: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[255, 0, 0, 0, 255, 0]).unwrap();
    for frame in 0..frames {
        let pixels = vec![u8::try_from(frame % 2).unwrap(); usize::from(width) * usize::from(height)];
        encoder
            .write_frame(&gif::Frame::from_indexed_pixels(width, height, pixels, None))
            .unwrap();
    }
    drop(encoder);
    bytes
}

fn webp(width: u32, height: u32, alpha: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    image_webp::WebPEncoder::new(&mut bytes)
        .encode(&rgba(width, height, alpha), width, height, image_webp::ColorType::Rgba8)
        .unwrap();
    bytes
}

/// Decodes a result that is a PNG.
fn pixels(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut data).unwrap();
    data
}

fn measured(bytes: &[u8]) -> (&'static str, u32, u32) {
    let image = normalise(bytes).unwrap();
    assert!(image.bytes.len() <= MAX_BYTES);
    (image.mime, image.width, image.height)
}

#[test]
fn every_format_is_decoded() {
    assert_eq!(
        measured(&png(30, 20, png::ColorType::Rgba, &rgba(30, 20, 100))),
        ("image/png", 30, 20)
    );
    assert_eq!(
        measured(&png(30, 20, png::ColorType::Grayscale, &[7; 600])),
        ("image/png", 30, 20)
    );
    assert_eq!(measured(&jpeg(30, 20, None)), ("image/jpeg", 30, 20));
    assert_eq!(measured(&gif(30, 20, 1)), ("image/png", 30, 20));
    assert_eq!(measured(&webp(30, 20, 100)), ("image/png", 30, 20));
}

#[test]
fn lossless_images_stay_lossless() {
    let data = rgba(30, 20, 100);
    let image = normalise(&png(30, 20, png::ColorType::Rgba, &data)).unwrap();
    assert_eq!(pixels(&image.bytes), data);
}

#[test]
fn only_the_first_frame_is_kept() {
    let image = normalise(&gif(4, 4, 3)).unwrap();
    assert_eq!(pixels(&image.bytes), [255, 0, 0].repeat(16));
}

#[test]
fn large_images_are_scaled_down() {
    let long = MAX_SIDE * 2;
    assert_eq!(
        measured(&png(
            long,
            100,
            png::ColorType::Grayscale,
            &vec![9; long as usize * 100]
        )),
        ("image/png", 2000, 50)
    );
    assert_eq!(measured(&jpeg(2400, 120, None)), ("image/jpeg", 2000, 100));
}

#[test]
fn results_respect_the_byte_limit() {
    let bounds = Bounds {
        bytes: 8_000,
        longest_side: 300,
    };
    for bytes in [jpeg(400, 200, None), webp(400, 200, 100)] {
        let image = normalise_within(&bytes, bounds).unwrap();
        assert!(image.bytes.len() <= 8_000 && image.width <= 300);
        assert!(image.width > 16, "{}x{}", image.width, image.height);
    }
}

#[test]
fn photos_are_turned_upright() {
    assert_eq!(measured(&jpeg(40, 20, Some(1))), ("image/jpeg", 40, 20));
    assert_eq!(measured(&jpeg(40, 20, Some(3))), ("image/jpeg", 40, 20));
    assert_eq!(measured(&jpeg(40, 20, Some(6))), ("image/jpeg", 20, 40));
}

#[test]
fn metadata_is_removed() {
    let contains = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).any(|at| at == word);
    let before = png(30, 20, png::ColorType::Rgba, &rgba(30, 20, 100));
    assert!(contains(&before, b"somebody"));
    assert!(!contains(&normalise(&before).unwrap().bytes, b"somebody"));
    assert!(!contains(&normalise(&jpeg(40, 20, Some(6))).unwrap().bytes, b"Exif"));
}

#[test]
fn oversized_images_are_rejected_by_their_header() {
    let mut bomb = png(1, 1, png::ColorType::Grayscale, &[0]);
    bomb[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
    let expected = ImageError::TooManyPixels {
        width: 0x4000,
        height: 0x4000,
    };
    assert_eq!(normalise(&bomb), Err(expected));
    let gif = b"GIF89a\xff\xff\xff\xff\0\0\0";
    assert!(matches!(normalise(gif), Err(ImageError::TooManyPixels { .. })));
}

#[test]
fn other_formats_are_rejected() {
    for bytes in [&b""[..], b"<svg/>", b"BM......", b"\0\0\0\x1cftypavif", b"%PDF-1.4"] {
        assert_eq!(normalise(bytes), Err(ImageError::UnsupportedFormat));
    }
    assert_eq!(normalise(b"\x89PNG\r\n\x1a\n"), Err(ImageError::UnknownSize));
}

fn any_image() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(png(20, 10, png::ColorType::Rgba, &rgba(20, 10, 100))),
        Just(jpeg(20, 10, Some(6))),
        Just(gif(20, 10, 2)),
        Just(webp(20, 10, 100)),
    ]
}

proptest! {
    #[test]
    fn truncated_images_never_panic(bytes in any_image(), keep in 0.0f64..1.0) {
        let length = (bytes.len() as f64 * keep) as usize;
        let _result = normalise(&bytes[..length]);
    }

    #[test]
    fn damaged_images_never_panic(
        mut bytes in any_image(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            // skips the size fields: an image that declares a huge size is rejected or slow to decode, which is tested elsewhere
            if !(4..32).contains(&at) {
                bytes[at] = byte;
            }
        }
        if let Ok(image) = normalise(&bytes) {
            prop_assert!(image.bytes.len() <= MAX_BYTES && image.width.max(image.height) <= MAX_SIDE);
        }
    }

    #[test]
    fn garbage_never_panics(start in prop::sample::select(vec![&b"\x89PNG\r\n\x1a\n"[..], b"GIF89a", b"\xFF\xD8\xFF", b"RIFF....WEBP"]), rest in prop::collection::vec(any::<u8>(), 0..200)) {
        let _result = normalise(&[start, &rest].concat());
    }
}
