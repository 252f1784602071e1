//! A denied program whose name stands nowhere on the line: put together by a pattern, a mark, an interpreter or a shell
//! that another program starts. In every mode, and with any allow rule, none of it runs without a permission request.

use crate::world::{World, world};

const MODES: [&str; 4] = ["default", "acceptEdits", "dontAsk", "bypassPermissions"];

#[track_caller]
fn stopped(lines: &[&str]) {
    for mode in MODES {
        for allowed in [false, true] {
            let w = world().deny("Bash(zap:*)").mode(mode);
            let mut w: World = if allowed { w.allow("Bash") } else { w };
            w.links = w
                .links
                .with_file("/opt/zz/zap", "#!/bin/sh\n")
                .with_file("/w/a.txt", "");
            for line in lines {
                w.stops(line);
            }
        }
    }
}

#[test]
fn a_pattern_may_be_the_program_that_another_runs() {
    stopped(&[
        "env /opt/zz/z*",
        "nice /opt/zz/z?p",
        "timeout 5 /opt/zz/*",
        "nohup /opt/zz/[z]ap",
        "command /opt/zz/z*",
        "exec /opt/zz/za?",
        "stdbuf -oL /opt/zz/z*",
        "xargs /opt/zz/z* < /dev/null",
        "find . -maxdepth 0 -exec /opt/zz/z* \\;",
        "for f in /opt/zz/*; do env \"$f\"; done",
        "for f in /opt/zz/*; do nice $f; done",
    ]);
}

#[test]
fn what_xargs_puts_in_may_be_the_program() {
    stopped(&[
        "echo p | xargs -I X zaX",
        "echo p | xargs -IX zaX",
        "echo p | xargs -iX zaX",
        "echo p | xargs --replace=X zaX",
        "ls /opt/zz | xargs -I X X",
        "ls -d /opt/zz/* | xargs setarch -R",
    ]);
}

#[test]
fn code_glued_to_an_option_of_an_interpreter_is_code() {
    stopped(&[
        "python3 -Ic'import os;os.system(\"za\"+\"p\")' x",
        "python3 -m timeit -n1 'import os;os.system(\"za\"+\"p\")'",
        "perl -le'exec \"za\".\"p\"' a.txt",
        "perl -lane'exec \"za\".\"p\"' a.txt",
        "perl '-Mvars;exec\"za\".\"p\"' a.txt",
        "ruby -ne'exec \"za\"+\"p\"' a.txt",
        "node --import 'data:text/javascript,import(\"node:child_process\")' a.js",
        "node --env-file=x a.js",
        "bash +c 'z$()ap'",
        "gnuplot -e 'system(\"z\".\"ap\")'",
        "guile -c '(system (string-append \"z\" \"ap\"))'",
        "cargo --config 'build.rustc-wrapper=\"\\u007aap\"' build",
        "npm --node-options=--import=data:x test",
    ]);
}

#[test]
fn a_text_that_another_program_gives_to_a_shell_is_read_as_a_shell_reads_it() {
    stopped(&[
        "script -qc '$(printf \"z\\141p\")' /dev/null",
        "watch '$(printf z)ap'",
        "flock x -c 'za{p,}'",
        "flock x -c '/opt/zz/z*'",
        "su -c 'x=za; ${x}p'",
        "sudo -s 'z`:`ap'",
        "ssh host 'z$()ap'",
        "tmux new -d '/opt/zz/z?p'",
        "parallel 'z$()ap' ::: 1",
        "git bisect run 'z$()ap'",
        "git submodule foreach 'z$()ap'",
        "git rebase -x 'za{p,}' HEAD~1",
        "strace -o '|z$()ap' ls",
    ]);
}

#[test]
fn an_option_that_is_given_to_a_shell_is_found_however_it_is_written() {
    stopped(&[
        "tar -cf /dev/null --checkpoint=1 --checkpoint-act='exec=z$()ap' a.txt",
        "tar -xf x --to-com='z$()ap'",
        "tar cIf 'sh -c z$()ap' x a.txt",
        "split --fil='z$()ap' a.txt",
        "rsync -ave 'z$()ap' a h:b",
        "scp -o 'ProxyCommand=z$()ap' a h:b",
        "git fetch --upload-p='z$()ap' .",
        "git clone -u 'z$()ap' . x",
        "git fetch 'ext::sh -c z$()ap'",
        "git grep -O'z$()ap' x",
        "zip -T -TT 'z$()ap' x a.txt",
        "sqlite3 x '.shell z$()ap'",
        "npx -c 'z$()ap'",
        "man -P 'z$()ap' ls",
        "view -c '!z$()ap' a.txt",
        "less '+!z$()ap' a.txt",
    ]);
}

/// Plain parts of such a text keep their meaning.
#[test]
fn ordinary_work_goes_on_with_a_deny_rule() {
    let mut w = world().deny("Bash(zap:*)").mode("bypassPermissions");
    w.links = w.links.with_file("/w/src/a.ts", "").with_file("/w/x.py", "print(1)");
    for line in [
        "python3 -u x.py --flag",
        "python3 -m pytest -x -q",
        "node --max-old-space-size=4096 build.js",
        "eslint src/*.ts",
        "tar -czf x.tgz src",
        "rsync -av src dest",
        "git push -u origin main",
        "npm ci --cache x",
        "ls src | xargs -I X rm X",
        "watch 'ls -la'",
        "ssh host 'uptime; df -h'",
        "git submodule foreach 'git status'",
        "flock x -c 'make all'",
    ] {
        w.allows(line);
    }
}
