//! The program of the bridge, for the processes it starts.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The file of the program that runs. `path` is where it was started; while another file is there, as after an update
/// or an upgrade that was refused, the kernel still has the one that runs. Processes of the bridge and the bridge are
/// thus of one version.
pub(crate) fn of(path: &Path) -> PathBuf {
    let identity = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    let running = identity(Path::new("/proc/self/exe"));
    match running.is_some() && running != identity(path) {
        true => PathBuf::from(format!("/proc/{}/exe", std::process::id())),
        false => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_program_whose_file_was_replaced_is_started_from_the_kernel() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(of(&own), own);
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("sluice");
        std::fs::write(&other, "another version").unwrap();
        let running = of(&other);
        assert!(running.starts_with("/proc"), "{}", running.display());
        assert_eq!(
            std::fs::metadata(running).unwrap().len(),
            std::fs::metadata(own).unwrap().len()
        );
    }
}
