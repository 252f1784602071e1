//! Limits on the lists of an MCP server. The transport limits one page; this limits all pages together.

use serde::Serialize;

/// The most bytes that the lists of one server may hold together.
pub(super) const MOST: usize = 16 << 20;

/// What is left of it.
#[derive(Debug)]
pub(super) struct Allowance {
    left: usize,
    cut: bool,
}

impl Allowance {
    pub(super) fn new(bytes: usize) -> Self {
        Self {
            left: bytes,
            cut: false,
        }
    }

    /// Takes over what still fits, in order; false when no more is to be read.
    pub(super) fn take<T: Serialize>(&mut self, list: &mut Vec<T>, page: Vec<T>) -> bool {
        for item in page {
            let size = serde_json::to_vec(&item).map_or(usize::MAX, |text| text.len());
            if size > self.left {
                self.cut = true;
                return false;
            }
            self.left -= size;
            list.push(item);
        }
        true
    }

    /// The pages have no end.
    pub(super) fn cut_off(&mut self) {
        self.cut = true;
    }

    /// The message about a list that was cut.
    pub(super) fn note(&self) -> Option<String> {
        let most = MOST >> 20;
        self.cut
            .then(|| format!("its lists are larger than {most} MiB; the rest is ignored"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_taken_and_the_rest_is_told_of() {
        let (mut list, mut allowance) = (Vec::new(), Allowance::new(10));
        assert!(allowance.take(&mut list, vec!["aa", "bb"]));
        assert_eq!(allowance.note(), None);
        assert!(!allowance.take(&mut list, vec!["c", "d"]));
        assert_eq!(list, ["aa", "bb"]);
        assert!(allowance.note().is_some_and(|note| note.contains("16 MiB")));
    }
}
