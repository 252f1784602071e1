//! Matches in all files: the first lines in path order, and the total number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

use super::sink::Hits;
use super::{Input, Mode};

/// Maximum number of bytes of lines kept if there is no limit on results.
const MAX_KEPT: usize = 8 << 20;

/// The results to show; keeps little more than the output needs, regardless of the number of matches.
#[derive(Debug)]
pub(super) struct Found {
    mode: Mode,
    reach: usize,
    /// Files by modification time, newest first.
    pub(super) files: BTreeSet<(Reverse<SystemTime>, String)>,
    /// Lines by file.
    pub(super) hits: BTreeMap<String, Hits>,
    lines: usize,
    bytes: usize,
    /// Number of files with matches.
    pub(super) total_files: usize,
    pub(super) total_lines: usize,
    pub(super) total_matches: usize,
    /// Number of files that were skipped because they also have a name outside of the roots.
    pub(super) foreign: usize,
}

impl Found {
    pub(super) fn new(input: &Input) -> Self {
        Self {
            mode: input.output_mode,
            reach: input.reach(),
            files: BTreeSet::new(),
            hits: BTreeMap::new(),
            lines: 0,
            bytes: 0,
            total_files: 0,
            total_lines: 0,
            total_matches: 0,
            foreign: 0,
        }
    }

    pub(super) fn left_out(&mut self) {
        self.foreign += 1;
    }

    pub(super) fn file(&mut self, path: String, changed: SystemTime) {
        self.total_files += 1;
        self.bytes += path.len();
        self.files.insert((Reverse(changed), path));
        while self.files.len() > self.reach || self.bytes > MAX_KEPT {
            let Some((_, path)) = self.files.pop_last() else { break };
            self.bytes -= path.len();
        }
    }

    pub(super) fn hits(&mut self, path: String, hits: Hits) {
        self.total_files += 1;
        self.total_lines += hits.total;
        self.total_matches += hits.matches;
        self.lines += self.length(&hits);
        self.bytes += path.len() + hits.bytes;
        self.hits.insert(path, hits);
        while let Some((path, last)) = self.hits.last_key_value() {
            let without = self.lines - self.length(last);
            if without < self.reach && (self.bytes <= MAX_KEPT || self.hits.len() == 1) {
                break;
            }
            self.bytes -= path.len() + last.bytes;
            self.lines = without;
            self.hits.pop_last();
        }
    }

    /// Returns how many output rows a file contributes.
    fn length(&self, hits: &Hits) -> usize {
        match self.mode {
            Mode::Content => hits.lines.len(),
            Mode::FilesWithMatches | Mode::Count => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sink::{LineKind, ShownLine};
    use super::*;

    fn hits(count: usize) -> Hits {
        let line = ShownLine {
            text: "x".to_owned(),
            number: None,
            kind: LineKind::Match,
        };
        Hits {
            lines: vec![line; count],
            total: count,
            bytes: count,
            matches: count,
        }
    }

    #[test]
    fn only_what_can_be_shown_is_kept_in_whatever_order_it_comes() {
        let input = Input {
            output_mode: Mode::Content,
            head_limit: Some(4),
            offset: Some(1),
            ..Input::default()
        };
        let mut found = Found::new(&input);
        for (path, count) in [("d", 3), ("b", 3), ("c", 3), ("a", 1), ("e", 9)] {
            found.hits(path.to_owned(), hits(count));
        }
        assert_eq!(found.hits.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!((found.total_files, found.total_lines), (5, 19));
    }

    #[test]
    fn the_newest_files_are_kept() {
        let input = Input {
            head_limit: Some(2),
            ..Input::default()
        };
        let mut found = Found::new(&input);
        for second in [5, 1, 9, 7] {
            let changed = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second);
            found.file(second.to_string(), changed);
        }
        let kept: Vec<_> = found.files.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!((kept, found.total_files), (vec!["9", "7"], 4));
    }
}
