//! Checks whether files are inside a folder after links are resolved, with few system calls for many files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder that must contain the files of an untrusted project.
#[derive(Debug, Default)]
pub struct Bounds {
    root: Option<PathBuf>,
    /// Folders that are known to be inside.
    inside: HashSet<PathBuf>,
}

impl Bounds {
    /// Creates bounds for a folder whose path contains no links; `None` means no bounds.
    #[must_use]
    pub fn new(root: Option<PathBuf>) -> Self {
        Self {
            root,
            inside: HashSet::new(),
        }
    }

    /// Whether there are bounds.
    #[must_use]
    pub fn there(&self) -> bool {
        self.root.is_some()
    }

    /// Whether an existing file is outside after links are resolved.
    pub fn leads_out(&mut self, path: &Path) -> bool {
        let Some(root) = self.root.clone() else { return false };
        let parent = path.parent().unwrap_or(path);
        if self.contains(parent, &root, 1) && !is_link(path) {
            return false;
        }
        path.canonicalize().is_ok_and(|real| !real.starts_with(root))
    }

    /// Whether a folder is inside. A folder that is not a link is inside if its parent is.
    fn contains(&mut self, folder: &Path, root: &Path, up: usize) -> bool {
        if self.inside.contains(folder) {
            return true;
        }
        let by_parent = |this: &mut Self| {
            let parent = folder.parent().filter(|_| up > 0);
            parent.is_some_and(|parent| this.contains(parent, root, up - 1)) && !is_link(folder)
        };
        let contains = by_parent(self) || folder.canonicalize().is_ok_and(|real| real.starts_with(root));
        if contains {
            self.inside.insert(folder.to_owned());
        }
        contains
    }
}

/// Whether the path is a link. If that cannot be determined, the path is resolved by the caller.
fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_resolved_at_any_position_of_the_path() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        for folder in ["p/a/b", "q/b"] {
            fs::create_dir_all(at(folder)).unwrap();
            fs::write(at(folder).join("f"), "x").unwrap();
        }
        symlink(at("q"), at("p/out")).unwrap();
        symlink(at("p/a"), at("p/in")).unwrap();
        symlink(at("q/b/f"), at("p/a/g")).unwrap();
        symlink(at("p/a/b/f"), at("p/a/h")).unwrap();
        let root = at("p").canonicalize().unwrap();
        let files = [
            ("p/a/b/f", false),
            ("p/a/h", false),
            ("p/in/b/f", false),
            ("p/a/g", true),
            ("p/out/b/f", true),
            ("q/b/f", true),
            ("p/a/none", false),
        ];
        // The results must not depend on the order of the checks.
        for first in 0..files.len() {
            let mut bounds = Bounds::new(Some(root.clone()));
            for (path, out) in files.iter().cycle().skip(first).take(files.len()) {
                assert_eq!(bounds.leads_out(&at(path)), *out, "{path}");
            }
        }
        assert!(!Bounds::new(None).leads_out(&at("q/b/f")));
    }
}
