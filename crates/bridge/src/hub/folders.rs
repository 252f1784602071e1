//! Folders in which sessions may start: below the allowed roots with links resolved, never in the bridge's own folder.

use std::path::{Path, PathBuf};

use super::Config;
use crate::api::{Code, Problem};

/// The folders sessions start below.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    roots: Vec<PathBuf>,
    state: PathBuf,
    home: PathBuf,
}

impl Roots {
    pub(crate) fn new(config: &Config) -> Self {
        let whole = |path: &PathBuf| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        Self {
            roots: config.roots.iter().map(whole).collect(),
            state: whole(&config.state),
            home: config.home.clone(),
        }
    }

    /// The roots, as they are shown.
    pub(crate) fn shown(&self) -> Vec<String> {
        self.roots
            .iter()
            .map(|root| root.to_string_lossy().into_owned())
            .collect()
    }

    /// Where a folder a client named really is, when a session may start there.
    pub(crate) fn resolve(&self, path: &str) -> Result<PathBuf, Problem> {
        let problem = |why: String| Problem::new(Code::Folder, why);
        let path = path.trim();
        if path.is_empty() || path.contains('\0') {
            return Err(problem("no folder was named".to_owned()));
        }
        let named = self.expand(path);
        if !named.is_absolute() {
            return Err(problem(format!("{path}: not an absolute path")));
        }
        // Where it leads is looked at before whether it is there: nothing outside is told of.
        let whole = match std::fs::canonicalize(&named) {
            Ok(whole) => whole,
            Err(_) if self.allows(&self.nearest(&named)) => {
                return Err(problem(format!("{path}: there is no such folder")));
            }
            Err(_) => return Err(self.outside(path)),
        };
        if !self.allows(&whole) {
            return Err(self.outside(path));
        }
        if !whole.is_dir() {
            return Err(problem(format!("{path}: this is a file, not a folder")));
        }
        Ok(whole)
    }

    /// Whether a path, resolved, may be shown and worked in.
    pub(crate) fn allows(&self, whole: &Path) -> bool {
        let inside = self.roots.iter().any(|root| whole.starts_with(root));
        inside && !whole.starts_with(&self.state)
    }

    fn outside(&self, path: &str) -> Problem {
        let roots = self.shown().join(", ");
        Problem::new(
            Code::Folder,
            format!("{path}: outside the folders sessions may start in"),
        )
        .hint(format!("allowed: below {roots}; others by `sluice serve --root`"))
    }

    pub(crate) fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with('/') => self.home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(path),
        }
    }

    /// The nearest folder above that is there, resolved.
    fn nearest(&self, path: &Path) -> PathBuf {
        let there = path
            .ancestors()
            .skip(1)
            .find_map(|above| std::fs::canonicalize(above).ok());
        there.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::Roots;

    fn roots(root: &std::path::Path) -> Roots {
        Roots::new(&Config {
            state: root.join("state"),
            sluice: "sluice".into(),
            roots: vec![root.join("home")],
            home: root.join("home"),
            idle_after: None,
        })
    }

    #[test]
    fn a_folder_is_judged_where_it_really_is() {
        let place = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(place.path()).unwrap();
        for folder in ["home/project", "outside", "state"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("home/file"), "").unwrap();
        std::os::unix::fs::symlink(root.join("outside"), root.join("home/link")).unwrap();
        std::os::unix::fs::symlink(root.join("home/project"), root.join("home/good")).unwrap();
        let roots = roots(&root);
        let at = |path: &str| roots.resolve(&root.join(path).to_string_lossy());
        assert_eq!(at("home/project").unwrap(), root.join("home/project"));
        assert_eq!(at("home/good").unwrap(), root.join("home/project"));
        assert_eq!(roots.resolve("~/project").unwrap(), root.join("home/project"));
        assert!(at("home/link").unwrap_err().message.contains("outside"));
        assert!(at("home/../outside").unwrap_err().message.contains("outside"));
        assert!(at("home/file").unwrap_err().message.contains("file"));
        assert!(at("home/none").unwrap_err().message.contains("no such"));
        assert!(at("outside/none").unwrap_err().message.contains("outside"));
        assert!(roots.resolve("project").unwrap_err().message.contains("absolute"));
    }

    #[test]
    fn the_bridge_does_not_work_where_it_keeps_its_things() {
        let place = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(place.path()).unwrap();
        std::fs::create_dir_all(root.join("state/runners")).unwrap();
        let all = Roots::new(&Config {
            state: root.join("state"),
            sluice: "sluice".into(),
            roots: vec![root.clone()],
            home: root.clone(),
            idle_after: None,
        });
        assert!(all.resolve(&root.join("state/runners").to_string_lossy()).is_err());
        assert!(all.resolve(&root.to_string_lossy()).is_ok());
    }
}
