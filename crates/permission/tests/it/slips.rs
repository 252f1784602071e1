//! Lines that once ran without a question though they should not have, by the reason why; and beside them what is close
//! to them and runs.

use super::folder::Folder;
use super::world::world;

/// A project with a neighbour that holds something, and links that lead to it.
pub(crate) fn folder(name: &str) -> Option<Folder> {
    let folder = Folder::new(name)?;
    for beside in ["outside", "w2"] {
        std::fs::create_dir_all(folder.at.join(beside)).unwrap();
        std::fs::write(folder.at.join(beside).join("key"), "key").unwrap();
    }
    folder.link("leak", "outside/key");
    folder.link("src/out", "outside");
    Some(folder)
}

#[test]
fn an_empty_part_of_a_brace_is_no_word() {
    for line in [
        "sed {,1ezap} a.txt",
        "sed -n {,} 1ezap a.txt",
        "awk {,} 'BEGIN{system(\"zap\")}' a.txt",
        "jq -n {,env}",
    ] {
        world().asks(line);
    }
    world().allows("cat src/{main,lib}.rs");
}

#[test]
fn what_stands_before_a_version_is_done() {
    world().asks("sed -e 'w src/main.rs' --version");
    world().allows("sed --version");
}

#[test]
fn a_statement_of_awk_goes_on_behind_the_end_of_a_line() {
    world().asks("awk 'BEGIN{print \"a\",\n\"b\" > \"out\"}'");
    world().asks("awk 'BEGIN{print 1 ||\n2 > \"out\"}'");
    world().allows("awk '$3 > 5 { print $1 }' a.txt");
}

#[test]
fn options_behind_the_end_of_options_are_files() {
    world().asks("jq -R . -- --arg x ../outside/key");
    world().asks("git branch -- pwn --list");
    world().allows("jq --arg x 1 . a.json");
}

#[test]
fn git_counts_paths_from_the_folder_it_is_told() {
    world().asks("cd src && git -C .. diff --no-index a.txt ../outside/key");
    world().allows("git -C src diff main.rs");
}

#[test]
fn the_options_of_xxd_are_known_by_one_letter() {
    for line in ["xxd -ps a.txt out", "xxd -pl a.txt out", "xxd -ps /etc/shadow"] {
        world().asks(line);
    }
    world().allows("xxd -l 20 a.bin");
    world().allows("xxd -s16 -l20 -c 8 a.bin");
}

#[test]
fn the_values_of_tree_are_words_of_their_own() {
    for line in ["tree -Io x out", "tree -Po '*' out", "tree -ILo x 1 out", "tree -Il x"] {
        world().asks(line);
    }
    world().allows("tree -L 2 -I target src");
    world().allows("tree -aI target");
}

#[test]
fn where_we_are_is_a_dot_only_where_a_segment_ends() {
    for line in [
        "cat \"$PWD\"2/key",
        "cat \"$(pwd)\"2/key",
        "cat $(pwd)\"\"2/key",
        "(cd \"$PWD\"2 && cat key)",
        "cat \"$PWD\"*/key",
        "d=\"$PWD\"; cat \"$d\"2/key",
        "d=\"$PWD\"; (cd src && cat \"$d\"/../outside/key)",
        "d=$(pwd); (cd src && cat $d/../outside/key)",
    ] {
        world().asks(line);
    }
    world().allows("cat \"$PWD\"/a.txt \"$PWD/b.txt\"");
}

#[test]
fn a_home_is_put_in_behind_an_equals_sign() {
    world().asks("cat a=~/.ssh/id");
    world().asks("cat a=b:~/.ssh/id");
    world().allows("git log --grep=~x");
}

#[test]
fn a_name_put_into_a_longer_word_is_another_name() {
    let Some(folder) = folder("slips-put") else { return };
    folder.write("passwd", "x");
    folder.write("..q/x", "x");
    folder.write("q/etc/passwdq", "x");
    let lines = [
        "find passwd | xargs -I% cat ../%",
        "find passwd | xargs -I% cat /etc/%",
        "find ..q -maxdepth 0 | while IFS=q read -r f; do grep -r key \"$f\"; done",
        "find q -name passwdq | xargs -d q cat",
    ];
    folder.stops("default", &lines, &[]);
    folder.runs(
        &["find docs | xargs -I% grep -c x %", "find docs | xargs -d '\\n' wc -l"],
        &[],
    );
}

#[test]
fn messages_and_other_descriptors_are_no_names() {
    let Some(folder) = folder("slips-fds") else { return };
    std::fs::create_dir(folder.at.join("w/empty")).unwrap();
    let lines = [
        "rg -l '(x ../outside/key y' empty 2>&1 | xargs cat",
        "rg -l '(x ../outside/key y' empty |& xargs cat",
        "rg -l '(x ../outside/key y' empty 2>/dev/stdout | xargs cat",
        "find empty | head -n 'x ../outside/key y' 2>&1 | xargs cat",
        "for f in $(rg -l '(x ../outside/key y' empty 2>&1); do cat $f; done",
        "{ find empty | xargs cat <&3; } 3<<< ../outside/key",
        "{ find empty | while read -r f <&3; do cat \"$f\"; done; } 3<<< ../outside/key",
        "{ find empty | sort <&3 | xargs cat; } 3<<< ../outside/key",
        "{ find empty | { xargs cat; } <&3; } 3<<< ../outside/key",
        "{ find empty | ( xargs cat ) <&3; } 3<<< ../outside/key",
        "rg -l '(x ../outside/key y' empty &>/dev/stdout | xargs cat",
        "rg -l '(x ../outside/key y' empty >&/dev/stdout | xargs cat",
        "rg -l '(x ../outside/key y' empty &>>/dev/stdout | xargs cat",
    ];
    folder.stops("default", &lines, &[]);
    folder.runs(&["find docs 2>/dev/null | xargs wc -l"], &[]);
}

#[test]
fn folders_that_are_compared_are_read_and_links_followed() {
    let Some(folder) = folder("slips-diff") else { return };
    folder.write("one/.env", "SECRET");
    folder.write("two/x", "x");
    folder.stops(
        "default",
        &[
            "diff -N src two",
            "diff src two",
            "ls -RL",
            "ls -lL src",
            "ls -R --dereference",
        ],
        &[],
    );
    folder.stops("default", &["diff -N one two", "diff one two"], &["Read(**/.env)"]);
    folder.runs(&["diff a.txt b.txt", "diff docs tests", "ls -R", "ls -la src"], &[]);
}

#[test]
fn ps_reads_its_arguments_anew_where_it_does_not_understand_one() {
    for line in [
        "ps -e -x",
        "ps -ef -x",
        "ps -x -e",
        "ps -ax -e",
        "ps -e -u x",
        "ps -we -x",
        "ps --forest -e -x",
        "ps -o pid,cmd -e -x",
        "ps -p 1 -e -x",
    ] {
        world().asks(line);
    }
    for line in [
        "ps -ef",
        "ps -e",
        "ps -eo pid,comm",
        "ps aux",
        "ps -e -o pid,args --sort=pid",
    ] {
        world().allows(line);
    }
}

#[test]
fn a_repository_is_read_as_git_reads_it() {
    let plain = "[core]\n\tbare = false\n";
    let evil = "[user] [diff \"f\"]\n\ttextconv = zap\n";
    let Some(whole) = folder("slips-git") else { return };
    whole.write(".gitattributes", "*.txt diff=f\n");
    let lines = ["git diff", "git log -p", "git status", "git -C src diff"];
    whole.runs(&lines[..3], &[]);
    whole.write(".git/config", evil);
    whole.stops("default", &lines, &[]);
    let deep = vec!["d"; 70].join("/");
    whole.write(&format!("{deep}/x"), "x");
    whole.stops(
        "default",
        &[&format!("cd {deep} && git diff"), &format!("git -C {deep} diff")],
        &[],
    );
    // A blank at the end of a name is a part of it.
    std::fs::rename(whole.at.join("w/.git"), whole.at.join("w/real ")).unwrap();
    whole.write("real/config", plain);
    whole.write("real/HEAD", "ref: refs/heads/main\n");
    for needed in ["real/refs/heads", "real/objects/info"] {
        std::fs::create_dir_all(whole.at.join("w").join(needed)).unwrap();
    }
    whole.write(".git", "gitdir: real \n");
    whole.stops("default", &lines, &[]);
    whole.write(".git", "gitdir: real\n");
    whole.runs(&lines[..3], &[]);
    whole.write("real/commondir", "../c \n");
    whole.stops("default", &lines, &[]);
    whole.write("real/commondir", whole.at.join("outside").display().to_string());
    whole.stops("default", &lines, &[]);
    std::fs::remove_file(whole.at.join("w/real/commondir")).unwrap();
    for led in [
        "info/grafts",
        "shallow",
        "rebase-merge/head-name",
        "BISECT_START",
        "refs/heads/x",
        "objects/00",
    ] {
        let link = whole.at.join("w/real").join(led);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        whole.link(&format!("real/{led}"), "outside/key");
        whole.stops("default", &["git log -p", "git status"], &[]);
        std::fs::remove_file(link).unwrap();
    }
    whole.runs(&["git log -p"], &[]);
    std::fs::remove_dir_all(whole.at.join("w/real/objects")).unwrap();
    whole.link("real/objects", "outside");
    whole.stops("default", &["git log -p", "git show"], &[]);
    std::fs::remove_file(whole.at.join("w/real/objects")).unwrap();
    whole.write(
        "real/objects/info/alternates",
        whole.at.join("outside").display().to_string(),
    );
    whole.stops("default", &["git log -p"], &[]);
}

#[test]
fn a_pattern_nobody_can_match_may_match_a_link() {
    let Some(folder) = folder("slips-patterns") else { return };
    let lines = [
        "cat l[[:alpha:]]ak",
        "cat s[[:alpha:]]c/../../outside/key",
        "cat sr[[:alnum:]]/out/key",
        "cat [[=l=]]eak",
        "for f in l[[:alpha:]]ak; do cat \"$f\"; done",
        "ls s[[:alpha:]]c/out/",
        "cat l[!]x]ak",
        "cat nothing*/../../outside/key",
    ];
    folder.stops("default", &lines, &[]);
    folder.runs(&["cat [ab].txt", "cat [!c].txt"], &[]);
}

#[test]
fn only_the_shell_itself_moves_and_names_outside_tell_nothing() {
    for line in [
        "env cd src && cat ../../etc/shadow",
        "nice cd src && cat ../x",
        "TZ=:/etc/shadow date",
        "which /root/x",
        "command -v /root/x",
        "type /root/x",
        "getconf PATH_MAX /root/x",
    ] {
        world().asks(line);
    }
    for line in [
        "command cd src && cat ../a.txt",
        "TZ=Europe/Berlin date",
        "which git",
        "command -v cargo",
        "type ls",
    ] {
        world().allows(line);
    }
}

#[test]
fn names_that_are_printed_are_patterns_outside_quotes() {
    let Some(folder) = folder("slips-printed") else { return };
    folder.runs(&["cat $(git ls-files)", "cat $(find docs -type f)"], &[]);
    folder.write("docs/*/key", "x");
    let add = ["-C", folder.at.join("w").to_str().unwrap(), "add", "docs"].map(str::to_owned);
    assert!(std::process::Command::new("git").args(add).status().unwrap().success());
    folder.stops(
        "default",
        &[
            "cat $(git ls-files)",
            "for f in $(git ls-files); do cat $f; done",
            "cat $(find docs -type f)",
        ],
        &[],
    );
    folder.runs(&["find docs -type f | xargs wc -l", "git ls-files | xargs wc -l"], &[]);
}

#[test]
fn what_takes_the_place_of_a_value_is_matched_against_names() {
    for line in [
        "echo ${HOME:+../*}",
        "echo ${HOME//*/../*}",
        "printf '%s\\n' ${HOME:+/any/where/*}",
        "basename -a ${HOME:+../*}",
        "for f in ${HOME:+../*}; do echo \"$f\"; done",
    ] {
        world().asks(line);
    }
    world().allows("for f in src/*.rs; do echo \"${f##*/}\"; done");
}

#[test]
fn what_follows_a_name_of_git_config_is_its_value() {
    for line in [
        "git config core.sshCommand '--type=;zap'",
        "git config --local core.fsmonitor '--default=;zap'",
        "git config user.name -z",
        "git config core.pager --list",
        "awk 1 -F ../outside/key",
        "awk 1 a.txt -v ../outside/key",
    ] {
        world().asks(line);
    }
    for line in [
        "git config --get user.name",
        "git config user.name",
        "git config --list",
        "awk -F , '{print $1}' a.csv",
    ] {
        world().allows(line);
    }
}

#[test]
fn a_repository_within_has_settings_of_its_own() {
    let Some(folder) = folder("slips-within") else { return };
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        let at = folder.at.join("w");
        git.args(words)
            .current_dir(at)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stderr(std::process::Stdio::null());
        assert!(git.status().unwrap().success(), "{words:?}");
    };
    git(&["init", "-q", "sub"]);
    folder.write("sub/b", "x");
    git(&["-C", "sub", "add", "b"]);
    git(&[
        "-C",
        "sub",
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "commit",
        "-qm",
        "x",
    ]);
    git(&["add", "sub"]);
    let lines = ["git status", "git diff", "git diff --stat"];
    folder.write("sub/.git/config", "[filter \"f\"]\n\tclean = zap\n");
    // They are ignored when it runs, unless the repository says otherwise.
    folder.runs(&lines, &[]);
    folder.stops("default", &["git -C sub status"], &[]);
    folder.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\tignore = none\n");
    folder.stops("default", &lines, &[]);
    // The same where a file says which folder the repository is.
    std::fs::rename(folder.at.join("w/.git"), folder.at.join("w/real")).unwrap();
    folder.write(".git", "gitdir: real\n");
    folder.stops("default", &["git status", "git diff"], &[]);
}

#[test]
fn small_things_that_told_or_wrote() {
    for line in [
        "find t -name '[ab].txt' -exec uniq {} +",
        "ps -e -T -H",
        "ps -eTH",
        "ps -e -T --forest",
        "[ -a ../outside/key ]",
        "test ! -a ../outside/key",
        "[ x -a -a ../outside/key ]",
        "gawk 'BEGIN{for(k in SYMTAB[\"ENVI\" \"RON\"]) print k}'",
    ] {
        world().asks(line);
    }
    world().allows("[ -f a.txt -a -f b.txt ]");
    let Some(folder) = folder("slips-small") else { return };
    folder.link("l\u{e9}ak", "outside/key");
    folder.link("~", "outside");
    let lines = [
        "cat src/o[\"!\"u]t/key",
        "cat l[\"!\"e]ak",
        "cat l[\\!e]ak",
        "cat l['^'e]ak",
        "cat l??ak",
        "ls ~\"/\"",
        "cat ~\"/key\"",
    ];
    folder.stops("default", &lines, &[]);
    folder.runs(&["ls \"docs\"/*", "ls 'a-b'*"], &[]);
}
