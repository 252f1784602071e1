//! Places that are asked about whatever the rules say.
//!
//! Names are enough: a place is protected before it exists, so that nobody gets to make it.

use std::path::{Component, Path, PathBuf};

use crate::path::{Located, Paths, normal, within};
use crate::policy::Policy;

/// Directories that hold what runs later: hooks, settings, tasks, keys.
const DIRECTORIES: &[&str] = &[
    ".git",
    ".claude",
    ".sluice",
    ".vscode",
    ".idea",
    ".ssh",
    ".gnupg",
    ".husky",
    ".devcontainer",
    ".hg",
    ".svn",
];

/// Files that do.
const FILES: &[&str] = &[
    ".mcp.json",
    ".claude.json",
    ".gitconfig",
    ".gitmodules",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".envrc",
    ".ripgreprc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".xinitrc",
    ".xprofile",
    ".vimrc",
    ".exrc",
    ".emacs",
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
        let names: Vec<String> = names(rest).collect();
        let last = names.len().saturating_sub(1);
        names.iter().enumerate().any(|(at, name)| {
            DIRECTORIES.contains(&name.as_str()) || (at == last && FILES.contains(&name.as_str()))
        }) || names.windows(2).any(|pair| matches!(pair, [config, shell] if config == ".config" && matches!(shell.as_str(), "fish" | "git" | "autostart" | "systemd")))
    })
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
