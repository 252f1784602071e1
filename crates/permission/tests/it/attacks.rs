//! Lines by which a denied program was run, or could have been, class by class; and the laws behind the classes.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use sluice_permission::{Behavior, Call, PermissionMode, Policy, Rule, Source, Verdict, decide, quiet};

use crate::installed::Installed;
use crate::linked::Linked;
use crate::world::{World, tool, world};

const MODES: &[&str] = &["default", "acceptEdits", "bypassPermissions", "auto"];

/// With these files, in every mode and with everything allowed, none of the lines runs.
#[track_caller]
fn stopped(files: &[(&str, &str)], lines: &[&str]) {
    for mode in MODES {
        for allowed in [false, true] {
            let mut w = world().deny("Bash(zap:*)").mode(mode);
            if allowed {
                w = w.allow("Bash");
            }
            w.links = Linked::new([("/w/link", "/opt/zap")]);
            for (path, text) in files {
                w.links = w.links.with_file(format!("/w/{path}"), *text);
            }
            for line in lines {
                w.stops(line);
            }
        }
    }
}

pub(crate) fn holding(files: &[(&str, &str)]) -> World {
    let mut w = world();
    for (path, text) in files {
        w.links = w.links.with_file(format!("/w/{path}"), *text);
    }
    w
}

/// Everything real bash was seen to run `zap` by, in a folder on the disk.
#[test]
fn what_ran_in_bash_is_stopped() {
    let at = std::env::temp_dir().join(format!("sluice-attacks-{}", std::process::id()));
    let write = |path: &str, text: &str| {
        let path = at.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for (path, text) in [
        ("a.txt", "hello a\nb\nc\n"),
        ("b.txt", "hello b\n"),
        ("name", "zap\n"),
        ("r.sh", "zap\n"),
        ("ok.sh", "echo hello\n"),
        ("s.sed", "1e zap\n"),
        ("vars", "f='1e zap'\n"),
        ("p.awk", "BEGIN{system(\"zap\")}"),
        ("p.pl", "system(\"zap\");"),
        ("p.py", "import os;os.system(\"zap\")"),
        ("p.js", "require(\"child_process\").execSync(\"zap\")"),
        ("p.mjs", "import {execSync} from \"child_process\";execSync(\"zap\")"),
        ("p.m4", "syscmd(zap)"),
        ("Makefile", "all:\n\tzap\nzapit:\n\tzap\n"),
        ("m.mk", "all:\n\tzap\n"),
        ("sub/Makefile", "all:\n\tzap\n"),
        (
            "package.json",
            r#"{"scripts":{"test":"zap","start":"zap","zapit":"zap"}}"#,
        ),
        ("opts", "-wrapper zap"),
        ("evil.cfg", "[alias]\n q = !zap\n"),
        (".gitconfig", "[alias]\n q = !zap\n"),
        ("sshcfg", "ProxyCommand zap\n"),
        (".gitattributes", "f.txt diff=f filter=f\n"),
        (
            ".git/config",
            "[core]\n\tfsmonitor = zap\n[alias]\n\tq = !zap\n[diff \"f\"]\n\ttextconv = zap\n[filter \"f\"]\n\tclean = zap\n",
        ),
        (
            "sub/.git/config",
            "[core]\n\tfsmonitor = zap;false\n[diff]\n\texternal = zap\n",
        ),
        ("-e1e zap", ""),
        ("--compress-program=zap", ""),
    ] {
        write(path, text);
    }
    std::os::unix::fs::symlink("/opt/zz/zap", at.join("link")).unwrap();
    let text = include_str!("../oracle/ran.json");
    let lines: Vec<String> = serde_json::from_str(text).unwrap();
    assert!(lines.len() > 500, "{}", lines.len());
    let mut through = Vec::new();
    for mode in MODES {
        for allowed in [false, true] {
            let mut policy = Policy::new(&at, "/home/u");
            policy.mode = PermissionMode::from(*mode);
            let rule = |behavior, text| Rule::parse(behavior, Source::User, &at, text).unwrap();
            policy.rules.push(rule(Behavior::Deny, "Bash(zap:*)"));
            if allowed {
                policy.rules.push(rule(Behavior::Allow, "Bash"));
            }
            for line in &lines {
                let input = json!({ "command": line });
                let decision = decide(&policy, &Call::new(tool("Bash"), &input, &at), &Installed);
                // A line that runs with the quiet environment did not run the program then.
                if decision.behavior == Verdict::Allow && quiet::of(line).env.is_empty() {
                    through.push((*mode, allowed, line.clone()));
                }
            }
        }
    }
    std::fs::remove_dir_all(&at).unwrap();
    assert!(through.is_empty(), "{through:#?}");
}

#[test]
fn here_documents_are_read_as_bash_reads_them() {
    stopped(
        &[],
        &[
            "cat <<EOF\nx\nEO\\\nF\nzap\nEOF",
            "cat <<EOF\nx\\\nEOF\nzap\nEOF",
            "cat <<E\\\nOF\n$(zap)\nEOF",
            "cat <<EOF\n$\\\n(zap)\nEOF",
            "cat <<EOF\n\\\\$(zap)\nEOF",
            "cat <<EOF\n$[`zap`]\nEOF",
        ],
    );
}

#[test]
fn a_variable_for_a_descriptor_is_evaluated() {
    stopped(
        &[],
        &[
            "ls {x['$(zap)']}>/dev/null",
            "ls {x[$(zap)]}>/dev/null",
            "cat {x[`zap`]}<a.txt",
            "exec {a[$(zap)]}>/dev/null",
            "x='a[$(zap)]'; ls {b[x]}>/dev/null",
        ],
    );
    world().asks("ls {fd}>/dev/null");
}

#[test]
fn builtins_evaluate_names_and_values() {
    stopped(
        &[],
        &[
            "declare -a 'a=($(zap))'",
            "declare -i x='a[$(zap)]'",
            "local -n x='a[$(zap)]'",
            "export 'a[$(zap)]=1'",
            "printf '-v' 'a[$(zap)]' x",
            "printf -va[\\$\\(zap\\)] x",
            "wait -p 'a[$(zap)]'",
            "getopts x 'a[$(zap)]' -x",
            "test ! -v 'a[$(zap)]'",
            "[ -n x -a -v 'a[$(zap)]' ]",
            "read -r 'a[$(zap)]' < a.txt",
            "mapfile -O 'a[$(zap)]' b < a.txt",
            "x='$(zap)'; echo \"${x@P}\"",
            "x='a[$(zap)]'; echo \"${b[x]}\"",
            "x='a[$(zap)]'; echo \"${b:x}\"",
            "x='a[$(zap)]'; echo $((x))",
            "x=y; declare -n x; echo \"${!x}\"",
        ],
    );
}

#[test]
fn a_value_that_may_change_is_not_known() {
    stopped(
        &[("s.sed", "1e zap")],
        &[
            "f=p; f='1e zap'; sed \"$f\" a.txt",
            "f=p; if true; then f='1e zap'; fi; sed -n \"$f\" a.txt",
            "f=p; true && f='1e zap'; sed -n \"$f\" a.txt",
            "for f in p q; do sed \"$f\" a.txt; f='1e zap'; done",
            "f=p; while read -r f; do sed -n \"$f\" a.txt; done < s.sed",
            "f=p; printf -v f '1e zap'; sed \"$f\" a.txt",
            "f=p; while true; do sed \"$f\" a.txt; read -r f < s.sed; done",
            "f=p; declare f='1e zap'; sed \"$f\" a.txt",
            "f='1e zap'; sed \"$f\" a.txt",
            "for f in 'e1e zap' '1e zap'; do sed -n \"$f\" a.txt; done",
            "for f in zap; do \"$f\"; done",
            "x=$(f='1e zap'; while true; do sed \"$f\" a.txt; f=p; done)",
        ],
    );
}

#[test]
fn what_carries_a_denied_program_is_stopped_wherever_it_is_named() {
    stopped(
        &[],
        &[
            "tar -cIzap -f x a.txt",
            "sort -S 1b --compress-program zap big.txt",
            "git clone --upload-pack zap . /tmp/c",
            "git clone -u zap . /tmp/c",
            "git fetch --upload-pack=zap .",
            "git push --exec=zap . HEAD",
            "git archive --remote=. --exec=zap HEAD",
            "git grep -Ozap a",
            "git difftool --extcmd=zap -y HEAD~1",
            "scp -S zap a.txt h:b",
            "ssh -oProxyCommand=\"z''ap\" h",
            "gcc -wrapper zap,x a.c -o /dev/null",
            "split --filt=zap a.txt",
            "install --strip-program=zap -s a.txt b2",
            "zip x.zip a.txt -T --unzip-command zap",
            "apt-get -oAPT::Update::Pre-Invoke::=zap update",
            "setarch x86_64 zap",
            "choom -n 0 zap",
            "sg root zap",
            "run-parts --regex zap /opt/zz",
            "find /opt/zz -name 'z*p' -exec {} \\;",
            "find sub -maxdepth 0 -exec make -C {} \\;",
            "echo zap | xargs env",
            "xargs -a name env",
            "printf 'zap\\0' | xargs -0 env",
            "echo zap|sh /dev/stdin",
            "bash /dev/fd/3 3<<<zap",
            "bash <(cat r.sh)",
            "{ echo zap; } | sh",
            "python3 -m timeit 'import os;os.system(\"zap\")' -n1",
        ],
    );
}

#[test]
fn scripts_that_name_it_are_stopped() {
    let files: &[(&str, &str)] = &[
        ("r.sh", "#!/bin/sh\necho x\nz\"a\"p 1\n"),
        ("p.py", "os.system('zap')"),
        ("Makefile", "all:\n\tzap\n"),
        ("sub/Makefile", "all:\n\tzap\n"),
        ("package.json", r#"{"scripts":{"test":"zap","lint":"npm run test"}}"#),
        ("opts", "-wrapper zap"),
        ("sshcfg", "ProxyCommand zap"),
        (".git/config", "[alias]\n\tq = !zap\n"),
        (".git/hooks/pre-commit", "zap"),
    ];
    stopped(
        files,
        &[
            "./r.sh",
            "bash r.sh",
            "bash ./r.s?",
            "bash ~+/r.sh",
            "sh +x r.sh",
            "sh < r.sh",
            "env sh r.sh",
            "find . -name r.sh -exec bash r.sh \\;",
            "python3 p.py",
            "python3 -m p",
            "make",
            "make -C sub all",
            "cd sub && make",
            "npm test",
            "npm run lint",
            "gcc @opts a.c",
            "ssh -F sshcfg h",
            "ssh -Fsshcfg h",
            "git q",
            "git commit -m x",
            "./link",
            "bash link",
        ],
    );
    // What does not name it runs, and so does another script of the same package.
    let w = holding(&[
        ("ok.sh", "echo zapper"),
        ("package.json", r#"{"scripts":{"test":"jest","x":"zap"}}"#),
    ])
    .allow("Bash")
    .deny("Bash(zap:*)");
    for line in [
        "./ok.sh",
        "bash ok.sh",
        "npm test",
        "git commit -m 'the zap is gone'",
        "cargo test",
    ] {
        w.allows(line);
    }
    w.asks("npm run x");
}

#[test]
fn what_a_line_writes_it_does_not_run() {
    stopped(
        &[],
        &[
            "printf 'z%s' ap > y; sh y",
            "printf '\\x7aap' > y; sh y",
            "cp /opt/zz/zap y; ./y",
            "ln -s /opt/zz/zap y; ./y",
            "echo 'x:;zap' > Makefile; make",
            "tee y <<< zap; sh y",
            "sed -i 's/^/zap;/' ok.sh; sh ok.sh",
            "echo za > y; echo p >> y; tr -d '\\n' < y > q; sh q",
            "cat name > y && . ./y",
        ],
    );
}

#[test]
fn options_between_the_words_of_a_rule_do_not_hide_it() {
    let w = world()
        .allow("Bash")
        .deny("Bash(git push:*)")
        .deny("Bash(rm -rf *)")
        .mode("bypassPermissions");
    for line in [
        "git --no-pager push",
        "git -C . push",
        "git -c x.y=z push origin",
        "git --git-dir=.git --work-tree=. push",
        "rm -r -f x",
        "rm -fr x",
        "rm -f --recursive x",
        "rm -Rf x",
        "/bin/rm -rf x",
    ] {
        w.stops(line);
    }
    for line in ["git log push", "git status", "rm -r x", "rm -f x"] {
        w.allows(line);
    }
}

#[test]
fn launchers_that_read_the_folder_ask_where_it_speaks_to_them() {
    for (file, line) in [
        ("rust-toolchain.toml", "cargo --version"),
        ("rust-toolchain", "rustc --version"),
        (".cargo/config.toml", "cargo --version"),
        (".npmrc", "npm --version"),
    ] {
        holding(&[(file, "x")]).asks(line);
        holding(&[("a.txt", "x")]).allows(line);
    }
    for line in ["mvn --version", "gradle --version", "nm @file", "readelf @opts"] {
        world().asks(line);
    }
}

impl World {
    #[track_caller]
    pub(crate) fn clone_asks(&self, line: &str) {
        for mode in ["default", "acceptEdits"] {
            let mut policy = self.policy.clone();
            policy.mode = PermissionMode::from(mode);
            let input = json!({ "command": line });
            let decision = decide(&policy, &Call::new(tool("Bash"), &input, Path::new("/w")), &self.links);
            assert_eq!(decision.behavior, Verdict::Ask, "{mode} {line}: {decision:?}");
        }
    }
}

fn one_of(list: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    (0..list.len()).prop_map(move |at| list[at])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// In any glued form, with any option of any unknown program.
    #[test]
    fn a_denied_name_in_any_word_of_an_unknown_program_stops(
        program in one_of(&["foo", "tar", "gcc", "ssh", "zip", "git clone", "docker run", "rsync", "npm run", "./x"]),
        before in one_of(&["", "-x ", "--opt ", "-o a ", "--a=b "]),
        glue in one_of(&["", "-x", "--opt=", "-oKey=", "a:", "--x=y,", "exec:", "'exec ", "@", "x=", "/opt/", "./", "!"]),
        mode in one_of(&["default", "acceptEdits", "bypassPermissions"]),
    ) {
        let end = if glue.starts_with('\'') { "'" } else { "" };
        let line = format!("{program} {before}{glue}zap{end} y");
        let decision = world().allow("Bash").deny("Bash(zap:*)").mode(mode).bash(&line);
        prop_assert_ne!(decision.behavior, Verdict::Allow, "{}", line);
    }

    /// An unknown word makes a program read-only only if it is so with every option it has.
    #[test]
    fn an_unknown_word_may_be_any_option(
        program in one_of(&["sed -n 1p", "sort", "find", "git log", "rg a", "date", "uniq", "file", "xxd", "awk 1", "jq .", "tree", "less", "hostname"]),
        word in one_of(&["$x", "\"$x\"", "$(cat x)", "`cat x`", "\"$(cat x)\"", "$*", "${x}", "${x:-a}", "$PATH", "$(pwd)"]),
        after in one_of(&["", " a.txt", " -- a.txt"]),
    ) {
        let line = format!("{program} {word}{after}");
        prop_assert_ne!(world().bash(&line).behavior, Verdict::Allow, "{}", line);
    }

    /// Quoting decides nothing.
    #[test]
    fn a_word_is_judged_by_what_it_says(
        line in one_of(&["sed -n -e '1e id' a", "sort -o out a", "git log --output=x", "find . -delete", "date -s now", "zap 1", "cat /etc/shadow"]),
        how in prop::collection::vec(0..4usize, 12),
    ) {
        let words: Vec<String> = line.split(' ').filter(|word| !word.contains('\'')).enumerate().map(|(at, word)| {
            let middle = word.len() / 2;
            let (head, tail) = word.split_at(middle);
            match how[at % how.len()] {
                0 => word.to_owned(),
                1 => format!("'{word}'"),
                2 => format!("{head}\"{tail}\""),
                _ => format!("{head}''\\{tail}"),
            }
        }).collect();
        let w = world().deny("Bash(zap:*)");
        let plain: String = line.split(' ').filter(|word| !word.contains('\'')).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(w.bash(&words.join(" ")).behavior, w.bash(&plain).behavior, "{:?}", words);
    }
}
