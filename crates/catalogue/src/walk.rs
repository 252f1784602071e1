//! The loader of slash commands, skills and output styles: lists every folder once, and reads the front matter of
//! every file.

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

/// What of a file is read to find its front matter; more where it is longer.
const HEAD: usize = 16 * 1024;
/// How deep folders of commands may go.
const DEEPEST: usize = 6;
/// More files than anybody has commands: a folder that holds more is something else.
const MOST: usize = 2000;

/// Walks over all folders there may be. Names of the person's own come before the project's, skills before commands.
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
    // A folder that is not there costs one look.
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
    // The nearest style of a name applies.
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
    /// Where the part begins that is not yet in order.
    sorted: usize,
    names: HashSet<String>,
    styles: Vec<Style>,
    problems: Vec<Problem>,
    seen: usize,
    /// What the project's files have to lie in, links followed, as long as nobody trusts it.
    bounds: Bounds,
}

impl Walker {
    /// Every skill of a folder: `name/SKILL.md`.
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

    /// Every command of a folder; a folder in it is part of the name.
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
            if is_dir && depth < DEEPEST {
                self.commands_below(&path, &name, origin, depth + 1);
            } else if !is_dir && is_markdown(&path) {
                self.entry(Kind::Command, path, &name, origin);
            }
        }
    }

    /// What a plugin brings, under its name.
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

    /// Takes one file in, unless its name is taken.
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
            // A folder without a SKILL.md is no skill.
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

    /// Every style of a folder, or one that is a file.
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

    /// Whether a file of an untrusted project is a link to somewhere else: what it holds would be shown to the model.
    fn leads_out(&mut self, path: &Path, origin: &Origin) -> bool {
        let out = *origin == Origin::Project && self.bounds.leads_out(path);
        if out {
            let why = "it leads out of the project; it is read once the folder is trusted";
            self.problem(path.to_owned(), why.to_owned());
        }
        out
    }

    /// What a folder holds, by name; whether each is a folder itself.
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
            if self.seen > MOST {
                self.problem(
                    folder.to_owned(),
                    format!("more than {MOST} files: the rest is left out"),
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

    /// Puts what was added since the last time in order.
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

/// The top of a file.
struct Head {
    front: FrontMatter,
    /// The first line of what follows.
    first_line: String,
    /// Whether there may be commands in its text: all of it was seen, or nobody knows.
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
    // A pipe with nobody at its other end must not keep the session waiting.
    let mut file = sluice_settings::open_regular(path)?;
    let mut bytes = Vec::with_capacity(HEAD);
    file.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
    let whole = bytes.len() < HEAD;
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
