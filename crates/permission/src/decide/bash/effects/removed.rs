//! Removals that cannot be undone: `/`, the home folder, the project and the like.

use std::path::PathBuf;

use super::Effects;
use crate::path::Located;
use crate::protect;
use crate::shell::effects::places;
use crate::shell::programs::removals;
use crate::shell::wrappers::levels;
use crate::shell::{Simple, Word};

impl Effects<'_> {
    /// What must not be removed without a question, in any mode.
    pub(in super::super) fn critical(&self) -> Option<PathBuf> {
        self.commands.iter().find_map(|command| {
            let mut removed = levels(&command.simple.words).flat_map(removals);
            removed.find_map(|word| self.critical_word(command.simple, &word))
        })
    }

    fn critical_word(&self, simple: &Simple, word: &Word) -> Option<PathBuf> {
        if word.text.is_none() {
            return self.critical_unknown(&word.raw);
        }
        // A pattern that matches everything empties its folder.
        let Some(places) = places(simple, word, self.cwd, &self.policy.home) else {
            return self.critical_unknown(&word.raw);
        };
        let folders = places
            .into_iter()
            .map(|place| (Located::new(&place.path, self.paths), place.pattern));
        let named = self.located(simple, word).unwrap_or_default();
        folders
            .chain(named)
            .find(|(at, pattern)| {
                protect::is_critical(self.policy, at, *pattern, self.paths) && Self::really(word, *pattern)
            })
            .map(|(at, _)| at.lexical)
    }

    /// The path of a word with an unknown value, in the worst case: `$HOME` in any spelling, or an empty value
    /// before a slash.
    fn critical_unknown(&self, raw: &str) -> Option<PathBuf> {
        let bare: String = raw
            .chars()
            .filter(|c| !matches!(c, '"' | '\'' | '{' | '}' | '`'))
            .collect();
        let name = |name: &str| {
            bare.strip_prefix('$').is_some_and(|rest| {
                let rest = rest.strip_prefix(name);
                rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            })
        };
        // What follows it names something in there, unless it leads back.
        let whole = |bare: &str| {
            let behind = bare.split_once('/').map_or("", |(_, behind)| behind);
            behind.contains("..") || behind.trim_matches(['/', '*', '.']).is_empty()
        };
        if name("HOME") && whole(&bare) || bare.starts_with(['~', ',']) && bare.contains('~') && whole(&bare) {
            return Some(self.policy.home.clone());
        }
        let here = ["PWD", "OLDPWD", "(pwd)"].iter().any(|here| name(here));
        if (here || bare == "pwd") && whole(&bare) {
            return Some(self.cwd.to_path_buf());
        }
        // Were the value empty, it would be the disk.
        let named = bare
            .strip_prefix('$')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        let disk = named.is_some_and(|rest| rest.starts_with('/') && rest.trim_matches(['/', '*', '.']).is_empty());
        (disk || matches!(bare.trim_end_matches(['/', '*', '.']), "$" | "")).then(|| PathBuf::from("/"))
    }

    /// `rm *.o` in the project names files in it, `rm *` the project.
    fn really(word: &Word, pattern: bool) -> bool {
        let last = word.raw.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        !pattern || last.chars().all(|c| "*?.[]!{}".contains(c))
    }
}
