//! Settings: all scopes merged, from the weakest to the strongest.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use sluice_permission::Source;

use crate::document::{self, Effect, Found, Problem, read};
use crate::keys;
use crate::layer::{self, Layer};
use crate::places::{Chosen, FlagSettings, Opener, Places, parent};
use crate::repository::repository;
use crate::{rules, trust};

/// The settings of all scopes.
#[derive(Debug, Clone)]
pub struct Settings {
    pub(crate) places: Places,
    chosen: Chosen,
    managed_inline: Option<String>,
    opener: Opener,
    plain: bool,
    work: Option<PathBuf>,
    /// From the weakest to the strongest.
    pub(crate) layers: Vec<Layer>,
    problems: Vec<Problem>,
    trusted: bool,
    /// The folder is trusted for this run (`--trust-folder`).
    vouched: bool,
    /// Allow rules of the local file that the person gave in this process: they apply before the folder is trusted.
    accepted: Vec<String>,
    /// What stood in the person's own file when it was last looked at, until somebody else needs it.
    global: Arc<Mutex<Option<String>>>,
}

impl Settings {
    /// Reads every file that was chosen. What cannot be read is left out whole and named in
    /// [`Self::problems`]; everything else holds.
    #[must_use]
    pub fn load(places: &Places, chosen: &Chosen, flag: Option<FlagSettings>, managed_inline: Option<&str>) -> Self {
        let mut settings = Self {
            places: places.clone(),
            chosen: *chosen,
            managed_inline: managed_inline.map(str::to_owned),
            opener: Opener::Person,
            plain: false,
            work: None,
            layers: Vec::new(),
            problems: Vec::new(),
            trusted: false,
            vouched: false,
            accepted: Vec::new(),
            global: Arc::default(),
        };
        let cwd = &places.cwd;
        match flag {
            Some(FlagSettings::File(path)) => {
                let found = match read(Source::Flag, &path) {
                    Found::Nothing => Found::Broken(Problem::unreadable(
                        Source::Flag,
                        &path,
                        "there is no such file; name one that exists",
                    )),
                    found => found,
                };
                let root = parent(&path);
                settings.take(found, Source::Flag, Some(path), root);
            }
            Some(FlagSettings::Inline(text)) => {
                let found = document::parse(Source::Flag, Path::new("--settings"), &text);
                settings.take(found, Source::Flag, None, cwd.clone());
            }
            None => {}
        }
        settings.load_files();
        settings
    }

    /// Sets who chose the folder. The default is a person.
    #[must_use]
    pub fn opened_by(mut self, opener: Opener) -> Self {
        self.opener = opener;
        self.hold_back();
        self
    }

    /// Trusts the folder for this run (`--trust-folder`).
    #[must_use]
    pub fn vouched_for(mut self) -> Self {
        self.vouched = true;
        self.trusted = true;
        self.hold_back();
        self
    }

    /// Leaves out all that a person and a project bring beyond values: memory, hooks, commands, skills, agents, styles,
    /// plugins and servers. The administrator's hooks and servers stay.
    #[must_use]
    pub fn plainly(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Says where the work is done, where that is not the folder whose settings these are.
    #[must_use]
    pub fn working_in(mut self, folder: &Path) -> Self {
        self.work = (folder != self.places.cwd).then(|| folder.to_owned());
        self
    }

    /// Reads the files again and returns whether anything changed. Settings of the host stay, and a file that can no
    /// longer be read keeps its earlier content.
    pub fn reload(&mut self) -> bool {
        let before = (self.layers.clone(), self.problems.clone(), self.trusted);
        self.load_files();
        before != (self.layers.clone(), self.problems.clone(), self.trusted)
    }

    /// Lets allow rules that the person has just saved in the local file apply although the folder is not trusted, for
    /// as long as the file has them. Takes effect with the next [`Self::reload`].
    pub fn accept(&mut self, rules: &[String]) {
        for rule in rules {
            if !self.accepted.contains(rule) {
                self.accepted.push(rule.clone());
            }
        }
    }

    /// The files to watch, whether they exist or not.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        let scopes = [
            (Source::User, self.chosen.user),
            (Source::Project, self.chosen.project),
            (Source::Local, self.chosen.local),
            (Source::Policy, true),
        ];
        let mut paths: Vec<PathBuf> = scopes
            .into_iter()
            .filter(|(_, chosen)| *chosen)
            .filter_map(|(source, _)| self.places.file(source))
            .collect();
        paths.push(drop_ins(&self.places.managed));
        paths.push(self.places.global.clone());
        for layer in &self.layers {
            paths.extend(layer.path.clone().filter(|path| !paths.contains(path)));
        }
        paths
    }

    /// What is wrong with the files that were read.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The layers, from the weakest to the strongest.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Whether a person has trusted the project's folder.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.trusted
    }

    /// Whether the folder is trusted for this run (`--trust-folder`), with all it brings.
    #[must_use]
    pub fn vouched(&self) -> bool {
        self.vouched
    }

    /// Whether what the project brings may run.
    #[must_use]
    pub fn runs_projects(&self) -> bool {
        self.trusted || self.opener == Opener::Host
    }

    /// Whether a file of this scope waits, at least in part, until the folder is trusted.
    #[must_use]
    pub fn waits(&self, source: Source) -> bool {
        self.layers.iter().any(|layer| layer.source == source && layer.waits())
    }

    /// The strongest scope above `source` that also sets a key, whose value therefore applies instead.
    #[must_use]
    pub fn overriding(&self, key: &keys::Key, source: Source) -> Option<Source> {
        let above = |layer: &&Layer| rank(layer.source) > rank(source) && layer.in_force().contains_key(key.name);
        self.layers.iter().rev().find(above).map(|layer| layer.source)
    }

    /// What a project nobody has trusted may not bring files in from outside of, links followed.
    #[must_use]
    pub fn bounds(&self) -> Option<PathBuf> {
        let cwd = &self.places.cwd;
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
        (!self.trusted).then(|| repository(&real).unwrap_or(real))
    }

    /// Who chose the folder.
    #[must_use]
    pub fn opener(&self) -> Opener {
        self.opener
    }

    /// Which files were asked for.
    #[must_use]
    pub fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// Whose memory, commands, skills, agents, styles and servers are looked for.
    #[must_use]
    pub fn customs(&self) -> Chosen {
        if self.plain { Chosen::NONE } else { self.chosen }
    }

    /// Whether nothing beyond values is taken from a person and a project.
    #[must_use]
    pub fn plain(&self) -> bool {
        self.plain
    }

    /// Where the work is done: what is to be known lies there.
    #[must_use]
    pub fn work(&self) -> &Path {
        self.work.as_deref().unwrap_or(&self.places.cwd)
    }

    /// The project's folder, for whoever works in `cwd`: where its settings lie, if that was said.
    #[must_use]
    pub fn project(&self, cwd: &Path) -> PathBuf {
        let folder = if self.work.is_some() { &self.places.cwd } else { cwd };
        folder.to_owned()
    }

    /// Where these settings lie.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// What stands in the person's own file, `~/.claude.json`. It is read with the settings, and not a second time by
    /// whoever asks first.
    #[must_use]
    pub fn global_text(&self) -> String {
        let read = self.global.lock().unwrap_or_else(PoisonError::into_inner).take();
        read.or_else(|| trust::text(&self.places.global)).unwrap_or_default()
    }

    /// Merges changes into the flag settings, key by key; `null` removes a key.
    pub fn set_flag(&mut self, changes: &Map<String, Value>) {
        let mut layer = match self.layers.iter().position(|layer| layer.source == Source::Flag) {
            Some(at) => self.layers.remove(at),
            None => Layer::new(Source::Flag, None, self.places.cwd.clone(), Map::new()),
        };
        for (key, value) in changes {
            if value.is_null() {
                layer.value.shift_remove(key);
            } else {
                layer.value.insert(key.clone(), value.clone());
            }
        }
        let whole_file = |problem: &Problem| problem.effect == Effect::LeftOut;
        self.problems
            .retain(|problem| problem.source != Source::Flag || whole_file(problem));
        let name = Path::new("apply_flag_settings");
        self.problems.extend(rules::problems(&layer, name, None));
        self.insert(layer);
    }

    fn load_files(&mut self) {
        let earlier: Vec<Layer> = std::mem::take(&mut self.layers);
        let of_flag = |problem: &Problem| problem.source == Source::Flag;
        self.problems.retain(of_flag);
        self.layers
            .extend(earlier.iter().filter(|layer| layer.source == Source::Flag).cloned());
        let global = trust::text(&self.places.global);
        let accepted = global
            .as_deref()
            .is_some_and(|text| trust::says_trusted(text, &self.places.cwd));
        self.global = Arc::new(Mutex::new(Some(global.unwrap_or_default())));

        let user = self.places.file(Source::User).filter(|_| self.chosen.user);
        let project = self.places.file(Source::Project).filter(|_| self.chosen.project);
        // Started at home, the project's file is the user's: one file, the person's own.
        let project = project.filter(|path| !user.as_deref().is_some_and(|user| same_file(user, path)));
        let local = self.places.file(Source::Local).filter(|_| self.chosen.local);
        let managed: Vec<PathBuf> = std::iter::once(self.places.managed.clone())
            .chain(json_files(&drop_ins(&self.places.managed)))
            .collect();

        let files = [(Source::User, user), (Source::Project, project), (Source::Local, local)];
        for (source, path) in files {
            if let Some(path) = path {
                self.load_file(source, path, &earlier);
            }
        }
        let mut administered = false;
        for path in managed {
            administered |= self.load_file(Source::Policy, path, &earlier);
        }
        if let Some(text) = self.managed_inline.clone() {
            self.load_managed_inline(&text, administered);
        }
        self.trusted = self.vouched || accepted || self.lists_the_folder();
        self.hold_back();
    }

    /// Whether the person or the administrator names the folder among those they trust.
    fn lists_the_folder(&self) -> bool {
        self.layers
            .iter()
            .filter(|layer| keys::TRUSTED_FOLDERS.scopes.hold(layer.source))
            .filter_map(|layer| layer.value.get(keys::TRUSTED_FOLDERS.name)?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .any(|named| trust::names(named, &self.places.home, &self.places.cwd))
    }

    /// Whether there was a file.
    fn load_file(&mut self, source: Source, path: PathBuf, earlier: &[Layer]) -> bool {
        let mut found = read(source, &path);
        let same = |layer: &&Layer| layer.source == source && layer.path.as_deref() == Some(path.as_path());
        let before = earlier.iter().find(same);
        // A file without any text is one that is being written.
        if matches!(&found, Found::Read { text, .. } if text.trim().is_empty()) && before.is_some() {
            let why = "the file is empty; write `{}` if it is to say nothing, or delete it";
            found = Found::Broken(Problem::unreadable(source, &path, why));
        }
        if let Found::Broken(problem) = &mut found
            && let Some(layer) = before
        {
            // An edit that cannot be read is no edit: its deny rules and hooks may be what protects.
            problem.effect = Effect::Earlier;
            self.problems.push(problem.clone());
            self.insert(layer.clone());
            return true;
        }
        let there = !matches!(found, Found::Nothing);
        let root = self.places.root(source);
        self.take(found, source, Some(path), root);
        there
    }

    /// Policy from the program that started us. Where an administrator's is there too, this one can only
    /// forbid, unless the administrator's says to merge.
    fn load_managed_inline(&mut self, text: &str, administered: bool) {
        let name = Path::new("--managed-settings");
        let merges = self.policy(&keys::PARENT_SETTINGS_BEHAVIOR).and_then(Value::as_str) == Some("merge");
        let mut found = document::parse(Source::Policy, name, text);
        if administered
            && !merges
            && let Found::Read { value, .. } = &mut found
        {
            *value = layer::only_restrictions(value);
        }
        let root = self.places.cwd.clone();
        self.take(found, Source::Policy, None, root);
    }

    fn take(&mut self, found: Found, source: Source, path: Option<PathBuf>, root: PathBuf) {
        match found {
            Found::Nothing => {}
            Found::Broken(problem) => self.problems.push(problem),
            Found::Read {
                value,
                text,
                name,
                problem,
            } => {
                self.problems.extend(problem);
                let folder = path.as_deref().and_then(Path::parent);
                let own = folder.is_some_and(|folder| same_file(folder, &self.places.config_dir));
                let layer = Layer::new(source, path, root, value).owned(own);
                self.problems.extend(rules::problems(&layer, &name, Some(&text)));
                self.insert(layer);
            }
        }
    }

    /// Puts a layer where it belongs, files of one scope in the order they come. Policy without a file goes
    /// below the administrator's.
    fn insert(&mut self, mut layer: Layer) {
        layer.hold_back(self.trusted, self.opener, &self.accepted);
        let strength = |layer: &Layer| (rank(layer.source), layer.path.is_some());
        let at = self
            .layers
            .iter()
            .position(|other| strength(other) > strength(&layer))
            .unwrap_or(self.layers.len());
        self.layers.insert(at, layer);
    }

    fn hold_back(&mut self) {
        let local = || self.layers.iter().filter(|layer| layer.source == Source::Local);
        self.accepted
            .retain(|rule| local().any(|layer| layer.allowed().any(|it| it == rule)));
        for layer in &mut self.layers {
            layer.hold_back(self.trusted, self.opener, &self.accepted);
        }
    }
}

/// Stronger scopes rank higher.
fn rank(source: Source) -> u8 {
    match source {
        Source::User => 0,
        Source::Project => 1,
        Source::Local => 2,
        Source::Flag => 3,
        Source::Policy => 4,
        Source::CliArg | Source::Session | Source::Command | Source::Server => 5,
    }
}

fn drop_ins(managed: &Path) -> PathBuf {
    managed.with_extension("d")
}

/// The JSON files of a folder, by name, hidden ones left out.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        })
        .collect();
    files.sort();
    files
}

fn same_file(one: &Path, two: &Path) -> bool {
    match (one.canonicalize(), two.canonicalize()) {
        (Ok(one), Ok(two)) => one == two,
        _ => one == two,
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod load_tests;
#[cfg(test)]
#[path = "property_tests.rs"]
mod property_tests;
