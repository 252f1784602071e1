//! A folder on the disk, as people and strangers have them.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;
use sluice_permission::{Behavior, Call, PermissionMode, Policy, Rule, Source, Verdict, decide};

use crate::installed::Installed;
use crate::world::tool;

/// A project as people have them, on the disk.
pub(crate) struct Folder {
    pub(crate) at: PathBuf,
}

impl Folder {
    /// Nothing where there is no git.
    pub(crate) fn new(name: &str) -> Option<Self> {
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

    /// Writes a file of the project, folders and all.
    pub(crate) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.at.join("w").join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Makes a link in the project to a place beside it.
    pub(crate) fn link(&self, name: &str, beside: &str) {
        std::os::unix::fs::symlink(self.at.join(beside), self.at.join("w").join(name)).unwrap();
    }

    /// Each of the lines is asked about or refused.
    #[track_caller]
    pub(crate) fn stops(&self, mode: &str, lines: &[&str], denied: &[&str]) {
        let asked = self.asked_in(mode, lines, denied);
        let ran: Vec<&&str> = lines.iter().filter(|line| !asked.contains(line)).collect();
        assert!(ran.is_empty(), "ran without a question: {ran:#?}");
    }

    /// None of the lines is asked about.
    #[track_caller]
    pub(crate) fn runs(&self, lines: &[&str], denied: &[&str]) {
        let asked = self.asked(lines, denied);
        assert!(asked.is_empty(), "asked about: {asked:#?}");
    }

    pub(crate) fn asked<'a>(&self, lines: &[&'a str], denied: &[&str]) -> Vec<&'a str> {
        self.asked_in("default", lines, denied)
    }

    /// Those that do not run without a question.
    pub(crate) fn asked_in<'a>(&self, mode: &str, lines: &[&'a str], denied: &[&str]) -> Vec<&'a str> {
        self.asked_with(lines, |policy| {
            policy.mode = PermissionMode::from(mode);
            for rule in denied {
                policy
                    .rules
                    .push(Rule::parse(Behavior::Deny, Source::User, self.at.join("w"), rule).unwrap());
            }
        })
    }

    /// The same with a policy that is changed first.
    pub(crate) fn asked_with<'a>(&self, lines: &[&'a str], change: impl FnOnce(&mut Policy)) -> Vec<&'a str> {
        let project = self.at.join("w");
        let mut policy = Policy::new(&project, self.at.join("home"));
        change(&mut policy);
        let allowed = |line: &str| {
            let input = json!({ "command": line });
            decide(&policy, &Call::new(tool("Bash"), &input, &project), &Installed).behavior == Verdict::Allow
        };
        lines.iter().copied().filter(|line| !allowed(line)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.at));
    }
}
