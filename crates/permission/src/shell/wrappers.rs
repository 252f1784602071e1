//! Programs that run other programs.
//!
//! Two kinds. *Transparent* wrappers (`env`, `timeout`, `nice` …) run what follows them with the
//! same rights; allowing looks through them, provided every one of their options is known.
//! *Carriers* (`sudo`, `xargs`, `find -exec`, `ssh`, package runners …) run something with other
//! rights, other arguments or elsewhere; allowing never looks through them. Denying looks at every
//! word that could begin a command, in both.

use super::Word;
use super::builtins::{harmless_variable, listed};

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

/// Transparent wrappers, their options without a value, and those with one, which is glued or the next word.
const TRANSPARENT: &[(&str, &str, &str)] = &[
    ("env nohup setsid builtin exec", "", ""),
    (
        "timeout",
        "--preserve-status --foreground -v --verbose",
        "-k -s --kill-after --signal",
    ),
    ("nice", "", "-n --adjustment"),
    ("ionice", "-t", "-c -n"),
    ("stdbuf", "", "-i -o -e"),
    ("time command", "-p", ""),
];

/// The words behind one transparent wrapper; `None` if its options are not known.
fn peel(words: &[Word]) -> Option<&[Word]> {
    let (first, mut rest) = words.split_first()?;
    let name = known_name(first)?;
    let (_, flags, valued) = TRANSPARENT.iter().find(|(names, ..)| listed(names, name))?;
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    loop {
        let text = rest.first()?.literal()?;
        if !text.starts_with('-') {
            break;
        }
        let (option, glued) = match text.split_once('=') {
            Some((option, value)) => (option, value),
            None if text.starts_with("--") => (text, ""),
            None => text.split_at_checked(2)?,
        };
        let own = match listed(valued, option) {
            true if glued.is_empty() && rest.get(1)?.literal().is_some_and(plain) => 2,
            true if plain(glued) => 1,
            false if glued.is_empty() && listed(flags, option) => 1,
            // `nice -10`
            false if name == "nice" && text.bytes().skip(1).all(|b| b.is_ascii_digit()) => 1,
            _ => return None,
        };
        rest = rest.get(own..)?;
    }
    while name == "env"
        && let Some((variable, _)) = rest.first()?.literal()?.split_once('=')
    {
        harmless_variable(variable).then_some(())?;
        rest = rest.get(1..)?;
    }
    if name == "timeout" {
        let text = rest.first()?.literal()?;
        let digits = text.strip_suffix(['s', 'm', 'h', 'd']).unwrap_or(text);
        let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        return rest.get(1..).filter(|_| number);
    }
    // `env` alone prints; an option behind variables changes more than is followed.
    (!rest.first()?.literal()?.starts_with('-')).then_some(rest)
}

/// Programs whose arguments may begin a command, besides those looked through above.
pub(super) fn carries(name: &str) -> bool {
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

/// Programs that run the words behind one of these subcommands; `*` for any word, since it may be a program's name.
const CARRYING: &[(&str, &str)] = &[
    ("npm", "exec x"),
    ("pnpm yarn bun", "*"),
    ("docker podman nerdctl", "run exec compose container"),
    ("kubectl oc", "exec run debug"),
    ("uv poetry pipenv rye hatch deno go cargo", "run tool x tool-run"),
    ("bundle mise asdf direnv conda op", "exec run x"),
    ("nix", "run shell develop eval"),
    ("git", "bisect rebase filter-branch submodule difftool mergetool"),
];

pub(super) fn carries_after(name: &str, verb: &str) -> bool {
    let verbs = CARRYING.iter().find(|(names, _)| listed(names, name));
    verbs.is_some_and(|(_, verbs)| *verbs == "*" || listed(verbs, verb))
}

fn may_carry(words: &[Word]) -> bool {
    let text = |at: usize| words.get(at).and_then(|word| word.text.as_deref());
    let Some(name) = text(0).map(base) else {
        return false;
    };
    let mut verbs = words.iter().skip(1).filter_map(|word| word.text.as_deref());
    carries(name) || is_shell(name) || verbs.any(|verb| carries_after(name, verb))
}

/// Shells, whose `-c` text is a command line.
#[must_use]
pub fn is_shell(name: &str) -> bool {
    listed("bash sh dash zsh ksh mksh ash fish rbash csh tcsh", name)
}

/// Interpreters, which run the text or file they get.
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
