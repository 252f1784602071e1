//! What is asked about a command's words and its surroundings.

use std::path::PathBuf;

use super::super::super::Access;
use super::super::{repository, trees};
use super::{Command, Effects, Touch};
use crate::path::{Found, Located};
use crate::shell::effects::places;
use crate::shell::programs::Kind;
use crate::shell::wrappers::{known_name, transparent};
use crate::shell::{Problem, Simple, Word};

impl<'a> Effects<'a> {
    /// Whether a pattern stands for something that is not simply files.
    pub(super) fn surprises(&self, simple: &Simple, word: &Word, tame: bool) -> bool {
        let relative = word.text.as_deref().is_some_and(|text| !text.starts_with(['/', '~']));
        let Some(all) = places(simple, word, self.cwd, &self.policy.home) else {
            return true;
        };
        all.iter().filter(|place| place.pattern).any(|place| {
            let begins = word
                .text
                .as_deref()
                .is_some_and(|text| text.starts_with(['*', '?', '[', '-']));
            let unseen = self.paths.names(&place.path) == Found::Nothing;
            let files = trees::matches(&place.path, &place.whole, self.paths).filter(|_| !unseen);
            let Some(files) = files else {
                // Nobody has seen them: as words they are still files, as options or loose text they could be anything.
                return word.split || (relative && begins && !tame);
            };
            files.iter().any(|file| {
                let name = file.strip_prefix(&place.path).unwrap_or(file).to_string_lossy();
                let odd = |c: char| c.is_whitespace() || matches!(c, '*' | '?' | '[' | '\\');
                (relative && begins && name.starts_with('-')) || (word.split && name.contains(odd))
            })
        })
    }

    /// The directories whose names the command before in the pipeline printed; `None` when nobody knows.
    pub(super) fn printed(&self, command: &Command<'a>) -> Option<Vec<(Located, bool)>> {
        let before = self
            .commands
            .iter()
            .rev()
            .take_while(|one| one.simple.pipeline == command.simple.pipeline);
        for upstream in before {
            let doing = upstream.doing.as_ref()?;
            let words = transparent(&upstream.simple.words);
            let name = words.first().and_then(known_name)?;
            let has = |flags: &[&str]| {
                words
                    .iter()
                    .any(|word| word.literal().is_some_and(|text| flags.contains(&text)))
            };
            let roots = |command: &Command<'a>| -> Option<Vec<(Located, bool)>> {
                // What is printed must be one word each.
                let odd = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
                let plain = |touch: &Touch| {
                    let path = touch.at.lexical.strip_prefix(self.cwd).unwrap_or(&touch.at.lexical);
                    !path.to_string_lossy().contains(odd) && !path.to_string_lossy().starts_with('-')
                };
                let all = command.touches.iter().all(plain);
                all.then(|| command.touches.iter().map(|touch| (touch.at.clone(), false)).collect())
            };
            match name {
                "find" if !has(&["-printf", "-ls"]) => return roots(upstream),
                "rg" | "grep" if has(&["-l", "--files", "--files-with-matches", "-rl", "-lr"]) => {
                    return roots(upstream);
                }
                "fd" | "fdfind" => return roots(upstream),
                // What git lists is what its index says, not what lies there: enough to count, not to show.
                "git" if has(&["ls-files", "--name-only"]) && !has(&["-s", "--stage"]) => {
                    let inner = command.simple.words.iter().filter_map(Word::literal);
                    let counts = inner.into_iter().any(|word| {
                        matches!(
                            word,
                            "wc" | "ls" | "du" | "stat" | "file" | "md5sum" | "sha256sum" | "basename" | "dirname"
                        )
                    });
                    return if counts {
                        self.located(upstream.simple, &Word::plain("."))
                    } else {
                        None
                    };
                }
                "sort" | "uniq" | "head" | "tail" | "grep" | "egrep" if doing.reads.is_empty() => {}
                _ => return None,
            }
        }
        None
    }

    /// The paths a word may stand for where a command runs.
    pub(in super::super) fn paths_of(&self, simple: &Simple, word: &Word) -> Vec<PathBuf> {
        let all = places(simple, word, self.cwd, &self.policy.home).unwrap_or_default();
        all.into_iter()
            .filter(|place| !place.pattern)
            .map(|place| place.path)
            .collect()
    }

    /// The files a word may stand for, patterns matched; `None` when nobody knows.
    pub(in super::super) fn files_of(&self, simple: &Simple, word: &Word) -> Option<Vec<PathBuf>> {
        let mut files = Vec::new();
        for place in places(simple, word, self.cwd, &self.policy.home)? {
            match place.pattern {
                true => files.extend(trees::matches(&place.path, &place.whole, self.paths)?),
                false => files.push(place.path),
            }
        }
        Some(files)
    }

    /// Whether a command leaves something behind that a later one could run.
    pub(in super::super) fn changes(&self, at: usize) -> bool {
        let Some(command) = self.commands.get(at) else {
            return true;
        };
        let name = transparent(&command.simple.words)
            .first()
            .and_then(|word| word.text.as_deref());
        let copies = name.is_some_and(|name| {
            matches!(
                name,
                "tee"
                    | "dd"
                    | "install"
                    | "ln"
                    | "cp"
                    | "mv"
                    | "tar"
                    | "unzip"
                    | "curl"
                    | "wget"
                    | "patch"
                    | "sed"
                    | "split"
            )
        });
        let writes = command.touches.iter().any(|touch| touch.access == Access::Write);
        writes || (copies && command.doing.is_none())
    }

    /// Whether a command keeps its words, or a file it names, where they could be run.
    pub(in super::super) fn keeps(&self, at: usize) -> bool {
        let Some(command) = self.commands.get(at) else {
            return true;
        };
        let name = transparent(&command.simple.words)
            .first()
            .and_then(|word| word.text.as_deref());
        let redirected = command
            .touches
            .iter()
            .any(|touch| touch.redirect && touch.access == Access::Write);
        redirected
            || name.is_some_and(|name| matches!(name, "cp" | "mv" | "sed"))
                && command.doing.as_ref().is_some_and(|doing| doing.kind == Kind::FileOp)
    }

    /// Whether a command that obeys a repository runs outside of the roots.
    pub(in super::super) fn elsewhere(&self, at: usize) -> bool {
        let Some(command) = self.commands.get(at) else {
            return true;
        };
        let Some(repository) = command.doing.as_ref().and_then(|doing| doing.repository.as_ref()) else {
            return false;
        };
        let Some(all) = self.located(command.simple, repository) else {
            return true;
        };
        all.iter()
            .any(|(place, _)| !place.inside(&self.policy.roots, self.paths))
    }

    /// What would tell a command what to run: a setting of the repository it runs in, a file of the folder.
    pub(in super::super) fn obeys(&self, at: usize) -> Option<Problem> {
        let command = self.commands.get(at)?;
        let doing = command.doing.as_ref()?;
        for word in &doing.obeys {
            let here = self.paths_of(command.simple, &Word::plain("."));
            for directory in here.iter().flat_map(|path| path.ancestors()) {
                let file = directory.join(word.text.as_deref().unwrap_or_default());
                if self.paths.read(&file) != Found::Nothing {
                    return Some(Problem::Configured(file.display().to_string()));
                }
            }
        }
        let repository = doing.repository.as_ref()?;
        let mut directories = self.paths_of(command.simple, repository).into_iter();
        directories
            .find_map(|directory| repository::names_a_program(self.policy, &directory, self.paths))
            .map(|key| Problem::Configured(format!("The repository's setting {key}")))
    }
}
