//! The settings of all scopes, merged from the weakest to the strongest.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use sluice_permission::Source;

use crate::document::{self, Effect, Problem, ReadOutcome, read};
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
    /// The layers, from the weakest to the strongest.
    pub(crate) layers: Vec<Layer>,
    problems: Vec<Problem>,
    trusted: bool,
    /// Whether the folder is trusted for this run (`--trust-folder`).
    vouched: bool,
    /// Allow rules of the local file that the user saved in this process. They apply before the folder is trusted.
    accepted: Vec<String>,
    /// The text of the user's global file from the last load, until it is requested for the first time.
    global: Arc<Mutex<Option<String>>>,
}

impl Settings {
    /// Reads all requested files. Files that cannot be read are ignored completely and reported in
    /// [`Self::problems`]; all others apply.
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
                    ReadOutcome::Missing => ReadOutcome::Invalid(Problem::unreadable(
                        Source::Flag,
                        &path,
                        "there is no such file; name one that exists",
                    )),
                    found => found,
                };
                let root = parent(&path);
                settings.add(found, Source::Flag, Some(path), root);
            }
            Some(FlagSettings::Inline(text)) => {
                let found = document::parse(Source::Flag, Path::new("--settings"), &text);
                settings.add(found, Source::Flag, None, cwd.clone());
            }
            None => {}
        }
        settings.load_files();
        settings
    }

    /// Sets who chose the folder. The default is the user.
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

    /// Ignores everything of the user and the project except plain values: memory, hooks, commands, skills, agents,
    /// styles, plugins and MCP servers. The administrator's hooks and servers still apply.
    #[must_use]
    pub fn plainly(mut self) -> Self {
        self.plain = true;
        self
    }

    /// Sets the working folder, if it differs from the folder whose settings these are.
    #[must_use]
    pub fn working_in(mut self, folder: &Path) -> Self {
        self.work = (folder != self.places.cwd).then(|| folder.to_owned());
        self
    }

    /// Reads the files again and returns whether anything changed. Settings of the host are preserved, and a file that
    /// cannot be read any more keeps its earlier content.
    pub fn reload(&mut self) -> bool {
        let before = (self.layers.clone(), self.problems.clone(), self.trusted);
        self.load_files();
        before != (self.layers.clone(), self.problems.clone(), self.trusted)
    }

    /// Makes allow rules that the user has just saved in the local file apply although the folder is not trusted, as
    /// long as the file contains them. Takes effect with the next [`Self::reload`].
    pub fn accept(&mut self, rules: &[String]) {
        for rule in rules {
            if !self.accepted.contains(rule) {
                self.accepted.push(rule.clone());
            }
        }
    }

    /// Returns the files to watch, whether they exist or not.
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

    /// Returns the problems in the files.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the layers, from the weakest to the strongest.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Whether the project folder is trusted.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.trusted
    }

    /// Whether the folder is trusted for this run (`--trust-folder`).
    #[must_use]
    pub fn vouched(&self) -> bool {
        self.vouched
    }

    /// Whether hooks and MCP servers of the project may run.
    #[must_use]
    pub fn runs_projects(&self) -> bool {
        self.trusted || self.opener == Opener::Host
    }

    /// Whether settings of this scope may be held back because the folder is not trusted.
    #[must_use]
    pub fn waits(&self, source: Source) -> bool {
        self.layers.iter().any(|layer| layer.source == source && layer.waits())
    }

    /// Returns the strongest scope above `source` that also sets a key and so overrides it.
    #[must_use]
    pub fn overriding(&self, key: &keys::Key, source: Source) -> Option<Source> {
        let above = |layer: &&Layer| rank(layer.source) > rank(source) && layer.in_force().contains_key(key.name);
        self.layers.iter().rev().find(above).map(|layer| layer.source)
    }

    /// Returns the folder that files of an untrusted project must not leave through links; `None` if it is trusted.
    #[must_use]
    pub fn bounds(&self) -> Option<PathBuf> {
        let cwd = &self.places.cwd;
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
        (!self.trusted).then(|| repository(&real).unwrap_or(real))
    }

    /// Returns who chose the folder.
    #[must_use]
    pub fn opener(&self) -> Opener {
        self.opener
    }

    /// Returns which files were requested.
    #[must_use]
    pub fn chosen(&self) -> Chosen {
        self.chosen
    }

    /// Returns the scopes whose memory, commands, skills, agents, styles and MCP servers are loaded.
    #[must_use]
    pub fn customs(&self) -> Chosen {
        if self.plain { Chosen::NONE } else { self.chosen }
    }

    /// Whether only plain values of the user and the project apply.
    #[must_use]
    pub fn plain(&self) -> bool {
        self.plain
    }

    /// Returns the working folder.
    #[must_use]
    pub fn work(&self) -> &Path {
        self.work.as_deref().unwrap_or(&self.places.cwd)
    }

    /// Returns the project folder for a session with the working folder `cwd`: the folder of the settings if it was set
    /// separately, otherwise `cwd`.
    #[must_use]
    pub fn project(&self, cwd: &Path) -> PathBuf {
        let folder = if self.work.is_some() { &self.places.cwd } else { cwd };
        folder.to_owned()
    }

    /// Returns the paths of the settings files.
    #[must_use]
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the text of `~/.claude.json`. The first call after a load uses the text that was read then, later calls
    /// read the file.
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
            .is_some_and(|text| trust::records_trust(text, &self.places.cwd));
        self.global = Arc::new(Mutex::new(Some(global.unwrap_or_default())));

        let user = self.places.file(Source::User).filter(|_| self.chosen.user);
        let project = self.places.file(Source::Project).filter(|_| self.chosen.project);
        // In the home folder the project file is the same as the user file. It counts as the user's.
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
        let mut has_managed_file = false;
        for path in managed {
            has_managed_file |= self.load_file(Source::Policy, path, &earlier);
        }
        if let Some(text) = self.managed_inline.clone() {
            self.load_managed_inline(&text, has_managed_file);
        }
        self.trusted = self.vouched || accepted || self.is_listed_as_trusted();
        self.hold_back();
    }

    /// Whether the user or the administrator lists the folder in `trustedFolders`.
    fn is_listed_as_trusted(&self) -> bool {
        self.layers
            .iter()
            .filter(|layer| keys::TRUSTED_FOLDERS.scopes.hold(layer.source))
            .filter_map(|layer| layer.value.get(keys::TRUSTED_FOLDERS.name)?.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .any(|named| trust::entry_matches(named, &self.places.home, &self.places.cwd))
    }

    /// Loads a file. Returns whether it exists.
    fn load_file(&mut self, source: Source, path: PathBuf, earlier: &[Layer]) -> bool {
        let mut found = read(source, &path);
        let same = |layer: &&Layer| layer.source == source && layer.path.as_deref() == Some(path.as_path());
        let before = earlier.iter().find(same);
        // An empty file is probably being written.
        if matches!(&found, ReadOutcome::Parsed { text, .. } if text.trim().is_empty()) && before.is_some() {
            let why = "the file is empty; write `{}` if it should contain no settings, or delete it";
            found = ReadOutcome::Invalid(Problem::unreadable(source, &path, why));
        }
        // Restrictions that cannot be read are not removed either.
        if matches!(&found, ReadOutcome::Parsed { value, .. } if rules::unreadable(value)) && before.is_some() {
            let why = "`permissions` or a list of rules in it has the wrong type; write { \"deny\": [], \"ask\": [], \"allow\": [] }";
            found = ReadOutcome::Invalid(Problem::unreadable(source, &path, why));
        }
        if let ReadOutcome::Invalid(problem) = &mut found
            && let Some(layer) = before
        {
            // Keep the earlier content, because its deny rules and hooks may be needed for protection.
            problem.effect = Effect::Earlier;
            self.problems.push(problem.clone());
            self.insert(layer.clone());
            return true;
        }
        let exists = !matches!(found, ReadOutcome::Missing);
        let root = self.places.root(source);
        self.add(found, source, Some(path), root);
        exists
    }

    /// Adds the policy of the program that started this process. If there are managed settings, it can only restrict,
    /// unless they say to merge (`parentSettingsBehavior`).
    fn load_managed_inline(&mut self, text: &str, has_managed_file: bool) {
        let name = Path::new("--managed-settings");
        let merges = self.policy(&keys::PARENT_SETTINGS_BEHAVIOR).and_then(Value::as_str) == Some("merge");
        let mut found = document::parse(Source::Policy, name, text);
        if has_managed_file
            && !merges
            && let ReadOutcome::Parsed { value, .. } = &mut found
        {
            *value = layer::only_restrictions(value);
        }
        let root = self.places.cwd.clone();
        self.add(found, Source::Policy, None, root);
    }

    fn add(&mut self, found: ReadOutcome, source: Source, path: Option<PathBuf>, root: PathBuf) {
        match found {
            ReadOutcome::Missing => {}
            ReadOutcome::Invalid(problem) => self.problems.push(problem),
            ReadOutcome::Parsed {
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

    /// Inserts a layer by the strength of its scope. Layers of one scope stay in the order of insertion. Policy without
    /// a file is weaker than that of the administrator.
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

/// Returns the strength of a scope.
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

/// Returns the JSON files of a folder, sorted by name, without hidden ones.
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
