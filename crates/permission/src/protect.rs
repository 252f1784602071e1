//! Protected places: changing them needs a permission request, regardless of allow rules.
//!
//! They are recognised by name, so that a place is protected before it exists.

use std::path::{Component, Path, PathBuf};

use crate::path::{Located, Paths, both, within};
use crate::policy::Policy;
use crate::shell::builtins::listed;

/// Names that decide what runs later: hooks, settings, tasks, keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Names {
    /// The names, separated by spaces; some are two with a slash between them.
    pub names: &'static str,
    /// Whether everything beneath them is protected too.
    pub folder: bool,
    /// How a sandbox protects them in each of its roots.
    pub in_root: Keeping,
    /// Whether a sandbox prevents that they are created in a writable home directory.
    pub in_home: bool,
}

/// How a sandbox protects a name in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Not at all: nothing runs what is there.
    Not,
    /// Once it exists. Preventing its creation would put a placeholder in the way of programs that read it all the time.
    IfPresent,
    /// Also from being created: new settings have the same effect as changed ones.
    Always,
}

const fn folders(names: &'static str, in_root: Keeping, in_home: bool) -> Names {
    Names {
        names,
        folder: true,
        in_root,
        in_home,
    }
}

const fn files(names: &'static str, in_root: Keeping, in_home: bool) -> Names {
    Names {
        folder: false,
        ..folders(names, in_root, in_home)
    }
}

/// The one list of them, for decisions and for sandboxes.
pub const NAMES: &[Names] = &[
    folders(".git .vscode .idea .husky .devcontainer", Keeping::Always, false),
    folders(".claude .sluice", Keeping::Always, true),
    folders(".hg .svn", Keeping::IfPresent, false),
    folders(
        ".ssh .gnupg .config/git .config/fish .config/autostart .config/systemd",
        Keeping::Not,
        true,
    ),
    files(".mcp.json", Keeping::Always, false),
    files(
        ".claude.json .gitconfig .npmrc .pypirc .netrc",
        Keeping::IfPresent,
        true,
    ),
    files(
        ".gitmodules .envrc .yarnrc .yarnrc.yml .pnpmfile.cjs .ripgreprc",
        Keeping::IfPresent,
        false,
    ),
    files(
        ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout \
        .kshrc .cshrc .tcshrc .inputrc .xinitrc .xprofile .vimrc .exrc .emacs",
        Keeping::Not,
        true,
    ),
];

/// Directories that contain secrets: reading them outside the roots needs a permission request even where reading does
/// not.
const SECRETS: &str = ".ssh .gnupg .aws .azure .kube .docker .netrc .password-store";

/// Whether writing to `path` is asked about in every mode but bypass.
#[must_use]
pub fn is_protected(policy: &Policy, path: &Located, paths: &dyn Paths) -> bool {
    if policy.is_plan(path) {
        return false;
    }
    path.forms().any(|form| {
        let rest = beneath_roots(policy, form, paths);
        let parts: Vec<String> = names(rest).collect();
        NAMES.iter().any(|name| name.covers(&parts))
    })
}

impl Names {
    /// Each of the names.
    pub fn each(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ')
    }

    /// Whether a path of these parts leads to one of them, or into it.
    fn covers(&self, parts: &[String]) -> bool {
        self.each().any(|name| {
            let length = name.split('/').count();
            let here = |seen: &[String]| seen.iter().map(String::as_str).eq(name.split('/'));
            let mut places = parts.windows(length).enumerate();
            places.any(|(at, seen)| here(seen) && (self.folder || at + length == parts.len()))
        })
    }
}

/// Whether reading `path` is asked about even where reading is free.
#[must_use]
pub fn is_secret(path: &Located) -> bool {
    path.forms().any(|form| names(form).any(|name| listed(SECRETS, &name)))
}

/// Whether removing `path` is asked about even in bypass: the disk, a home, the project, its
/// history, or a parent directory of these.
#[must_use]
pub fn is_critical(policy: &Policy, path: &Located, pattern: bool, paths: &dyn Paths) -> bool {
    let kept = policy.roots.iter().chain([&policy.home]);
    let kept: Vec<PathBuf> = kept.flat_map(|dir| both(dir, paths)).collect();
    path.forms().any(|form| {
        let shallow = form.components().count() <= 2;
        // `x/*` empties x.
        shallow
            || kept.iter().any(|dir| within(dir, form))
            || kept.iter().any(|dir| *form == dir.join(".git"))
            || (pattern && form.components().count() <= 3 && form.starts_with("/private"))
    })
}

/// The part of `form` below the roots. A root inside a protected place was chosen on purpose; only names below it count.
fn beneath_roots<'a>(policy: &Policy, form: &'a Path, paths: &dyn Paths) -> &'a Path {
    let below = |root: &PathBuf| both(root, paths).iter().find_map(|root| form.strip_prefix(root).ok());
    let rests = policy.roots.iter().filter_map(below);
    rests.min_by_key(|rest| rest.components().count()).unwrap_or(form)
}

fn names(path: &Path) -> impl Iterator<Item = String> {
    // Some file systems do not tell `.GIT` from `.git`.
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linked::Linked;
    use crate::path::Lexical;

    fn protected(path: &str) -> bool {
        is_protected(
            &Policy::new("/w", "/home/u"),
            &Located::new(Path::new(path), &Lexical),
            &Lexical,
        )
    }

    /// CVE-2026-25725: settings were protected only once they existed. Nothing here looks.
    #[test]
    fn cve_2026_25725_absent_places_are_protected() {
        for path in [
            "/w/.git/config",
            "/w/.claude/settings.json",
            "/w/.mcp.json",
            "/home/u/.bashrc",
            "/w/sub/.git/hooks/x",
            "/w/.GIT/config",
            "/home/u/.config/fish/config.fish",
            "/w/.vscode/tasks.json",
        ] {
            assert!(protected(path), "{path}");
        }
        for path in [
            "/w/.gitignore",
            "/w/.github/workflows/x.yml",
            "/w/git/config",
            "/w/claude/x",
        ] {
            assert!(!protected(path), "{path}");
        }
    }

    /// CVE-2026-55607: metadata names are reserved wherever they stand.
    #[test]
    fn cve_2026_55607_git_as_the_name_of_a_worktree() {
        assert!(protected("/w/trees/.git"));
        assert!(protected("/w/trees/.git/fsmonitor"));
    }

    #[test]
    fn a_root_inside_a_protected_place_is_a_root() {
        let policy = Policy::new("/home/u/.claude/worktrees/a", "/home/u");
        let at = |path: &str| is_protected(&policy, &Located::new(Path::new(path), &Lexical), &Lexical);
        assert!(!at("/home/u/.claude/worktrees/a/src/x"));
        assert!(at("/home/u/.claude/worktrees/a/.git"));
        assert!(at("/home/u/.claude/settings.json"));
    }

    #[test]
    fn links_into_protected_places() {
        let world = Linked::new([("/w/innocent", "/w/.git")]);
        let path = Located::new(Path::new("/w/innocent/config"), &world);
        assert!(is_protected(&Policy::new("/w", "/home/u"), &path, &world));
    }

    #[test]
    fn what_is_never_removed_silently() {
        let policy = Policy::new("/data/work/w", "/home/u");
        let at = |path: &str| is_critical(&policy, &Located::new(Path::new(path), &Lexical), false, &Lexical);
        for path in [
            "/",
            "/usr",
            "/home",
            "/home/u",
            "/data/work",
            "/data/work/w",
            "/data/work/w/.git",
        ] {
            assert!(at(path), "{path}");
        }
        for path in ["/data/work/w/target", "/home/u/x", "/data/work/w/src/.git"] {
            assert!(!at(path), "{path}");
        }
    }
}
