//! `git`, subcommand by subcommand.

use super::super::Word;
use super::{Doing, Options, Reach};

const LOG: &str = "oneline graph all stat? shortstat numstat dirstat? summary name-only name-status patch \
    no-patch raw decorate? no-decorate abbrev-commit no-abbrev-commit abbrev? pretty? \
    format= date= since= after= until= before= author= committer= grep= all-match \
    invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp max-count= \
    skip= first-parent merges no-merges min-parents= max-parents= branches? tags? remotes? \
    reverse topo-order date-order author-date-order follow full-history cc \
    combined-all-paths full-diff left-right cherry cherry-pick boundary \
    simplify-by-decoration walk-reflogs show-signature source color? no-color color-words? \
    word-diff? word-diff-regex= unified= minimal patience histogram diff-algorithm= \
    diff-filter= find-renames? find-copies? find-copies-harder no-renames ignore-all-space \
    ignore-space-change ignore-space-at-eol ignore-blank-lines function-context \
    inter-hunk-context= pickaxe-all pickaxe-regex text binary full-index compact-summary \
    check no-ext-diff no-textconv cached staged merge-base quiet exit-code relative? \
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
}

/// What `git` with these arguments reads.
pub(super) fn look_up(arguments: &[Word]) -> Option<Doing> {
    let mut arguments = arguments;
    while let Some((first, rest)) = arguments.split_first() {
        match first.literal()? {
            "--no-pager" | "--literal-pathspecs" | "--no-optional-locks" => arguments = rest,
            "--version" if rest.is_empty() => return Some(Doing::read_only()),
            _ => break,
        }
    }
    let (subcommand, arguments) = arguments.split_first()?;
    let name = subcommand.literal()?;
    // A pattern may become an option, and options of git can run programs.
    if arguments
        .iter()
        .any(|word| word.glob && word.raw.starts_with(['*', '?', '[']))
    {
        return None;
    }
    let (name, arguments) = match (name, arguments.split_first()) {
        ("stash", Some((verb, rest))) if matches!(verb.literal(), Some("list" | "show")) => ("log", rest),
        ("worktree", Some((verb, rest))) if verb.literal() == Some("list") => ("worktree list", rest),
        ("remote", Some((verb, rest))) if verb.literal() == Some("get-url") => ("rev-parse", rest),
        ("reflog", Some((verb, rest))) if verb.literal() == Some("show") => ("log", rest),
        ("submodule", Some((verb, rest))) if verb.literal() == Some("status") => ("worktree list", rest),
        ("notes", Some((verb, rest))) if matches!(verb.literal(), Some("list" | "show")) => ("rev-parse", rest),
        ("config", _) => return config(arguments),
        _ => (name, arguments),
    };
    let (known, rest) = subcommand_options(name, arguments)?;
    let parsed = known.parse(arguments)?;
    if rest == Rest::Nothing && !parsed.positionals.is_empty() {
        return None;
    }
    let mut doing = Doing::read_only();
    doing.repository = true;
    for word in parsed.positionals.iter().chain(&parsed.paths) {
        let text = word.text.as_deref()?;
        // Revisions are compared as paths too: it costs nothing when no rule names them.
        let path = text.split_once(':').map_or(text, |(_, path)| path);
        let path = path.trim_start_matches(":/");
        if path.is_empty() || path.contains("..") && !path.contains('/') {
            continue;
        }
        doing.reads.push((
            Word {
                text: Some(path.to_owned()),
                ..word.clone()
            },
            Reach::File,
        ));
    }
    Some(doing)
}

fn subcommand_options(name: &str, arguments: &[Word]) -> Option<(Options, Rest)> {
    const LOG_SHORT: &str = "pusn:S:G:L:iEFPwbzcmgqtrRaWU:M?C?B?D";
    let known = match name {
        "log" | "show" | "whatchanged" | "rev-list" | "diff" | "diff-tree" | "diff-index" | "diff-files" => {
            options(LOG_SHORT, LOG)
        }
        "status" => options(
            "sbuvz",
            "short branch porcelain? long verbose untracked-files? ignored? show-stash \
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
        "describe" => options(
            "",
            "all tags contains abbrev= always long dirty? exact-match first-parent match= \
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
        "worktree list" => options("vz", "porcelain verbose recursive cached"),
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
            let listing = arguments.iter().any(|word| {
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
    let parsed = known.parse(arguments)?;
    let reads = parsed.has(&["get", "get-all", "get-regexp", "list", "l"]);
    // With one name and no value git prints it, with two it sets it.
    let names = parsed.positionals.len();
    let verb = parsed.positionals.first().and_then(Word::literal);
    let get = matches!(verb, Some("get" | "list"));
    (reads || (names == 1 && !matches!(verb, Some("edit"))) || get).then(Doing::read_only)
}
