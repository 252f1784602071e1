//! Memory files: `CLAUDE.md` files, from the widest to the nearest, with their imports, and rules. Those deeper in the
//! project, and rules about certain files, are added when such a file is touched (`nearby`).

mod nearby;
mod text;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value;

pub use nearby::{Brought, Nearby, files_of_command, reminder as reminder_of_brought};

use sluice_settings::Settings;
use sluice_settings::keys;

use crate::plugins::builtin::Part;

/// How deep imports and folders of rules may go.
const DEEPEST: usize = 5;
/// More than any such file has a reason to hold.
const LARGEST: u64 = 256 * 1024;
/// More files than anybody asks to be known.
const MOST: usize = 500;
/// How many are looked for: a text may import a hundred thousand that are not there.
const MOST_LOOKS: usize = 10_000;

/// Which memory files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryOptions {
    /// None at all.
    pub off: bool,
    /// Those of the directories added at the launch too.
    pub of_added_folders: bool,
}

/// One file that is to be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text, without front matter and comments.
    pub text: String,
    /// The file that imports it.
    pub parent: Option<PathBuf>,
}

/// A rule about certain files: it is added when one of them is touched.
#[derive(Debug, Clone)]
pub struct PathRule {
    path: PathBuf,
    /// The patterns as they are written.
    patterns: Vec<String>,
    about: Gitignore,
}

/// Everything found at the start.
#[derive(Debug, Default)]
pub struct Found {
    /// The memory files the model gets from the start.
    pub known: Vec<Memory>,
    waiting: Vec<PathRule>,
    /// Where each really is.
    seen: HashSet<PathBuf>,
}

/// Everything a session with these settings is to know from the start; of further folders only where that is wanted.
pub fn load_for(settings: &Settings, further: &[PathBuf]) -> Found {
    load(settings, settings.trusted(), further)
}

/// Everything that is to be known, in the order in which it is told: what is nearer comes later,
/// since later words weigh more. A project nobody has trusted brings nothing in from outside of itself: what is known
/// is sent to the model, and `@~/.ssh/id_rsa` in a stranger's file is not the person's wish.
fn load(settings: &Settings, trusted: bool, further: &[PathBuf]) -> Found {
    let (places, chosen, work) = (settings.places(), settings.customs(), settings.work());
    let mut loader = Loader::new(settings);
    if chosen.user {
        loader.file(&places.config_dir.join("CLAUDE.md"), None, 0);
        loader.rules(&places.config_dir.join("rules"), work, 0);
    }
    let project = sluice_settings::repository(work).unwrap_or_else(|| work.to_owned());
    let mut folders: Vec<&Path> = work.ancestors().collect();
    folders.reverse();
    for folder in folders {
        let inside = if folder.starts_with(&project) { &project } else { folder };
        loader.bounds = (!trusted).then(|| real(inside));
        loader.take(folder);
    }
    for folder in further {
        loader.bounds = (!trusted).then(|| real(folder));
        loader.take(folder);
    }
    loader.found
}

/// Where a folder really is, as far as it is there.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The reminder for the model, once, before the first prompt.
pub fn reminder(memories: &[Memory]) -> Option<String> {
    if memories.is_empty() {
        return None;
    }
    Some(format!(
        "<system-reminder>\nThe person and the project ask that you know and follow this. Where two parts differ, the \
         later one counts.\n\n{}\n</system-reminder>",
        listed(memories)
    ))
}

fn listed(memories: &[Memory]) -> String {
    let files = memories
        .iter()
        .map(|memory| format!("From {}:\n\n{}", memory.path.display(), memory.text.trim()));
    files.collect::<Vec<String>>().join("\n\n")
}

/// Patterns of the settings as one that paths are held against; what is no pattern counts for nothing.
fn patterns<'a>(root: &Path, each: impl IntoIterator<Item = &'a str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in each {
        builder.add_line(None, pattern).ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

struct Loader<'a> {
    settings: &'a Settings,
    /// What a file must lie in, links followed.
    bounds: Option<PathBuf>,
    /// Files the person does not want to be known.
    excluded: Gitignore,
    looks: usize,
    found: Found,
}

impl<'a> Loader<'a> {
    fn new(settings: &'a Settings) -> Self {
        let lists = settings.each(&keys::CLAUDE_MD_EXCLUDES).into_iter();
        let names = lists.filter_map(|(_, list)| list.as_array()).flatten();
        Self {
            settings,
            bounds: None,
            excluded: patterns(Path::new("/"), names.filter_map(Value::as_str)),
            looks: 0,
            found: Found::default(),
        }
    }

    /// Takes what lies in a folder.
    fn take(&mut self, folder: &Path) {
        let (places, chosen) = (self.settings.places(), self.settings.customs());
        // The person's own file is not also the file of every project below their home.
        let own = folder.join(".claude") == places.config_dir;
        if chosen.project {
            let named = self.file(&folder.join("CLAUDE.md"), None, 0);
            let kept = !own && self.file(&folder.join(".claude").join("CLAUDE.md"), None, 0);
            if !named && !kept && Part::AgentsMd.is_on(self.settings) {
                self.file(&folder.join("AGENTS.md"), None, 0);
            }
            if !own {
                self.rules(&folder.join(".claude").join("rules"), folder, 0);
            }
        }
        if chosen.local {
            self.file(&folder.join("CLAUDE.local.md"), None, 0);
        }
    }

    /// Takes a file and what it imports; false if there is none.
    fn file(&mut self, path: &Path, parent: Option<&Path>, depth: usize) -> bool {
        if path.canonicalize().is_ok_and(|real| self.found.seen.contains(&real)) {
            self.looks += 1;
            return true;
        }
        match self.read(path) {
            None => false,
            Some(text) => {
                self.keep(path, text::without_front_matter(&text), parent, depth);
                true
            }
        }
    }

    /// The text of a file that may be known.
    fn read(&mut self, path: &Path) -> Option<String> {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let outside = self.bounds.as_ref().is_some_and(|bounds| !real.starts_with(bounds));
        if outside || self.found.known.len() >= MOST || self.excluded.matched(path, false).is_ignore() {
            return None;
        }
        read(&real)
    }

    /// Adds the text of a file, once, and its imports.
    fn keep(&mut self, path: &Path, said: &str, parent: Option<&Path>, depth: usize) {
        let said = text::without_comments(said);
        if !self.found.seen.insert(real(path)) || said.trim().is_empty() {
            return;
        }
        let imports = text::imports(&said);
        self.found.known.push(Memory {
            path: path.to_owned(),
            text: said,
            parent: parent.map(Path::to_owned),
        });
        if depth < DEEPEST {
            for import in imports {
                let target = match import.strip_prefix("~/") {
                    Some(rest) => self.settings.places().home.join(rest),
                    None => path.parent().unwrap_or(Path::new("/")).join(&import),
                };
                self.file(&target, Some(path), depth + 1);
            }
        }
    }

    /// Takes every rule of a folder, by name. Those about certain files wait.
    fn rules(&mut self, folder: &Path, root: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                if depth < DEEPEST {
                    self.rules(&path, root, depth + 1);
                }
                continue;
            }
            let is_rule = path.extension().is_some_and(|ending| ending == "md");
            let Some(text) = self.read(&path).filter(|_| is_rule) else {
                continue;
            };
            let about = text::paths(&text);
            if about.is_empty() {
                self.keep(&path, text::without_front_matter(&text), None, 0);
            } else if !self.found.seen.contains(&real(&path)) {
                self.found.waiting.push(PathRule {
                    about: patterns(root, about.iter().map(String::as_str)),
                    patterns: about,
                    path,
                });
            }
        }
    }
}

/// A text file of a reasonable size.
pub fn read(path: &Path) -> Option<String> {
    let bytes = sluice_settings::read_regular(path, LARGEST).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use sluice_settings::{Chosen, Places};

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

    fn settings(root: &Path, chosen: Chosen, flag: &str) -> Settings {
        let flag = sluice_settings::FlagSettings::from_argument(flag, root);
        Settings::load(&places(root), &chosen, Some(flag), None)
    }

    fn texts(root: &Path, chosen: Chosen) -> Vec<String> {
        said(root, chosen, "{}")
    }

    fn said(root: &Path, chosen: Chosen, flag: &str) -> Vec<String> {
        load(&settings(root, chosen, flag), true, &[])
            .known
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
            let found = load(&settings(root.path(), Chosen::ALL, "{}"), trusted, &[]);
            found.known.into_iter().map(|memory| memory.text).collect()
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

    #[test]
    fn front_matter_and_comments_are_not_told_and_folders_of_rules_may_be_deep() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[
                (
                    "home/work/project/CLAUDE.md",
                    "---\nfoo: bar\n---\nshown <!-- @hidden.md --> too\n",
                ),
                ("home/work/project/hidden.md", "hidden"),
                ("home/work/project/.claude/rules/deep/r.md", "rule"),
                (
                    "home/work/project/.claude/rules/p.md",
                    "---\npaths: src/**\n---\nonly there",
                ),
            ],
        );
        assert_eq!(texts(root.path(), Chosen::ALL), ["shown  too", "rule"]);
    }

    #[test]
    fn what_the_person_excludes_is_not_known() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[
                ("home/work/CLAUDE.md", "above"),
                ("home/work/project/CLAUDE.md", "project"),
                ("home/work/project/.claude/rules/r.md", "rule"),
            ],
        );
        let above = root.path().join("home/work/CLAUDE.md");
        let flag = serde_json::json!({"claudeMdExcludes": ["**/rules/*.md", above]}).to_string();
        assert_eq!(said(root.path(), Chosen::ALL, &flag), ["project"]);
    }

    #[test]
    fn further_folders_are_read_where_that_is_wanted() {
        let root = tempfile::tempdir().unwrap();
        lay(
            root.path(),
            &[("further/CLAUDE.md", "further"), ("home/work/project/x", "")],
        );
        let settings = settings(root.path(), Chosen::ALL, "{}");
        let found = load(&settings, true, &[root.path().join("further")]);
        assert_eq!(found.known.len(), 1);
    }
}
