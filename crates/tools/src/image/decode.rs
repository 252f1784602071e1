//! Decodes images and scales them while they are read.

use std::io::Cursor;

use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::header::Format;
use super::scale::{Picture, Samples, Scaler};
use super::{MAX_PIXELS, Unfit, fit, orientation};

/// Maximum memory of a decoder, without the image itself, in bytes.
const MAX_MEMORY: usize = 300 << 20;

/// Decodes the (first) image in `bytes` at the size `target`, computed from its header.
pub(super) fn scaled(bytes: &[u8], format: Format, target: (u32, u32)) -> Result<Picture, Unfit> {
    match format {
        Format::Png => png(bytes, target),
        Format::Jpeg => jpeg(bytes),
        Format::Gif => gif(bytes),
        Format::Webp => webp(bytes),
    }
}

fn undecodable(error: impl std::fmt::Display) -> Unfit {
    Unfit::Undecodable(error.to_string())
}

fn broken() -> Unfit {
    Unfit::Undecodable("it ends too early".to_owned())
}

fn from_rows(samples: Samples, size: (u32, u32), data: &[u8]) -> Result<Picture, Unfit> {
    let mut scaler = Scaler::new(samples, size, fit(size.0, size.1)?);
    for row in data.chunks_exact(size.0 as usize * samples.per_pixel()) {
        scaler.row(row);
    }
    Ok(scaler.finish())
}

fn png(bytes: &[u8], target: (u32, u32)) -> Result<Picture, Unfit> {
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
    if reader.info().interlaced {
        fit(size.0, size.1)?;
        let mut data = vec![0; reader.output_buffer_size().ok_or_else(broken)?];
        reader.next_frame(&mut data).map_err(undecodable)?;
        return from_rows(samples, size, &data);
    }
    // row by row, so that a large image is never in memory as a whole
    let mut scaler = Scaler::new(samples, size, target);
    while let Some(row) = reader.next_row().map_err(undecodable)? {
        scaler.row(row.data());
    }
    Ok(scaler.finish())
}

fn jpeg(bytes: &[u8]) -> Result<Picture, Unfit> {
    let options = DecoderOptions::default()
        .set_max_width(1 << 16)
        .set_max_height(1 << 16)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(undecodable)?;
    let info = decoder.info().ok_or_else(broken)?;
    let size = (u32::from(info.width), u32::from(info.height));
    fit(size.0, size.1)?;
    let data = decoder.decode().map_err(undecodable)?;
    let samples = match decoder.output_colorspace() {
        Some(ColorSpace::Luma) => Samples::Gray,
        _ => Samples::Rgb,
    };
    let turned = decoder.exif().map_or(1, |exif| orientation::of(exif));
    let mut picture = orientation::upright(from_rows(samples, size, &data)?, turned);
    picture.is_photo = true;
    Ok(picture)
}

fn gif(bytes: &[u8]) -> Result<Picture, Unfit> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    if let Some(limit) = std::num::NonZeroU64::new(MAX_PIXELS * 4) {
        options.set_memory_limit(gif::MemoryLimit::Bytes(limit));
    }
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(undecodable)?;
    let size = (u32::from(decoder.width()), u32::from(decoder.height()));
    fit(size.0, size.1)?;
    let frame = decoder.read_next_frame().map_err(undecodable)?.ok_or_else(broken)?;
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let width = usize::from(frame.width);
    // the first frame may be smaller than the canvas
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
    from_rows(Samples::Rgba, size, &screen)
}

fn webp(bytes: &[u8]) -> Result<Picture, Unfit> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(undecodable)?;
    decoder.set_memory_limit(MAX_MEMORY);
    let size = decoder.dimensions();
    fit(size.0, size.1)?;
    let samples = if decoder.has_alpha() {
        Samples::Rgba
    } else {
        Samples::Rgb
    };
    let mut data = vec![0; decoder.output_buffer_size().ok_or_else(broken)?];
    decoder.read_image(&mut data).map_err(undecodable)?;
    let mut picture = from_rows(samples, size, &data)?;
    picture.is_photo = decoder.is_lossy();
    Ok(picture)
}
