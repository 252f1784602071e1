//! Scripts of the repository, with mocks of the programs they call.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::repository::{output, root, tracked};

/// Creates a folder of mock programs (shell scripts). Each appends its arguments to the file `log`.
fn programs(scripts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, answer) in scripts {
        let file = folder.path().join(name);
        let log = folder.path().join("log");
        fs::write(
            &file,
            format!("#!/bin/sh\necho {name} \"$@\" >>'{}'\n{answer}\n", log.display()),
        )
        .unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn run(script: &str, arguments: &[&str], programs: &TempDir) -> Output {
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let mut command = Command::new(root().join("scripts").join(script));
    let command = command.args(arguments).env("PATH", path).env_remove("CHROMIUM");
    command.output().unwrap()
}

#[test]
fn release_is_built_after_the_page() {
    let planned = output(Command::new("make").args(["-n", "release"]).current_dir(root()));
    let at = |step: &str| planned.find(step).unwrap_or_else(|| panic!("no {step} in {planned}"));
    assert!(at("scripts/web") < at("cargo build --release"), "{planned}");
}

#[test]
fn package_list_is_refreshed_before_packages_are_installed() {
    let programs = programs(&[("id", "echo 0"), ("apt-get", "")]);
    let output = run("debian", &["tmux", "socat"], &programs);
    assert!(output.status.success(), "{output:?}");
    let log = fs::read_to_string(programs.path().join("log")).unwrap();
    let expected = "id -u\napt-get update\napt-get install -y --no-install-recommends tmux socat\n";
    assert_eq!(log, expected);
}

#[test]
fn packages_are_not_installed_from_a_list_that_could_not_be_refreshed() {
    let programs = programs(&[("id", "echo 0"), ("apt-get", "[ \"$1\" != update ]")]);
    let output = run("debian", &["tmux"], &programs);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let log = fs::read_to_string(programs.path().join("log")).unwrap();
    assert_eq!(log, "id -u\napt-get update\n");
}

/// Every other script calls `scripts/debian`, so none installs from an old list.
#[test]
fn one_script_installs_debian_packages() {
    let installs = |file: &Path| {
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        text.starts_with("#!")
            && text
                .lines()
                .any(|line| line.contains("apt-get") && line.contains(" -y"))
    };
    let found: Vec<_> = tracked().into_iter().filter(|file| installs(file)).collect();
    assert_eq!(found, [Path::new("scripts/debian")]);
}

#[test]
fn browser_older_than_the_one_debian_offers_is_reported() {
    let report = |installed: &str, offered: &str| {
        let programs = programs(&[
            ("chromium", ""),
            ("dpkg-query", &format!("printf '{installed}'")),
            ("apt-cache", &format!("echo '  Candidate: {offered}'")),
            ("dpkg", "[ \"$2\" -lt \"$4\" ]"),
        ]);
        let output = run("chromium", &[], &programs);
        assert!(output.status.success(), "{output:?}");
        let path = programs.path().join("chromium");
        assert_eq!(
            String::from_utf8(output.stdout).unwrap(),
            format!("{}\n", path.display())
        );
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(report("156", "156"), "");
    let expected = "chromium: 150 is installed, 156 is available; upgrade with scripts/debian chromium\n";
    assert_eq!(report("150", "156"), expected);
}
