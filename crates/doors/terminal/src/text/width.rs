//! How many cells a text takes.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The cells of one grapheme cluster.
#[must_use]
pub fn of_cluster(cluster: &str) -> usize {
    // Terminals that know clusters at all give none more than two cells.
    cluster.width().min(2)
}

/// The cells of a text without control characters.
#[must_use]
pub fn of(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(of_cluster).sum()
}

/// The longest beginning of `text` that takes at most `cells`.
#[must_use]
pub fn head(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += of_cluster(cluster);
        if used > cells {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The longest end of `text` that takes at most `cells`.
#[must_use]
pub fn tail(text: &str, cells: usize) -> &str {
    let mut used = 0;
    let mut from = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used += of_cluster(cluster);
        if used > cells {
            break;
        }
        from = at;
    }
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_count_as_terminals_draw_them() {
        assert_eq!(of("abc"), 3);
        assert_eq!(of("日本"), 4);
        assert_eq!(of("e\u{301}"), 1);
        assert_eq!(of("👩‍👩‍👧"), 2);
        assert_eq!(of("❤\u{fe0f}"), 2);
        for mark in ["›", "✓", "✗", "⊘", "∙", "⋯", "⠋", "⣿", "⣀", "‹"] {
            assert_eq!(of(mark), 1, "{mark}");
        }
    }

    #[test]
    fn a_cluster_is_never_split() {
        assert_eq!(head("日本", 3), "日");
        assert_eq!(tail("日本", 3), "本");
        assert_eq!(head("ab", 9), "ab");
    }
}
