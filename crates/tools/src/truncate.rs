//! Truncates long texts.

/// Maximum size of a preview in bytes.
const MAX_PREVIEW: usize = 2000;

/// Returns the first `count` characters.
pub(crate) fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .and_then(|(at, _)| text.get(..at))
        .unwrap_or(text)
}

/// Returns at most `bytes` bytes from the beginning, cut at a character.
pub(crate) fn first_bytes(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes.min(text.len())))
        .unwrap_or(text)
}

/// Returns the beginning of a long text, cut at a line end if possible.
pub(crate) fn preview(text: &str) -> &str {
    let start = first_bytes(text, MAX_PREVIEW);
    match start.rfind('\n') {
        Some(at) if at > MAX_PREVIEW / 2 => start.get(..at).unwrap_or(start),
        _ => start,
    }
}

/// Returns the text that replaces a long text, which was saved to a file or could not be saved.
pub fn stand_in(text: &str, saved: Result<&std::path::Path, &str>) -> String {
    let size = human_size(u64::try_from(text.len()).unwrap_or(u64::MAX));
    let place = match saved {
        Ok(path) => format!("Full output saved to: {}", path.display()),
        Err(why) => format!("It could not be saved: {why}"),
    };
    format!(
        "<persisted-output>\nOutput too large ({size}). {place}\n\nIt begins:\n{}\n...\n</persisted-output>",
        preview(text)
    )
}

/// Formats a size as `57.5KB`, `2.9MB`.
pub(crate) fn human_size(bytes: u64) -> String {
    #[allow(clippy::cast_precision_loss)]
    let mut size = bytes as f64;
    for unit in ["bytes", "KB", "MB"] {
        if size < 1024.0 {
            return if unit == "bytes" {
                format!("{bytes} bytes")
            } else {
                format!("{}{unit}", one_digit(size))
            };
        }
        size /= 1024.0;
    }
    format!("{}GB", one_digit(size))
}

fn one_digit(size: f64) -> String {
    let text = format!("{size:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_recorded() {
        assert_eq!(human_size(58893), "57.5KB");
        assert_eq!(human_size(3_000_000), "2.9MB");
        assert_eq!(human_size(12), "12 bytes");
        assert_eq!(human_size(2048), "2KB");
        assert_eq!(human_size(5 << 30), "5GB");
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(first_chars("äöü", 2), "äö");
        assert_eq!(first_chars("ab", 5), "ab");
        assert_eq!(first_bytes("äöü", 3), "ä");
    }

    #[test]
    fn a_preview_ends_with_a_line() {
        let text = "0123456789\n".repeat(1000);
        let preview = preview(&text);
        assert!(preview.len() <= MAX_PREVIEW && preview.ends_with('9'));
        let one_line = "x".repeat(5000);
        assert_eq!(super::preview(&one_line).len(), MAX_PREVIEW);
    }
}
