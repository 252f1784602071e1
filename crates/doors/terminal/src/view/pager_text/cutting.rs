//! Splits long texts into pieces of a few screens each.

use crate::view::markdown::Fence;

/// Size in bytes after which a piece ends at the next blank line.
const MIN_PIECE: usize = 4 << 10;
/// Maximum size of a piece in bytes. It ends at a line end, or between words of a longer line.
const MAX_PIECE: usize = 32 << 10;

/// Splits a text into pieces of whole lines.
pub(super) fn lines(text: &str) -> impl Iterator<Item = String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for line in text.split_inclusive('\n').flat_map(short) {
        piece.push_str(line);
        if piece.len() >= MIN_PIECE {
            pieces.push(std::mem::take(&mut piece));
        }
    }
    pieces.extend(Some(piece).filter(|piece| !piece.is_empty()));
    pieces.into_iter()
}

/// Splits Markdown into pieces, each with the code block in which it starts.
pub(super) fn markdown(text: &str) -> Vec<(String, Option<Fence>)> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut open: Option<Fence> = None;
    let mut begins_in: Option<Fence> = None;
    for line in text.split_inclusive('\n').flat_map(short) {
        piece.push_str(line);
        open = match open.take() {
            Some(fence) if fence.ends_at(line) => None,
            Some(fence) => Some(fence),
            None => Fence::begun_by(line),
        };
        let is_good = open.is_none() && line.trim().is_empty();
        if piece.len() >= MAX_PIECE || (piece.len() >= MIN_PIECE && is_good) {
            pieces.push((
                std::mem::take(&mut piece),
                std::mem::replace(&mut begins_in, open.clone()),
            ));
        }
    }
    if !piece.trim().is_empty() {
        pieces.push((piece, begins_in));
    }
    pieces
}

/// The end of a markdown text, about `size` bytes long. A code block that began before it is opened again.
#[must_use]
pub fn ending(text: &str, size: usize) -> String {
    let mut open: Option<(Fence, &str)> = None;
    let mut left = text.len();
    for line in text.split_inclusive('\n').flat_map(short) {
        if left <= size {
            break;
        }
        left -= line.len();
        open = match open.take() {
            Some((fence, _)) if fence.ends_at(line) => None,
            None => Fence::begun_by(line).map(|fence| (fence, line)),
            open => open,
        };
    }
    let end = text.get(text.len() - left..).unwrap_or_default();
    format!("{}{end}", open.map(|(_, line)| line).unwrap_or_default())
}

/// Splits a line into parts of limited length.
fn short(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len();
        if end > MAX_PIECE {
            end = rest.floor_char_boundary(MAX_PIECE);
            let head = rest.get(..end).unwrap_or_default();
            end = head.rfind(' ').map_or(end, |at| at + 1);
        }
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_short_and_lose_nothing() {
        let text = format!("{}\n{}", "word ".repeat(40_000), "line\n".repeat(5000));
        let pieces: Vec<String> = lines(&text).collect();
        assert!(pieces.iter().all(|piece| piece.len() <= MAX_PIECE + MIN_PIECE));
        assert_eq!(pieces.concat(), text);
    }

    #[test]
    fn the_end_of_a_text_begins_with_a_whole_line_and_its_code_block() {
        assert_eq!(ending("one\ntwo\nthree\n", 10), "two\nthree\n");
        assert_eq!(
            ending("a\n```rust\nlet a;\nlet b;\n```\nend\n", 16),
            "```rust\nlet b;\n```\nend\n"
        );
        assert!(ending(&"word ".repeat(100_000), 100_000).len() <= 100_000);
    }

    #[test]
    fn code_goes_on_in_the_next_piece() {
        let code = format!("```rust\n{}```\nafter\n", "let a = 1;\n".repeat(8000));
        let pieces = markdown(&code);
        assert!(pieces.len() > 2);
        assert!(pieces.iter().skip(1).all(|(_, fence)| fence.is_some()));
        assert_eq!(pieces.iter().map(|(text, _)| text.as_str()).collect::<String>(), code);
    }
}
