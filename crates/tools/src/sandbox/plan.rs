//! The places that are writable, read-only and hidden for one command, as they are on the disk now.
//!
//! All paths are resolved: a link in a path would let a mount land somewhere else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sluice_permission::protect::{Keeping, NAMES};

use super::config::{Config, normal};
use super::denials::Denials;
use super::standin::is_standin;

/// What stays closed in a `.git` that a person opened with `filesystem.allowWrite`.
const IN_OPENED_GIT: &[&str] = &["hooks"];
/// The same, where it is there: as a stand-in it would make git itself fail.
const IN_OPENED_GIT_IF_PRESENT: &[&str] = &["config", "config.worktree", "commondir", "modules"];

/// The places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Directories and files that are there and can be written.
    pub(super) writable: BTreeSet<PathBuf>,
    /// What is there beneath them and cannot.
    pub(super) closed: BTreeSet<PathBuf>,
    /// What is not there and must not come to be.
    pub(super) absent: BTreeSet<PathBuf>,
    /// Directories whose own entries cannot be changed, only what lies in these: a protected name in them is a link,
    /// which nothing can be mounted on, or not there.
    pub(super) sealed: BTreeSet<PathBuf>,
    /// What cannot be read.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Exceptions from that.
    pub(super) shown: BTreeSet<PathBuf>,
}

/// What to do about a name that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unborn {
    Leave,
    /// A stand-in takes its place.
    Mask,
    /// Nothing is made in its folder at all: a stand-in for a startup file would be in everybody's way.
    Seal,
}

impl Plan {
    /// Looks at the disk. `roots` are those the session has besides the configured ones; `temp` is for temporary files;
    /// `denials` is what the rules deny.
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
        // a deny is stronger than any allow beneath it; the whole disk is nobody's root
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
        for kept in NAMES.iter().filter(|kept| kept.in_home) {
            plan.protect(&config.home.join(kept.name), Unborn::Seal);
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
        // Inside a hidden folder no path exists, so nothing can be mounted there.
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
        for kept in NAMES {
            let path = root.join(kept.name);
            let opened = kept.name == ".git"
                && path.is_dir()
                && config.allow_write.iter().any(|allowed| resolved(allowed) == path);
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
            match kept.in_root {
                Keeping::Always => self.protect(&path, Unborn::Mask),
                Keeping::IfPresent => self.protect(&path, Unborn::Leave),
                Keeping::Not => {}
            }
        }
    }

    /// Closes a place where it lies beneath something writable.
    fn protect(&mut self, path: &Path, unborn: Unborn) {
        let path = resolved_parent(path);
        // a root inside a protected place was chosen by somebody
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
            // another command's stand-in is as good as nothing
            Ok(_) if unborn != Unborn::Mask || !is_standin(&path) => drop(self.closed.insert(path)),
            Ok(_) | Err(_) => match unborn {
                Unborn::Leave => {}
                Unborn::Mask => drop(self.absent.insert(path)),
                Unborn::Seal => self.seal_around(&path),
            },
        }
    }

    /// The places that deny rules close where everything else is open.
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
        // A link itself is left alone: nothing can be mounted on one.
        plan.sealed.clear();
        plan
    }

    fn seal_around(&mut self, path: &Path) {
        if let Some(parent) = path.parent() {
            self.sealed.insert(parent.to_owned());
        }
    }

    /// Every name that stays as it is.
    pub(super) fn kept(&self) -> impl Iterator<Item = &PathBuf> {
        self.closed.iter().chain(&self.absent)
    }

    /// The writable place a path lies in, the innermost.
    pub(super) fn around(&self, path: &Path) -> Option<&PathBuf> {
        self.writable
            .iter()
            .filter(|writable| path.starts_with(writable) && path != *writable)
            .max_by_key(|writable| writable.components().count())
    }
}

/// The real path, also of what is not there.
fn resolved(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| resolved_parent(path))
}

/// The path with its parent real and itself as it is; where the parent is missing, the first part that is.
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
    fn a_deny_is_stronger_than_what_is_allowed_beneath_it() {
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
