//! Width of text in terminal cells.

use std::sync::atomic::{AtomicU8, Ordering};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// How the terminal draws characters whose width differs between terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Habits {
    /// Characters of ambiguous width take two cells, as in old East Asian fonts.
    pub ambiguous_is_wide: bool,
    /// A character with an emoji variation selector keeps its narrow width.
    pub emoji_style_is_narrow: bool,
    /// Emoji joined by ZWJ are drawn separately.
    pub draws_joined_apart: bool,
}

/// Characters that reveal these habits, in the order of the fields. Each is drawn at the start of a row, followed by a
/// query for the cursor position.
pub const PROBES: [&str; 3] = ["·", "❤\u{fe0f}", "👩\u{200d}👩\u{200d}👧"];

/// Global, because a process has one terminal, which is probed once.
static HABITS: AtomicU8 = AtomicU8::new(0);

impl Habits {
    /// Returns the habits of this terminal.
    #[must_use]
    pub fn known() -> Self {
        let bits = HABITS.load(Ordering::Relaxed);
        Self {
            ambiguous_is_wide: bits & 1 != 0,
            emoji_style_is_narrow: bits & 2 != 0,
            draws_joined_apart: bits & 4 != 0,
        }
    }

    /// Sets the habits used for all measurements.
    pub fn make_current(self) {
        let bits = u8::from(self.ambiguous_is_wide)
            | u8::from(self.emoji_style_is_narrow) << 1
            | u8::from(self.draws_joined_apart) << 2;
        HABITS.store(bits, Ordering::Relaxed);
    }

    /// Records that a probe moved the cursor by this many cells.
    #[must_use]
    pub fn shown(mut self, probe: usize, cells: usize) -> Self {
        match probe {
            0 => self.ambiguous_is_wide = cells == 2,
            1 => self.emoji_style_is_narrow = cells == 1,
            2 => self.draws_joined_apart = cells > 2,
            _ => {}
        }
        self
    }

    /// Returns the width of a grapheme cluster.
    #[must_use]
    pub fn cells(self, cluster: &str) -> usize {
        if self.draws_joined_apart && cluster.contains('\u{200d}') {
            return cluster.chars().filter_map(char::width).sum();
        }
        if self.emoji_style_is_narrow
            && let Some(sign) = cluster.strip_suffix('\u{fe0f}')
        {
            return self.cells(sign);
        }
        let cells = if self.ambiguous_is_wide {
            cluster.width_cjk()
        } else {
            cluster.width()
        };
        // Terminals that support clusters draw them at most two cells wide.
        cells.min(2)
    }
}

/// The grapheme clusters of a text without control characters. A printable ASCII character before another one is a
/// cluster by itself and needs no lookup in the tables of Unicode, which dominates the time to print long texts.
pub fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let printable = |at: usize| rest.as_bytes().get(at).is_none_or(|byte| (b' '..=b'~').contains(byte));
        let cluster = match printable(0) && printable(1) {
            true => rest.get(..1)?,
            false => rest.graphemes(true).next()?,
        };
        rest = rest.get(cluster.len()..)?;
        Some(cluster)
    })
}

/// Returns the width of a grapheme cluster in this terminal.
#[must_use]
pub fn of_cluster(cluster: &str) -> usize {
    if let [b' '..=b'~'] = cluster.as_bytes() {
        return 1;
    }
    Habits::known().cells(cluster)
}

/// Returns the width of a text without control characters.
#[must_use]
pub fn of(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(of_cluster).sum()
}

/// Returns the longest prefix of `text` that takes at most `cells`.
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

/// Returns the longest suffix of `text` that takes at most `cells`.
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn clusters_are_those_of_unicode(text in "[ -~é日\u{301}\u{200d}👩🇩🇪\r\n]{0,40}") {
            prop_assert!(clusters(&text).eq(text.graphemes(true)));
        }
    }

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
    fn our_marks_are_one_cell_wide_even_if_ambiguous_characters_are_two() {
        let wide = Habits::default().shown(0, 2);
        for mark in ["›", "✓", "✗", "⊘", "∙", "⋯", "⠋", "⠙", "⠹", "⣿", "⣀", "‹", "~", "&"] {
            assert_eq!(wide.cells(mark), 1, "{mark}");
        }
        assert_eq!(wide.cells("·"), 2);
        assert_eq!(wide.cells("±"), 2, "as its terminal says");
        assert_eq!(Habits::default().cells("·"), 1);
    }

    #[test]
    fn emoji_width_follows_the_terminal() {
        let old = Habits::default().shown(1, 1).shown(2, 6);
        assert_eq!(old.cells(PROBES[1]), 1);
        assert_eq!(old.cells(PROBES[2]), 6);
        let new = Habits::default().shown(0, 1).shown(1, 2).shown(2, 2);
        assert_eq!(new, Habits::default());
        assert_eq!(PROBES.map(|probe| new.cells(probe)), [1, 2, 2]);
    }

    #[test]
    fn a_cluster_is_never_split() {
        assert_eq!(head("日本", 3), "日");
        assert_eq!(tail("日本", 3), "本");
        assert_eq!(head("ab", 9), "ab");
    }
}
