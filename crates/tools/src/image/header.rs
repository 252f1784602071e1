//! Format and size of an image from its header, without decoding.

/// The header of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) format: Format,
    /// Width and height in pixels, if found.
    pub(crate) size: Option<(u32, u32)>,
}

/// Image formats accepted by the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl Format {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// Detects the format by the first bytes; the file name is not used.
pub(crate) fn header(bytes: &[u8]) -> Option<Header> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(Header {
            format: Format::Png,
            size: be32(bytes, 16).zip(be32(bytes, 20)),
        });
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some(Header {
            format: Format::Gif,
            size: le16(bytes, 6).zip(le16(bytes, 8)),
        });
    }
    if bytes.starts_with(b"\xFF\xD8\xFF") {
        return Some(Header {
            format: Format::Jpeg,
            size: jpeg(bytes),
        });
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(Header {
            format: Format::Webp,
            size: webp(bytes),
        });
    }
    None
}

/// Finds the first frame header (SOF) by walking through the segments.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        while *bytes.get(at)? == 0xFF && *bytes.get(at + 1)? == 0xFF {
            at += 1;
        }
        let marker = *bytes.get(at + 1)?;
        match marker {
            // C4, C8 and CC are tables and extensions
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                return be16(bytes, at + 7).zip(be16(bytes, at + 5));
            }
            0x01 | 0xD0..=0xD8 => at += 2,
            _ => at += 2 + usize::try_from(be16(bytes, at + 2)?).ok()?,
        }
    }
}

/// Reads the size from one of the three possible first chunks.
fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((le24(bytes, 24)? + 1, le24(bytes, 27)? + 1)),
        b"VP8L" => {
            let bits = le16(bytes, 21)? | le16(bytes, 23)? << 16;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8 " => Some((le16(bytes, 26)? & 0x3FFF, le16(bytes, 28)? & 0x3FFF)),
        _ => None,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) << 8 | u32::from(*bytes.get(at + 1)?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(be16(bytes, at)? << 16 | be16(bytes, at + 2)?)
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) | u32::from(*bytes.get(at + 1)?) << 8)
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: &[u8]) -> Option<(&'static str, Option<(u32, u32)>)> {
        header(bytes).map(|header| (header.format.media_type(), header.size))
    }

    #[test]
    fn headers_are_measured() {
        assert_eq!(
            size(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x02"),
            Some(("image/png", Some((256, 2))))
        );
        assert_eq!(size(b"GIF89a\x05\0\x01\x01"), Some(("image/gif", Some((5, 257)))));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xFF\xC2\0\x11\x08\0\x07\0\x09";
        assert_eq!(size(jpeg), Some(("image/jpeg", Some((9, 7)))));
        assert_eq!(
            size(b"RIFF....WEBPVP8X........\x03\0\0\x04\0\0"),
            Some(("image/webp", Some((4, 5))))
        );
        assert_eq!(
            size(b"RIFF....WEBPVP8L....\x2f\x01\x80\x00\x00"),
            Some(("image/webp", Some((2, 3))))
        );
        assert_eq!(
            size(b"RIFF....WEBPVP8 ....\0\0\0\x9d\x01\x2a\x06\0\x07\0"),
            Some(("image/webp", Some((6, 7))))
        );
    }

    #[test]
    fn cut_headers_have_no_size_and_others_are_no_images() {
        assert_eq!(size(b"\xFF\xD8\xFF\xE0\0\x04a"), Some(("image/jpeg", None)));
        assert_eq!(size(b"\x89PNG\r\n\x1a\n"), Some(("image/png", None)));
        assert_eq!(size(b"<svg/>"), None);
    }
}
