//! What an agent types all day in a real folder, and how little of it is asked about.

use sluice_permission::ProgramFolder;

use super::folder::Folder;

/// Written before the decisions were known. The rest needs permission for a reason: `env` shows secrets, `npm ls`
/// and `cargo metadata` obey files of the folder, and `echo $(…)` of anything but an id is asked about in the recordings.
#[test]
fn of_what_an_agent_types_97_of_100_are_not_asked_about() {
    let Some(folder) = Folder::new("rate") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines: Vec<&str> = include_str!("../oracle/agent.txt").lines().collect();
    assert!(lines.len() >= 260);
    for denied in [&[][..], &["Bash(zap:*)", "Bash(git push:*)"]] {
        let asked = folder.asked(&lines, denied);
        assert!(
            asked.len() * 100 <= lines.len() * 3,
            "{} of {}: {asked:#?}",
            asked.len(),
            lines.len()
        );
    }
}

#[test]
fn what_was_asked_about_needlessly_is_not() {
    let Some(folder) = Folder::new("list") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = [
        "find .",
        "nl -ba a.txt",
        "git -C . log",
        "echo $PATH",
        "basename $(pwd)",
        "for f in src/*.rs; do head \"$f\"; done",
        "find . -name '*.rs' | xargs wc -l",
        "sed --version",
        "less README.md",
        "ls -la ~",
        "ss -tln",
        // Known values are known, quoted or not.
        "n=3; head -n $n a.txt",
        "for f in a.txt b.txt; do wc -l $f; done",
        "d=src; for f in main lib; do head -1 $d/$f.rs; done",
        // A nested command that reads is a command that reads.
        "wc -l $(git ls-files '*.rs')",
        "cat $(git ls-files | grep README)",
        "git ls-files | xargs grep -n main",
        "git ls-files | while read -r f; do head -1 \"$f\"; done",
        "find src -name '*.rs' | while read f; do wc -l \"$f\"; done",
        "for f in $(find src -type f); do wc -l \"$f\"; done",
        "x=$(git rev-parse HEAD); echo \"$x\"",
    ];
    for denied in [&[][..], &["Bash(zap:*)"], &["Read(./.env)"]] {
        assert_eq!(folder.asked(&lines, denied), Vec::<&str>::new(), "{denied:?}");
    }
}

#[test]
fn everyday_lines_that_only_read_are_not_asked_about() {
    let Some(folder) = Folder::new("reads") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = [
        "lsof -i :8080",
        "lsof -nP -iTCP:3000 -sTCP:LISTEN",
        "lsof -ti:3000",
        "for f in src/*.rs; do wc -l < \"$f\"; done",
        "git show $(git rev-parse HEAD) --stat",
        "git diff $(git merge-base HEAD main) --stat",
        "echo $(git rev-parse --short HEAD)",
        "tar tzf x.tgz",
        "unzip -l x.zip",
        "zcat f.gz",
        "iconv -f latin1 -t utf-8 f",
        "java -version",
        "psql --version",
        "kubectl version --client",
        "terraform version",
        "pushd src && ls && popd",
        "xargs --version",
    ];
    assert_eq!(folder.asked(&lines, &[]), Vec::<&str>::new());
}

#[test]
fn changes_are_shown_where_no_denied_file_was_ever_tracked() {
    let Some(folder) = Folder::new("changes") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = ["git diff -U0 HEAD~1", "git log -S foo", "git cat-file -p HEAD"];
    assert_eq!(folder.asked(&lines, &["Read(./.env)"]), Vec::<&str>::new());
    // A file that is there, and that git has nothing of.
    folder.write(".env", "SECRET=1");
    assert_eq!(folder.asked(&lines, &["Read(./.env)"]), Vec::<&str>::new());
    assert_eq!(folder.asked(&lines, &["Read(**/.env)"]), Vec::<&str>::new());
    // Others may be objects that nothing leads to.
    let others = [
        "git show 0123456",
        "git show 0123456 --",
        "git cat-file -p other",
        "git diff HEAD 0123456",
        "git show $(git rev-parse 0123456)",
        "git show --tags",
        "git log -p HEAD main",
        "git grep --no-index x HEAD",
        "git diff HEAD1",
    ];
    folder.stops("default", &others, &["Read(./.env)"]);
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a"]).args(words);
        assert!(
            git.current_dir(folder.at.join("w")).output().unwrap().status.success(),
            "{words:?}"
        );
    };
    git(&["add", "-f", ".env"]);
    folder.stops("default", &lines, &["Read(./.env)"]);
    // From everywhere in it git shows the whole repository.
    let below = ["cd docs && git log -p", "git -C docs diff", "git -C docs show HEAD"];
    folder.stops("default", &below, &["Read(./.env)"]);
    git(&["commit", "-qm", "x"]);
    git(&["rm", "-q", "--cached", ".env"]);
    git(&["commit", "-qm", "y"]);
    folder.stops("default", &lines, &["Read(./.env)"]);
    folder.stops("default", &lines, &["Read(**/.env)"]);
}

/// The same programs with what makes them run, write or read something else.
#[test]
fn programs_that_list_and_convert_do_nothing_else() {
    let Some(folder) = Folder::new("lists") else {
        eprintln!("skipped: no git here");
        return;
    };
    folder.link("leak.zip", "key");
    folder.link("leak.gz.Z", "key");
    let lines = [
        "tar xzf x.tgz",
        "tar czf x.tgz src",
        "tar tf x.tgz --to-command=./a",
        "tar tf x.tgz --to-comm=./a",
        "tar tf x.tgz -I ./a",
        "tar tIf ./a x.tgz",
        "tar tf x.tgz --use-compress-program ./a",
        "tar tf x.tgz --checkpoint=1 --checkpoint-action=exec=./a",
        "tar tFf ./a x.tgz",
        "tar tf host:x.tgz --rsh-command=./a",
        "tar tf host:x.tgz",
        "tar --file=host:x.tgz -t",
        "tar tz",
        "tar -t",
        "tar tf /srv/x.tgz",
        "tar tfC x.tgz /etc",
        "tar tf x.tgz -T /etc/passwd",
        "tar tf \"$x\"",
        "unzip x.zip",
        "unzip x.zip -l",
        "unzip -q x.zip -l",
        "unzip -l- x.zip",
        "unzip -l -- -l x.zip",
        "unzip -l --l x.zip",
        "unzip -l - x.zip",
        "unzip -p x.zip",
        "unzip -l '../*.zip'",
        "unzip -l leak",
        "zcat /srv/f.gz",
        "zcat leak.gz",
        "zcat f",
        "zcat -S x f.gz",
        "iconv -f latin1 -t utf-8 f -o g",
        "iconv --output=g f",
        "iconv -f ../map f",
        "iconv -f latin1 /etc/passwd",
        "xargs --version touch x",
        "pushd /srv && cat x",
        "pushd +1 && ls",
        "pushd && ls",
        "pushd src; popd +1; ls",
        "pushd src; popd; popd; cat ../x",
        "pushd src; pushd main; popd; cat ../../x",
        "for d in src docs; do pushd $d; cat ../../x; done",
        "for f in /etc/*; do wc -l < \"$f\"; done",
        "for f in src/*.rs; do wc -l < $f; done",
        "for f in src/*.rs; do echo > \"$f\"; done",
        "cat < ../*",
    ];
    folder.stops("default", &lines, &[]);
    // What unpacks must not be the project's own.
    let shadow = [("tar tzf x.tgz", "gzip"), ("zcat f.gz", "gzip")];
    for (line, name) in shadow {
        folder.runs(&[line], &[]);
        folder.write(&format!("bin/{name}"), "");
        let asked = folder.asked_with(&[line], |policy| {
            policy.search_path.push(ProgramFolder {
                path: folder.at.join("w/bin"),
                trusted: false,
            });
        });
        assert_eq!(asked, [line]);
    }
}

/// Only an id may stand where an option could.
#[test]
fn words_that_are_no_ids_are_asked_about() {
    let Some(folder) = Folder::new("ids") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = [
        "git show $(cat a.txt) --stat",
        "git show $(git rev-parse --abbrev-ref HEAD) --stat",
        "git show $(git rev-parse HEAD main) --stat",
        "git show $(git rev-parse HEAD..main) --stat",
        "git show $(git rev-parse HEAD^@) --stat",
        "git show $(git rev-parse src/main.rs) --stat",
        "git show $(git rev-parse ../../key) --stat",
        "git show $(git rev-parse --sq-quote --output=x) --stat",
        "git show $(git rev-parse -- --output=x) --stat",
        "git show $(git rev-parse HEAD 2>&1) --stat",
        "git show $(git rev-parse HEAD; cat a.txt) --stat",
        "git show $(git rev-parse HEAD | sed 's/^/-/') --stat",
        "git show -$(git rev-parse HEAD) --stat",
        "git log -n $(git rev-parse HEAD) --stat",
        "git diff --no-index $(git rev-parse HEAD) a.txt",
        "git branch $(git rev-parse HEAD)",
        "git log --output $(git rev-parse HEAD)",
        "git show $(git log --format=%s) --stat",
        "cat $(git rev-parse HEAD)",
        "rm $(git rev-parse HEAD)",
        "sh $(git rev-parse HEAD)",
        "sort $(git rev-parse HEAD)",
    ];
    folder.stops("default", &lines, &[]);
    folder.runs(
        &[
            "git show $(git rev-parse --verify origin/main) --stat",
            "git show \"$(git rev-parse HEAD~2)\" --stat",
            "git log --oneline $(git merge-base HEAD origin/main)",
        ],
        &[],
    );
}

/// Other than `git diff` these compare a submodule by running git in it, which obeys that one's configuration.
#[test]
fn plumbing_that_enters_submodules_is_asked_about() {
    let Some(folder) = Folder::new("plumbing") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = ["git diff-index HEAD", "git diff-files"];
    folder.runs(&lines, &[]);
    folder.write("sub/f", "x");
    let git = |directory: &str, words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a"])
            .args(words)
            .current_dir(folder.at.join(directory));
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    git("w/sub", &["init", "-q"]);
    git("w/sub", &["add", "."]);
    git("w/sub", &["commit", "-qm", "x"]);
    git("w", &["add", "sub"]);
    folder.stops("default", &lines, &[]);
    folder.runs(&["git diff-index --cached HEAD", "git status", "git diff"], &[]);
}

/// Names are followed from the command that prints them to the one that reads them, and only where nothing else can
/// come in between.
#[test]
fn names_that_may_come_from_elsewhere_are_asked_about() {
    let Some(folder) = Folder::new("names") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = [
        // What a file holds is not a name.
        "cat a.txt | xargs cat",
        "cat $(cat a.txt)",
        "cat \"$(cat a.txt)\"",
        "for f in $(cat a.txt); do cat \"$f\"; done",
        "cat a.txt | while read -r f; do cat \"$f\"; done",
        "while read -r f; do cat \"$f\"; done < a.txt",
        "find . | while read -r f; do cat \"$f\"; done < a.txt",
        "find . | while read -r f < a.txt; do cat \"$f\"; done",
        "find . -name a.txt -exec cat {} + | xargs cat",
        "git log --name-only | xargs wc -l",
        "git show --name-only | xargs cat",
        "rg -l --json x . | xargs cat",
        "grep -e -l a.txt | xargs cat",
        "grep -rh x . | xargs cat",
        // Something else is read in the pipe's place.
        "find . | sort < a.txt | xargs cat",
        "find . | grep x <<< /etc/passwd | xargs cat",
        "find . | xargs cat < a.txt",
        "find . | sort a.txt | xargs cat",
        // Somebody else prints as well.
        "cat a.txt | { find .; sort; } | xargs cat",
        "{ find .; cat a.txt; } | xargs cat",
        "cat $(find .; cat a.txt)",
        "cat $(find . || cat a.txt)",
        "cat $(cat a.txt | { find .; sort; })",
        "cat a.txt | xargs cat $(find .)",
        "cat $(cat a.txt) $(find .)",
        "find . | while read -r f; do cat a.txt | while read -r g; do cat \"$g\"; done; done",
        // A part of a name is another name.
        "find . | grep -o '/.*' | xargs cat",
        "find $PWD | head -c 3 | xargs ls",
        "find . | cut -c2- | xargs cat",
        "find . | sed 's/^.//' | xargs cat",
        "find . -printf '/etc/%f\\n' | xargs cat",
        // In another folder the same names are other files.
        "find src | (cd docs && xargs cat)",
        "find src | (cd docs; while read -r f; do cat \"$f\"; done)",
        // A file outside the index may be a link, and a name in a commit may be anywhere.
        "git ls-files -o | xargs cat",
        "git ls-files --others | while read -r f; do cat \"$f\"; done",
        "cat $(git diff --name-only HEAD~1 HEAD)",
        "cat $(git ls-tree -r --name-only HEAD)",
        // To show a file is not to count its lines.
        "find . | xargs -n 1 cat wc $(cat a.txt)",
    ];
    let unasked: Vec<&str> = {
        let asked = folder.asked(&lines, &[]);
        lines.iter().copied().filter(|line| !asked.contains(line)).collect()
    };
    assert_eq!(unasked, Vec::<&str>::new());
}

/// An index that git did not create may name files outside.
#[test]
fn an_index_that_names_files_outside_is_not_believed() {
    let Some(folder) = Folder::new("index") else {
        eprintln!("skipped: no git here");
        return;
    };
    let lines = ["cat $(git ls-files)", "git ls-files | xargs grep x"];
    assert_eq!(folder.asked(&lines, &[]), Vec::<&str>::new());
    let index = folder.at.join("w/.git/index");
    let mut bytes = std::fs::read(&index).unwrap();
    let name = b"README.md";
    let at = bytes.windows(name.len()).position(|part| part == name).unwrap();
    // Two words, the second of which is outside, and an option.
    for hidden in [b"../../key", b"a /a/keys", b"-f/a/keys", b"a\t/a/keys"] {
        bytes[at..at + name.len()].copy_from_slice(hidden);
        std::fs::write(&index, &bytes).unwrap();
        assert_eq!(folder.asked(&lines, &[]), lines);
    }
    std::fs::write(&index, "DIRC").unwrap();
    assert_eq!(folder.asked(&lines, &[]), lines);
}

/// Whatever reads a path is bound by the rule about it, by name, by pattern, in a tree, from the index, in every mode.
#[test]
fn what_reaches_a_denied_file_does_not_run() {
    let Some(folder) = Folder::new("reached") else {
        eprintln!("skipped: no git here");
        return;
    };
    std::fs::create_dir_all(folder.at.join("w/sub")).unwrap();
    for file in [".env", "sub/.env", "sub/f"] {
        std::fs::write(folder.at.join("w").join(file), "SECRET=1\n").unwrap();
    }
    let mut git = std::process::Command::new("git");
    git.args(["add", "."]).current_dir(folder.at.join("w"));
    assert!(git.status().unwrap().success());
    let lines: Vec<&str> = include_str!("../oracle/reached.txt").lines().collect();
    assert!(lines.len() > 180);
    for (mode, denied) in [
        ("default", &["Read(./.env)", "Read(./sub/.env)"][..]),
        ("default", &["Read(**/.env)"]),
        ("acceptEdits", &["Read(**/.env)"]),
        ("bypassPermissions", &["Read(**/.env)"]),
    ] {
        let stopped = folder.asked_in(mode, &lines, denied);
        let through: Vec<&&str> = lines.iter().filter(|line| !stopped.contains(line)).collect();
        assert!(through.is_empty(), "{mode} {denied:?}: {through:#?}");
    }
}
