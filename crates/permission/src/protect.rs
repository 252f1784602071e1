//! Protected places: changing them needs a permission request, whatever the rules say.
//!
//! They are recognised by name, so that a place is protected before it exists.

use std::path::{Component, Path, PathBuf};

use crate::path::{Located, Paths, normal, within};
use crate::policy::Policy;

/// A name that decides what runs later: hooks, settings, tasks, keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// The name, or two with a slash between them.
    pub name: &'static str,
    /// Whether all that lies beneath it counts with it.
    pub folder: bool,
    /// What a sandbox does about it in each of its roots.
    pub in_root: Keeping,
    /// Whether a sandbox keeps it from being made in the home directory, where that can be written at all.
    pub in_home: bool,
}

/// How a sandbox looks after a name in a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Not at all: what stands there is nobody's to run.
    Not,
    /// Once it is there. To keep it from being made would put a stand-in in the way of programs that read it all the
    /// time.
    IfPresent,
    /// Also from being made: settings that do not exist yet are as good to whoever gets to write them.
    Always,
}

const fn folder(name: &'static str, in_root: Keeping, in_home: bool) -> Name {
    Name {
        name,
        folder: true,
        in_root,
        in_home,
    }
}

const fn file(name: &'static str, in_root: Keeping, in_home: bool) -> Name {
    Name {
        folder: false,
        ..folder(name, in_root, in_home)
    }
}

/// The one list of them, for decisions and for sandboxes.
pub const NAMES: &[Name] = &[
    folder(".git", Keeping::Always, false),
    folder(".claude", Keeping::Always, true),
    folder(".sluice", Keeping::Always, true),
    folder(".vscode", Keeping::Always, false),
    folder(".idea", Keeping::Always, false),
    folder(".husky", Keeping::Always, false),
    folder(".devcontainer", Keeping::Always, false),
    folder(".hg", Keeping::IfPresent, false),
    folder(".svn", Keeping::IfPresent, false),
    folder(".ssh", Keeping::Not, true),
    folder(".gnupg", Keeping::Not, true),
    folder(".config/git", Keeping::Not, true),
    folder(".config/fish", Keeping::Not, true),
    folder(".config/autostart", Keeping::Not, true),
    folder(".config/systemd", Keeping::Not, true),
    file(".mcp.json", Keeping::Always, false),
    file(".claude.json", Keeping::IfPresent, true),
    file(".gitconfig", Keeping::IfPresent, true),
    file(".gitmodules", Keeping::IfPresent, false),
    file(".envrc", Keeping::IfPresent, false),
    file(".npmrc", Keeping::IfPresent, true),
    file(".yarnrc", Keeping::IfPresent, false),
    file(".yarnrc.yml", Keeping::IfPresent, false),
    file(".pnpmfile.cjs", Keeping::IfPresent, false),
    file(".pypirc", Keeping::IfPresent, true),
    file(".netrc", Keeping::IfPresent, true),
    file(".ripgreprc", Keeping::IfPresent, false),
    file(".bashrc", Keeping::Not, true),
    file(".bash_profile", Keeping::Not, true),
    file(".bash_login", Keeping::Not, true),
    file(".bash_logout", Keeping::Not, true),
    file(".bash_aliases", Keeping::Not, true),
    file(".profile", Keeping::Not, true),
    file(".zshrc", Keeping::Not, true),
    file(".zshenv", Keeping::Not, true),
    file(".zprofile", Keeping::Not, true),
    file(".zlogin", Keeping::Not, true),
    file(".zlogout", Keeping::Not, true),
    file(".kshrc", Keeping::Not, true),
    file(".cshrc", Keeping::Not, true),
    file(".tcshrc", Keeping::Not, true),
    file(".inputrc", Keeping::Not, true),
    file(".xinitrc", Keeping::Not, true),
    file(".xprofile", Keeping::Not, true),
    file(".vimrc", Keeping::Not, true),
    file(".exrc", Keeping::Not, true),
    file(".emacs", Keeping::Not, true),
];

/// Directories whose contents are secrets, not even read without a question outside the roots.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".password-store",
];

/// Whether writing to `path` is asked about in every mode but bypass.
#[must_use]
pub fn is_protected(policy: &Policy, path: &Located, paths: &dyn Paths) -> bool {
    if policy
        .plan_file
        .as_deref()
        .is_some_and(|plan| path.forms().all(|form| form == plan))
    {
        return false;
    }
    path.forms().any(|form| {
        let rest = beneath_roots(policy, form, paths);
        let parts: Vec<String> = names(rest).collect();
        NAMES.iter().any(|name| name.covers(&parts))
    })
}

impl Name {
    /// Whether a path of these parts leads to it, or into it.
    fn covers(&self, parts: &[String]) -> bool {
        let length = self.name.split('/').count();
        let here = |seen: &[String]| seen.iter().map(String::as_str).eq(self.name.split('/'));
        let mut places = parts.windows(length).enumerate();
        places.any(|(at, seen)| here(seen) && (self.folder || at + length == parts.len()))
    }
}

/// Whether reading `path` is asked about even where reading is free.
#[must_use]
pub fn is_secret(path: &Located) -> bool {
    path.forms()
        .any(|form| names(form).any(|name| SECRETS.contains(&name.as_str())))
}

/// Whether removing `path` is asked about even in bypass: the disk, a home, the project, its
/// history, or anything these lie in.
#[must_use]
pub fn is_critical(policy: &Policy, path: &Located, pattern: bool, paths: &dyn Paths) -> bool {
    let kept = policy
        .roots
        .iter()
        .chain(std::iter::once(&policy.home))
        .flat_map(|dir| {
            let dir = normal(dir);
            let resolved = normal(&paths.resolve(&dir));
            [dir, resolved]
        });
    let kept: Vec<PathBuf> = kept.collect();
    path.forms().any(|form| {
        let shallow = form.components().count() <= 2;
        // `x/*` empties x.
        shallow
            || kept.iter().any(|dir| within(dir, form))
            || kept.iter().any(|dir| *form == dir.join(".git"))
            || (pattern && form.components().count() <= 3 && form.starts_with("/private"))
    })
}

fn beneath_roots<'a>(policy: &Policy, form: &'a Path, paths: &dyn Paths) -> &'a Path {
    // A root inside a protected place was chosen by somebody; what counts is what lies in it.
    policy
        .roots
        .iter()
        .filter_map(|root| {
            let root = normal(root);
            form.strip_prefix(&root)
                .or_else(|_| form.strip_prefix(normal(&paths.resolve(&root))))
                .ok()
        })
        .min_by_key(|rest| rest.components().count())
        .unwrap_or(form)
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
    use crate::path::{Lexical, Linked};

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
