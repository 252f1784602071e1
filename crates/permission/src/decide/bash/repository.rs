//! Programs that a git repository's own configuration would make git run.
//!
//! A downloaded archive or an earlier command may have written that configuration. Settings with a fixed key that name
//! a program are overridden when the command runs ([`crate::quiet`]). Settings whose keys can be anything
//! (`filter.x.clean`, `diff.x.textconv`) cannot be overridden, so git counts as only reading if the configuration
//! contains nothing but settings known to run nothing.

use std::path::{Path, PathBuf};

use crate::path::{Found, Located, Paths, normal};
use crate::policy::Policy;

/// How far up a repository is looked for.
const MOST_PARENTS: usize = 64;
/// How many repositories within are looked at.
const MOST_WITHIN: usize = 64;
/// And how deep they lie in one another; a link may lead back.
const MOST_LEVELS: usize = 3;
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
        hookspath protectntfs protecthfs longpaths commentchar fscache",
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
    // An alias never stands for a command of git's own, and only those are proven to read.
    ("alias", "*"),
    ("lfs", "*"),
    ("maintenance", "*"),
    ("extensions", "objectformat"),
    (
        "diff",
        "algorithm renames renamelimit colormoved mnemonicprefix noprefix context",
    ),
    ("gpg", "program format"),
];

/// Why git could run something in `directory`: the setting that says so.
pub(super) fn names_a_program(policy: &Policy, directory: &Path, paths: &dyn Paths) -> Option<String> {
    looked_into(policy, directory, paths, 0)
}

fn looked_into(policy: &Policy, directory: &Path, paths: &dyn Paths, level: usize) -> Option<String> {
    for (depth, parent) in normal(directory).ancestors().enumerate() {
        if depth >= MOST_PARENTS {
            return Some(".git".to_owned());
        }
        let dot = parent.join(".git");
        let own = match paths.read(&dot) {
            Found::This(text) => match pointer(&text).and_then(|text| text.strip_prefix("gitdir: ")) {
                Some(to) if to.trim() == to => {
                    let own = normal(&parent.join(to));
                    // Elsewhere only where that says it is ours, as git writes it for a worktree.
                    let ours = match paths.read(&own.join("gitdir")) {
                        Found::This(back) => pointer(&back).is_some_and(|back| normal(Path::new(back)) == dot),
                        Found::Nothing | Found::Unknown => false,
                    };
                    if !ours && !Located::new(&own, paths).inside(&policy.roots, paths) {
                        return Some(".git".to_owned());
                    }
                    own
                }
                _ => return Some(".git".to_owned()),
            },
            Found::Unknown => return Some(".git".to_owned()),
            Found::Nothing if paths.is_dir(&dot) => dot,
            Found::Nothing => continue,
        };
        return in_repository(policy, &own, paths).or_else(|| in_submodules(policy, (parent, &own), paths, level));
    }
    None
}

/// What is compared is compared in the repositories within as well, each with settings of its own.
fn in_submodules(policy: &Policy, (root, own): (&Path, &Path), paths: &dyn Paths, level: usize) -> Option<String> {
    let all = match paths.submodules(own) {
        Found::Nothing => return None,
        Found::Unknown => return Some("index".to_owned()),
        Found::This(all) => all,
    };
    if all.len() > MOST_WITHIN || (level >= MOST_LEVELS && !all.is_empty()) {
        return Some(".gitmodules".to_owned());
    }
    all.iter().find_map(|name| {
        let within = root.join(name);
        // One that was not fetched has none.
        let there = paths.is_dir(&within.join(".git")) || paths.read(&within.join(".git")) != Found::Nothing;
        there.then(|| looked_into(policy, &within, paths, level + 1)).flatten()
    })
}

/// What a file says that holds one path. Git takes away the ends of lines and nothing else.
fn pointer(text: &str) -> Option<&str> {
    let text = text.trim_end_matches(['\n', '\r']);
    (text.trim() == text).then_some(text)
}

fn in_repository(policy: &Policy, own: &Path, paths: &dyn Paths) -> Option<String> {
    let inside = |path: &Path| Located::new(path, paths).inside(&policy.roots, paths);
    let common = match paths.read(&own.join("commondir")) {
        Found::This(text) => {
            let common = pointer(&text).map(|to| normal(&own.join(to)));
            // That of a worktree lies in the repository it is of.
            let ours = |common: &PathBuf| own.starts_with(common.join("worktrees")) || inside(common);
            match common.filter(ours) {
                Some(common) => common,
                None => return Some("commondir".to_owned()),
            }
        }
        Found::Nothing => own.to_path_buf(),
        Found::Unknown => return Some("commondir".to_owned()),
    };
    let mut homes = vec![common.as_path()];
    if own != common {
        homes.push(own);
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
        Found::Nothing => {}
        Found::This(text) if text.lines().all(|line| inside(&normal(&objects.join(line)))) => {}
        Found::This(_) | Found::Unknown => return Some("objects/info/alternates".to_owned()),
    }
    let files: [PathBuf; 2] = [common.join("config"), own.join("config.worktree")];
    for file in files {
        match paths.read(&file) {
            Found::Nothing => {}
            Found::Unknown => return Some("config".to_owned()),
            Found::This(text) => {
                if let Some(key) = strange(&text) {
                    return Some(key);
                }
            }
        }
    }
    None
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

/// The first setting that is not known to run nothing.
fn strange(text: &str) -> Option<String> {
    let mut section = String::new();
    let mut plain: Option<&str> = None;
    let mut goes_on = false;
    for line in text.lines() {
        let line = line.trim();
        let continued = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        if continued {
            return Some(section);
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let mut line = line;
        // One line may hold any number of headers.
        while let Some(rest) = line.strip_prefix('[') {
            let Some((header, after)) = rest.split_once(']') else {
                return Some(rest.to_owned());
            };
            // In quotes a bracket closes nothing.
            if !matches!(header.matches('"').count(), 0 | 2) || header.contains('\\') {
                return Some(header.to_owned());
            }
            let name = header.split([' ', '\t', '.', '"']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            // `diff.x.command` is another thing than `diff.renames`.
            let sub = header.trim().len() != name.len();
            let takes_sub = matches!(section.as_str(), "remote" | "branch" | "submodule" | "lfs" | "color");
            plain = PLAIN
                .iter()
                .find(|(known, _)| *known == section && (!sub || takes_sub))
                .map(|(_, keys)| *keys);
            if plain.is_none() {
                return Some(header.to_owned());
            }
            line = after.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let key = line.split(['=', ' ', '\t']).next().unwrap_or(line).to_ascii_lowercase();
        let word = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let known = word && plain.is_some_and(|keys| keys == "*" || keys.split_whitespace().any(|known| known == key));
        if !known {
            return Some(format!("{section}.{key}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_itself_is_plain() {
        let usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote \"origin\"]\n\turl = x\n\tfetch = +y\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n# a\n[user]\n\tname = n\n";
        assert_eq!(strange(usual), None);
    }

    #[test]
    fn what_names_a_program_is_not() {
        for text in [
            "[filter \"f\"]\n\tclean = x",
            "[diff \"f\"]\n\ttextconv = x",
            "[diff]\n\texternal = x",
            "[include]\n\tpath = x",
            "[includeIf \"gitdir:x\"]\n\tpath = x",
            "[extensions]\n\tpartialClone = origin",
            "[extensions]\n\tworktreeConfig = true",
            "[remote \"o\"]\n\tuploadpack = x",
            "[submodule \"s\"]\n\tignore = none",
            "[submodule \"s\"]\n\tupdate = !x",
            "[core] alternateRefsCommand = x",
            "[core] attributesFile = x",
            "[core] worktree = /x",
            "[pager] log = x",
            "[user] name = a\\\n[diff] external = x",
            "[DIFF \"f\"] TextConv = x",
            "[diff.f] textconv = x",
            "[pretty] x = %G?",
            "[status] submoduleSummary = true",
            "[color \"]\"][diff \"f\"]\n\ttextconv = x",
            "[user] [diff \"f\"]\n\ttextconv = x",
            "nothing",
        ] {
            assert!(strange(text).is_some(), "{text}");
        }
    }
}
