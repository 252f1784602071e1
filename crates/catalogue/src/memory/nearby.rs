//! Memory files that are added when a file is touched: those of its folders, and rules for its path.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use sluice_permission::path::{absolute, normal};
use sluice_permission::shell;
use sluice_settings::Settings;

use super::{Found, Loader, Memory, PathRule, listed, resolved, text};

/// Programs that print the content of the files in their arguments.
const READERS: &[&str] = &[
    "cat", "head", "tail", "less", "more", "nl", "wc", "sed", "awk", "grep", "egrep", "fgrep", "rg", "bat",
];

/// The rules that were not added yet, and the files and folders that were.
#[derive(Debug, Default)]
pub struct Nearby {
    rules: Vec<PathRule>,
    seen: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
}

/// A memory file that is added because another file was touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// The memory file.
    pub memory: Memory,
    /// The `load_reason` for hooks.
    pub reason: &'static str,
    /// The patterns of a rule.
    pub patterns: Option<Vec<String>>,
}

impl Nearby {
    /// Resets the state after the model got the memory files of the start.
    pub fn begin(&mut self, found: Found) {
        *self = Self {
            rules: found.waiting,
            seen: found.seen,
            folders: HashSet::new(),
        };
    }

    /// Returns the memory files and rules for a touched file that were not added yet.
    pub fn touched(&mut self, path: &Path, settings: &Settings) -> Vec<Brought> {
        let cwd = settings.work();
        let path = normal(path);
        let mut brought = self.rules_about(&path, settings);
        let Ok(below) = path.strip_prefix(cwd) else {
            return brought;
        };
        let mut loader = self.loader(settings);
        let mut folder = cwd.to_owned();
        for part in below.parent().unwrap_or(Path::new("")).components() {
            folder.push(part);
            if self.folders.insert(folder.clone()) {
                loader.take(&folder);
            }
        }
        let Found { known, waiting, seen } = loader.found;
        self.seen = seen;
        self.rules.extend(waiting);
        brought.extend(known.into_iter().map(|memory| Brought {
            reason: if memory.parent.is_some() {
                "include"
            } else {
                "nested_traversal"
            },
            memory,
            patterns: None,
        }));
        brought.extend(self.rules_about(&path, settings));
        brought
    }

    /// Returns the rules for a file and marks them as added.
    fn rules_about(&mut self, path: &Path, settings: &Settings) -> Vec<Brought> {
        let is_about = |rule: &PathRule| {
            path.starts_with(rule.about.path()) && rule.about.matched_path_or_any_parents(path, false).is_ignore()
        };
        let (due, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.rules).into_iter().partition(is_about);
        self.rules = rest;
        let mut brought = Vec::new();
        for rule in due {
            let mut loader = self.loader(settings);
            if let Some(said) = loader.read(&rule.path) {
                loader.keep(&rule.path, text::without_front_matter(&said), None, 0);
            }
            self.seen = loader.found.seen;
            brought.extend(loader.found.known.into_iter().map(|memory| Brought {
                reason: if memory.parent.is_some() {
                    "include"
                } else {
                    "path_glob_match"
                },
                patterns: memory.parent.is_none().then(|| rule.patterns.clone()),
                memory,
            }));
        }
        brought
    }

    fn loader<'a>(&mut self, settings: &'a Settings) -> Loader<'a> {
        let mut loader = Loader::new(settings);
        loader.found.seen = std::mem::take(&mut self.seen);
        loader.bounds = (!settings.trusted()).then(|| {
            let cwd = settings.work();
            resolved(&sluice_settings::repository(cwd).unwrap_or_else(|| cwd.to_owned()))
        });
        loader
    }
}

/// Returns the reminder with the added memory files.
pub fn reminder(brought: &[Brought]) -> Option<String> {
    let memories: Vec<Memory> = brought.iter().map(|one| one.memory.clone()).collect();
    (!memories.is_empty()).then(|| {
        format!(
            "<system-reminder>\nThis is to be known and followed where you work now.\n\n{}\n</system-reminder>",
            listed(&memories)
        )
    })
}

/// Returns the files whose content a command line prints, as far as that can be determined.
pub fn files_of_command(command: &str, cwd: &Path) -> Vec<PathBuf> {
    let analysis = shell::analyse(command);
    let commands = analysis.commands.iter().filter(|simple| !simple.nested);
    let shown = commands.filter_map(|simple| {
        let words: Vec<String> = simple
            .words
            .iter()
            .filter_map(|word| word.literal().map(str::to_owned))
            .collect();
        let (program, rest) = words.split_first()?;
        READERS.contains(&program.as_str()).then(|| rest.to_vec())
    });
    let paths = shown.flatten().filter(|word| !word.starts_with('-'));
    paths
        .map(|word| absolute(cwd, &word))
        .filter(|path| path.is_file())
        .take(20)
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_settings::{Chosen, Places};

    use super::super::load_for;
    use super::*;

    struct Stage {
        folder: tempfile::TempDir,
        settings: Settings,
    }

    fn stage(files: &[(&str, &str)]) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, text) in files {
            let path = root.join("work").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let places = Places {
            cwd: root.join("work"),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("managed.json"),
            global: root.join("home/.claude.json"),
        };
        let settings = Settings::load(&places, &Chosen::ALL, None, None);
        Stage { folder, settings }
    }

    impl Stage {
        fn touched(&self, nearby: &mut Nearby, path: &str) -> Vec<(String, &'static str)> {
            let path = self.folder.path().canonicalize().unwrap().join("work").join(path);
            let brought = nearby.touched(&path, &self.settings).into_iter();
            brought
                .map(|one| (one.memory.text.trim().to_owned(), one.reason))
                .collect()
        }
    }

    #[test]
    fn a_touched_file_adds_the_memory_files_of_its_folders_once() {
        let stage = stage(&[
            ("CLAUDE.md", "top"),
            ("sub/CLAUDE.md", "sub @more.md"),
            ("sub/more.md", "more"),
            ("sub/deep/CLAUDE.local.md", "deep"),
            ("sub/deep/.claude/rules/r.md", "rule"),
            ("other/CLAUDE.md", "other"),
        ]);
        let mut nearby = Nearby::default();
        nearby.begin(load_for(&stage.settings, &[]));
        assert_eq!(
            stage.touched(&mut nearby, "sub/deep/a.txt"),
            [
                ("sub @more.md".to_owned(), "nested_traversal"),
                ("more".to_owned(), "include"),
                ("rule".to_owned(), "nested_traversal"),
                ("deep".to_owned(), "nested_traversal"),
            ]
        );
        assert!(stage.touched(&mut nearby, "sub/deep/b.txt").is_empty());
        assert!(stage.touched(&mut nearby, "a.txt").is_empty());
        assert!(stage.touched(&mut nearby, "../elsewhere/a.txt").is_empty());
    }

    #[test]
    fn rules_for_paths_are_added_when_a_matching_file_is_touched() {
        let rule = |paths: &str, text: &str| format!("---\npaths: {paths}\n---\n{text}");
        let stage = stage(&[
            (".claude/rules/a.md", &rule("sub/**", "about sub")),
            (".claude/rules/b.md", &rule("\"*.txt\"", "about texts")),
            (".claude/rules/c.md", &rule("other/**", "about others")),
            ("sub/.claude/rules/d.md", &rule("\"*.txt\"", "about texts there")),
        ]);
        let mut nearby = Nearby::default();
        let found = load_for(&stage.settings, &[]);
        assert!(found.known.is_empty());
        nearby.begin(found);
        let said: Vec<String> = stage
            .touched(&mut nearby, "sub/a.txt")
            .into_iter()
            .map(|(text, reason)| format!("{reason}: {text}"))
            .collect();
        assert_eq!(
            said,
            [
                "path_glob_match: about sub",
                "path_glob_match: about texts",
                "path_glob_match: about texts there"
            ]
        );
        assert!(stage.touched(&mut nearby, "sub/b.txt").is_empty());
    }

    #[test]
    fn a_command_that_prints_a_file_touches_it() {
        let stage = stage(&[("sub/a.txt", "a"), ("b.txt", "b")]);
        let cwd = &stage.settings.places().cwd;
        let names = |command: &str| files_of_command(command, cwd).len();
        assert_eq!(names("cat sub/a.txt | head -n 3 && tail b.txt"), 2);
        assert_eq!(names("ls sub/a.txt"), 0);
        assert_eq!(names("cat none.txt \"$X\""), 0);
    }
}
