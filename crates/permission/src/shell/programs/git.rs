//! `git`, subcommand by subcommand.

use super::super::Word;
use super::options::{Options, Parsed};
use super::{Doing, Reach};

const LOG: &str = "oneline graph all stat? shortstat numstat dirstat? summary name-only name-status patch \
    no-patch raw decorate? no-decorate abbrev-commit no-abbrev-commit abbrev? pretty? \
    format? date= since= after= until= before= author= committer= grep= all-match \
    invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp max-count= \
    skip= first-parent merges no-merges min-parents= max-parents= branches? tags? remotes? \
    reverse topo-order date-order author-date-order follow full-history cc \
    combined-all-paths full-diff left-right cherry cherry-pick boundary \
    simplify-by-decoration walk-reflogs source color? no-color color-words? \
    word-diff? word-diff-regex= unified? minimal patience histogram diff-algorithm= \
    diff-filter= find-renames? find-copies? find-copies-harder no-renames ignore-all-space \
    ignore-space-change ignore-space-at-eol ignore-blank-lines function-context \
    inter-hunk-context= pickaxe-all pickaxe-regex text binary full-index compact-summary \
    check no-index no-ext-diff no-textconv cached staged merge-base quiet exit-code relative? \
    submodule? no-prefix src-prefix= dst-prefix= cherry-mark patch-with-stat no-notes notes? \
    parents children count objects ours theirs base root no-commit-id always mailmap \
    use-mailmap encoding= not glob= exclude= remove-empty dense sparse topo";

const fn options(short: &'static str, long: &'static str) -> Options {
    Options {
        short,
        long,
        numbers: true,
    }
}

/// What a subcommand's other arguments are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Revisions and paths.
    Anything,
    /// Nothing may stand there: a name would be created.
    Nothing,
    /// One name: with two the first would be set.
    One,
}

/// How much of the repository's files a subcommand shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    /// Names, dates, messages.
    Names,
    /// What is in them.
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
            "--version" if rest.is_empty() => return Some(Doing::read_only()),
            _ => break,
        }
    }
    let (subcommand, arguments) = arguments.split_first()?;
    let name = subcommand.literal()?;
    let (name, arguments) = match (name, arguments.split_first()) {
        ("stash", Some((verb, rest))) if verb.literal() == Some("list") => ("log", rest),
        ("stash", Some((verb, rest))) if verb.literal() == Some("show") => ("diff", rest),
        ("worktree", Some((verb, rest))) if verb.literal() == Some("list") => ("worktree list", rest),
        ("remote", Some((verb, rest))) if verb.literal() == Some("get-url") => ("remote get-url", rest),
        ("reflog", Some((verb, rest))) if verb.literal() == Some("show") => ("log", rest),
        ("notes", Some((verb, rest))) if matches!(verb.literal(), Some("list" | "show")) => ("notes", rest),
        ("config", _) => {
            return config(arguments).map(|mut doing| {
                doing.repository = Some(at.clone());
                doing
            });
        }
        _ => (name, arguments),
    };
    let (known, rest) = subcommand_options(name, arguments)?;
    let parsed = known.parse(arguments)?;
    let most = match rest {
        Rest::Anything => usize::MAX,
        Rest::Nothing => 0,
        Rest::One => 1,
    };
    if parsed.positionals.len() > most || (most == 1 && parsed.positionals.iter().any(|word| word.glob)) {
        return None;
    }
    // These make git run what verifies a signature: `%G?`, also as `%+G?`, and `%(signature)`.
    let signature = |text: &str| {
        let mut parts = text.split('%').skip(1);
        text.contains("signature") || parts.any(|part| part.trim_start_matches(['+', '-', ' ']).starts_with('G'))
    };
    let verifies = |value: &Option<Word>| {
        let value = value.as_ref();
        value.is_some_and(|value| value.text.as_deref().is_none_or(signature))
    };
    if parsed
        .options
        .iter()
        .any(|(name, value)| matches!(name.as_str(), "format" | "pretty" | "sort") && verifies(value))
    {
        return None;
    }
    // A submodule's differences are made by another git in it, which nobody has quietened.
    if parsed
        .options
        .iter()
        .any(|(name, value)| name == "submodule" && value.as_ref().and_then(Word::literal) != Some("short"))
    {
        return None;
    }
    // Outside of a repository, and with this option inside, every name is that of a file.
    if parsed.has(&["no-index"]) && parsed.positionals.iter().any(|word| word.id) {
        return None;
    }
    let mut doing = Doing::read_only();
    doing.repository = Some(at.clone());
    // Unlike `diff` and `status` these do not obey `diff.ignoreSubmodules`.
    doing.enters_submodules = match name {
        "diff-files" => true,
        "describe" => parsed.has(&["dirty"]),
        "diff-index" => !parsed.has(&["cached"]),
        _ => false,
    };
    doing
        .reads
        .extend(parsed.paths.iter().map(|word| (word.clone(), Reach::File)));
    // A value that stands apart may be taken for a path: `diff` looks whether it is a file outside of the repository
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
    let dashes = arguments.iter().position(|word| word.literal() == Some("--"));
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
            doing.reads.push((
                Word {
                    text: Some(path.to_owned()),
                    ..word.clone()
                },
                reach,
            ));
        }
    }
    if at.raw != "." {
        for (word, _) in &mut doing.reads {
            *word = from(&at, word)?;
        }
    }
    if (wide || !named || (commits && dashes.is_none())) && shows(name, &parsed) == Shows::Contents {
        // Without a revision it is about what lies there now.
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
        text: Some(format!("{}/{text}", at.text.as_deref()?)),
        tilde: at.tilde,
        ..word.clone()
    })
}

fn shows(name: &str, parsed: &Parsed) -> Shows {
    let brief = parsed.has(&[
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
        "files-with-matches",
        "l",
        "files-without-match",
        "count",
        "c",
        "quiet",
        "q",
        "check",
    ]);
    let patch = parsed.has(&[
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
    ]);
    let contents = match name {
        "diff" | "show" | "diff-tree" | "diff-index" | "diff-files" | "grep" => patch || !brief,
        "log" | "rev-list" | "reflog" => patch,
        "blame" | "annotate" | "cat-file" => true,
        _ => false,
    };
    if contents { Shows::Contents } else { Shows::Names }
}

fn subcommand_options(name: &str, arguments: &[Word]) -> Option<(Options, Rest)> {
    const LOG_SHORT: &str = "pusn:S:G:L:iEFPwbzcmgqtrRaWU?M?C?B?D";
    let known = match name {
        "log" | "show" | "rev-list" | "diff" | "diff-tree" | "diff-index" | "diff-files" => options(LOG_SHORT, LOG),
        "status" => options(
            "sbu?z",
            "short branch porcelain? long untracked-files? ignored? show-stash \
            ahead-behind no-ahead-behind renames no-renames column? null",
        ),
        "shortlog" => options(
            "nsec",
            "numbered summary email committer all no-merges since= until= group=",
        ),
        "blame" | "annotate" => options(
            "wlsetnfpcL:M?C?",
            "date= porcelain line-porcelain show-email root since= abbrev?",
        ),
        "rev-parse" => options(
            "q",
            "show-toplevel show-prefix show-cdup git-dir git-common-dir absolute-git-dir \
            is-inside-work-tree is-inside-git-dir is-bare-repository abbrev-ref? short? \
            verify symbolic symbolic-full-name all branches tags remotes quiet \
            show-superproject-working-tree show-object-format",
        ),
        // For `--dirty` it gets a copy of the index, see `quiet`. Not `--broken`, which runs git once more.
        "describe" => options(
            "",
            "dirty? all tags contains abbrev= always long exact-match first-parent match= \
            exclude= candidates=",
        ),
        "ls-files" => options(
            "cdomiuskzvtfx:",
            "cached deleted modified others ignored stage unmerged killed directory \
            exclude-standard full-name error-unmatch exclude= abbrev? deduplicate",
        ),
        "ls-tree" => options(
            "drtlz",
            "long name-only name-status full-name full-tree abbrev? object-only format=",
        ),
        "cat-file" => options("tsep", ""),
        "merge-base" => options("a", "all octopus independent is-ancestor fork-point"),
        "name-rev" => options("", "tags name-only refs= always"),
        "for-each-ref" => options(
            "",
            "format= sort= count= contains? no-contains? merged? no-merged? points-at=",
        ),
        "count-objects" => options("vH", "verbose human-readable"),
        "cherry" => options("v", "abbrev?"),
        "worktree list" => options("vz", "porcelain verbose"),
        "remote get-url" => options("", "push all"),
        "notes" => options("", ""),
        "show-ref" => options("dq", "head heads tags branches dereference hash? abbrev? quiet"),
        "symbolic-ref" => return Some((options("q", "short quiet"), Rest::One)),
        "check-ignore" => options("qvzn", "quiet verbose non-matching no-index"),
        "grep" => options(
            "acEFGPHhiIlLnovwWzqe:f%A:B:C:m:",
            "text ignore-case word-regexp invert-match line-number column files-with-matches \
            name-only files-without-match count color? no-color break heading show-function \
            function-context after-context= before-context= context= and or not all-match \
            quiet max-depth= recursive cached untracked no-index extended-regexp \
            fixed-strings perl-regexp basic-regexp only-matching max-count= full-name",
        ),
        "branch" => {
            let list = options(
                "avrl",
                "all remotes list verbose show-current merged? no-merged? contains? no-contains? \
            sort= format= points-at= color? no-color column? no-column abbrev? no-abbrev \
            ignore-case",
            );
            let listing = arguments
                .iter()
                .take_while(|word| word.literal() != Some("--"))
                .any(|word| {
                    matches!(
                        word.literal(),
                        Some("-l" | "--list" | "--merged" | "--no-merged" | "--contains" | "--no-contains")
                    )
                });
            return Some((list, if listing { Rest::Anything } else { Rest::Nothing }));
        }
        "tag" => {
            let list = options(
                "ln?",
                "list sort= format= contains? no-contains? merged? no-merged? points-at= column? \
            no-column color? ignore-case",
            );
            let listing = arguments
                .iter()
                .take_while(|word| word.literal() != Some("--"))
                .any(|word| matches!(word.literal(), Some("-l" | "--list")));
            return Some((list, if listing { Rest::Anything } else { Rest::Nothing }));
        }
        "remote" => return Some((options("v", "verbose"), Rest::Nothing)),
        "stash" | "reflog" => {
            // Bare `git stash` stashes; bare `git reflog` shows.
            return (name == "reflog").then(|| (options(LOG_SHORT, LOG), Rest::Nothing));
        }
        _ => return None,
    };
    Some((known, Rest::Anything))
}

fn config(arguments: &[Word]) -> Option<Doing> {
    let known = options(
        "lz",
        "get get-all get-regexp list local global system show-origin show-scope name-only \
            null type= default=",
    );
    // Its options end at the first name; what follows that is a value, whatever it looks like.
    let mut own = 0;
    while let Some(text) = arguments
        .get(own)
        .and_then(Word::literal)
        .filter(|text| text.starts_with('-'))
    {
        own += if matches!(text, "--type" | "--default") { 2 } else { 1 };
    }
    let value = |word: &Word| word.literal().is_none_or(|text| text.starts_with('-'));
    if arguments.get(own..).is_none_or(|names| names.iter().any(value)) {
        return None;
    }
    let parsed = known.parse(arguments)?;
    let reads = parsed.has(&["get", "get-all", "get-regexp", "list", "l"]);
    // With one name and no value git prints it, with two it sets it.
    let names = parsed.positionals.len();
    let verb = parsed.positionals.first().and_then(Word::literal);
    let get = matches!(verb, Some("get" | "list"));
    (reads || (names == 1 && !matches!(verb, Some("edit"))) || get).then(Doing::read_only)
}

/// The subcommands that are known to only read, at least with some options.
const NAMES: &str = "log show rev-list diff diff-tree diff-index diff-files status shortlog blame annotate \
    rev-parse describe ls-files ls-tree cat-file merge-base name-rev for-each-ref count-objects cherry check-ignore grep \
    branch tag remote reflog show-ref symbolic-ref";

/// Whether a subcommand may count as only reading. The second words of some are of no interest here.
pub(crate) fn reads(name: &str) -> bool {
    NAMES.split_whitespace().any(|known| known == name)
        || matches!(name, "whatchanged" | "stash" | "worktree" | "notes" | "config")
}

/// The subcommands with their options.
pub(super) fn corpus() -> Vec<(String, Vec<(String, char)>)> {
    NAMES
        .split_whitespace()
        .filter_map(|name| Some((format!("git {name}"), subcommand_options(name, &[])?.0.all())))
        .collect()
}
