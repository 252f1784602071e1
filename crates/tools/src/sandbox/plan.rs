//! Writable, read-only and hidden paths for one command, according to the current state of the disk.
//!
//! All paths are resolved, because a mount would follow a symlink to another location.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sluice_permission::protect::{Keeping, NAMES, Names};

use super::config::{Config, normal};
use super::denials::Denials;
use super::standin::is_standin;

/// Entries that stay read-only in a `.git` that was made writable with `filesystem.allowWrite`.
const IN_OPENED_GIT: &[&str] = &["hooks"];
/// Further entries that stay read-only if they exist. A stand-in for a missing one would break git.
const IN_OPENED_GIT_IF_PRESENT: &[&str] = &["config", "config.worktree", "commondir", "modules"];

/// Paths by kind of access.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Existing directories and files that are writable.
    pub(super) writable: BTreeSet<PathBuf>,
    /// Existing paths below them that are read-only.
    pub(super) closed: BTreeSet<PathBuf>,
    /// Missing paths that must not be created.
    pub(super) absent: BTreeSet<PathBuf>,
    /// Directories whose direct entries cannot be changed, because a protected name in them is missing or is a symlink,
    /// on which nothing can be mounted.
    pub(super) sealed: BTreeSet<PathBuf>,
    /// Unreadable paths.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Readable exceptions below hidden paths.
    pub(super) shown: BTreeSet<PathBuf>,
}

/// How to protect a missing name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unborn {
    Leave,
    /// Cover it with a stand-in.
    Mask,
    /// Seal its folder, because a stand-in for a startup file would disturb other programs.
    Seal,
}

impl Plan {
    /// Builds the plan from the state of the disk. `roots` are additional roots of the session, `temp` is for temporary
    /// files, and `denials` are the denied paths.
    pub(super) fn new(config: &Config, denials: &Denials, roots: &[PathBuf], temp: &Path) -> Self {
        let real = |paths: &[PathBuf]| -> BTreeSet<PathBuf> {
            paths.iter().filter_map(|path| path.canonicalize().ok()).collect()
        };
        let deny_write = || config.deny_write.iter().chain(&denials.unwritable);
        let denied: Vec<PathBuf> = deny_write().map(|path| resolved(path)).collect();
        let mut all_roots = real(&config.roots);
        all_roots.append(&mut real(roots));
        let mut writable = all_roots.clone();
        writable.append(&mut real(&config.allow_write));
        writable.insert(temp.to_owned());
        // a denied path takes precedence over allowed paths below it; the root directory is never writable
        writable.retain(|path| path.parent().is_some() && !denied.iter().any(|denied| path.starts_with(denied)));
        let mut plan = Self {
            writable,
            hidden: real(&config.deny_read),
            shown: real(&config.allow_read),
            ..Self::default()
        };
        plan.hidden.extend(denials.unreadable.iter().cloned());
        plan.hidden.retain(|path| path.parent().is_some());
        let denied = |path: &Path| denials.unreadable.iter().any(|denied| path.starts_with(denied));
        plan.shown.retain(|path| !denied(path));
        for root in &all_roots {
            plan.protect_root(root, config);
        }
        for name in NAMES.iter().filter(|names| names.in_home).flat_map(Names::each) {
            plan.protect(&config.home.join(name), Unborn::Seal);
        }
        for path in &config.protected {
            plan.protect(path, Unborn::Seal);
        }
        for path in deny_write() {
            plan.protect(path, Unborn::Mask);
        }
        for path in plan.hidden.clone() {
            plan.protect(&path, Unborn::Leave);
        }
        // Inside a hidden folder no path exists on which anything could be mounted.
        let hidden = plan.hidden.clone();
        let inside = |path: &PathBuf| hidden.iter().any(|hidden| path.starts_with(hidden) && path != hidden);
        plan.closed.retain(|path| !inside(path));
        plan.absent.retain(|path| !inside(path));
        let sealed = &plan.sealed;
        plan.absent
            .retain(|path| !path.parent().is_some_and(|parent| sealed.contains(parent)));
        plan
    }

    fn protect_root(&mut self, root: &Path, config: &Config) {
        let all = NAMES
            .iter()
            .flat_map(|names| names.each().map(|name| (name, names.in_root)));
        for (name, keeping) in all {
            let path = root.join(name);
            let opened =
                name == ".git" && path.is_dir() && config.allow_write.iter().any(|allowed| resolved(allowed) == path);
            if opened {
                self.writable.insert(path.clone());
                for name in IN_OPENED_GIT {
                    self.protect(&path.join(name), Unborn::Mask);
                }
                for name in IN_OPENED_GIT_IF_PRESENT {
                    self.protect(&path.join(name), Unborn::Leave);
                }
                continue;
            }
            match keeping {
                Keeping::Always => self.protect(&path, Unborn::Mask),
                Keeping::IfPresent => self.protect(&path, Unborn::Leave),
                Keeping::Not => {}
            }
        }
    }

    /// Protects a path if it is below a writable one.
    fn protect(&mut self, path: &Path, unborn: Unborn) {
        let path = resolved_parent(path);
        // a root inside a protected path was configured explicitly
        let inside = |path: &Path, plan: &Self| {
            plan.writable
                .iter()
                .any(|writable| path.starts_with(writable) && path != writable)
        };
        if !inside(&path, self) {
            return;
        }
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                self.seal_around(&path);
                if let Ok(target) = path.canonicalize()
                    && inside(&target, self)
                {
                    self.closed.insert(target);
                }
            }
            // the stand-in of another command counts as missing
            Ok(_) if unborn != Unborn::Mask || !is_standin(&path) => drop(self.closed.insert(path)),
            Ok(_) | Err(_) => match unborn {
                Unborn::Leave => {}
                Unborn::Mask => drop(self.absent.insert(path)),
                Unborn::Seal => self.seal_around(&path),
            },
        }
    }

    /// Builds the plan that enforces only deny rules.
    pub(super) fn of_rules(denials: &Denials) -> Self {
        let mut plan = Self {
            writable: BTreeSet::from([PathBuf::from("/")]),
            hidden: denials.unreadable.clone(),
            ..Self::default()
        };
        plan.hidden.retain(|path| path.parent().is_some());
        for path in &denials.unwritable {
            plan.protect(path, Unborn::Mask);
        }
        // Symlinks are not protected, because nothing can be mounted on one.
        plan.sealed.clear();
        plan
    }

    fn seal_around(&mut self, path: &Path) {
        if let Some(parent) = path.parent() {
            self.sealed.insert(parent.to_owned());
        }
    }

    /// Returns all protected names.
    pub(super) fn kept(&self) -> impl Iterator<Item = &PathBuf> {
        self.closed.iter().chain(&self.absent)
    }

    /// Returns the innermost writable path that contains a path.
    pub(super) fn around(&self, path: &Path) -> Option<&PathBuf> {
        self.writable
            .iter()
            .filter(|writable| path.starts_with(writable) && path != *writable)
            .max_by_key(|writable| writable.components().count())
    }
}

/// Returns the resolved path, also of a missing file.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| resolved_parent(path))
}

/// Resolves the parent of a path but not the path itself; if the parent is missing, returns its first missing
/// component.
fn resolved_parent(path: &Path) -> PathBuf {
    let mut path = normal(path);
    loop {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return path;
        };
        match parent.canonicalize() {
            Ok(parent) => return parent.join(name),
            Err(_) => path = parent.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn lab() -> (tempfile::TempDir, PathBuf, Config) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in ["w", "home", "temp"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        let config = Config {
            roots: vec![base.join("w")],
            home: base.join("home"),
            ..Config::default()
        };
        (folder, base, config)
    }

    #[test]
    fn protected_names_are_closed_or_absent_and_home_is_not_written_at_all() {
        let (_folder, base, config) = lab();
        fs::create_dir_all(base.join("w/.git/hooks")).unwrap();
        let plan = Plan::new(&config, &Denials::default(), &[], &base.join("temp"));
        assert!(plan.closed.contains(&base.join("w/.git")));
        assert!(plan.absent.contains(&base.join("w/.claude")));
        assert!(plan.absent.contains(&base.join("w/.mcp.json")));
        assert!(!plan.kept().any(|path| path.starts_with(base.join("home"))));
    }

    #[test]
    fn a_home_that_is_a_root_keeps_its_startup_files() {
        let (_folder, base, mut config) = lab();
        config.roots.push(base.join("home"));
        let plan = Plan::new(&config, &Denials::default(), &[], &base.join("temp"));
        assert!(plan.sealed.contains(&base.join("home")));
        assert!(!plan.absent.iter().any(|path| path.starts_with(base.join("home"))));
    }

    #[test]
    fn a_denied_path_overrides_allowed_paths_below_it() {
        let (_folder, base, mut config) = lab();
        fs::create_dir_all(base.join("w/a/b")).unwrap();
        config.deny_write.push(base.join("w/a"));
        config.allow_write.push(base.join("w/a/b"));
        let plan = Plan::new(&config, &Denials::default(), &[], &base.join("temp"));
        assert!(plan.closed.contains(&base.join("w/a")));
        assert!(!plan.writable.contains(&base.join("w/a/b")));
    }

    #[test]
    fn a_link_in_a_protected_name_seals_its_folder() {
        let (_folder, base, config) = lab();
        fs::create_dir(base.join("w/plain")).unwrap();
        symlink("plain", base.join("w/.claude")).unwrap();
        let plan = Plan::new(&config, &Denials::default(), &[], &base.join("temp"));
        assert!(plan.sealed.contains(&base.join("w")));
        assert!(plan.closed.contains(&base.join("w/plain")));
    }

    #[test]
    fn git_opens_only_when_a_person_says_so_and_never_its_hooks() {
        let (_folder, base, mut config) = lab();
        fs::create_dir_all(base.join("w/.git")).unwrap();
        fs::write(base.join("w/.git/config"), "").unwrap();
        config.allow_write.push(base.join("w/.git"));
        let plan = Plan::new(&config, &Denials::default(), &[], &base.join("temp"));
        assert!(!plan.closed.contains(&base.join("w/.git")));
        assert!(plan.closed.contains(&base.join("w/.git/config")));
        assert!(plan.absent.contains(&base.join("w/.git/hooks")));
    }
}
