//! Limits on the lists of an MCP server. The transport limits a single page; this limits all pages together.

use serde::Serialize;

/// The maximum size in bytes of all lists of one server, serialised as JSON.
pub(super) const MAX_LIST_BYTES: usize = 16 << 20;

/// The remaining part of the limit.
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

    /// Moves the items that fit from `page` to `list`, in order. Returns `false` once an item did not fit.
    pub(super) fn append<T: Serialize>(&mut self, list: &mut Vec<T>, page: Vec<T>) -> bool {
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

    /// Marks the lists as cut off, because a server announces more pages than are read.
    pub(super) fn cut_off(&mut self) {
        self.cut = true;
    }

    /// Returns a message if a list was cut off.
    pub(super) fn note(&self) -> Option<String> {
        let most = MAX_LIST_BYTES >> 20;
        self.cut
            .then(|| format!("the lists of the server are larger than {most} MiB; the rest is ignored"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_over_the_limit_are_dropped_and_reported() {
        let (mut list, mut allowance) = (Vec::new(), Allowance::new(10));
        assert!(allowance.append(&mut list, vec!["aa", "bb"]));
        assert_eq!(allowance.note(), None);
        assert!(!allowance.append(&mut list, vec!["c", "d"]));
        assert_eq!(list, ["aa", "bb"]);
        assert!(allowance.note().is_some_and(|note| note.contains("16 MiB")));
    }
}
