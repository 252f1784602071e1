#![allow(clippy::unwrap_used)]

use super::*;

fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), std::env::var_os("PATH").unwrap())]
}

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = command(&environment())
        .args(["init", "-q"])
        .current_dir(folder.path())
        .status();
    assert!(made.unwrap().success());
    folder
}

fn keys(git: Git<'_>, at: &Path) -> Vec<String> {
    match git.repository(at) {
        Found::This(repository) => repository.settings.iter().map(|one| one.key.clone()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_unchanged_repository_is_asked_about_once() {
    let (folder, env) = (repository(), environment());
    let look = || match Git::new(&env).repository(folder.path()) {
        Found::This(repository) => repository,
        other => panic!("{other:?}"),
    };
    // Cached once the files are old enough.
    let mut last = look();
    loop {
        let next = look();
        if Arc::ptr_eq(&last, &next) {
            break;
        }
        last = next;
    }
}

#[test]
fn a_changed_repository_is_queried_again() {
    let (folder, env) = (repository(), environment());
    let git = Git::new(&env);
    assert!(!keys(git, folder.path()).contains(&"diff.external".to_owned()));
    let config = folder.path().join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[diff]\n\texternal = x\n")).unwrap();
    assert!(keys(git, folder.path()).contains(&"diff.external".to_owned()));
    // A nested repository is a different one.
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    assert!(keys(git, &sub).contains(&"diff.external".to_owned()));
    assert!(
        command(&env)
            .args(["init", "-q"])
            .current_dir(&sub)
            .status()
            .unwrap()
            .success()
    );
    assert!(!keys(git, &sub).contains(&"diff.external".to_owned()));
}

#[test]
fn no_repository_is_not_an_unknown_one() {
    let (folder, env) = (tempfile::tempdir().unwrap(), environment());
    assert_eq!(Git::new(&env).repository(folder.path()), Found::Nothing);
    std::fs::write(folder.path().join(".git"), "gitdir: elsewhere").unwrap();
    assert_eq!(Git::new(&env).repository(folder.path()), Found::Unknown);
}

#[test]
fn a_hanging_git_is_killed() {
    let (folder, env) = (repository(), environment());
    let config = folder.path().join(".git/config");
    std::fs::remove_file(&config).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &config, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(Git::new(&env).repository(folder.path()), Found::Unknown);
}

#[test]
fn a_git_program_in_the_repository_is_not_run() {
    use std::os::unix::fs::PermissionsExt as _;
    for first in ["", ".", "bin"] {
        let folder = repository();
        let path = folder.path().join(first).join("git");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "#!/bin/sh\ntouch trace\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut env = environment();
        let rest = env.pop().unwrap().1.into_string().unwrap();
        env.push(("PATH".into(), format!("{first}:{rest}").into()));
        assert!(!keys(Git::new(&env), folder.path()).is_empty());
        assert!(!folder.path().join("trace").exists(), "{first}");
    }
}
