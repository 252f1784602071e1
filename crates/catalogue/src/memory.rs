//! Memory files: `CLAUDE.md` files with their imports, and rules, from the most general to the most specific. Files of
//! subfolders, and rules for certain paths, are added when such a file is touched (`nearby`).

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

/// Maximum depth of imports and of rule folders.
const MAX_DEPTH: usize = 5;
/// Maximum size of a memory file, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Maximum number of memory files.
const MAX_FILES: usize = 500;
/// Maximum number of file lookups, because a text may import very many files that do not exist.
const MAX_LOOKUPS: usize = 10_000;

/// Which memory files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryOptions {
    /// Whether memory files are disabled.
    pub off: bool,
    /// Whether those of directories added at launch are read too.
    pub of_added_folders: bool,
}

/// A memory file for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The path of the file.
    pub path: PathBuf,
    /// The text without front matter and comments.
    pub text: String,
    /// The file that imports it.
    pub parent: Option<PathBuf>,
}

/// A rule for certain paths. It is added when a matching file is touched.
#[derive(Debug, Clone)]
pub struct PathRule {
    path: PathBuf,
    /// The patterns as text.
    patterns: Vec<String>,
    about: Gitignore,
}

/// The memory files found at the start of a session.
#[derive(Debug, Default)]
pub struct Found {
    /// The memory files that the model gets at the start.
    pub known: Vec<Memory>,
    waiting: Vec<PathRule>,
    /// The resolved paths of all files that were read.
    seen: HashSet<PathBuf>,
}

/// Loads the memory files for the start of a session, including those of the `further` folders.
pub fn load_for(settings: &Settings, further: &[PathBuf]) -> Found {
    load(settings, settings.trusted(), further)
}

/// Loads all memory files in the order in which they are sent to the model: the most specific last, because later text
/// has more weight. An untrusted project cannot import files from outside: memory files are sent to the model, and an
/// untrusted file might import `@~/.ssh/id_rsa`.
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
        loader.bounds = (!trusted).then(|| resolved(inside));
        loader.take(folder);
    }
    for folder in further {
        loader.bounds = (!trusted).then(|| resolved(folder));
        loader.take(folder);
    }
    loader.found
}

/// Returns the path with links resolved, or the path itself if it does not exist.
fn resolved(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Returns the reminder with all memory files, which is sent once before the first prompt.
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

/// Compiles patterns into one matcher. Invalid patterns are ignored.
fn patterns<'a>(root: &Path, each: impl IntoIterator<Item = &'a str>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in each {
        builder.add_line(None, pattern).ok();
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

struct Loader<'a> {
    settings: &'a Settings,
    /// The folder that must contain a file after links are resolved.
    bounds: Option<PathBuf>,
    /// Files excluded by the settings.
    excluded: Gitignore,
    lookups: usize,
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
            lookups: 0,
            found: Found::default(),
        }
    }

    /// Loads the memory files of a folder.
    fn take(&mut self, folder: &Path) {
        let (places, chosen) = (self.settings.places(), self.settings.customs());
        // The user's file must not count as the project file of all projects below the home folder.
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

    /// Loads a file and its imports. Returns false if it does not exist.
    fn file(&mut self, path: &Path, parent: Option<&Path>, depth: usize) -> bool {
        if path
            .canonicalize()
            .is_ok_and(|resolved| self.found.seen.contains(&resolved))
        {
            self.lookups += 1;
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

    /// Reads a file if it is allowed and within the limits.
    fn read(&mut self, path: &Path) -> Option<String> {
        self.lookups += 1;
        if self.lookups > MAX_LOOKUPS {
            return None;
        }
        let resolved = path.canonicalize().ok()?;
        let outside = self.bounds.as_ref().is_some_and(|bounds| !resolved.starts_with(bounds));
        if outside || self.found.known.len() >= MAX_FILES || self.excluded.matched(path, false).is_ignore() {
            return None;
        }
        read(&resolved)
    }

    /// Adds the text of a file, unless it was added before, and its imports.
    fn keep(&mut self, path: &Path, said: &str, parent: Option<&Path>, depth: usize) {
        let said = text::without_comments(said);
        if !self.found.seen.insert(resolved(path)) || said.trim().is_empty() {
            return;
        }
        let imports = text::imports(&said);
        self.found.known.push(Memory {
            path: path.to_owned(),
            text: said,
            parent: parent.map(Path::to_owned),
        });
        if depth < MAX_DEPTH {
            for import in imports {
                let target = match import.strip_prefix("~/") {
                    Some(rest) => self.settings.places().home.join(rest),
                    None => path.parent().unwrap_or(Path::new("/")).join(&import),
                };
                self.file(&target, Some(path), depth + 1);
            }
        }
    }

    /// Loads all rules of a folder, sorted by name. Rules for certain paths are stored for later.
    fn rules(&mut self, folder: &Path, root: &Path, depth: usize) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                if depth < MAX_DEPTH {
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
            } else if !self.found.seen.contains(&resolved(&path)) {
                self.found.waiting.push(PathRule {
                    about: patterns(root, about.iter().map(String::as_str)),
                    patterns: about,
                    path,
                });
            }
        }
    }
}

/// Reads a text file up to the maximum size; `None` if it is blank.
pub fn read(path: &Path) -> Option<String> {
    let bytes = sluice_settings::read_regular(path, MAX_FILE_BYTES).ok()?;
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

    fn write_files(root: &Path, files: &[(&str, &str)]) {
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
    fn general_files_come_first_and_specific_ones_last() {
        let root = tempfile::tempdir().unwrap();
        write_files(
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
    fn imports_follow_their_file_once_and_are_ignored_in_code() {
        let root = tempfile::tempdir().unwrap();
        write_files(
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
    fn the_number_of_import_lookups_is_limited() {
        let root = tempfile::tempdir().unwrap();
        let many = "@CLAUDE.md ".repeat(5000);
        write_files(
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
    fn an_untrusted_project_cannot_import_files_from_outside() {
        let root = tempfile::tempdir().unwrap();
        write_files(
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
    fn agents_md_is_read_if_there_is_no_claude_md() {
        let root = tempfile::tempdir().unwrap();
        write_files(root.path(), &[("home/work/project/AGENTS.md", "agents")]);
        assert_eq!(texts(root.path(), Chosen::ALL), ["agents"]);
        write_files(root.path(), &[("home/work/project/CLAUDE.md", "claude")]);
        assert_eq!(texts(root.path(), Chosen::ALL), ["claude"]);
    }

    #[test]
    fn there_is_no_reminder_without_memory_files() {
        assert_eq!(reminder(&[]), None);
    }

    #[test]
    fn front_matter_and_comments_are_removed_and_rule_folders_may_be_nested() {
        let root = tempfile::tempdir().unwrap();
        write_files(
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
    fn excluded_files_are_not_read() {
        let root = tempfile::tempdir().unwrap();
        write_files(
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
    fn further_folders_are_read() {
        let root = tempfile::tempdir().unwrap();
        write_files(
            root.path(),
            &[("further/CLAUDE.md", "further"), ("home/work/project/x", "")],
        );
        let settings = settings(root.path(), Chosen::ALL, "{}");
        let found = load(&settings, true, &[root.path().join("further")]);
        assert_eq!(found.known.len(), 1);
    }
}
