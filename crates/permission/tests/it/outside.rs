//! Files outside the roots reveal nothing before a permission request: neither their content, nor their name, nor their
//! existence.

use sluice_permission::{Verdict, quiet};

use crate::world::world;

/// Bash itself matches patterns, for any command.
#[test]
fn names_outside_are_not_shown_by_a_pattern() {
    let w = world();
    for line in [
        "echo ../other/*",
        "echo ~/.ssh/*",
        "echo /etc/*",
        "printf '%s\\n' /etc/*",
        "for f in /etc/*; do echo x; done",
        "for f in ~/.ssh/*; do echo \"$f\"; done",
        "basename -a /etc/*",
        "which /opt/*",
        ": /etc/*",
        "true ../*",
        "type /etc/*",
        "[ -n /etc/p* ]",
    ] {
        w.asks(line);
    }
    w.allows("echo *");
    w.allows("echo src/*.rs");
}

/// What a command prints is, outside quotes, a pattern too.
#[test]
fn names_outside_are_not_shown_by_a_pattern_that_was_printed() {
    let w = world();
    for line in [
        "basename -a $(cat list)",
        "which $(cat list)",
        "printf '%s\\n' $(cat list)",
        "for f in $(cat list); do echo \"$f\"; done",
        "x=$(cat list); dirname $x",
        "read -r x < list; basename $x",
        "seq $(git log --format=%s)",
        "printf '%s ' $(head -3 list | sort)",
        "for f in `cat list`; do echo \"$f\"; done",
        // A link may lead to a pattern, and some print what they are given.
        "for f in $(ls -l); do echo \"$f\"; done",
        "basename -a $(git rev-parse -- '/etc/*')",
        "basename -a $(seq -s ' /etc/* ' 2)",
        "basename -a $(find . | sort < list)",
    ] {
        w.asks(line);
    }
    w.allows("for i in $(seq 1 3); do echo \"$i\"; done");
    w.allows("x=$(cat list); echo \"$x\"");
    w.allows("basename \"$(cat list)\"");
    w.allows("seq $(wc -l < a.txt)");
}

#[test]
fn whether_a_file_outside_is_there_is_not_told() {
    let w = world();
    for line in [
        "[[ -f ../x ]]",
        "[[ -e ~/.ssh/id ]] && echo yes",
        "[[ /etc/passwd -nt a.txt ]]",
        "[[ a.txt -ef /etc/passwd ]]",
        "[[ ! -d /srv/x ]]",
        "[[ -n x && -r /etc/shadow ]]",
        "if [[ -L ../x ]]; then echo yes; fi",
        "[[ -f $x ]]",
        "x=$(cat list); [[ -f $x ]]",
        "test -f ../x",
        "fd --glob /etc/x src",
        "[ -f ../x ]",
    ] {
        w.stops(line);
    }
    w.allows("[[ -f a.txt ]]");
    w.allows("for f in a.txt b.txt; do [[ -f $f ]] && head -1 \"$f\"; done");
    w.allows("[[ -z \"$PATH\" ]]");
}

/// A command that takes its names from elsewhere than from who runs it.
#[test]
fn a_carried_command_takes_no_names_of_its_own() {
    let w = world();
    w.asks("cat list | find . -maxdepth 0 -exec xargs cat {} \\;");
    w.asks("find . | xargs xargs cat");
}

/// Programs that look into the folder to find out which of them is meant, write, or ask a server.
#[test]
fn versions_and_names_of_hosts_are_told_without_help_from_outside() {
    for (file, line) in [
        (".python-version", "python3 --version"),
        (".tool-versions", "node --version"),
        (".java-version", "java -version"),
        (".hotspotrc", "java --version"),
        (".tool-versions", "psql --version"),
        ("mise.toml", "kubectl version --client"),
        (".terraform-version", "terraform version"),
        ("mise.toml", "ruby --version"),
        ("rust-toolchain.toml", "cargo --version"),
    ] {
        let mut w = world();
        w.allows(line);
        w.links = w.links.with_file(format!("/w/{file}"), "x");
        w.asks(line);
    }
    let w = world();
    for line in [
        "java -version @options",
        "java -cp . Main -version",
        "kubectl version",
        "kubectl version --client --kubeconfig x",
        "terraform version -json x",
        "terraform -chdir=x version",
        "hostname -f",
        "hostname -i",
        "lsof -i @host:80",
        "lsof a.txt",
        "lsof -sTCP:idle",
        "lsof -iTCP:xi ..",
        "lsof -i a.txt b.txt",
    ] {
        w.asks(line);
    }
    w.allows("go version");
    assert!(quiet::of("go version").env.contains(&("GOTOOLCHAIN", "local")));
    assert!(
        quiet::of("terraform version")
            .env
            .contains(&("CHECKPOINT_DISABLE", "1"))
    );
}

/// What git shows is not only what is named plainly.
#[test]
fn a_pathspec_with_magic_reaches_what_it_matches() {
    let mut w = world().deny("Read(./.env)");
    w.links = w.links.with_file("/w/.env", "SECRET").with_file("/w/.git/config", "");
    for line in [
        "git diff -- ':(top).env'",
        "git diff -- ':(glob)**'",
        "git show HEAD -- '*.env'",
        "git diff -- ':!src'",
        "git grep x -- '.e*'",
    ] {
        assert_ne!(w.bash(line).behavior, Verdict::Allow, "{line}");
    }
    world().asks("git diff --no-index .. src");
    world().asks("git diff --inter-hunk-context /etc/shadow ./a.txt");
    world().asks("git rev-list -L /etc/shadow");
    world().allows("git log -L '/^fn main/,/^}/:src/main.rs' --since '2 weeks ago' --author 'a/b'");
    world().allows("git diff -S 'a/b' --inter-hunk-context 3 src");
}
