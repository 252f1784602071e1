//! What an agent types all day in a real folder, and how little of it is asked about.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;
use sluice_permission::{Behavior, Call, OnDisk, PermissionMode, Policy, Rule, Source, Verdict, decide};

/// A project as people have them, on the disk.
struct Folder {
    at: PathBuf,
}

impl Folder {
    /// Nothing where there is no git.
    fn new(name: &str) -> Option<Self> {
        let at = std::env::temp_dir().join(format!("sluice-unasked-{name}-{}", std::process::id()));
        let project = at.join("w");
        for directory in ["w/src", "w/tests", "w/docs", "w/.github/workflows", "home"] {
            std::fs::create_dir_all(at.join(directory)).unwrap();
        }
        for (file, text) in [
            ("a.txt", "hello\nb\n# c\n"),
            ("b.txt", "hello b\n"),
            ("a.json", "{\"a\":1,\"b\":[1,2]}"),
            ("a.csv", "x,1\ny,2\n"),
            ("a.bin", "\u{1}\u{2}"),
            ("src/main.rs", "fn main() {}\n"),
            ("src/lib.rs", "// x\n"),
            ("tests/t.rs", "// t\n"),
            ("docs/d.md", "# d\n"),
            ("README.md", "# r\n"),
            ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n"),
            ("package.json", "{\"scripts\":{\"test\":\"jest\"}}"),
            (".gitignore", "target\n"),
            ("app.log", "error x\n"),
        ] {
            std::fs::write(project.join(file), text).unwrap();
        }
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.args(words)
                .current_dir(&project)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null")
                .status()
                .is_ok_and(|status| status.success())
        };
        (git(&["init", "-q", "-b", "main", "."]) && git(&["add", "."])).then_some(Self { at })
    }

    fn asked<'a>(&self, lines: &[&'a str], denied: &[&str]) -> Vec<&'a str> {
        self.asked_in("default", lines, denied)
    }

    /// Those that do not run without a question.
    fn asked_in<'a>(&self, mode: &str, lines: &[&'a str], denied: &[&str]) -> Vec<&'a str> {
        let project = self.at.join("w");
        let mut policy = Policy::new(&project, self.at.join("home"));
        policy.mode = PermissionMode::from(mode);
        for rule in denied {
            policy
                .rules
                .push(Rule::parse(Behavior::Deny, Source::User, &project, rule).unwrap());
        }
        let allowed = |line: &str| {
            let input = json!({ "command": line });
            decide(&policy, &Call::new("Bash", &input, &project), &OnDisk).behavior == Verdict::Allow
        };
        lines.iter().copied().filter(|line| !allowed(line)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.at));
    }
}

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
