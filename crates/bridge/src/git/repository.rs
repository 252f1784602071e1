//! The repository that a session works in.

use std::path::{Path, PathBuf};

use super::run::{Run, Runner};
use super::status::{self, Status};
use crate::api::{Code, Problem};
use crate::hub::Roots;

/// A repository, its settings, and whose they are.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    pub(super) runner: Runner,
    /// The root of the working tree, links resolved.
    pub(super) root: PathBuf,
    /// Settings that the files of the repository make. An agent can write those.
    pub(super) local: Vec<(String, String)>,
    /// Settings of the person and of the machine.
    pub(super) own: Vec<(String, String)>,
}

impl Repository {
    /// The repository that `folder` is in; none if there is none.
    pub(crate) async fn open(runner: Runner, folder: &Path, roots: &Roots) -> Result<Option<Self>, Problem> {
        let place = Run::git([
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
        ]);
        let printed = runner.run(folder, &place).await?;
        if !printed.success {
            return match printed.errors.contains("not a git repository") {
                true => Ok(None),
                false => Err(Problem::new(Code::Refused, format!("git: {}", printed.errors))),
            };
        }
        let printed = String::from_utf8_lossy(&printed.out).into_owned();
        let mut paths = printed.lines().map(std::fs::canonicalize);
        let (Some(Ok(root)), Some(Ok(common))) = (paths.next(), paths.next()) else {
            return Ok(None);
        };
        // A setting may name another folder as the working tree.
        let marked = folder.ancestors().find(|above| above.join(".git").exists());
        if marked != Some(root.as_path()) || !roots.allows(&root) || !roots.allows(&common) {
            return Err(Problem::new(
                Code::Folder,
                "the git repository of this folder is outside the folders that are shown here",
            ));
        }
        let list = Run::git(["config", "--list", "--show-scope", "-z"]);
        let (local, own) = settings(&runner.must(&root, &list).await?);
        Ok(Some(Self {
            runner,
            root,
            local,
            own,
        }))
    }

    pub(super) async fn status(&self) -> Result<Status, Problem> {
        Ok(status::parse(&self.read(status::STATUS).await?))
    }

    /// Runs git for its output, with every filter and driver of the repository switched off.
    pub(super) async fn read<const N: usize>(&self, args: [&str; N]) -> Result<Vec<u8>, Problem> {
        let mut run = Run::git(args);
        run.settings = self.without_drivers()?;
        self.runner.must(&self.root, &run).await
    }

    /// The settings of the repository that name programs git would run over its files.
    pub(super) fn drivers(&self) -> Vec<&str> {
        let keys = self.local.iter().map(|(key, _)| key.as_str());
        keys.filter(|key| is_driver(key)).collect()
    }

    fn without_drivers(&self) -> Result<Vec<(String, String)>, Problem> {
        let switch_off = |key: &str| {
            // It would be cut at the first sign and set something else.
            if key.contains('=') {
                return Err(Problem::new(
                    Code::Refused,
                    "the repository configures a program that cannot be switched off, so git is not run",
                ));
            }
            Ok((key.to_owned(), String::new()))
        };
        self.drivers().into_iter().map(switch_off).collect()
    }

    /// The last value of a setting, the person's or the repository's.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        let last = |from: &[(String, String)]| from.iter().rposition(|(known, _)| known == key);
        match last(&self.local) {
            Some(at) => self.local.get(at),
            None => last(&self.own).and_then(|at| self.own.get(at)),
        }
        .map(|(_, value)| value.as_str())
    }

    /// The remotes, by name.
    pub(super) fn remotes(&self) -> Vec<&str> {
        let names = self.local.iter().filter_map(|(key, _)| {
            let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
            (!name.starts_with('-')).then_some(name)
        });
        names.collect()
    }
}

fn is_driver(key: &str) -> bool {
    let (section, name) = (key.split('.').next(), key.rsplit('.').next());
    matches!(
        (section, name),
        (Some("filter"), Some("clean" | "smudge" | "process" | "required"))
            | (Some("diff"), Some("textconv" | "command" | "external"))
            | (Some("merge"), Some("driver"))
    )
}

type Settings = Vec<(String, String)>;

/// The settings of the repository, and those of the person and the machine.
fn settings(output: &[u8]) -> (Settings, Settings) {
    let (mut local, mut own) = (Vec::new(), Vec::new());
    let mut parts = output.split(|byte| *byte == 0);
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let entry = String::from_utf8_lossy(entry);
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
        let setting = (key.to_owned(), value.to_owned());
        match scope {
            b"local" | b"worktree" => local.push(setting),
            b"global" | b"system" => own.push(setting),
            _ => {}
        }
    }
    (local, own)
}
