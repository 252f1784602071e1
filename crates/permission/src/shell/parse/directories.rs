//! The directories that a line may have changed to.

use std::rc::Rc;

use super::super::programs::look_up;
use super::super::wrappers::transparent;
use super::super::{Chain, Problem, Simple, Word};
use super::Walk;

/// How many ways to have changed directory are kept apart.
const MOST_CHAINS: usize = 4;
/// How long one such way may be.
const MOST_CHANGES: usize = 8;

impl Walk {
    pub(super) fn also(&mut self, chains: &[Chain]) {
        let mut all: Vec<Chain> = self.chains.to_vec();
        for chain in chains {
            if !all.contains(chain) {
                all.push(chain.clone());
            }
        }
        if all.len() > self.chains.len() {
            self.keep(all);
        }
    }

    pub(super) fn keep(&mut self, mut chains: Vec<Chain>) {
        if chains.len() > MOST_CHAINS || chains.iter().any(|chain| chain.len() > MOST_CHANGES) {
            // From here on nothing is proven, so following it further would only cost time.
            self.note(Problem::UnknownDirectory);
            self.adrift = true;
        }
        if self.adrift {
            chains.truncate(1);
        }
        self.chains = Rc::from(chains);
    }

    /// These ways, each after every way we may have come here.
    pub(super) fn joined(&self, chains: &[Chain]) -> Rc<[Chain]> {
        let all = self.chains.iter().flat_map(|outer| {
            chains
                .iter()
                .map(|chain| outer.iter().chain(chain.iter()).cloned().collect::<Chain>())
        });
        all.take(16).collect()
    }

    pub(super) fn change_directory(&mut self, found: &Simple) {
        let words = transparent(&found.words);
        let Some(name) = words.first().and_then(Word::literal) else {
            return;
        };
        // As the argument of another program it is a program, which does not change the shell's directory.
        let own = found.words.len() - words.len();
        let builtin = |word: &Word| matches!(word.literal(), Some("builtin" | "command" | "time" | "-p"));
        if !found.words.iter().take(own).all(builtin) {
            return;
        }
        match name {
            "cd" | "pushd" | "popd" if self.adrift => {}
            "popd" if words.len() == 1 && !self.pushed.is_empty() => {
                self.moved = true;
                // Some of the `pushd` before may have failed.
                let pushed = self.pushed.clone();
                self.also(&pushed);
            }
            "cd" | "pushd" => {
                self.moved = true;
                // What such a command reads is the directory it goes to.
                let doing = look_up(words);
                let target = doing.and_then(|doing| doing.reads.into_iter().next());
                let Some((target, _)) = target.filter(|(to, _)| !to.glob && !to.may_be(|text| text.starts_with('-')))
                else {
                    return self.note(Problem::UnknownDirectory);
                };
                if name == "pushd" {
                    self.pushed.extend(self.chains.iter().cloned());
                }
                self.keep(self.joined(&[Chain::from([target])]).to_vec());
            }
            "popd" | "dirs" => {
                self.moved = true;
                self.note(Problem::UnknownDirectory);
            }
            _ => {}
        }
    }
}
