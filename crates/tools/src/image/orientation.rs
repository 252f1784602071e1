//! Applies the orientation of a photo (EXIF), which scaling would otherwise lose.

use super::scale::Picture;

/// Returns the orientation (1 to 8) in an Exif block; 1 is upright.
pub(super) fn of(exif: &[u8]) -> u16 {
    named(exif.strip_prefix(b"Exif\0\0").unwrap_or(exif))
        .filter(|turned| (1..=8).contains(turned))
        .unwrap_or(1)
}

fn named(tiff: &[u8]) -> Option<u16> {
    let big = match tiff.get(..2)? {
        b"MM" => true,
        b"II" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let pair = tiff.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        })
    };
    let long = |at: usize| {
        let four = tiff.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(if big {
            u32::from_be_bytes(four)
        } else {
            u32::from_le_bytes(four)
        })
    };
    let folder = usize::try_from(long(4)?).ok()?;
    let count = usize::from(short(folder)?);
    (0..count)
        .map(|entry| folder + 2 + entry * 12)
        .find(|at| short(*at) == Some(0x0112))
        .and_then(|at| short(at + 8))
}

/// Rotates and mirrors an image so that it is upright.
pub(super) fn upright(picture: Picture, turned: u16) -> Picture {
    if turned <= 1 {
        return picture;
    }
    let Picture {
        width,
        height,
        rgba,
        is_photo,
    } = picture;
    let pixels = rgba.as_chunks::<4>().0;
    let (wide, high) = (width as usize, height as usize);
    let on_its_side = turned >= 5;
    let (new_wide, new_high) = if on_its_side { (high, wide) } else { (wide, high) };
    let mut out = Vec::with_capacity(rgba.len());
    for row in 0..new_high {
        for column in 0..new_wide {
            let (across, down) = match turned {
                2 => (wide - 1 - column, row),
                3 => (wide - 1 - column, high - 1 - row),
                4 => (column, high - 1 - row),
                5 => (row, column),
                6 => (row, high - 1 - column),
                7 => (wide - 1 - row, high - 1 - column),
                _ => (wide - 1 - row, column),
            };
            out.extend(pixels.get(down * wide + across).copied().unwrap_or_default());
        }
    }
    let (width, height) = if on_its_side { (height, width) } else { (width, height) };
    Picture {
        width,
        height,
        rgba: out,
        is_photo,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an image of `ab`, `cd`, `ef` after applying an orientation, row by row.
    fn seen(turned: u16) -> (String, u32) {
        let rgba = b"abcdef".iter().flat_map(|letter| [*letter, 0, 0, 255]).collect();
        let picture = upright(
            Picture {
                width: 2,
                height: 3,
                rgba,
                is_photo: true,
            },
            turned,
        );
        let letters = picture.rgba.iter().step_by(4).map(|letter| char::from(*letter));
        (letters.collect(), picture.width)
    }

    #[test]
    fn pictures_are_turned_upright() {
        for (turned, letters, width) in [
            (1, "abcdef", 2),
            (2, "badcfe", 2),
            (3, "fedcba", 2),
            (4, "efcdab", 2),
            (5, "acebdf", 3),
            (6, "ecafdb", 3),
            (7, "fdbeca", 3),
            (8, "bdface", 3),
        ] {
            assert_eq!(seen(turned), (letters.to_owned(), width), "{turned}");
        }
    }

    #[test]
    fn the_orientation_is_found_in_either_order_of_bytes() {
        assert_eq!(
            of(b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"),
            6
        );
        assert_eq!(of(b"II\x2a\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0"), 8);
        assert_eq!(of(b"II\x2a\0\xff\xff\xff\xff"), 1);
        assert_eq!(of(b""), 1);
    }
}
