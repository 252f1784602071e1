//! Permission requests because of a command's arguments or its surroundings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::super::Access;
use super::super::{repository, trees};
use super::{Command, Effects, Touch, is_odd};
use crate::git::Repository;
use crate::path::{Found, Located};
use crate::policy::ProgramFolder;
use crate::shell::builtins::listed;
use crate::shell::effects::places;
use crate::shell::orders::git_verb;
use crate::shell::programs::{Doing, Kind, Prints, Reach, falls_apart, prints, prints_no_pattern};
use crate::shell::{Direction, Problem, Simple, Word};

/// Places whose names were printed, and how far what reads them may reach.
type Named = (Vec<(Located, bool)>, Reach);

/// Whether something else than the pipe is what a command reads.
fn takes_other_input(simple: &Simple) -> bool {
    let reads = |direction: Direction| direction != Direction::Write;
    simple.takes_descriptor
        || !simple.inputs.is_empty()
        || simple.redirects.iter().any(|redirect| reads(redirect.direction))
}

impl<'a> Effects<'a> {
    /// Whether a pattern may expand to other words than files.
    pub(super) fn surprises(&self, simple: &Simple, word: &Word, tame: bool) -> bool {
        let begins = |signs: &[char]| word.text.as_deref().is_some_and(|text| text.starts_with(signs));
        let relative = !word.unknown() && !begins(&['/', '~']);
        let optional = relative && begins(&['*', '?', '[', '-']);
        let Some(all) = places(simple, word, self.cwd, &self.policy.home) else {
            return true;
        };
        all.iter().filter(|place| place.pattern).any(|place| {
            let unseen = self.paths.names(&place.path) == Found::Nothing;
            let files = trees::matches(&place.path, &place.whole, self.paths).filter(|_| !unseen);
            let Some(files) = files else {
                // Nothing is known about them: as words they are still files, as options or loose text they could be
                // anything.
                return word.split || (optional && !tame);
            };
            files.iter().any(|file| {
                let name = file.strip_prefix(&place.path).unwrap_or(file).to_string_lossy();
                (optional && name.starts_with('-')) || (word.split && name.contains(is_odd))
            })
        })
    }

    /// The directories whose names the commands before printed; `None` if they are not known.
    pub(super) fn printed(&self, command: &Command<'a>, word: &Word) -> Option<Named> {
        let reader = command.simple;
        if reader.nested {
            return None;
        }
        let upstream: Vec<&Command<'a>> = match word.from {
            Some((first, last)) => self.commands.get(first..last)?.iter().collect(),
            // A here-document or a file replaces the pipe.
            None if takes_other_input(reader) || reader.grouped => return None,
            None => {
                let before = self.commands.iter().rev();
                let mut all: Vec<_> = before
                    .take_while(|one| one.simple.pipeline == reader.pipeline)
                    .collect();
                all.reverse();
                all
            }
        };
        let level = match word.from {
            Some(_) => upstream.last()?.simple.level,
            None => reader.level,
        };
        for one in upstream.into_iter().rev() {
            // Others in its list print as well; another directory makes other files of the same names.
            let alone = !one.simple.grouped && one.simple.level == level && !one.simple.nested;
            // A message repeats what it is about, words and all.
            if one.simple.joins_errors {
                return None;
            }
            if !alone || one.simple.chains != reader.chains || takes_other_input(one.simple) {
                return None;
            }
            let doing = one.doing.as_ref()?;
            // In a substitution a name is matched against others once more.
            let expands = |path: &Path| word.from.is_some() && path.to_string_lossy().contains(['*', '?', '[']);
            match prints(one.words())? {
                Prints::Names => {
                    let roots = self.roots(one)?;
                    let odd = |(root, _): &(Located, bool)| {
                        expands(&root.lexical) || trees::holds(&root.lexical, self.paths, &expands)
                    };
                    let matched = word.from.is_some() && roots.iter().any(odd);
                    return (!matched).then_some((roots, Reach::Linked));
                }
                // Git lists the names in its index, which may differ from the files in the folder.
                Prints::Index => return self.indexed(one.simple, &expands),
                Prints::Some if doing.reads.is_empty() => {}
                Prints::Some => return None,
            }
        }
        None
    }

    /// Whether a word that falls apart may hold a pattern for names elsewhere.
    pub(super) fn scatters(&self, simple: &Simple, word: &Word) -> bool {
        if simple.nested || !falls_apart(word) {
            return false;
        }
        let printed = word.from.and_then(|(first, last)| self.commands.get(first..last));
        let Some((last, before)) = printed.and_then(<[Command<'a>]>::split_last) else {
            return true;
        };
        let plain = |one: &Command<'a>| prints_no_pattern(one.words());
        let passes = |one: &Command<'a>| !takes_other_input(one.simple) && prints(one.words()).is_some();
        // The last command that prints its own text determines the output.
        let mut all = std::iter::once(last).chain(before.iter().rev());
        let own = all.find(|one| takes_other_input(one.simple) || prints(one.words()) != Some(Prints::Some));
        own.is_none_or(|one| one.simple.grouped || !(plain(one) || passes(one)))
    }

    /// `ls ~`: which names the person's home has, and nothing beneath them.
    pub(super) fn lists_home(&self, command: &Command<'a>, touch: &Touch) -> bool {
        let deep = |text: &str| {
            text == "--recursive" || (text.starts_with('-') && !text.starts_with("--") && text.contains('R'))
        };
        command.name() == Some("ls")
            && !command.words().iter().any(|word| word.may_be(deep))
            && touch.at.lexical == self.policy.home
            && touch.access == Access::Read
            && !touch.pattern
    }

    /// The repository at hand, where each file its index names lies within the roots and is one word that is no option:
    /// `a /etc/passwd` would become two, and the second lies elsewhere.
    fn indexed(&self, simple: &Simple, expands: &dyn Fn(&Path) -> bool) -> Option<Named> {
        let here = self.located(simple, &Word::plain("."))?;
        let whole = simple.words.iter().any(|word| word.literal() == Some("-z"));
        let normal = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
        let stays = |root: &Located| {
            let Some(names) = self
                .tracked_from(&root.lexical)
                .filter(|(tree, _)| *tree == root.resolved)
            else {
                return false;
            };
            names.1.iter().all(|name| {
                // Other letters git prints as codes in quotes: that is the name of another file.
                let printed = |name: &str| (whole || name.is_ascii()) && trees::is_plain_name(name);
                name.to_str().is_some_and(printed)
                    && !expands(name)
                    && name.components().all(normal)
                    // A repository within is a folder, and holds what its own index says.
                    && !self.paths.is_dir(&root.lexical.join(name))
                    && Located::new(&root.lexical.join(name), self.paths).inside(&self.policy.roots, self.paths)
            })
        };
        here.iter().all(|(root, _)| stays(root)).then_some((here, Reach::Tree))
    }

    /// The work tree that `directory` is in, and the files tracked there.
    fn tracked_from(&self, directory: &Path) -> Option<(PathBuf, Arc<Vec<PathBuf>>)> {
        let Found::This(repository) = self.repository(directory) else {
            return None;
        };
        match self.paths.tracked(&repository) {
            Found::This(names) => Some((repository.work_tree.clone(), names)),
            Found::Nothing | Found::Unknown => None,
        }
    }

    /// The root of the work tree that `directory` is in: git shows all of it from each of its folders.
    pub(super) fn work_tree(&self, directory: &Path) -> Option<Located> {
        match self.repository(directory) {
            Found::This(repository) => Some(Located::new(&repository.work_tree, self.paths)),
            Found::Nothing | Found::Unknown => None,
        }
    }

    /// Whether there is something at `path`.
    pub(super) fn is_there(&self, path: &Path) -> bool {
        self.paths.is_dir(path) || self.paths.is_link(path) || self.paths.read(path) != Found::Nothing
    }

    /// Whether the index of the current repository contains a file that `sought` accepts; true if it is not known.
    pub(super) fn index_holds(&self, directory: &Path, sought: &dyn Fn(&Path) -> bool) -> bool {
        if self.repository(directory) == Found::Nothing {
            return false;
        }
        let tracked = self.tracked_from(directory);
        tracked.is_none_or(|(tree, names)| names.iter().any(|name| sought(&tree.join(name))))
    }

    /// Whether a commit of the repository changed a file that `sought` accepts; true if the commits are unknown.
    pub(super) fn history_holds(&self, directory: &Path, sought: &dyn Fn(&Path) -> bool) -> bool {
        let Found::This(repository) = self.repository(directory) else {
            return true;
        };
        match self.paths.committed(&repository) {
            Found::This(names) => names.iter().any(|name| sought(&repository.work_tree.join(name))),
            Found::Nothing | Found::Unknown => true,
        }
    }

    /// Whether a command touches a place that an earlier command of the line moved there, with links in it: where such a
    /// path leads is only known while the line runs.
    pub(super) fn is_moved(&self, command: &Command<'a>) -> bool {
        let moved = |before: &Command<'a>| {
            let link = |path: &Path| self.paths.is_link(path);
            let leads = |touch: &Touch| {
                let path = &touch.at.lexical;
                touch.reach == Reach::Tree
                    && (link(path) || (self.paths.is_dir(path) && trees::holds(path, self.paths, &link)))
            };
            before.name() == Some("mv") && (before.lost || before.touches.iter().any(leads))
        };
        let places = self.commands.iter().filter(|before| moved(before));
        let places = places
            .flat_map(|before| before.writes())
            .flat_map(|touch| touch.at.forms());
        let places: Vec<&Path> = places.collect();
        let below = |form: &Path| places.iter().any(|place| form.starts_with(place));
        command.touches.iter().any(|touch| touch.at.forms().any(below))
    }

    /// Whether the search path finds a program of the command in a folder of the project.
    pub(super) fn shadowed(&self, simple: &Simple, doing: &Doing) -> bool {
        let names = simple.words.iter().filter_map(|word| word.text.as_deref());
        names
            .chain(doing.runs.iter().copied())
            .filter(|name| !name.contains('/'))
            .any(|name| self.is_shadowed(name))
    }

    fn is_shadowed(&self, name: &str) -> bool {
        let there = |folder: &&ProgramFolder| self.is_there(&self.cwd.join(&folder.path).join(name));
        let found = self.policy.search_path.iter().find(there);
        found.is_some_and(|folder| !folder.trusted)
    }

    /// What git reports, if the program of that name is to be trusted.
    fn repository(&self, directory: &Path) -> Found<Arc<Repository>> {
        match self.is_shadowed("git") {
            true => Found::Unknown,
            false => self.paths.repository(directory),
        }
    }

    /// The settings and hooks of the repository whose folder is `parent`.
    pub(in super::super) fn repository_files(&self, parent: &Path) -> Vec<PathBuf> {
        let own = parent.join(".git");
        let config = own.join("config");
        let mut folders = vec![own.join("hooks")];
        if let Found::This(repository) = self.repository(parent) {
            folders.extend(repository.values("core.hookspath").map(|to| parent.join(to)));
        }
        let mut files = vec![config];
        for folder in folders {
            if let Found::This(names) = self.paths.names(&folder) {
                let live = names.iter().filter(|name| !name.ends_with(".sample"));
                files.extend(live.map(|name| folder.join(name)));
            }
        }
        files
    }

    /// What a command reads, where every name beneath it is printed as one word that is no option.
    fn roots(&self, command: &Command<'a>) -> Option<Vec<(Located, bool)>> {
        let plain = |touch: &Touch| {
            let path = touch.at.lexical.strip_prefix(self.cwd).unwrap_or(&touch.at.lexical);
            trees::is_plain_name(&path.to_string_lossy())
        };
        let all = !command.lost && command.touches.iter().all(plain);
        all.then(|| command.touches.iter().map(|touch| (touch.at.clone(), false)).collect())
    }

    /// The paths that a word may expand to where a command runs.
    pub(in super::super) fn paths_of(&self, simple: &Simple, word: &Word) -> Vec<PathBuf> {
        let all = places(simple, word, self.cwd, &self.policy.home).unwrap_or_default();
        all.into_iter()
            .filter(|place| !place.pattern)
            .map(|place| place.path)
            .collect()
    }

    /// The files that a word may expand to, patterns matched; `None` if they are not known.
    pub(in super::super) fn files_of(&self, simple: &Simple, word: &Word) -> Option<Vec<PathBuf>> {
        let all = places(simple, word, self.cwd, &self.policy.home)?;
        let files = all.into_iter().map(|place| match place.pattern {
            true => trees::matches(&place.path, &place.whole, self.paths),
            false => Some(vec![place.path]),
        });
        Some(files.collect::<Option<Vec<_>>>()?.concat())
    }

    /// Whether a command leaves something behind that a later one could run.
    pub(in super::super) fn changes(&self, at: usize) -> bool {
        let Some(command) = self.commands.get(at) else {
            return true;
        };
        let (name, words) = command.words().split_first().unzip();
        let name = name.and_then(|word| word.text.as_deref()).unwrap_or_default();
        let copies = listed("tee dd install ln cp mv tar unzip curl wget patch sed split", name);
        let configures =
            || name == "git" && git_verb(words.unwrap_or_default()).is_some_and(|(verb, _)| verb == "config");
        command.writes().next().is_some() || (command.doing.is_none() && (copies || configures()))
    }

    /// Whether an earlier command may have changed the settings of a repository.
    pub(in super::super) fn settings_written_before(&self, at: usize) -> bool {
        let of_git = |path: &Path| path.iter().any(|part| part.to_string_lossy().starts_with(".git"));
        let unseen = |before: usize| {
            let command = self.commands.get(before);
            let unseen = command.is_some_and(|command| command.doing.is_none() && command.touches.is_empty());
            unseen && self.changes(before)
        };
        self.written_before(at, &of_git) || (0..at).any(unseen)
    }

    /// Whether a command keeps its words, or a file it names, where they could be run.
    pub(in super::super) fn keeps(&self, at: usize) -> bool {
        let Some(command) = self.commands.get(at) else {
            return true;
        };
        let name = command.words().first().and_then(|word| word.text.as_deref());
        let changes = command.doing.as_ref().is_some_and(|doing| doing.kind == Kind::FileOp);
        command.writes().any(|touch| touch.redirect) || (changes && matches!(name, Some("cp" | "mv" | "sed" | "tee")))
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
                if self.paths.read(&file) != Found::Nothing || self.written_before(at, &|path| path == file) {
                    return Some(Problem::Configured(file.display().to_string()));
                }
            }
        }
        doing.repository.as_ref()?;
        let of_git = |path: &Path| path.iter().any(|part| part == ".git" || part == ".gitmodules");
        if self.written_before(at, &of_git) {
            return Some(Problem::Evaluates("git".to_owned()));
        }
        let directories = self.repository_folders(command);
        let trouble = directories
            .iter()
            .find_map(|directory| repository::problem(self.policy, directory, self.paths));
        if let Some(key) = trouble {
            return Some(Problem::Configured(format!("The repository's setting {key}")));
        }
        let entered = || directories.iter().find_map(|directory| self.submodule(directory));
        if let Some(name) = doing.enters_submodules.then(entered).flatten() {
            return Some(Problem::Configured(format!("The submodule {name}")));
        }
        // The run is bound to one repository.
        let all = self.commands.iter().flat_map(|one| self.repository_folders(one));
        let mut all = all.map(|directory| self.paths.repository(&directory));
        let first = all.next()?;
        all.any(|other| other != first).then_some(Problem::SeveralRepositories)
    }

    /// A submodule of the repository that `directory` is in: a tracked folder.
    fn submodule(&self, directory: &Path) -> Option<String> {
        let Some((tree, names)) = self.tracked_from(directory) else {
            let none = self.repository(directory) == Found::Nothing;
            return (!none).then(|| directory.display().to_string());
        };
        let mut folders = names.iter().filter(|name| self.paths.is_dir(&tree.join(name)));
        folders.next().map(|name| name.display().to_string())
    }

    /// Whether an earlier command of the line writes such a path.
    fn written_before(&self, at: usize, such: &dyn Fn(&Path) -> bool) -> bool {
        let mut written = self.commands.iter().take(at).flat_map(Command::writes);
        written.any(|touch| touch.at.forms().any(such))
    }

    /// The folders from which a command looks for a repository.
    fn repository_folders(&self, command: &Command<'a>) -> Vec<PathBuf> {
        let word = command.doing.as_ref().and_then(|doing| doing.repository.as_ref());
        word.map(|word| self.paths_of(command.simple, word)).unwrap_or_default()
    }
}
