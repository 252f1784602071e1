//! Untrusted repositories that would make git run a program or read other files.

use super::Guard;

/// Checks that no line runs the program and each needs permission.
#[track_caller]
fn asks(guard: &Guard) {
    let calls = guard.run(&[]);
    assert!(!guard.sprung(), "{calls:?}");
    assert!(!calls.is_empty() && calls.iter().all(|call| call.denied), "{calls:?}");
}

const FILTERED: &str = "* filter=evil diff=evil\n";

fn evil(program: &str) -> String {
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[filter \"evil\"]\n\tclean = {program}\n[diff \"evil\"]\n\ttextconv = {program}\n"
    )
}

#[test]
fn filters_of_a_submodule_are_not_run() {
    for asked_for in [false, true] {
        let guard = Guard::new(&["git status", "git diff", "git diff --stat"]);
        guard.repository("");
        guard.repository("sub");
        guard.git("", &["add", "sub"]);
        if asked_for {
            guard.write(
                ".gitmodules",
                "[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n",
            );
        }
        guard.git("", &["commit", "-qm", "two"]);
        guard.write("sub/.git/config", evil(&guard.trap()));
        guard.write("sub/.gitattributes", FILTERED);
        guard.touch("sub/file");
        let calls = guard.run(&[]);
        assert!(!guard.sprung(), "{calls:?}");
        assert!(calls.iter().all(|call| call.denied == asked_for), "{calls:?}");
    }
}

#[test]
fn an_empty_git_folder_does_not_hide_the_repository_above() {
    let guard = Guard::new(&["git -C sub status", "cd sub && git diff"]);
    guard.repository("");
    guard.write("sub/x", "x\n");
    guard.git("", &["add", "."]);
    std::fs::create_dir(guard.lab.work().join("sub/.git")).unwrap();
    guard.write(".git/config", evil(&guard.trap()));
    guard.write(".gitattributes", FILTERED);
    guard.touch("sub/x");
    asks(&guard);
}

#[test]
fn git_behind_a_link_is_judged_where_the_link_leads() {
    let guard = Guard::new(&["git -C a/link diff", "git -C a/link status"]);
    guard.repository("");
    guard.repository("other");
    guard.write("other/deep/x", "x\n");
    guard.git("other", &["add", "."]);
    guard.link("a/link", "../other/deep");
    guard.write("other/.git/config", evil(&guard.trap()));
    guard.write("other/.gitattributes", FILTERED);
    guard.touch("other/deep/x");
    asks(&guard);
}

#[test]
fn folders_inside_a_git_folder_are_asked_about() {
    let guard = Guard::new(&["git -C .git/modules/x log -p", "git -C .git/worktrees/x log -p"]);
    guard.repository("");
    guard.repository("../outside");
    guard.write(".git/info/attributes", FILTERED);
    let copy = std::process::Command::new("cp")
        .arg("-r")
        .args([guard.beside("outside/.git"), guard.lab.work().join(".git/modules")])
        .status();
    assert!(copy.unwrap().success());
    std::fs::rename(guard.lab.work().join(".git/modules"), guard.lab.work().join("x")).unwrap();
    std::fs::create_dir(guard.lab.work().join(".git/modules")).unwrap();
    std::fs::rename(guard.lab.work().join("x"), guard.lab.work().join(".git/modules/x")).unwrap();
    guard.write(".git/modules/x/config", evil(&guard.trap()));
    guard.write(".git/modules/x/info/attributes", FILTERED);
    let outside = guard.beside("outside/.git").canonicalize().unwrap();
    guard.write(".git/worktrees/x/HEAD", "ref: refs/heads/main\n");
    guard.write(".git/worktrees/x/commondir", format!("{}\n", outside.display()));
    asks(&guard);
}

#[test]
fn tracked_names_are_those_that_git_lists() {
    let guard = Guard::new(&["cat $(git ls-files)"]);
    guard.write("../secret", "SECRET");
    guard.write("file", "one\n");
    guard.link("leak", "../secret");
    guard.git("", &["init", "-q", "--object-format=sha256", "."]);
    guard.git("", &["add", "."]);
    let calls = guard.run(&[]);
    assert!(
        calls.iter().all(|call| call.denied && !call.text.contains("SECRET")),
        "{calls:?}"
    );
}

/// The id of this symlink in a repository with long ids ends in bytes that look like a file name (`=P;d7-bP`) in an
/// index with short ids. A parser that assumes short ids sees one harmless file instead of the symlink.
#[test]
fn a_link_that_an_index_with_long_ids_hides_is_not_followed() {
    let guard = Guard::new(&["cat $(git ls-files)"]);
    guard.write("../secret", "SECRET");
    guard.link("leak", ".././///.////////.//.//.///////////////////////////secret");
    guard.git("", &["init", "-q", "--object-format=sha256", "."]);
    guard.git("", &["add", "leak"]);
    let calls = guard.run(&[]);
    assert!(
        calls.iter().all(|call| call.denied && !call.text.contains("SECRET")),
        "{calls:?}"
    );
}

#[test]
fn tracked_names_with_odd_bytes_are_not_passed_on() {
    use std::os::unix::ffi::OsStrExt as _;
    for name in [
        &b"a /etc/hostname"[..],
        b"a\n/etc/hostname",
        b"\xff",
        "\u{e4}".as_bytes(),
        b"*",
        b"-e",
        b"a\tb",
        b"a\"b",
    ] {
        let guard = Guard::new(&["cat $(git ls-files)", "git ls-files | xargs cat"]);
        guard.repository("");
        // For some of them, git prints the name of another file.
        guard.write("../secret", "SECRET");
        guard.link("\"\\303\\244\"", "../secret");
        guard.link("\"\\377\"", "../secret");
        let path = guard.lab.work().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "odd").unwrap();
        guard.git("", &["--literal-pathspecs", "add", "--", path.to_str().unwrap_or(".")]);
        let calls = guard.run(&[]);
        // `xargs` does not expand patterns: a file named `*` is only that.
        assert!(
            calls[0].denied && (calls[1].denied || name == b"*"),
            "{name:?}: {calls:?}"
        );
    }
}

#[test]
fn git_describe_of_a_changed_tree_runs_and_keeps_the_index() {
    let guard = Guard::new(&["git describe --dirty --always", "git describe --always --dirty=-x"]);
    guard.repository("");
    guard.touch("file");
    let index = || std::fs::read(guard.lab.work().join(".git/index")).unwrap();
    let before = index();
    let calls = guard.run(&[]);
    assert!(
        calls.iter().all(|call| !call.denied && !call.text.contains("dirty")),
        "{calls:?}"
    );
    assert_eq!(index(), before);
    let guard = Guard::new(&["git describe --dirty --always"]);
    guard.repository("");
    guard.write("file", "two\n");
    let calls = guard.run(&[]);
    assert!(calls[0].text.contains("-dirty"), "{calls:?}");
}

#[test]
fn an_extension_of_lfs_names_a_program() {
    let guard = Guard::new(&["git status"]);
    guard.repository("");
    guard.write(".gitattributes", "* filter=lfs\n");
    // A one-line equivalent of git-lfs.
    let lfs = "[filter \"lfs\"]\n\tclean = \"$(git config lfs.extension.x.clean)\"\n";
    guard.write("../home/.gitconfig", lfs);
    guard.git("", &["config", "lfs.extension.x.clean", &guard.trap()]);
    guard.touch("file");
    asks(&guard);
}

#[test]
fn a_command_that_an_alias_may_replace_needs_permission() {
    let guard = Guard::new(&["git whatchanged"]);
    guard.repository("");
    guard.git("", &["config", "alias.whatchanged", &format!("!{}", guard.trap())]);
    asks(&guard);
}

#[test]
fn a_pointer_to_another_repository_is_not_followed() {
    let guard = Guard::new(&["git log -p", "git show"]);
    guard.repository("../outside");
    let outside = guard.beside("outside/.git").canonicalize().unwrap();
    guard.write(".git", format!("gitdir: {}\n", outside.display()));
    asks(&guard);
}

#[test]
fn a_work_tree_elsewhere_is_asked_about() {
    let guard = Guard::new(&["git status", "git diff"]);
    guard.repository("");
    guard.write("../private", "x");
    guard.git("", &["config", "core.worktree", ".."]);
    guard.git(
        "",
        &[
            "config",
            "core.worktree",
            &guard.beside("").canonicalize().unwrap().display().to_string(),
        ],
    );
    asks(&guard);
}

#[test]
fn everyday_repositories_are_not_asked_about() {
    let guard = Guard::new(&[
        "git status --short",
        "git -C src log --oneline",
        "git -C linked status",
        "git -C module log -p",
        "cat $(git ls-files)",
    ]);
    guard.repository("");
    guard.write("src/x", "x\n");
    guard.repository("../upstream");
    guard.git("", &["submodule", "--quiet", "add", "../upstream", "module"]);
    guard.git("", &["worktree", "add", "-q", "linked"]);
    let calls = guard.run(&[]);
    // A submodule is not a file; its contents are in its own index.
    let denied: Vec<bool> = calls.iter().map(|call| call.denied).collect();
    assert_eq!(denied, [false, false, false, false, true], "{calls:?}");
    assert!(
        calls[0].text.contains("src/") && calls[1].text.contains("one"),
        "{calls:?}"
    );
    assert!(
        calls[2].text.contains("On branch linked") && calls[3].text.contains("+one"),
        "{calls:?}"
    );
}

#[test]
fn notes_are_read_and_not_changed() {
    let guard = Guard::new(&[
        "git notes remove HEAD",
        "git notes prune",
        "git notes copy HEAD HEAD",
        "git notes show HEAD",
    ]);
    guard.repository(".");
    guard.git(".", &["notes", "add", "-m", "a note", "HEAD"]);
    let calls = guard.run(&[]);
    let denied: Vec<bool> = calls.iter().map(|call| call.denied).collect();
    assert_eq!(denied, [true, true, true, false], "{calls:?}");
    assert!(calls[3].text.contains("a note"), "{calls:?}");
}
