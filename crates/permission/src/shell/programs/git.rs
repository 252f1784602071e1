//! `git`, subcommand by subcommand.

use super::super::Word;
use super::options::{self, Parsed};
use super::{Doing, Reach, table};

/// How much of the repository's files a subcommand shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Names, dates, messages.
    Names,
    /// The contents of files.
    Contents,
}

/// What `git` with these arguments reads.
pub(super) fn look_up(arguments: &[Word]) -> Option<Doing> {
    let mut arguments = arguments;
    let mut at = Word::plain(".");
    while let Some((first, rest)) = arguments.split_first() {
        match first.literal()? {
            "--no-pager" | "-P" | "--literal-pathspecs" | "--no-optional-locks" => arguments = rest,
            "-C" => {
                let (to, rest) = rest.split_first()?;
                // A second one would count from the first.
                if at.raw != "." || to.unknown() || to.glob || to.split || to.text.as_deref() == Some("") {
                    return None;
                }
                at = to.clone();
                arguments = rest;
            }
            "--version" if rest.is_empty() => return Some(Doing::default()),
            _ => break,
        }
    }
    let (subcommand, arguments) = arguments.split_first()?;
    let name = subcommand.literal()?;
    let (name, arguments) = match (name, arguments.split_first()) {
        ("config", _) => {
            return config(arguments).then(|| Doing {
                repository: Some(at),
                ..Doing::default()
            });
        }
        (_, Some((verb, rest))) => match (name, verb.literal()) {
            ("stash", Some("list")) | ("reflog", Some("show")) => ("log", rest),
            ("stash", Some("show")) => ("diff", rest),
            ("worktree", Some("list")) => ("worktree list", rest),
            ("remote", Some("get-url")) => ("remote get-url", rest),
            ("notes", Some("list" | "show")) => ("notes list", rest),
            _ => (name, arguments),
        },
        _ => (name, arguments),
    };
    let parsed = table::parse(&format!("git {name}"), arguments)?;
    let most = match name {
        "remote" | "reflog" => 0,
        // A name would be created.
        "branch" | "tag" if !lists(name, arguments) => 0,
        // With two names the first would be set.
        "symbolic-ref" => 1,
        _ => usize::MAX,
    };
    if parsed.positionals.len() > most || (most == 1 && parsed.positionals.iter().any(|word| word.glob)) {
        return None;
    }
    // These make git run what verifies a signature: `%G?`, also as `%+G?`, and `%(signature)`.
    let signature = |text: &str| {
        let mut parts = text.split('%').skip(1);
        text.contains("signature") || parts.any(|part| part.trim_start_matches(['+', '-', ' ']).starts_with('G'))
    };
    let verifies = |value: Option<&Word>| value.is_some_and(|value| value.may_be(signature));
    // The differences of a submodule come from another git in it, which is not run with the quiet environment.
    let enters = |value: Option<&Word>| value.and_then(Word::literal) != Some("short");
    if parsed.given(&["format", "pretty", "sort"]).any(verifies) || parsed.given(&["submodule"]).any(enters) {
        return None;
    }
    // Outside of a repository, and with this option inside, every name is that of a file.
    if parsed.has(&["no-index"]) && parsed.positionals.iter().any(|word| word.id) {
        return None;
    }
    let mut doing = Doing::reading(parsed.paths.iter().cloned(), Reach::File);
    doing.repository = Some(at.clone());
    // Unlike `diff` and `status` these do not obey `diff.ignoreSubmodules`.
    doing.enters_submodules = match name {
        "diff-files" => true,
        "describe" => parsed.has(&["dirty"]),
        "diff-index" => !parsed.has(&["cached"]),
        _ => false,
    };
    // A value in a separate word may be taken for a path: `diff` looks whether it is a file outside of the repository
    // before it knows its options, and the others do where they do not have the option.
    let lines = matches!(name, "log" | "show" | "blame" | "annotate");
    let values = parsed.apart.iter().filter(|(option, _)| !(lines && option == "L"));
    doing.reads.extend(values.map(|(_, word)| (word.clone(), Reach::File)));
    let mut named = false;
    // Whether each revision is one that branches, tags or reflogs lead to. Some options name other objects, or files.
    let beyond = ["no-index", "untracked", "all", "branches", "tags", "remotes", "glob"];
    let mut reachable = !parsed.has(&beyond);
    let mut commits = false;
    // What git itself matches, magic words or patterns in quotes, may be anything in the repository.
    let wide = parsed.positionals.iter().any(|word| {
        let text = word.text.as_deref().unwrap_or_default();
        text.contains(":(")
            || text.starts_with(":!")
            || text.starts_with(":^")
            || (!word.glob && text.contains(['*', '?', '[']))
    });
    // Before a `--` stand revisions only, behind it paths only; without one git looks what is there.
    let dashes = arguments.iter().position(|word| word.is("--"));
    let behind = dashes.map(|at| arguments.len() - at - 1);
    let before = behind.map_or(parsed.positionals.len(), |behind| {
        parsed.positionals.len().saturating_sub(behind)
    });
    let revisions = if dashes.is_some() { before } else { 0 };
    // The first word of a search is what is looked for.
    let sought = usize::from(name == "grep" && !parsed.has(&["e", "f"]));
    for (place, word) in parsed.positionals.iter().enumerate().skip(sought) {
        let Some(text) = word.text.as_deref() else {
            reachable = false;
            if !word.id {
                doing.reads.push((word.clone(), Reach::File));
            }
            continue;
        };
        let commit = is_head(text);
        commits |= commit;
        reachable &= commit || (dashes.is_some() && place >= revisions);
        // Revisions are compared as paths too: it costs nothing when no rule names them. `:0:x`, `HEAD:x`, `:/x`, `:!x`.
        let paths = std::iter::successors(Some(text), |rest| rest.split_once(':').map(|(_, rest)| rest));
        for path in paths {
            let path = path.trim_start_matches(['/', '!', '^']).trim_start_matches("./");
            let whole = path == text.trim_start_matches("./");
            let absolute = text.starts_with('/') && whole;
            let path = if text.starts_with('/') && path == text.trim_start_matches('/') {
                text
            } else {
                path
            };
            let range = path.contains("..") && !path.contains('/') && path != "..";
            if path.is_empty() || range || path.starts_with('(') {
                continue;
            }
            named |= place >= revisions
                && (dashes.is_some() || word.glob || path.contains('/') || path.contains('.') || absolute);
            let reach = match shows(name, &parsed) {
                Shows::Names => Reach::File,
                Shows::Contents if commit => Reach::Commit,
                Shows::Contents if dashes.is_none() && !text.contains(':') => Reach::Revision,
                Shows::Contents => Reach::Tree,
            };
            doing.reads.push((word.with(path), reach));
        }
    }
    if at.raw != "." {
        for (word, _) in &mut doing.reads {
            *word = from(&at, word)?;
        }
    }
    if (wide || !named || (commits && dashes.is_none())) && shows(name, &parsed) == Shows::Contents {
        // Without a revision it is about the current files.
        let now = matches!(name, "diff" | "diff-files" | "grep") && before <= sought;
        let reach = match (now, reachable) {
            (true, _) => Reach::Index,
            (false, true) => Reach::History,
            (false, false) => Reach::Objects,
        };
        doing.reads.push((at, reach));
    }
    Some(doing)
}

/// Whether a revision is `HEAD`, a commit before it, or a range of these. Any other name may be that of any object.
fn is_head(text: &str) -> bool {
    let one = |text: &str| {
        let steps = text.strip_prefix("HEAD");
        steps.is_some_and(|steps| {
            !steps.starts_with(|c: char| c.is_ascii_digit())
                && steps.chars().all(|c| c.is_ascii_digit() || matches!(c, '~' | '^'))
        })
    };
    match text.split_once("..") {
        Some((from, to)) => one(from) && one(to.trim_start_matches('.')),
        None => one(text),
    }
}

/// A path as git sees it from the folder of `-C`. What a pattern matches bash has found elsewhere.
fn from(at: &Word, word: &Word) -> Option<Word> {
    let text = word.text.as_deref()?;
    if word.glob {
        return None;
    }
    if word.tilde || text.starts_with('/') {
        return Some(word.clone());
    }
    Some(Word {
        tilde: at.tilde,
        ..word.with(format!("{}/{text}", at.text.as_deref()?))
    })
}

fn shows(name: &str, parsed: &Parsed) -> Shows {
    const BRIEF: &[&str] = &[
        "stat",
        "shortstat",
        "numstat",
        "dirstat",
        "summary",
        "name-only",
        "name-status",
        "no-patch",
        "s",
        "raw",
        "l",
        "files-with-matches",
        "files-without-match",
        "count",
        "c",
        "quiet",
        "q",
        "check",
    ];
    const PATCH: &[&str] = &[
        "p",
        "u",
        "patch",
        "U",
        "unified",
        "S",
        "G",
        "L",
        "patch-with-stat",
        "c",
        "cc",
        "m",
        "color-words",
        "word-diff",
        "binary",
    ];
    let contents = match name {
        "diff" | "show" | "diff-tree" | "diff-index" | "diff-files" | "grep" => parsed.has(PATCH) || !parsed.has(BRIEF),
        "log" | "rev-list" | "reflog" => parsed.has(PATCH),
        "blame" | "annotate" | "cat-file" => true,
        _ => false,
    };
    if contents { Shows::Contents } else { Shows::Names }
}

/// Whether a `git branch` or `git tag` with other arguments lists names.
fn lists(name: &str, arguments: &[Word]) -> bool {
    let own = arguments.iter().take_while(|word| !word.is("--"));
    own.filter_map(Word::literal).any(|text| match text {
        "-l" | "--list" => true,
        "--merged" | "--no-merged" | "--contains" | "--no-contains" => name == "branch",
        _ => false,
    })
}

/// Whether `git config` with these arguments only prints.
fn config(arguments: &[Word]) -> bool {
    // Its options end at the first name; everything after it is a value, even with a dash in front.
    let names = arguments.get(options::leading(arguments, &["--type", "--default"])..);
    let value = |word: &Word| word.literal().is_none_or(|text| text.starts_with('-'));
    if names.is_none_or(|names| names.iter().any(value)) {
        return false;
    }
    let Some(parsed) = table::parse("git config", arguments) else {
        return false;
    };
    // With one name and no value git prints it, with two it sets it.
    let verb = parsed.positionals.first().and_then(Word::literal);
    parsed.has(&["get", "get-all", "get-regexp", "list", "l"])
        || matches!(verb, Some("get" | "list"))
        || (parsed.positionals.len() == 1 && verb != Some("edit"))
}
