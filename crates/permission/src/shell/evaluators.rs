//! Programs that run text: shells, interpreters, and programs with an argument that is a command.

use super::builtins::{self, harmless_variable, listed};
use super::wrappers::{base, carries, carries_after, is_interpreter, is_shell, levels, stem_of};
use super::{Problem, Word};

/// Why something in these words, at any level, may run text that was not analysed.
#[must_use]
pub fn evaluating(words: &[Word]) -> Option<Problem> {
    let whole = words.len();
    levels(words).find_map(|level| {
        // A dot is a folder, but for what runs builtins.
        let before = (whole - level.len())
            .checked_sub(1)
            .and_then(|at| words.get(at)?.literal());
        let folder = level.first().and_then(Word::literal) == Some(".");
        let runs = before.is_none_or(|before| matches!(before, "command" | "builtin" | "eval" | "time" | "exec"));
        evaluates(level).filter(|_| !folder || runs)
    })
}

/// Texts among the arguments that a program may run as a command line.
pub fn texts(words: &[Word]) -> impl Iterator<Item = &str> {
    let name = words.first().and_then(|word| word.text.as_deref()).map(base);
    let runs = name.is_some_and(|name| carries(name) || is_shell(name) || listed("source . eval bind enable", name));
    let arguments = words.iter().skip(1).filter(move |_| runs);
    arguments
        .filter_map(|word| word.text.as_deref())
        .filter(|text| text.contains(|c: char| c.is_whitespace() || ";|&($`".contains(c)))
}

/// Texts among the arguments of what hands them to a shell.
pub fn shell_texts(words: &[Word]) -> impl Iterator<Item = &str> {
    const KNOWN: &str = "sudo doas su runuser run0 script watch flock ssh slogin ssh-copy-id sshpass savelog tmux screen parallel sem rush entr \
        hyperfine nix-shell socat strace ltrace gdb rlwrap sg newgrp machinectl git at batch perf ncat nc time";
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    let name = text(0).map(base).unwrap_or_default();
    let mut verbs = words.iter().skip(1).filter_map(Word::literal);
    let runs = listed(KNOWN, name) && (name != "git" || verbs.any(|verb| carries_after("git", verb)));
    let odd = |c: char| c.is_whitespace() || ";|&($`{*?[~<>\\'\"".contains(c);
    let arguments = words.iter().skip(1).filter(move |_| runs);
    arguments
        .filter_map(|word| word.text.as_deref())
        .filter(move |text| text.contains(odd))
}

/// Whether what remains after the transparent wrappers runs text that no one has read.
#[must_use]
pub fn evaluates(words: &[Word]) -> Option<Problem> {
    let (first, arguments) = words.split_first()?;
    let name = base(first.text.as_deref()?);
    let said = || Some(Problem::Evaluates(name.to_owned()));
    let texts = || arguments.iter().filter_map(|word| word.text.as_deref());
    if carries(name) {
        let set = texts().filter_map(|text| text.split_once('=')).map(|(name, _)| name);
        let variable =
            |name: &&str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !harmless_variable(name);
        if let Some(name) = set.into_iter().find(variable) {
            return Some(Problem::Assignment(name.to_owned()));
        }
    }
    if let Some(problem) = builtins::evaluates(name, arguments) {
        return Some(problem);
    }
    match name {
        "awk" | "gawk" | "mawk" | "nawk" if super::programs::awk(arguments).is_none() => said(),
        "sed" | "gsed" if super::programs::sed(arguments).is_none() => said(),
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" => None,
        // Its options take variables away, move elsewhere or split a text into words.
        "env" if texts().next().is_some_and(|text| text.starts_with('-')) => said(),
        "git"
            if texts()
                .take_while(|text| text.starts_with('-') || text.contains('='))
                .any(|text| {
                    ["-c", "--config-env", "--exec-path"]
                        .iter()
                        .any(|option| text.starts_with(option))
                }) =>
        {
            said()
        }
        _ if super::orders::gives_orders(words) => said(),
        "make" | "gmake" if texts().any(gives_rules) => said(),
        "make" | "gmake" => None,
        // Settings that name what they run or load.
        "cargo" if texts().any(|text| text.starts_with("--config")) => said(),
        "npm" | "npx" | "yarn" | "pnpm"
            if texts().any(|text| text.starts_with("--node-o") || text.starts_with("--script-s")) =>
        {
            said()
        }
        "vi" | "view" | "rview" | "gview" | "emacs" | "ed" | "ex" | "editor" | "sensible-editor" | "vipw" | "vigr" => {
            said()
        }
        name if name.contains("vim") => said(),
        name if is_interpreter(name) => {
            // With a file to run it is a program like any other; with text, or nothing, it is not.
            let begins = ["-c", "-e", "-E", "-p", "-r", "--eval", "--print", "-i"];
            let inline = |text: &str| {
                text == "-"
                    || begins.iter().any(|option| text.starts_with(option))
                    || (is_shell(name) && text.starts_with(['-', '+']))
                    || (text.starts_with('-') && !text.starts_with("--") && text.ends_with(['c', 'e']))
            };
            if loads(name, arguments) {
                return said();
            }
            let version =
                texts().all(|text| matches!(text, "--version" | "-V" | "-v" | "--help")) && !arguments.is_empty();
            // A pipe is a text as well.
            let device = |text: &str| text.starts_with("/dev/") || text.starts_with("/proc/");
            let file = texts().any(|text| !text.starts_with('-') && !device(text));
            (!version && (texts().any(inline) || texts().any(device) || !file))
                .then(|| Problem::Evaluates(name.to_owned()))
        }
        _ => None,
    }
}

/// Modules of Python's that run a text they are given.
fn runs_text(module: &str) -> bool {
    listed(
        "timeit code pdb cProfile profile trace runpy asyncio sqlite3 imaplib",
        module,
    )
}

/// Why a word behind the first, in what is no carrier we know, may be a shell or a language with a text to run.
#[must_use]
pub fn runs_inside(words: &[Word], fed: bool) -> Option<Problem> {
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    (1..words.len()).find_map(|at| {
        let name = base(text(at)?);
        let told = text(at + 1).is_some_and(|next| next.starts_with('-'));
        let level = words.get(at..)?;
        if is_shell(name) && fed {
            return Some(Problem::Evaluates(name.to_owned()));
        }
        evaluates(level).filter(|_| told && is_interpreter(name))
    })
}

/// Whether an argument of `make` holds rules, or says where they are, or a variable they are made of.
fn gives_rules(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    text.contains('=')
        || ["--ev", "--f", "--mak"].iter().any(|option| text.starts_with(option))
        || letters.is_some_and(|letters| letters.contains(['f', 'E']))
}

/// Languages that are given a file to run: what they are fed is its data.
#[must_use]
pub fn runs_a_file(name: &str) -> bool {
    const KNOWN: &str = "python pypy node nodejs perl ruby php lua luajit Rscript tsx ts-node";
    let stem = stem_of(base(name));
    is_shell(stem) || listed(KNOWN, stem)
}

/// Whether a program may take its input for commands: programs that open a shell if they get no command, and
/// interactive languages.
#[must_use]
pub fn obeys_input(name: &str) -> bool {
    const GIVEN: &str = "deno bun awk gawk mawk nawk sed gsed make gmake";
    const PASSING: &str = "env timeout gtimeout nice ionice nohup setsid stdbuf time command builtin exec xargs gxargs \
        find gfind fd fdfind npx bunx uvx pipx strace";
    let name = base(name);
    let given_a_file = runs_a_file(name) || listed(GIVEN, stem_of(name));
    (carries(name) || is_interpreter(name)) && !given_a_file && !listed(PASSING, name)
}

/// Whether an interpreter's own options, those before its file, hold a text to run or a module to load.
fn loads(name: &str, arguments: &[Word]) -> bool {
    let stem = stem_of(name);
    let mut rest = arguments.iter().filter_map(|word| word.text.as_deref());
    while let Some(option) = rest.next().filter(|text| text.starts_with('-') && *text != "-") {
        let letters = |known: &str| {
            let own = option.strip_prefix('-').unwrap_or_default();
            !own.starts_with('-') && own.chars().all(|c| known.contains(c))
        };
        let harmless = match stem {
            "python" | "pypy" => {
                // The module's arguments are its own.
                if option == "-m" {
                    let Some(module) = rest.next() else { return true };
                    let edits = module == "pip" && rest.any(|text| text.starts_with("--ed"));
                    return edits || runs_text(module);
                }
                if matches!(option, "-W" | "-X") {
                    rest.next();
                    continue;
                }
                letters("bBdEIOqsSuvxP") || option.starts_with("-W") || option.starts_with("-X")
            }
            "perl" => letters("wWtTUuvchl"),
            "ruby" => letters("wvcWU") || matches!(option, "--version" | "--yjit" | "--jit"),
            "node" | "nodejs" => {
                // It takes the one for the other.
                let option = option.replace('_', "-");
                const LOADING: &str = "--import --require --loader --experimental-loader --env-file --run --input-type \
                    --eval --print --interactive --snapshot-blob --build-snapshot --test-reporter";
                option.starts_with("--") && !LOADING.split(' ').any(|known| option.starts_with(known))
                    || matches!(option.as_str(), "-c" | "-v" | "-h")
            }
            _ => true,
        };
        if !harmless && !matches!(option, "--version" | "--help" | "-V" | "-h" | "-v") {
            return true;
        }
    }
    false
}

/// The folder that an option sets as working folder, in a separate word or glued to the option, alone or among others.
#[must_use]
pub fn working_folder(own: &[Word]) -> Option<&str> {
    own.iter().enumerate().find_map(|(at, word)| {
        let text = word.literal()?;
        let next = || own.get(at + 1)?.literal();
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long
                .split_once('=')
                .map_or((long, None), |(name, value)| (name, Some(value)));
            let full = ["prefix", "directory", "cwd", "workspace", "workspaces"];
            return full
                .iter()
                .any(|full| name.len() > 2 && full.starts_with(name))
                .then(|| value.or_else(next))
                .flatten();
        }
        if text == "-w" {
            return next();
        }
        let (_, glued) = text.strip_prefix('-')?.split_once('C')?;
        if glued.is_empty() { next() } else { Some(glued) }
    })
}

/// Whether a program called so runs what its arguments say.
#[must_use]
pub fn runs_its_arguments(name: &str) -> bool {
    let name = base(name);
    carries(name)
        || is_interpreter(name)
        || listed(
            "git npm yarn pnpm bun cargo docker podman kubectl uv poetry go nix",
            name,
        )
}

/// Whether git itself knows this verb; any other is an alias, or a program called `git-…`.
#[must_use]
pub fn is_git_verb(verb: &str) -> bool {
    const KNOWN: &str = "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore \
        check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph \
        commit-tree config count-objects describe diff diff-files diff-index diff-tree fast-export fast-import fetch \
        fmt-merge-msg for-each-ref format-patch fsck gc grep hash-object help index-pack init log ls-files ls-remote ls-tree \
        mailinfo merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-objects pack-refs patch-id \
        prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse \
        revert rm shortlog show show-branch show-index show-ref sparse-checkout stash status stripspace submodule switch \
        symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag \
        version whatchanged worktree write-tree";
    listed(KNOWN, verb)
}
