//! Decoding images and scaling them down while decoding.

use std::io::Cursor;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::header::Format;
use super::scale::{Picture, Samples, Scaler};
use super::{ImageError, MAX_PIXELS, fit, orientation};

/// The memory limit of a decoder in bytes, besides the image itself.
const MAX_MEMORY: usize = 200 << 20;

/// Decodes the (first) image in `bytes` and scales it down so that no side is longer than `side`.
pub(super) fn decode(bytes: &[u8], format: Format, side: u32) -> Result<Picture, ImageError> {
    match format {
        Format::Png => png(bytes, side),
        Format::Jpeg => jpeg(bytes, side),
        Format::Gif => gif(bytes, side),
        Format::Webp => webp(bytes, side),
    }
}

fn undecodable(error: impl std::fmt::Display) -> ImageError {
    ImageError::Undecodable(error.to_string())
}

fn incomplete() -> ImageError {
    ImageError::Undecodable("the data is incomplete".to_owned())
}

fn from_rows(samples: Samples, size: (u32, u32), data: &[u8], side: u32) -> Result<Picture, ImageError> {
    let mut scaler = Scaler::new(samples, size, fit(size.0, size.1, side)?);
    for row in data.chunks_exact(size.0 as usize * samples.per_pixel()) {
        scaler.row(row);
    }
    Ok(scaler.finish())
}

fn png(bytes: &[u8], side: u32) -> Result<Picture, ImageError> {
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: MAX_MEMORY });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    let mut reader = decoder.read_info().map_err(undecodable)?;
    let samples = match reader.output_color_type().0 {
        png::ColorType::Grayscale => Samples::Gray,
        png::ColorType::GrayscaleAlpha => Samples::GrayAlpha,
        png::ColorType::Rgb => Samples::Rgb,
        png::ColorType::Rgba => Samples::Rgba,
        png::ColorType::Indexed => return Err(undecodable("colours without a palette")),
    };
    let size = (reader.info().width, reader.info().height);
    let target = fit(size.0, size.1, side)?;
    if reader.info().interlaced {
        let mut data = vec![0; reader.output_buffer_size().ok_or_else(incomplete)?];
        reader.next_frame(&mut data).map_err(undecodable)?;
        return from_rows(samples, size, &data, side);
    }
    // row by row, so that a large image is never completely in memory
    let mut scaler = Scaler::new(samples, size, target);
    while let Some(row) = reader.next_row().map_err(undecodable)? {
        scaler.row(row.data());
    }
    Ok(scaler.finish())
}

fn jpeg(bytes: &[u8], side: u32) -> Result<Picture, ImageError> {
    let options = DecoderOptions::default()
        .set_max_width(1 << 16)
        .set_max_height(1 << 16)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(undecodable)?;
    let info = decoder.info().ok_or_else(incomplete)?;
    let size = (u32::from(info.width), u32::from(info.height));
    fit(size.0, size.1, side)?;
    let data = decoder.decode().map_err(undecodable)?;
    let samples = match decoder.output_colorspace() {
        Some(ColorSpace::Luma) => Samples::Gray,
        _ => Samples::Rgb,
    };
    let orientation_tag = decoder.exif().map_or(1, |exif| orientation::of(exif));
    let mut picture = orientation::upright(from_rows(samples, size, &data, side)?, orientation_tag);
    picture.is_photo = true;
    Ok(picture)
}

fn gif(bytes: &[u8], side: u32) -> Result<Picture, ImageError> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    if let Some(limit) = std::num::NonZeroU64::new(MAX_PIXELS * 4) {
        options.set_memory_limit(gif::MemoryLimit::Bytes(limit));
    }
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(undecodable)?;
    let size = (u32::from(decoder.width()), u32::from(decoder.height()));
    fit(size.0, size.1, side)?;
    let frame = decoder.read_next_frame().map_err(undecodable)?.ok_or_else(incomplete)?;
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let width = usize::from(frame.width);
    // the first frame does not need to cover the whole image
    let line = size.0 as usize * 4;
    let mut screen = vec![0; line * size.1 as usize];
    for (from, to) in frame
        .buffer
        .chunks_exact((width * 4).max(1))
        .zip(screen.chunks_exact_mut(line).skip(top))
    {
        let room = to.get_mut(left * 4..).unwrap_or_default();
        let count = room.len().min(from.len());
        if let (Some(room), Some(from)) = (room.get_mut(..count), from.get(..count)) {
            room.copy_from_slice(from);
        }
    }
    from_rows(Samples::Rgba, size, &screen, side)
}

fn webp(bytes: &[u8], side: u32) -> Result<Picture, ImageError> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(undecodable)?;
    decoder.set_memory_limit(MAX_MEMORY);
    let size = decoder.dimensions();
    fit(size.0, size.1, side)?;
    let samples = if decoder.has_alpha() {
        Samples::Rgba
    } else {
        Samples::Rgb
    };
    let mut data = vec![0; decoder.output_buffer_size().ok_or_else(incomplete)?];
    decoder.read_image(&mut data).map_err(undecodable)?;
    let mut picture = from_rows(samples, size, &data, side)?;
    picture.is_photo = decoder.is_lossy();
    Ok(picture)
}
