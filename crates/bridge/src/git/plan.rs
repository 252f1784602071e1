//! Plans the commands of a step. Pure: a plan depends on the step and the facts about the repository only.

use super::run::{Program, Run};
use super::status::{FileKind, FileStatus, Status};
use crate::api::{Code, GitStep, Problem};

/// The longest commit message and pull request text, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// How many files a suggested message names.
const NAMED_FILES: usize = 2;

/// What a plan depends on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) status: Status,
    /// Settings of the repository that name programs git would run over its files.
    pub(super) drivers: Vec<String>,
    /// Whether commits are to be signed.
    pub(super) signs: bool,
    pub(super) target: Option<PushTarget>,
    /// Settings and variables of the person for a connection to a remote.
    pub(super) own: Connection,
    pub(super) gh: bool,
    /// The worktree of the session.
    pub(super) worktree: Option<WorktreeFacts>,
    /// The patch of the hunk that is to be discarded.
    pub(super) patch: Option<Vec<u8>>,
}

/// Where a push goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PushTarget {
    pub(super) remote: String,
    /// With every rewriting of addresses applied.
    pub(super) url: String,
    /// The full name of the branch there.
    pub(super) reference: String,
}

/// How the person connects to remotes. Nothing of it comes from the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) credentials: Vec<(String, String)>,
    pub(super) ssh: Option<String>,
}

/// A worktree that the bridge created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WorktreeFacts {
    pub(super) path: String,
    /// None for a detached `HEAD`.
    pub(super) branch: Option<String>,
    /// The branch of the main folder.
    pub(super) into: Option<String>,
    /// Whether tracked files of the main folder have changes, or a merge is open there.
    pub(super) main_busy: bool,
}

/// The commands of a step, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) runs: Vec<Run>,
    /// Runs if one of them fails.
    pub(super) undo: Option<Run>,
    pub(super) note: Option<String>,
}

/// The commands of a step, or why it cannot be made.
pub(super) fn plan(step: &GitStep, facts: &Facts) -> Result<Plan, Problem> {
    let writes = !matches!(step, GitStep::Push {} | GitStep::PullRequest { .. });
    if writes && let Some(driver) = facts.drivers.first() {
        return Err(refused(format!(
            "this repository configures a program for its files ({driver}), which is not run from here"
        ))
        .hint("use git in a terminal"));
    }
    match step {
        GitStep::Commit { paths, message } => commit(paths, message, facts),
        GitStep::DiscardFile { path } => Ok(discard(changed(facts, path)?)),
        GitStep::DiscardHunk { path, .. } => {
            changed(facts, path)?;
            let patch = facts.patch.clone().ok_or_else(|| {
                Problem::new(Code::Field, "this hunk has changed since it was shown").hint("load the changes again")
            })?;
            let run = Run {
                input: patch,
                ..Run::git(["apply", "-R", "--whitespace=nowarn", "-"])
            };
            Ok(Plan::of([run]))
        }
        GitStep::Push {} => push(facts),
        GitStep::PullRequest { title, body } => pull_request(title, body, facts),
        GitStep::MergeWorktree {} => merge(facts),
        GitStep::DiscardWorktree {} => {
            let tree = worktree(facts)?;
            let mut planned = Plan::of([in_main(Run::git(["worktree", "remove", "--force", "--", &tree.path]))]);
            if let Some(branch) = &tree.branch {
                planned
                    .runs
                    .push(in_main(Run::git(["branch", "-q", "-D", "--", branch])));
            }
            Ok(planned)
        }
    }
}

impl Plan {
    fn of<const N: usize>(runs: [Run; N]) -> Self {
        Self {
            runs: runs.into(),
            ..Self::default()
        }
    }
}

fn refused(why: impl Into<String>) -> Problem {
    Problem::new(Code::Refused, why)
}

fn in_main(run: Run) -> Run {
    Run { in_main: true, ..run }
}

fn changed<'a>(facts: &'a Facts, path: &str) -> Result<&'a FileStatus, Problem> {
    let found = facts.status.files.iter().find(|file| file.path == path);
    found.ok_or_else(|| {
        Problem::new(Code::Field, format!("{path}: no changes since the last commit")).hint("load the changes again")
    })
}

fn text<'a>(what: &str, text: &'a str) -> Result<&'a str, Problem> {
    let text = text.trim();
    match (text.is_empty(), text.len() > MAX_TEXT) {
        (true, _) => Err(Problem::new(Code::Field, format!("{what} is empty"))),
        (_, true) => Err(Problem::new(Code::Limit, format!("{what} has at most 64 kB"))),
        _ => Ok(text),
    }
}

fn may_commit(facts: &Facts) -> Result<(), Problem> {
    match facts.signs {
        true => Err(refused("commits are signed here, which needs a terminal").hint("commit in a terminal")),
        false => Ok(()),
    }
}

fn commit(paths: &[String], message: &str, facts: &Facts) -> Result<Plan, Problem> {
    let message = text("the commit message", message)?;
    may_commit(facts)?;
    if paths.is_empty() {
        return Err(Problem::new(Code::Field, "no files were chosen"));
    }
    for path in paths {
        if changed(facts, path)?.kind == FileKind::Conflict {
            return Err(refused(format!("{path} has merge conflicts")).hint("resolve them first"));
        }
    }
    let with_paths = |mut run: Run| {
        run.args.extend(paths.iter().cloned());
        run
    };
    Ok(Plan {
        note: Some("Hooks of the repository do not run.".to_owned()),
        ..Plan::of([
            with_paths(Run::git(["add", "-A", "--"])),
            with_paths(Run::git(["commit", "-q", "-m", message, "--only", "--"])),
        ])
    })
}

fn discard(file: &FileStatus) -> Plan {
    let path = file.path.as_str();
    Plan::of([match file.kind {
        FileKind::Untracked => Run::git(["clean", "-f", "-q", "--", path]),
        FileKind::Added => Run::git(["rm", "-f", "-q", "--", path]),
        FileKind::Changed | FileKind::Conflict => {
            Run::git(["restore", "--source=HEAD", "--staged", "--worktree", "--", path])
        }
    }])
}

/// How git reaches an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Https,
    Ssh,
    File,
}

fn transport(url: &str) -> Option<Transport> {
    match url.split_once("://") {
        Some(("https", _)) => return Some(Transport::Https),
        Some(("ssh" | "git+ssh" | "ssh+git", _)) => return Some(Transport::Ssh),
        Some(("file", _)) => return Some(Transport::File),
        Some(_) => return None,
        None => {}
    }
    // `ext::command` runs a command.
    if url.contains("::") || url.starts_with('-') {
        return None;
    }
    match (url.find(':'), url.find('/')) {
        (Some(colon), slash) if slash.is_none_or(|slash| colon < slash) => Some(Transport::Ssh),
        (_, Some(0)) => Some(Transport::File),
        _ => None,
    }
}

fn push(facts: &Facts) -> Result<Plan, Problem> {
    if facts.status.branch.is_none() {
        return Err(refused("no branch is checked out").hint("create a branch first"));
    }
    if facts.status.unborn {
        return Err(refused("there is no commit yet"));
    }
    let target = facts
        .target
        .as_ref()
        .ok_or_else(|| refused("there is no remote to push to").hint("add one with `git remote add`"))?;
    let transport = transport(&target.url).ok_or_else(|| {
        refused(format!("{} is not pushed to from here", target.url)).hint("https, ssh and folders are supported")
    })?;
    let (protocols, receiver) = match transport {
        Transport::Https => ("https", "git-receive-pack"),
        Transport::Ssh => ("ssh", "git-receive-pack"),
        // A repository on this machine would run its hooks here.
        Transport::File => ("file", "git -c core.hooksPath=/dev/null receive-pack"),
    };
    let mut run = Run::git(["push", "--porcelain", "--no-verify", "--recurse-submodules=no", "-u"]);
    run.args.push(format!("--receive-pack={receiver}"));
    run.args.extend([
        "--".to_owned(),
        target.remote.clone(),
        format!("HEAD:{}", target.reference),
    ]);
    run.env.push(("GIT_ALLOW_PROTOCOL".to_owned(), protocols.to_owned()));
    // ssh has no terminal to ask on: it fails instead.
    let ssh = facts
        .own
        .ssh
        .clone()
        .unwrap_or_else(|| "ssh -oBatchMode=yes".to_owned());
    run.env.push(("GIT_SSH_COMMAND".to_owned(), ssh));
    run.settings.clone_from(&facts.own.credentials);
    run.network = true;
    Ok(Plan {
        note: Some(format!("To {}", target.url)),
        ..Plan::of([run])
    })
}

fn pull_request(title: &str, body: &str, facts: &Facts) -> Result<Plan, Problem> {
    let title = text("the title", title)?;
    if !facts.gh {
        return Err(refused("the program gh is not installed"));
    }
    let branch = facts.status.branch.as_deref();
    let branch = branch.ok_or_else(|| refused("no branch is checked out"))?;
    if facts.status.upstream.is_none() || facts.status.ahead > 0 {
        return Err(refused("the branch is not pushed").hint("push it first"));
    }
    if body.len() > MAX_TEXT {
        return Err(Problem::new(Code::Limit, "the text has at most 64 kB"));
    }
    let args = ["pr", "create", "--head", branch, "--title", title, "--body", body];
    Ok(Plan::of([Run {
        program: Program::Gh,
        network: true,
        ..Run::git(args)
    }]))
}

fn worktree(facts: &Facts) -> Result<&WorktreeFacts, Problem> {
    let missing = || Problem::new(Code::Refused, "this session has no worktree that the bridge created");
    facts.worktree.as_ref().ok_or_else(missing)
}

fn merge(facts: &Facts) -> Result<Plan, Problem> {
    let tree = worktree(facts)?;
    may_commit(facts)?;
    if !facts.status.files.is_empty() {
        return Err(refused("the worktree has changes that are not committed").hint("commit or discard them first"));
    }
    let branch = tree.branch.as_deref();
    let branch = branch.ok_or_else(|| refused("no branch is checked out in the worktree"))?;
    let into = tree.into.as_deref();
    let into = into.ok_or_else(|| refused("the main folder has no branch checked out"))?;
    if tree.main_busy {
        return Err(refused("the main folder has changes of its own, or an open merge").hint("commit them there first"));
    }
    Ok(Plan {
        undo: Some(in_main(Run::git(["merge", "--abort"]))),
        note: Some(format!("Into {into}. Hooks of the repository do not run.")),
        ..Plan::of([in_main(Run::git([
            "merge",
            "-q",
            "--no-edit",
            "--no-verify",
            "--",
            branch,
        ]))])
    })
}

/// A commit message for these changes: what happened to which files.
pub(super) fn message(files: &[(FileKind, String, bool)]) -> String {
    let verb = |kind: FileKind, deleted: bool| match kind {
        _ if deleted => "Delete",
        FileKind::Untracked | FileKind::Added => "Add",
        FileKind::Changed | FileKind::Conflict => "Update",
    };
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (kind, path, deleted) in files {
        let name = path.rsplit('/').next().unwrap_or(path);
        let verb = verb(*kind, *deleted);
        match groups.iter_mut().find(|(known, _)| *known == verb) {
            Some((_, names)) => names.push(name),
            None => groups.push((verb, vec![name])),
        }
    }
    let words = groups.iter().enumerate().map(|(at, (verb, names))| {
        let verb = if at == 0 {
            (*verb).to_owned()
        } else {
            verb.to_lowercase()
        };
        format!("{verb} {}", listed(names))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `a`, `a and b`, `a, b and 3 more files`.
fn listed(names: &[&str]) -> String {
    let named = names.get(..NAMED_FILES.min(names.len())).unwrap_or_default();
    match names.len() - named.len() {
        0 => named.join(" and "),
        1 => format!("{} and 1 more file", named.join(", ")),
        more => format!("{} and {more} more files", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        let file = |path: &str, kind| FileStatus {
            path: path.to_owned(),
            kind,
        };
        Facts {
            status: Status {
                branch: Some("main".to_owned()),
                files: vec![
                    file("a", FileKind::Changed),
                    file("new", FileKind::Untracked),
                    file("both", FileKind::Conflict),
                ],
                ..Status::default()
            },
            ..Facts::default()
        }
    }

    fn target(url: &str) -> Facts {
        Facts {
            target: Some(PushTarget {
                remote: "origin".to_owned(),
                url: url.to_owned(),
                reference: "refs/heads/main".to_owned(),
            }),
            ..facts()
        }
    }

    fn commit_of(paths: &[&str], message: &str) -> GitStep {
        GitStep::Commit {
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            message: message.to_owned(),
        }
    }

    #[test]
    fn commit_names_its_files_and_nothing_else() {
        let planned = plan(&commit_of(&["a", "new"], " Fix it \n"), &facts()).unwrap();
        let shown: Vec<String> = planned.runs.iter().map(Run::shown).collect();
        assert_eq!(
            shown,
            ["git add -A -- a new", "git commit -q -m 'Fix it' --only -- a new"]
        );
    }

    #[test]
    fn step_that_cannot_be_made_is_refused_with_a_reason() {
        let why = |step: &GitStep, facts: &Facts| plan(step, facts).unwrap_err().message;
        assert!(why(&commit_of(&["a"], " "), &facts()).contains("empty"));
        assert!(why(&commit_of(&[], "m"), &facts()).contains("no files"));
        assert!(why(&commit_of(&["other"], "m"), &facts()).contains("no changes"));
        assert!(why(&commit_of(&["both"], "m"), &facts()).contains("conflicts"));
        let signs = Facts { signs: true, ..facts() };
        assert!(why(&commit_of(&["a"], "m"), &signs).contains("signed"));
        let filtered = Facts {
            drivers: vec!["filter.x.clean".to_owned()],
            ..facts()
        };
        assert!(why(&commit_of(&["a"], "m"), &filtered).contains("filter.x.clean"));
        assert!(why(&GitStep::Push {}, &facts()).contains("no remote"));
        assert!(why(&GitStep::MergeWorktree {}, &facts()).contains("no worktree"));
        let request = GitStep::PullRequest {
            title: "t".to_owned(),
            body: String::new(),
        };
        assert!(why(&request, &facts()).contains("gh"));
        assert!(why(&request, &Facts { gh: true, ..facts() }).contains("not pushed"));
    }

    #[test]
    fn push_uses_the_protocol_of_its_address_and_no_other() {
        let cases = [
            ("https://example.org/r.git", Some("https")),
            ("ssh://git@example.org/r.git", Some("ssh")),
            ("git@example.org:r.git", Some("ssh")),
            ("/srv/r.git", Some("file")),
            ("file:///srv/r.git", Some("file")),
            ("ext::sh -c touch% x", None),
            ("http://example.org/r.git", None),
            ("git://example.org/r.git", None),
            ("--upload-pack=x", None),
            ("relative/r.git", None),
        ];
        for (url, protocol) in cases {
            let planned = plan(&GitStep::Push {}, &target(url));
            let env = planned.ok().map(|plan| plan.runs[0].env.clone());
            let allowed = env.and_then(|env| env.into_iter().find(|(name, _)| name == "GIT_ALLOW_PROTOCOL"));
            assert_eq!(allowed.map(|(_, value)| value).as_deref(), protocol, "{url}");
        }
    }

    #[test]
    fn merge_needs_two_clean_folders() {
        let tree = |main_busy, files: Vec<FileStatus>| Facts {
            worktree: Some(WorktreeFacts {
                path: "/r/w".to_owned(),
                branch: Some("work".to_owned()),
                into: Some("main".to_owned()),
                main_busy,
            }),
            status: Status {
                files,
                ..facts().status
            },
            ..Facts::default()
        };
        let step = GitStep::MergeWorktree {};
        assert!(plan(&step, &tree(true, Vec::new())).is_err());
        assert!(plan(&step, &tree(false, facts().status.files)).is_err());
        let planned = plan(&step, &tree(false, Vec::new())).unwrap();
        assert!(planned.runs.iter().all(|run| run.in_main));
        assert_eq!(planned.undo.unwrap().shown(), "git merge --abort");
    }

    #[test]
    fn message_names_what_happened_to_which_files() {
        let of = |files: &[(FileKind, &str, bool)]| {
            let files: Vec<_> = files
                .iter()
                .map(|(kind, path, gone)| (*kind, (*path).to_owned(), *gone))
                .collect();
            message(&files)
        };
        assert_eq!(of(&[(FileKind::Changed, "src/pool.rs", false)]), "Update pool.rs");
        let mixed = [
            (FileKind::Untracked, "a.rs", false),
            (FileKind::Changed, "b.rs", false),
            (FileKind::Changed, "c.rs", true),
        ];
        assert_eq!(of(&mixed), "Add a.rs, update b.rs, delete c.rs");
        let many: Vec<_> = ["1", "2", "3", "4"].map(|path| (FileKind::Changed, path, false)).into();
        assert_eq!(of(&many), "Update 1, 2 and 2 more files");
        assert_eq!(of(&many[..3]), "Update 1, 2 and 1 more file");
    }
}
