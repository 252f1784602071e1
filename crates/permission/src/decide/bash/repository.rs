//! Programs that a git repository's own settings would make git run, and places outside that it would make git read.
//!
//! A downloaded archive or an earlier command may have written those settings. Git itself reports which are in force
//! ([`crate::git`]). Settings with a fixed key that name a program are overridden when the command runs
//! ([`crate::quiet`]). Settings whose keys can be anything (`filter.x.clean`, `diff.x.textconv`) cannot be overridden, so
//! git counts as only reading if the repository has nothing but settings known to run nothing.

use std::path::{Path, PathBuf};

use crate::git::Repository;
use crate::path::{Found, Located, Paths, normal};
use crate::policy::Policy;
use crate::shell::programs::is_git_reader;

/// Folders of a repository whose entries are read wherever they lead.
const LED: &[&str] = &[
    "",
    "info",
    "objects",
    "objects/pack",
    "objects/info",
    "rebase-merge",
    "rebase-apply",
    "logs",
];
/// How many names of branches and tags are looked at.
const MOST_REFS: usize = 3_000;

/// Sections with the keys that run nothing; `*` for all of them.
const PLAIN: &[(&str, &str)] = &[
    (
        "core",
        "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf \
        abbrev quotepath whitespace compression sharedrepository untrackedcache fsmonitor pager sshcommand askpass editor \
        hookspath protectntfs protecthfs longpaths commentchar fscache worktree sparsecheckout sparsecheckoutcone",
    ),
    ("remote", "url fetch pushurl push mirror tagopt prune gh-resolved"),
    (
        "branch",
        "remote merge rebase pushremote description autosetuprebase autosetupmerge vscode-merge-base",
    ),
    ("user", "*"),
    ("author", "*"),
    ("committer", "*"),
    ("submodule", "url active"),
    ("pull", "*"),
    ("push", "*"),
    ("fetch", "prune prunetags"),
    ("init", "*"),
    ("color", "*"),
    ("gc", "*"),
    ("rerere", "*"),
    ("receive", "*"),
    ("advice", "*"),
    ("commit", "gpgsign verbose template"),
    ("tag", "gpgsign sort"),
    ("merge", "conflictstyle ff"),
    ("rebase", "autostash autosquash"),
    ("log", "date decorate follow abbrevcommit showsignature"),
    // Not `submodulesummary`, which runs a script.
    (
        "status",
        "short branch relativepaths showuntrackedfiles showstash displaycommentprefix aheadbehind renames renamelimit",
    ),
    ("feature", "*"),
    ("index", "*"),
    ("pack", "*"),
    ("column", "*"),
    ("lfs", "repositoryformatversion url access locksverify"),
    ("maintenance", "*"),
    ("extensions", "objectformat worktreeconfig"),
    (
        "diff",
        "algorithm renames renamelimit colormoved mnemonicprefix noprefix context",
    ),
    ("gpg", "program format"),
];

/// Why git could run something, or read something outside, in `directory`: the setting or file that says so.
pub(super) fn problem(policy: &Policy, directory: &Path, paths: &dyn Paths) -> Option<String> {
    let repository = match paths.repository(directory) {
        Found::Nothing => return None,
        Found::Unknown => return Some(".git".to_owned()),
        Found::This(repository) => repository,
    };
    misplaced(policy, &repository, paths)
        .or_else(|| leads_out(policy, &repository, paths))
        .or_else(|| {
            repository
                .settings
                .iter()
                .find(|one| !is_plain(&one.key))
                .map(|one| one.key.clone())
        })
        .or_else(|| repository.enters_submodules.then(|| ".gitmodules".to_owned()))
}

/// What makes git use a folder or a work tree that is not the project's own.
fn misplaced(policy: &Policy, repository: &Repository, paths: &dyn Paths) -> Option<String> {
    let inside = |path: &Path| Located::new(path, paths).inside(&policy.roots, paths);
    let own = repository.work_tree.join(".git");
    // Outside only where that names this work tree, as git writes it for a linked work tree and for a submodule.
    let back = || match paths.read(&repository.git_dir.join("gitdir")) {
        Found::This(text) => normal(Path::new(text.trim_end_matches(['\n', '\r']))) == own,
        Found::Nothing | Found::Unknown => false,
    };
    let together = repository.git_dir == own || back();
    if !together && !inside(&repository.work_tree) {
        return Some("core.worktree".to_owned());
    }
    let leads_here = |to: &str| paths.resolve(&repository.git_dir.join(to)) == repository.work_tree;
    let of_submodule = || repository.values("core.worktree").last().is_some_and(leads_here);
    if !together && !inside(&repository.git_dir) && !of_submodule() {
        return Some(".git".to_owned());
    }
    let common = &repository.common_dir;
    let ours = *common == repository.git_dir || repository.git_dir.starts_with(common.join("worktrees"));
    (!ours && !inside(common)).then(|| "commondir".to_owned())
}

/// A link or an alternate store of objects by which git would read another place.
fn leads_out(policy: &Policy, repository: &Repository, paths: &dyn Paths) -> Option<String> {
    let inside = |path: &Path| Located::new(path, paths).inside(&policy.roots, paths);
    let common = &repository.common_dir;
    let mut homes = vec![common];
    if repository.git_dir != *common {
        homes.push(&repository.git_dir);
    }
    let mut led = homes.iter().flat_map(|home| LED.iter().map(|folder| home.join(folder)));
    if let Some(link) = led.find_map(|folder| link_out(&folder, &inside, paths).err()) {
        return Some(link);
    }
    if let Some(link) = refs_out(&common.join("refs"), &inside, paths) {
        return Some(link);
    }
    let objects = common.join("objects");
    match paths.read(&objects.join("info/alternates")) {
        Found::Nothing => None,
        Found::This(text) if text.lines().all(|line| inside(&normal(&objects.join(line)))) => None,
        Found::This(_) | Found::Unknown => Some("objects/info/alternates".to_owned()),
    }
}

/// The entries of a folder that are no links; or the one that is a link to a place outside.
fn link_out(folder: &Path, inside: &dyn Fn(&Path) -> bool, paths: &dyn Paths) -> Result<Vec<PathBuf>, String> {
    let names = match paths.names(folder) {
        Found::Nothing => return Ok(Vec::new()),
        Found::Unknown => return Err(folder.display().to_string()),
        Found::This(names) => names,
    };
    let mut plain = Vec::new();
    for name in names {
        let entry = folder.join(&name);
        match paths.is_link(&entry) {
            false => plain.push(entry),
            true if inside(&entry) => {}
            true => return Err(name),
        }
    }
    Ok(plain)
}

/// The same of all that lies beneath the folder of branches and tags.
fn refs_out(refs: &Path, inside: &dyn Fn(&Path) -> bool, paths: &dyn Paths) -> Option<String> {
    let mut open = vec![refs.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = open.pop() {
        let entries = match link_out(&folder, inside, paths) {
            Ok(entries) => entries,
            Err(link) => return Some(link),
        };
        seen += entries.len();
        if seen > MOST_REFS {
            return Some("refs".to_owned());
        }
        open.extend(entries.into_iter().filter(|entry| paths.is_dir(entry)));
    }
    None
}

/// Whether a setting is known to run nothing.
fn is_plain(key: &str) -> bool {
    let Some((section, rest)) = key.split_once('.') else {
        return false;
    };
    let (subsection, name) = match rest.rsplit_once('.') {
        Some((subsection, name)) => (Some(subsection), name),
        None => (None, rest),
    };
    // Newer versions of git let an alias replace a deprecated builtin command.
    if section == "alias" {
        return subsection.is_none() && !is_git_reader(name);
    }
    // `diff.x.command` is another thing than `diff.renames`, `lfs.extension.x.clean` than `lfs.<url>.access`.
    let takes_sub = matches!(section, "remote" | "branch" | "submodule" | "lfs" | "color");
    let known = PLAIN.iter().find(|(known, _)| *known == section);
    known.is_some_and(|(_, keys)| {
        (subsection.is_none() || takes_sub) && (*keys == "*" || keys.split_whitespace().any(|known| known == name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_git_itself_writes_are_plain() {
        for key in [
            "core.repositoryformatversion",
            "remote.origin.url",
            "branch.a.b.merge",
            "user.name",
            "alias.st",
            "lfs.https://host/x.git/info/lfs.access",
            "extensions.worktreeconfig",
        ] {
            assert!(is_plain(key), "{key}");
        }
    }

    #[test]
    fn settings_that_name_a_program_are_not() {
        for key in [
            "filter.f.clean",
            "diff.f.textconv",
            "diff.external",
            "include.path",
            "includeif.gitdir:x.path",
            "extensions.partialclone",
            "remote.o.uploadpack",
            "submodule.s.ignore",
            "submodule.recurse",
            "core.alternaterefscommand",
            "core.attributesfile",
            "pager.log",
            "pretty.x",
            "status.submodulesummary",
            "lfs.extension.x.clean",
            "lfs.customtransfer.x.path",
            "alias.log",
            "alias.whatchanged",
            "nothing",
        ] {
            assert!(!is_plain(key), "{key}");
        }
    }
}
