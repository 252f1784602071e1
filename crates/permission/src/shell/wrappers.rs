//! Programs that run other programs.
//!
//! Two kinds. *Transparent* wrappers (`env`, `timeout`, `nice` …) run what follows them with the
//! same rights; allowing looks through them, provided every one of their options is known.
//! *Carriers* (`sudo`, `xargs`, `find -exec`, `ssh`, package runners …) run something with other
//! rights, other arguments or elsewhere; allowing never looks through them. Denying looks at every
//! word that could begin a command, in both.

use super::builtins::{self, harmless_variable, listed};
use super::{Problem, Word};

/// How many wrappers around one command are looked through.
const MOST_WRAPPERS: usize = 6;

/// The last part of a path: what a program is called by.
#[must_use]
pub fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The name of a program as the tables know it: written bare, or in a directory of the system.
/// `./ls` is not `ls`.
#[must_use]
pub fn known_name(word: &Word) -> Option<&str> {
    let name = word.literal()?;
    let bare = name
        .strip_prefix("/usr/bin/")
        .or_else(|| name.strip_prefix("/bin/"))
        .unwrap_or(name);
    (!bare.contains('/') && !bare.is_empty()).then_some(bare)
}

/// What runs once the transparent wrappers are gone.
#[must_use]
pub fn transparent(words: &[Word]) -> &[Word] {
    let mut rest = words;
    for _ in 0..MOST_WRAPPERS {
        match peel(rest) {
            Some(inner) if !inner.is_empty() => rest = inner,
            _ => break,
        }
    }
    rest
}

fn peel(words: &[Word]) -> Option<&[Word]> {
    let (first, rest) = words.split_first()?;
    let text = |at: usize| rest.get(at).and_then(Word::literal);
    let after = |at: usize| rest.get(at..);
    match known_name(first)? {
        "env" => {
            let mut at = 0;
            while let Some((name, _)) = text(at).and_then(|word| word.split_once('=')) {
                if !harmless_variable(name) {
                    return None;
                }
                at += 1;
            }
            // `env` alone prints; an option changes more than we follow.
            text(at).filter(|word| !word.starts_with('-'))?;
            after(at)
        }
        "timeout" => {
            let mut at = 0;
            loop {
                match text(at)? {
                    "--preserve-status" | "--foreground" | "-v" | "--verbose" => at += 1,
                    "-k" | "-s" | "--kill-after" | "--signal" => {
                        duration_or_signal(text(at + 1)?)?;
                        at += 2;
                    }
                    word if word.starts_with("--kill-after=") || word.starts_with("--signal=") => {
                        at += 1;
                    }
                    word => {
                        duration(word)?;
                        return after(at + 1);
                    }
                }
            }
        }
        "nice" => match text(0)? {
            "-n" => {
                number(text(1)?)?;
                after(2)
            }
            word if word.starts_with('-') => {
                number(word.trim_start_matches("-n").trim_start_matches("--adjustment="))?;
                after(1)
            }
            _ => after(0),
        },
        "ionice" => {
            let mut at = 0;
            while let Some(word) = text(at).filter(|word| word.starts_with('-')) {
                match word {
                    "-t" => at += 1,
                    "-c" | "-n" => {
                        number(text(at + 1)?)?;
                        at += 2;
                    }
                    word if word.starts_with("-c") || word.starts_with("-n") => {
                        number(word.get(2..)?)?;
                        at += 1;
                    }
                    _ => return None,
                }
            }
            after(at)
        }
        "stdbuf" => {
            let mut at = 0;
            while let Some(word) = text(at).filter(|word| word.starts_with('-')) {
                let mode = word.get(2..).unwrap_or_default();
                if !matches!(word.get(..2)?, "-i" | "-o" | "-e") || mode.is_empty() {
                    return None;
                }
                at += 1;
            }
            after(at)
        }
        "nohup" | "setsid" | "builtin" | "exec" => {
            text(0).filter(|word| !word.starts_with('-'))?;
            after(0)
        }
        "time" => match text(0)? {
            "-p" => after(1),
            word if word.starts_with('-') => None,
            _ => after(0),
        },
        "command" => match text(0)? {
            "-p" => after(1),
            word if word.starts_with('-') => None,
            _ => after(0),
        },
        _ => None,
    }
}

fn number(text: &str) -> Option<()> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(())
}

fn duration(text: &str) -> Option<()> {
    let digits = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
    let fits = |b: u8| b.is_ascii_digit() || b == b'.';
    (!digits.is_empty() && digits.bytes().all(fits)).then_some(())
}

fn duration_or_signal(text: &str) -> Option<()> {
    let name = text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    duration(text).or_else(|| (name && !text.is_empty()).then_some(()))
}

/// Programs whose arguments may begin a command, besides those looked through above.
fn carries(name: &str) -> bool {
    const KNOWN: &str = "env timeout gtimeout nice ionice nohup setsid stdbuf time command builtin exec chrt \
        taskset numactl unbuffer caffeinate sudo doas su runuser pkexec run0 xargs gxargs \
        parallel find gfind fd fdfind watch entr strace ltrace gdb valgrind perf script \
        scriptreplay flock chroot fakeroot nsenter unshare setpriv capsh prlimit cgexec \
        systemd-run bwrap firejail proot dbus-run-session xvfb-run ssh sshpass busybox \
        toybox npx bunx uvx pipx pnpx dotenv nix-shell tmux screen at batch \
        start-stop-daemon ld.so ld-linux-x86-64.so.2 catchsegv trap coproc eval hyperfine \
        setarch linux32 linux64 i386 x86_64 uname26 choom runcon sg newgrp systemd-inhibit systemd-cat chpst \
        softlimit setuidgid gosu su-exec tini dumb-init eatmydata faketime proxychains proxychains4 torsocks \
        chronic ifne pee sem rush cpulimit trickle daemonize daemon dtach abduco nsjail minijail0 lxc-attach \
        machinectl flatpak snap wine rr uftrace heaptrack ssh-agent aa-exec xinit startx sudoedit gdbserver \
        bpftrace exiftool expect socat rlwrap dpkg-architecture debconf logsave not-14 fstab-decode memusage sotruss msgfilter msgexec uclampset \
        pg_virtualenv debconf-apt-progress gprofng savelog slogin ssh-copy-id jobs prove ts-node tsx alias mapfile readarray complete compgen";
    listed(KNOWN, name)
}

/// Programs that run what follows one of their subcommands.
fn carries_after(name: &str, verb: &str) -> bool {
    match name {
        "npm" => matches!(verb, "exec" | "x"),
        // These also take the name of a program where a subcommand could stand.
        "pnpm" | "yarn" | "bun" => true,
        "docker" | "podman" | "nerdctl" => matches!(verb, "run" | "exec" | "compose" | "container"),
        "kubectl" | "oc" => matches!(verb, "exec" | "run" | "debug"),
        "uv" | "poetry" | "pipenv" | "rye" | "hatch" | "deno" | "go" | "cargo" => {
            matches!(verb, "run" | "tool" | "x" | "tool-run")
        }
        "bundle" | "mise" | "asdf" | "direnv" | "conda" | "op" => {
            matches!(verb, "exec" | "run" | "x")
        }
        "nix" => matches!(verb, "run" | "shell" | "develop" | "eval"),
        "git" => matches!(
            verb,
            "bisect" | "rebase" | "filter-branch" | "submodule" | "difftool" | "mergetool"
        ),
        _ => false,
    }
}

fn may_carry(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    let Some(name) = text(0).map(base) else {
        return false;
    };
    carries(name)
        || is_shell(name)
        || words
            .iter()
            .skip(1)
            .filter_map(|word| word.text.as_deref())
            .any(|verb| carries_after(name, verb))
}

/// Shells, whose `-c` text is a command line.
#[must_use]
pub fn is_shell(name: &str) -> bool {
    listed("bash sh dash zsh ksh mksh ash fish rbash csh tcsh", name)
}

/// Interpreters, which run whatever they are given.
#[must_use]
pub fn is_interpreter(name: &str) -> bool {
    const KNOWN: &str = "python pypy ipython node nodejs deno bun perl ruby irb php lua luajit tclsh wish \
        expect osascript Rscript R julia ghci runghc scala groovy jshell awk gawk mawk nawk \
        sed gsed ed ex vi vim nvim emacs psql mysql sqlite tsx ts-node pwsh powershell swift \
        elixir iex erl gdb lldb bc dc m4 make gmake gnuplot octave guile racket sbcl clisp ocaml clojure bb raku nu \
        elvish xonsh yash osh mongosh swipl gprolog gs tex latex pdftex pdflatex xelatex lualatex groovysh dart janet pdb gdbtui groff troff nroff pic eqn";
    let stem = stem_of(name);
    is_shell(stem) || listed(KNOWN, stem)
}

/// A program's name without its version: `python3.11`, `gcc-12`, `perl5.36-x86_64-linux-gnu`.
#[must_use]
pub fn stem_of(name: &str) -> &str {
    let stem = name.split(|c: char| c.is_ascii_digit()).next().unwrap_or(name);
    let stem = stem.trim_end_matches(['-', '.', '_']);
    if stem.is_empty() { name } else { stem }
}

/// Every run of words that could begin a command, outermost first: what deny and ask rules see.
pub fn levels(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    // Of a package runner only the first word, as its name for a script: `yarn zap`.
    let inner = match words.first().and_then(|word| word.text.as_deref()).map(base) {
        Some("pnpm" | "yarn" | "bun") => 3,
        _ if may_carry(words) => words.len(),
        _ => 1,
    };
    (0..inner).filter_map(|at| words.get(at..)).filter(|rest| {
        // A flag is not the name of a program, but its value may be: `-exec zap`, `--x=zap`.
        rest.first()
            .and_then(|word| word.text.as_deref())
            .is_none_or(|text| !text.starts_with('-'))
    })
}

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
    let runs = words
        .first()
        .and_then(|word| word.text.as_deref())
        .map(base)
        .is_some_and(|name| {
            carries(name) || is_shell(name) || matches!(name, "source" | "." | "eval" | "bind" | "enable")
        });
    words
        .iter()
        .skip(1)
        .filter(move |_| runs)
        .filter_map(|word| word.text.as_deref())
        .filter(|text| text.contains(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | '$' | '`')))
}

/// Texts among the arguments of what hands them to a shell.
pub fn shell_texts(words: &[Word]) -> impl Iterator<Item = &str> {
    const KNOWN: &str = "sudo doas su runuser run0 script watch flock ssh slogin ssh-copy-id sshpass savelog tmux screen parallel sem rush entr \
        hyperfine nix-shell socat strace ltrace gdb rlwrap sg newgrp machinectl git at batch perf ncat nc time";
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    let name = text(0).map(base).unwrap_or_default();
    let carries = name != "git"
        || words
            .iter()
            .skip(1)
            .any(|word| word.literal().is_some_and(|verb| carries_after("git", verb)));
    let runs = listed(KNOWN, name) && carries;
    let odd = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ';' | '|' | '&' | '(' | '$' | '`' | '{' | '*' | '?' | '[' | '~' | '<' | '>' | '\\' | '\'' | '"'
            )
    };
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
                    text.starts_with("-c") || text.starts_with("--config-env") || text.starts_with("--exec-path")
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
            let inline = |text: &str| {
                text == "-"
                    || text.starts_with("-c")
                    || text.starts_with("-e")
                    || text.starts_with("-E")
                    || text.starts_with("-p")
                    || text.starts_with("-r")
                    || text.starts_with("--eval")
                    || text.starts_with("--print")
                    || text.starts_with("-i")
                    || (is_shell(name) && text.starts_with('-'))
                    || (text.starts_with('-') && !text.starts_with("--") && text.ends_with(['c', 'e']))
            };
            let inline = |text: &str| inline(text) || (is_shell(name) && text.starts_with('+'));
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

/// Whether a program may take what it is fed for commands: what opens a shell where it is told none, and languages that
/// are spoken to.
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
                let loading = [
                    "--import",
                    "--require",
                    "--loader",
                    "--experimental-loader",
                    "--env-file",
                    "--run",
                    "--input-type",
                    "--eval",
                    "--print",
                    "--interactive",
                    "--snapshot-blob",
                    "--build-snapshot",
                    "--test-reporter",
                ];
                option.starts_with("--") && !loading.iter().any(|known| option.starts_with(known))
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

/// The folder a program is told to work in, apart or glued to the option, alone or among others.
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
