//! Location and files of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder with the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/cli lies two folders down")
        .to_owned()
}

/// Returns all tracked files that exist, relative to [`root`].
pub(crate) fn tracked() -> Vec<PathBuf> {
    let root = root();
    let listed = output(Command::new("git").args(["ls-files", "-z"]).current_dir(&root));
    let files: Vec<PathBuf> = listed
        .split('\0')
        .map(PathBuf::from)
        .filter(|file| root.join(file).is_file())
        .collect();
    assert!(
        files.iter().any(|file| file.ends_with("Cargo.toml")),
        "git lists no manifest: {listed:?}"
    );
    files
}

/// Returns the standard output of a command; fails the test if the command fails.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}
