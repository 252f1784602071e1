//! Command lines whose meaning depends on their effects, on the environment or on their size.

use serde_json::json;

use super::{Call, Guard, STREAM, outcomes};
use crate::binary::Ran;

const EDITS: [&str; 2] = ["--permission-mode", "acceptEdits"];

/// Runs in bypass mode.
fn bypass(guard: &Guard, args: &[&str]) -> Vec<Call> {
    let args: Vec<&str> = STREAM.iter().chain(args).copied().collect();
    let mut command = guard.lab.command(&args);
    command
        .args(["--permission-mode", "bypassPermissions", "hi"])
        .env("IS_SANDBOX", "1");
    outcomes(&Ran::from(command.stdin(std::process::Stdio::null()).output().unwrap()))
}

#[test]
fn a_link_that_the_line_itself_moves_is_not_followed() {
    let guard = Guard::new(&["mv sub/l l; echo x > l/y", "mv a/h hk; cp evil hk/pre-commit"]);
    for folder in ["beside", "../beside", "a/.git/hooks", ".git/hooks"] {
        std::fs::create_dir_all(guard.lab.work().join(folder)).unwrap();
    }
    guard.write("evil", "x");
    guard.link("sub/l", "../beside");
    guard.link("a/h", ".git/hooks");
    let calls = guard.run(&EDITS);
    assert!(
        !guard.beside("beside/y").exists() && !guard.lab.has(".git/hooks/pre-commit"),
        "{calls:?}"
    );
    assert!(calls.len() == 2 && calls.iter().all(|call| call.denied), "{calls:?}");
}

#[test]
fn a_program_that_reads_a_file_written_by_the_line_needs_permission() {
    let guard = Guard::new(&[
        "cp gradlew t/bin/cargo; cp toolchain rust-toolchain.toml; cargo --version",
        "mkdir -p .git; cp toolchain .gitmodules; git status",
    ]);
    for file in ["gradlew", "toolchain", "t/bin/x"] {
        guard.write(file, "[toolchain]\npath = \"t\"\n");
    }
    let calls = guard.run(&EDITS);
    assert!(calls.len() == 2 && calls.iter().all(|call| call.denied), "{calls:?}");
}

#[test]
fn files_that_the_line_moves_are_not_asked_about() {
    let guard = Guard::new(&[
        "mv a.txt b.txt && cat b.txt",
        "mkdir d && mv b.txt d/c.txt && cat d/c.txt",
        "mv d e && cat e/c.txt",
    ]);
    guard.write("a.txt", "text");
    let calls = guard.run(&EDITS);
    assert!(
        calls.iter().all(|call| !call.denied && call.text == "text"),
        "{calls:?}"
    );
}

#[test]
fn a_folder_with_denied_files_is_neither_moved_nor_removed() {
    let rules = ["--disallowedTools", "Read(./conf/prod/**)", "Read(./svc/.env)"];
    for mode in ["acceptEdits", "bypassPermissions"] {
        let guard = Guard::new(&["mv conf c2; cat c2/prod/k", "mv conf c3", "rm -rf svc"]);
        guard.write("conf/prod/k", "SECRET");
        guard.write("svc/.env", "SECRET");
        let calls = match mode {
            "bypassPermissions" => bypass(&guard, &rules),
            _ => guard.run(&[&EDITS[..], &rules].concat()),
        };
        assert!(
            guard.lab.has("conf/prod/k") && guard.lab.has("svc/.env"),
            "{mode}: {calls:?}"
        );
        assert!(
            calls.iter().all(|call| !call.text.contains("SECRET")),
            "{mode}: {calls:?}"
        );
    }
}

#[test]
fn a_program_in_the_project_is_not_mistaken_for_a_system_program() {
    for folder in [".venv/bin", "."] {
        let guard = Guard::new(&["git status", "ls"]);
        guard.repository("");
        let trap = guard.trap();
        let program = guard.lab.work().join(folder).join("git");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::copy(trap, program).unwrap();
        let first = match folder {
            "." => ".".to_owned(),
            _ => guard.lab.work().join(folder).display().to_string(),
        };
        let path = format!("{first}:{}", std::env::var("PATH").unwrap());
        let mut command = guard.lab.command(&STREAM);
        command.arg("hi").env("PATH", path).stdin(std::process::Stdio::null());
        let calls = outcomes(&Ran::from(command.output().unwrap()));
        assert!(!guard.sprung(), "{calls:?}");
        let denied: Vec<bool> = calls.iter().map(|call| call.denied).collect();
        assert_eq!(denied, [true, false], "{calls:?}");
    }
}

/// A line runs the programs on the search path that the decision considered, even if it changes the folder or creates a
/// program.
#[test]
fn a_program_created_in_the_project_is_not_run() {
    for (first, line) in [
        (".", "cd sub/deep && git --version"),
        (".venv/bin", "cp evil .venv/bin/ls; ls"),
        (".venv/bin", "mv evil .venv/bin/git && git status"),
        ("", "cd sub/deep; wc -l a.txt; git log -1"),
    ] {
        let guard = Guard::new(&[line]);
        guard.repository("");
        let trap = guard.trap();
        for name in ["evil", "sub/deep/git", "sub/deep/wc", ".venv/bin/x"] {
            let path = guard.lab.work().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::copy(&trap, path).unwrap();
        }
        let folder = match first {
            "." | "" => first.to_owned(),
            _ => guard.lab.work().join(first).display().to_string(),
        };
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
        let mut command = guard.lab.command(&STREAM);
        command
            .args(EDITS)
            .arg("hi")
            .env("PATH", path)
            .stdin(std::process::Stdio::null());
        let calls = outcomes(&Ran::from(command.output().unwrap()));
        assert!(!guard.sprung(), "{line}: {calls:?}");
        assert!(!calls[0].denied, "{line}: {calls:?}");
    }
}

#[test]
fn an_edit_that_would_fill_the_memory_is_refused() {
    let edit = json!({"file_path": "big", "old_string": "a", "new_string": "b".repeat(200_000), "replace_all": true});
    let guard = Guard::calling(&[("Read", json!({"file_path": "big"})), ("Edit", edit)]);
    guard.write("big", "a".repeat(200_000));
    let calls = guard.run(&EDITS);
    assert!(
        calls[1].text.contains("larger than 64 MiB"),
        "{:?}",
        calls[1].text.get(..200)
    );
    assert_eq!(std::fs::metadata(guard.lab.work().join("big")).unwrap().len(), 200_000);
}

#[test]
fn a_command_cannot_forge_the_reported_directory() {
    let guard = Guard::new(&["cd sub", "printf /x >&117", "pwd"]);
    guard.write("sub/x", "x");
    let calls = guard.run(&[]);
    assert!(calls[2].text.trim().ends_with("work/sub"), "{calls:?}");
}
