//! What a person and a project want every session to know: `CLAUDE.md` files, from the widest to
//! the nearest, with what they import.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::catalogue::plugins::builtin::Part;
use crate::settings::{self, Chosen, Places, Settings};

/// How deep imports may go.
const DEEPEST: usize = 5;
/// More than any such file has a reason to hold.
const LARGEST: u64 = 256 * 1024;
/// More files than anybody asks to be known.
const MOST: usize = 500;
/// How many are looked for: a text may import a hundred thousand that are not there.
const MOST_LOOKS: usize = 10_000;

/// One file that is to be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Everything a session with these settings is to know.
pub(crate) fn load_for(settings: &Settings) -> Vec<Memory> {
    let places = Places {
        cwd: settings.work().to_owned(),
        ..settings.places().clone()
    };
    let part = Part::AgentsMd.is_on(settings);
    load(&places, settings.customs(), settings.trusted(), part)
}

/// Everything that is to be known, in the order in which it is told: what is nearer comes later,
/// since later words weigh more. A project nobody has trusted brings nothing in from outside of itself: what is known
/// is sent to the model, and `@~/.ssh/id_rsa` in a stranger's file is not the person's wish.
fn load(places: &Places, chosen: Chosen, trusted: bool, agents_md: bool) -> Vec<Memory> {
    let mut loader = Loader {
        home: &places.home,
        bounds: None,
        seen: HashSet::new(),
        looks: 0,
        found: Vec::new(),
    };
    if chosen.user {
        loader.file(&places.config_dir.join("CLAUDE.md"), 0);
        loader.folder(&places.config_dir.join("rules"));
    }
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let project = settings::repository(&places.cwd).unwrap_or_else(|| places.cwd.clone());
    let mut folders: Vec<&Path> = places.cwd.ancestors().collect();
    folders.reverse();
    for folder in folders {
        let inside = if folder.starts_with(&project) { &project } else { folder };
        loader.bounds = (!trusted).then(|| real(inside));
        // The person's own file is not also the file of every project below their home.
        let own = folder.join(".claude") == places.config_dir;
        if chosen.project {
            let named = loader.file(&folder.join("CLAUDE.md"), 0);
            let kept = !own && loader.file(&folder.join(".claude").join("CLAUDE.md"), 0);
            if !named && !kept && agents_md {
                loader.file(&folder.join("AGENTS.md"), 0);
            }
            if !own {
                loader.folder(&folder.join(".claude").join("rules"));
            }
        }
        if chosen.local {
            loader.file(&folder.join("CLAUDE.local.md"), 0);
        }
    }
    loader.found
}

/// What the model is told of it, once, before the first prompt.
pub(crate) fn reminder(memories: &[Memory]) -> Option<String> {
    if memories.is_empty() {
        return None;
    }
    let files = memories
        .iter()
        .map(|memory| format!("From {}:\n\n{}", memory.path.display(), memory.text.trim()));
    let files: Vec<String> = files.collect();
    Some(format!(
        "<system-reminder>\nThe person and the project ask that you know and follow this. Where two parts differ, the \
         later one counts.\n\n{}\n</system-reminder>",
        files.join("\n\n")
    ))
}

struct Loader<'a> {
    home: &'a Path,
    /// What a file must lie in, links followed.
    bounds: Option<PathBuf>,
    seen: HashSet<PathBuf>,
    looks: usize,
    found: Vec<Memory>,
}

impl Loader<'_> {
    /// Takes a file and what it imports; false if there is none.
    fn file(&mut self, path: &Path, depth: usize) -> bool {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return false;
        }
        let Ok(real) = path.canonicalize() else { return false };
        let outside = self.bounds.as_ref().is_some_and(|bounds| !real.starts_with(bounds));
        if outside || self.found.len() >= MOST {
            return false;
        }
        if self.seen.contains(&real) {
            return true;
        }
        let Some(text) = read(path) else { return false };
        self.seen.insert(real);
        let imports = imports(&text);
        self.found.push(Memory {
            path: path.to_owned(),
            text,
        });
        if depth < DEEPEST {
            for import in imports {
                let target = match import.strip_prefix("~/") {
                    Some(rest) => self.home.join(rest),
                    None => path.parent().unwrap_or(Path::new("/")).join(&import),
                };
                self.file(&target, depth + 1);
            }
        }
        true
    }

    /// Takes every rule of a folder, by name.
    fn folder(&mut self, folder: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths
            .iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        {
            self.file(path, 0);
        }
    }
}

/// A text file of a reasonable size.
pub(crate) fn read(path: &Path) -> Option<String> {
    let bytes = sluice_tools::read_regular(path, LARGEST).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim().is_empty()).then_some(text)
}

/// The paths a text imports: words that begin with `@`, but not in code.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        // Every second piece between backticks is code.
        for prose in line.split('`').step_by(2) {
            let words = prose.split_whitespace().filter_map(|word| word.strip_prefix('@'));
            found.extend(
                words
                    .map(|path| path.trim_end_matches([',', ';', ':', ')', '.']).to_owned())
                    .filter(|path| is_path(path)),
            );
        }
    }
    found
}

/// A mention of a person is not a path.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.']) && !word.starts_with('@')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn places(root: &Path) -> Places {
        Places {
            cwd: root.join("home/work/project"),
            home: root.join("home"),
            config_dir: root.join("home/.claude"),
            managed: root.join("managed.json"),
            global: root.join("home/.claude.json"),
        }
    }

    fn lay(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn texts(root: &Path, chosen: Chosen) -> Vec<String> {
        load(&places(root), chosen, true, true)
            .into_iter()
            .map(|memory| memory.text.trim().to_owned())
            .collect()
    }

    #[test]
    fn the_widest_comes_first_and_the_nearest_last() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[
                ("home/.claude/CLAUDE.md", "mine"),
                ("home/work/CLAUDE.md", "above"),
                ("home/work/project/CLAUDE.md", "project"),
                ("home/work/project/.claude/rules/b.md", "rule b"),
                ("home/work/project/.claude/rules/a.md", "rule a"),
                ("home/work/project/CLAUDE.local.md", "local"),
            ],
        );
        assert_eq!(
            texts(root.path(), Chosen::ALL),
            ["mine", "above", "project", "rule a", "rule b", "local"]
        );
        let user = Chosen {
            user: true,
            ..Chosen::NONE
        };
        assert_eq!(texts(root.path(), user), ["mine"]);
        assert!(texts(root.path(), Chosen::NONE).is_empty());
    }

    #[test]
    fn imports_follow_their_file_once_and_code_imports_nothing() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[
                (
                    "home/work/project/CLAUDE.md",
                    "See @a.md and `@no.md`.\n```\n@no.md\n```\nAsk @someone.\n@~/b.md",
                ),
                ("home/work/project/a.md", "a @CLAUDE.md"),
                ("home/work/project/no.md", "no"),
                ("home/b.md", "b"),
            ],
        );
        let texts = texts(root.path(), Chosen::ALL);
        assert_eq!(texts.get(1..).unwrap(), ["a @CLAUDE.md", "b"]);
    }

    #[test]
    fn a_text_that_imports_without_end_is_followed_only_so_far() {
        let root = tempfile::tempdir().unwrap();
        let many = "@CLAUDE.md ".repeat(5000);
        lay(
            root.path(),
            &[
                ("home/work/project/CLAUDE.md", &format!("{many} @a.md {many} @late.md")),
                ("home/work/project/a.md", "a"),
                ("home/work/project/late.md", "late"),
            ],
        );
        let texts = texts(root.path(), Chosen::ALL);
        assert_eq!(texts.get(1..).unwrap(), ["a"]);
    }

    #[test]
    fn a_project_nobody_trusted_brings_nothing_in_from_outside() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[
                ("home/.claude/CLAUDE.md", "mine @~/b.md"),
                ("home/work/CLAUDE.md", "above @beside.md"),
                ("home/work/beside.md", "beside"),
                ("home/work/project/.git/HEAD", ""),
                (
                    "home/work/project/CLAUDE.md",
                    "@~/key @../beside2.md @/proc/self/environ @a.md",
                ),
                ("home/work/project/a.md", "a"),
                ("home/work/beside2.md", "secret"),
                ("home/b.md", "b"),
                ("home/key", "secret"),
            ],
        );
        let rules = root.path().join("home/work/project/.claude/rules");
        fs::create_dir_all(&rules).unwrap();
        std::os::unix::fs::symlink(root.path().join("home/key"), rules.join("x.md")).unwrap();
        let known = |trusted: bool| -> Vec<String> {
            let found = load(&places(root.path()), Chosen::ALL, trusted, true);
            found.into_iter().map(|memory| memory.text).collect()
        };
        let untrusted = known(false);
        let names: Vec<&str> = untrusted.iter().filter_map(|text| text.split(' ').next()).collect();
        assert_eq!(names, ["mine", "b", "above", "beside", "@~/key", "a"]);
        assert!(known(true).iter().any(|text| text == "secret"));
    }

    #[test]
    fn the_other_agents_file_stands_in_where_there_is_no_own() {
        let root = tempfile::tempdir().unwrap();
        lay(root.path(), &[("home/work/project/AGENTS.md", "agents")]);
        assert_eq!(texts(root.path(), Chosen::ALL), ["agents"]);
        lay(root.path(), &[("home/work/project/CLAUDE.md", "claude")]);
        assert_eq!(texts(root.path(), Chosen::ALL), ["claude"]);
    }

    #[test]
    fn nothing_to_know_is_nothing_to_say() {
        assert_eq!(reminder(&[]), None);
    }
}
