//! What an agent types all day in a real folder, and how little of it is asked about.

use super::folder::Folder;

/// Written down before anybody looked at what is answered. What is left asks for a reason: `env` shows secrets, `npm ls`
/// and `cargo metadata` obey files of the folder, and `echo $(…)` is asked about in the recordings.
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
        // What is not in the index may be a link, and what a commit names may be anywhere.
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

/// An index may name what lies outside: it was not made by git.
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
    // Two words, of which the second lies outside, and an option.
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
