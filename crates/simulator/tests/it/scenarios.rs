//! Scenario files of the shared material, if it is available.

use std::path::{Path, PathBuf};

use sluice_simulator::Script;

/// Returns a folder of the material next to the repository, if it exists.
pub(crate) fn shared(below: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    let folder = root.join("shared").join(below);
    folder.is_dir().then_some(folder)
}

#[test]
fn the_scripts_of_all_scenarios_are_valid() {
    let Some(folder) = shared("wire/scenarios") else {
        println!("skipped: no shared/wire/scenarios beside the repository");
        return;
    };
    let mut replies = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            let text = std::fs::read_to_string(&path).unwrap();
            match Script::parse(&text) {
                Ok(script) => replies += script.replies().len(),
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }
    assert!(replies > 500, "only {replies} replies");
}
