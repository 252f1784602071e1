//! Loads slash commands, skills and output styles: lists each folder once, and reads the front matter of each file.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sluice_settings::Settings;

use super::bounds::Bounds;
use super::entry::{Entry, Kind, Origin, is_name};
use super::front_matter::{self, FrontMatter};
use super::plugins::{Plugin, Plugins};
use super::styles::{self, Style};
use super::{Catalogue, CatalogueOptions, Problem};

/// Number of bytes that are read from a file to find its front matter. More is read if it is longer.
const HEAD_BYTES: usize = 16 * 1024;
/// Maximum depth of folders of commands.
const MAX_DEPTH: usize = 6;
/// Maximum number of files. A folder with more files is probably not a folder of commands.
const MAX_FILES: usize = 2000;

/// Loads all folders. Names of the user have precedence over those of the project, and skills over commands.
pub(super) fn walk(
    options: &CatalogueOptions,
    settings: &Settings,
    further: &[PathBuf],
    plugins: Plugins,
) -> Catalogue {
    let places = settings.places();
    let chosen = settings.customs();
    let mut walker = Walker {
        bounds: Bounds::new(settings.bounds()),
        ..Walker::default()
    };
    let user = chosen.user.then(|| (places.config_dir.clone(), Origin::User));
    let project = places.cwd.join(".claude");
    let project = (chosen.project && project != places.config_dir).then_some((project, Origin::Project));
    let own: Vec<(PathBuf, Origin)> = user.into_iter().chain(project).collect();
    // This avoids further lookups in missing folders.
    let own: Vec<(PathBuf, Origin)> = own.into_iter().filter(|(folder, _)| folder.is_dir()).collect();
    if !options.without_commands {
        for (folder, origin) in &own {
            walker.skills(&folder.join("skills"), origin);
        }
        if chosen.project {
            for folder in further {
                let its = folder.canonicalize().ok().filter(|_| walker.bounds.there());
                let before = std::mem::replace(&mut walker.bounds, Bounds::new(its));
                walker.skills(&folder.join(".claude").join("skills"), &Origin::Project);
                walker.bounds = before;
            }
        }
        walker.sort();
        for (folder, origin) in &own {
            walker.commands(&folder.join("commands"), origin);
        }
        walker.sort();
        for plugin in &plugins.list {
            walker.plugin(plugin);
        }
    }
    // Of several styles with the same name, the most specific one applies.
    let untrusted = |origin: &Origin| *origin == Origin::Project && !settings.runs_projects();
    for (folder, origin) in own.iter().rev().filter(|(_, origin)| !untrusted(origin)) {
        walker.styles(&folder.join("output-styles"), Some(origin), None);
    }
    for plugin in &plugins.list {
        for place in &plugin.output_styles {
            walker.styles(place, None, Some(&plugin.name));
        }
    }
    // A style of an untrusted project replaces no other style.
    let known = walker.styles.len();
    for (folder, origin) in own.iter().rev().filter(|(_, origin)| untrusted(origin)) {
        walker.styles(&folder.join("output-styles"), Some(origin), None);
    }
    let mut added = walker.styles.split_off(known);
    added.retain(|style| styles::find(&walker.styles, &style.name).is_none());
    walker.styles.extend(added);
    Catalogue {
        plugins,
        entries: walker.entries,
        styles: walker.styles,
        problems: walker.problems,
    }
}

#[derive(Default)]
struct Walker {
    entries: Vec<Entry>,
    /// Index of the first entry that is not sorted yet.
    sorted: usize,
    names: HashSet<String>,
    styles: Vec<Style>,
    problems: Vec<Problem>,
    seen: usize,
    /// The folder that must contain the project's files, if the project is not trusted.
    bounds: Bounds,
}

impl Walker {
    /// Loads all skills of a folder: `name/SKILL.md`.
    fn skills(&mut self, folder: &Path, origin: &Origin) {
        for (path, is_dir) in self.list(folder) {
            if is_dir {
                self.skill(&path, origin);
            }
        }
    }

    fn skill(&mut self, folder: &Path, origin: &Origin) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.entry(Kind::Skill, folder.join("SKILL.md"), &name, origin);
    }

    /// Loads all commands of a folder. The names of subfolders are part of the command names.
    fn commands(&mut self, folder: &Path, origin: &Origin) {
        self.commands_below(folder, "", origin, 0);
    }

    fn commands_below(&mut self, folder: &Path, prefix: &str, origin: &Origin, depth: usize) {
        for (path, is_dir) in self.list(folder) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let named = match (is_dir, prefix) {
                (true, _) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                (false, _) => stem,
            };
            let name = if prefix.is_empty() {
                named
            } else {
                format!("{prefix}:{named}")
            };
            if is_dir && depth < MAX_DEPTH {
                self.commands_below(&path, &name, origin, depth + 1);
            } else if !is_dir && is_markdown(&path) {
                self.entry(Kind::Command, path, &name, origin);
            }
        }
    }

    /// Loads the commands and skills of a plugin.
    fn plugin(&mut self, plugin: &Plugin) {
        let origin = Origin::Plugin {
            name: plugin.name.clone(),
            root: plugin.root.clone(),
        };
        for place in &plugin.commands {
            if place.is_file() {
                let stem = place.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                self.entry(Kind::Command, place.clone(), &stem, &origin);
            } else {
                self.commands(place, &origin);
            }
        }
        for place in &plugin.skills {
            if place.join("SKILL.md").is_file() {
                self.skill(place, &origin);
            } else {
                self.skills(place, &origin);
            }
        }
        self.sort();
    }

    /// Loads one file, unless there is already an entry with this name.
    fn entry(&mut self, kind: Kind, path: PathBuf, name: &str, origin: &Origin) {
        let name = match origin {
            Origin::Plugin { name: plugin, .. } => format!("{plugin}:{name}"),
            _ => name.to_owned(),
        };
        if self.leads_out(&path, origin) {
            return;
        }
        let head = match head(&path) {
            Ok(head) => head,
            // A folder without a SKILL.md is not a skill.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.problem(path, error.to_string()),
        };
        if !is_name(&name) {
            return self.problem(
                path,
                format!("/{name} is not a valid name: use letters, digits, - _ and ."),
            );
        }
        if !self.names.insert(name.clone()) {
            return;
        }
        if let Some(problem) = &head.front.problem {
            self.problem(path.clone(), problem.clone());
        }
        let entry = Entry::new(kind, origin.clone(), name, path, &head.front, &head.first_line);
        self.entries.push(Entry {
            may_run: head.may_run,
            ..entry
        });
    }

    /// Loads all styles of a folder, or a single file.
    fn styles(&mut self, place: &Path, origin: Option<&Origin>, plugin: Option<&str>) {
        let files = if place.is_file() {
            vec![(place.to_owned(), false)]
        } else {
            self.list(place)
        };
        for (path, is_dir) in files {
            if is_dir || !is_markdown(&path) || origin.is_some_and(|origin| self.leads_out(&path, origin)) {
                continue;
            }
            let Head { front, first_line, .. } = match head(&path) {
                Ok(head) => head,
                Err(error) => {
                    self.problem(path, error.to_string());
                    continue;
                }
            };
            if let Some(problem) = &front.problem {
                self.problem(path.clone(), problem.clone());
            }
            let style = Style::of_file(path, &front, &first_line, plugin);
            if self.styles.iter().all(|known| known.name != style.name) {
                self.styles.push(style);
            }
        }
    }

    /// Whether a file of an untrusted project is a link out of the project, whose content would be sent to the model.
    fn leads_out(&mut self, path: &Path, origin: &Origin) -> bool {
        let out = *origin == Origin::Project && self.bounds.leads_out(path);
        if out {
            let why = "it is a link out of the project; it is loaded once the folder is trusted";
            self.problem(path.to_owned(), why.to_owned());
        }
        out
    }

    /// Returns the entries of a folder, sorted by name, and whether each is a folder.
    fn list(&mut self, folder: &Path) -> Vec<(PathBuf, bool)> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
                if !absent {
                    self.problem(folder.to_owned(), error.to_string());
                }
                return Vec::new();
            }
        };
        let mut found = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            self.seen += 1;
            if self.seen > MAX_FILES {
                self.problem(
                    folder.to_owned(),
                    format!("more than {MAX_FILES} files: the rest is ignored"),
                );
                break;
            }
            let path = entry.path();
            let is_dir = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => path.is_dir(),
                Ok(kind) => kind.is_dir(),
                Err(_) => false,
            };
            found.push((path, is_dir));
        }
        found.sort();
        found
    }

    /// Sorts the entries that were added since the last call.
    fn sort(&mut self) {
        if let Some(added) = self.entries.get_mut(self.sorted..) {
            added.sort_by(|a, b| a.name.cmp(&b.name));
        }
        self.sorted = self.entries.len();
    }

    fn problem(&mut self, path: PathBuf, message: String) {
        self.problems.push(Problem { path, message });
    }
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"))
}

/// The front matter and the first line of a file.
struct Head {
    front: FrontMatter,
    /// The first line of the body.
    first_line: String,
    /// Whether the body may contain shell commands. `true` if not all of it was read.
    may_run: bool,
}

impl Head {
    fn of(text: &str, whole: bool) -> Self {
        let (front, body) = front_matter::read(text);
        let line = body.lines().map(str::trim).find(|line| !line.is_empty());
        let line = line.unwrap_or_default().trim_start_matches('#').trim();
        Self {
            front,
            first_line: line.chars().take(200).collect(),
            may_run: !whole || body.contains("!`") || body.contains("`!"),
        }
    }
}

fn head(path: &Path) -> io::Result<Head> {
    // Opening a pipe would block until another process opens its other end.
    let mut file = sluice_settings::open_regular(path)?;
    let mut bytes = Vec::with_capacity(HEAD_BYTES);
    file.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    let whole = bytes.len() < HEAD_BYTES;
    let text = String::from_utf8_lossy(&bytes);
    let opened = text.trim_start_matches('\u{feff}').starts_with("---");
    if !whole && opened && front_matter::cut(&text).head.is_none() {
        file.take(front_matter::LARGEST as u64 * 2).read_to_end(&mut bytes)?;
        return Ok(Head::of(&String::from_utf8_lossy(&bytes), false));
    }
    Ok(Head::of(&text, whole))
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
