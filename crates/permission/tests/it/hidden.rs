//! Ways to run a program without naming it plainly. With a deny rule on it none may run
//! without a question, also when everything else is allowed.

use serde_json::Value;
use sluice_permission::Verdict;

use crate::world::world;

/// Every technique, by our own hand; each runs `zap` in bash.
const RUN: &[&str] = &[
    // substitutions
    "echo $(zap 2)",
    "echo `zap 2`",
    "echo \"$(zap 2)\"",
    "echo \"a`zap 2`b\"",
    "echo ${u:-$(zap 2)}",
    "echo ${u:-`zap 2`}",
    "echo \"${u:-'$(zap 2)'}\"",
    "echo ${u:=$(zap 2)}",
    "a=$(zap 2)",
    "a=`zap 2` b=1",
    "a[$(zap 2)]=1",
    "a=(1 $(zap 2))",
    "declare a=$(zap 2)",
    "export A=`zap 2`",
    "echo $(( $(zap 2) 0 ))",
    "(( $(zap 2) 0 ))",
    "echo $[ `zap 2` 0 ]",
    "for a in $(zap 2); do :; done",
    "case $(zap 2) in *) ;; esac",
    "case a in `zap 2`) ;; esac",
    "[[ $(zap 2) ]]",
    "[[ a =~ $(zap 2) ]]",
    "cat < $(zap 2)",
    "cat <<< $(zap 2)",
    "echo $( ( zap 2 ) )",
    "echo $(true; zap 2)",
    "echo 'a'$(zap 2)'b'",
    "cat <(zap 2)",
    "cat < <(zap 2)",
    "echo > >(zap 2)",
    "tee >(zap 2) < /dev/null",
    // here-documents
    "cat <<X\n$(zap 2)\nX",
    "cat <<X\n`zap 2`\nX",
    "cat <<-X\n\t$(zap 2)\n\tX",
    "cat <<X\n${u:-$(zap 2)}\nX",
    "cat <<A <<B\na\nA\n`zap 2`\nB",
    "cat <<X; zap 2\na\nX",
    "cat <<X | zap 2\na\nX",
    "cat <<X\na\nX\nzap 2",
    "cat <<X\nX \nX\nzap 2",
    // lists and compounds
    "ls; zap 2",
    "ls && zap 2",
    "ls | zap 2",
    "ls |& zap 2",
    "ls & zap 2",
    "ls\nzap 2",
    "ls;#c\nzap 2",
    "ls # \\\nzap 2",
    "ls \\\n; zap 2",
    "! zap 2",
    "{ zap 2; }",
    "(zap 2)",
    "if zap 2; then :; fi",
    "if ls; then zap 2; fi",
    "while zap 2; do break; done",
    "until zap 2; do break; done",
    "for a in 1; do zap 2; done",
    "select a in 1; do zap 2; done <<< 1",
    "case a in a) zap 2;; esac",
    "case a in a) ls;& b) zap 2;; esac",
    "f() { zap 2; }; f",
    "function f { zap 2; }; f",
    "f() (zap 2); f",
    "coproc zap 2",
    "time zap 2",
    "time -p zap 2",
    "ls 2>&1 & zap 2",
    "ls &>/dev/null; zap 2",
    "ls >&/dev/null & zap 2",
    // words
    "'zap' 2",
    "\"zap\" 2",
    "z'a'p 2",
    "z\\ap 2",
    "\\zap 2",
    "$'zap' 2",
    "$'\\x7aap' 2",
    "$'\\172ap' 2",
    "zap\t2",
    "/usr/bin/zap 2",
    "./zap 2",
    "${u:-zap} 2",
    "$(echo zap) 2",
    "a=zap; $a 2",
    "{zap,2}",
    "zap{,} 2",
    "z?p 2",
    "set zap 2; $*",
    "IFS=_; a=zap_2; $a",
    "A=1 zap 2",
    "PATH=/x zap 2",
    // what evaluates text
    "eval zap 2",
    "eval 'zap 2'",
    "bash -c 'zap 2'",
    "sh -c \"zap 2\"",
    "bash -lc 'zap 2'",
    "bash <<< 'zap 2'",
    "echo zap 2 | bash",
    "echo zap | sh -s",
    "bash <<X\nzap 2\nX",
    "source /dev/stdin <<< 'zap 2'",
    ". /dev/stdin <<< 'zap 2'",
    "trap 'zap 2' EXIT",
    "alias q='zap 2'",
    "let 'a=b[$(zap 2)0]'",
    "let \"a=$(zap 2)\"",
    "test -v 'b[$(zap 2)0]'",
    "[ -v 'b[$(zap 2)0]' ]",
    "[[ -v 'b[$(zap 2)0]' ]]",
    "[[ 0 -eq 'b[$(zap 2)0]' ]]",
    "printf -v 'b[$(zap 2)0]' x",
    "read 'b[$(zap 2)0]' <<< x",
    "a='b[$(zap 2)0]'; echo $((a))",
    "declare -i 'a=b[$(zap 2)0]'",
    "PS4='`zap 2`'; set -x; ls",
    "mapfile -C 'zap 2' -c 1 <<< x",
    "readarray -C 'zap 2' -c 1 <<< x",
    "complete -C 'zap 2' q",
    "compgen -C 'zap 2' q",
    "BASH_ENV=<(echo zap 2) bash -c :",
    "unset 'b[$(zap 2)0]'",
    "wait; zap 2",
    "bind -x '\"a\": zap 2'",
    "enable -f ./zap.so x",
    // wrappers and carriers
    "env zap 2",
    "env -i zap 2",
    "env A=1 zap 2",
    "env -S 'zap 2'",
    "env -u A zap 2",
    "command zap 2",
    "command -p zap 2",
    "builtin command zap 2",
    "exec zap 2",
    "nice zap 2",
    "nice -n 5 zap 2",
    "nohup zap 2",
    "timeout 5 zap 2",
    "timeout -k 1 5 zap 2",
    "setsid zap 2",
    "stdbuf -o0 zap 2",
    "ionice -c3 zap 2",
    "sudo zap 2",
    "sudo -u x zap 2",
    "xargs zap < /dev/null",
    "xargs -I{} zap {} < /dev/null",
    "find . -exec zap {} ;",
    "find . -exec zap {} +",
    "find . -ok zap \\;",
    "watch zap 2",
    "watch 'zap 2'",
    "strace zap 2",
    "busybox zap",
    "script -c 'zap 2' /dev/null",
    "su -c 'zap 2'",
    "parallel zap ::: 2",
    "nice env timeout 5 nohup command zap 2",
    "npx zap 2",
    "flock x zap 2",
    "flock x -c 'zap 2'",
    "ssh h zap 2",
    "unshare -r zap 2",
    // languages in arguments
    "awk 'BEGIN{system(\"zap 2\")}'",
    "awk 'BEGIN{\"zap 2\" | getline}'",
    "awk 'BEGIN{print | \"zap 2\"}'",
    "sed '1e zap 2' a",
    "sed -n 's/a/zap 2/e' a",
    "sed -e '1!e zap' a",
    "python3 -c 'import os; os.system(\"zap 2\")'",
    "perl -e 'system(\"zap 2\")'",
    "node -e 'x' zap",
    "ruby -e '`zap`'",
    "python3 <<X\nzap\nX",
    "git -c alias.q='!zap 2' q",
    "tar -cf x --checkpoint-action=exec='zap 2' a",
    "make SHELL='zap' all",
    "vim -c '!zap 2'",
    "rsync -e 'zap' a b",
    // invisible
    "echo x\r\nzap 2",
    "ls\u{2028}; zap 2",
];

#[test]
fn no_technique_runs_without_a_question() {
    for deny in ["Bash(zap:*)", "Bash(zap *)", "Bash(zap*)"] {
        for mode in [
            "default",
            "acceptEdits",
            "auto",
            "bypassPermissions",
            "plan",
            "delegate",
        ] {
            let w = world().allow("Bash").deny(deny).mode(mode);
            for command in RUN {
                let decision = w.bash(command);
                assert_ne!(
                    decision.behavior,
                    Verdict::Allow,
                    "{deny} {mode} {command:?}: {decision:?}"
                );
            }
        }
    }
}

#[test]
fn an_ask_rule_is_not_evaded_either() {
    let w = world().allow("Bash").ask("Bash(zap:*)").mode("bypassPermissions");
    for command in RUN {
        w.stops(command);
    }
}

/// A program that is named directly is denied, not only asked about.
#[test]
fn what_is_written_out_is_denied() {
    let w = world().allow("Bash").deny("Bash(zap:*)");
    for command in [
        "zap",
        "zap 2",
        "A=1 zap 2",
        "(zap 2)",
        "echo $(zap 2)",
        "env zap",
        "nice zap",
        "sudo -u x zap 2",
        "find . -exec zap {} ;",
        "ls | xargs zap",
        "bash -c 'zap 2'",
        "/usr/bin/zap",
        "z''ap",
        "cat <<X\n`zap 2`\nX",
        "watch 'zap 2'",
        "timeout 5 zap",
        "if ls; then zap; fi",
        "f(){ zap; }",
        "command zap",
    ] {
        w.denies(command);
    }
}

#[test]
fn what_only_mentions_it_runs() {
    let w = world().allow("Bash").deny("Bash(zap:*)");
    for command in [
        "echo zap",
        "echo 'zap 1'",
        "ls zap",
        "grep zap a.txt",
        "cat <<'X'\n$(zap 2)\nX",
        "zapper",
        "make zap-all",
    ] {
        w.allows(command);
    }
}

#[test]
fn the_shared_list() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/shell/hidden.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("skipped: no {}", file.display());
        return;
    };
    let list: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut ran = 0;
    for deny in ["Bash(zap:*)", "Bash(zap *)"] {
        for mode in ["default", "bypassPermissions", "acceptEdits"] {
            let w = world().allow("Bash").deny(deny).mode(mode);
            for entry in list.iter().filter(|entry| entry["runs"] == true) {
                w.stops(entry["command"].as_str().unwrap());
                ran += 1;
            }
        }
    }
    assert_eq!(ran, 89 * 6);
}
