//! Source files have at most 600 lines; longer ones are about more than one thing.

use std::fs;
use std::path::Path;

use crate::repository::{root, tracked};

const LINES: usize = 600;

/// Files that may be longer, with the reason.
const EXCEPTIONS: &[(&str, &str)] = &[("web/src/api/types.ts", "made from the types of the bridge")];

/// Generated files and tests may be longer, because they are not read from start to end.
fn counts(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = |wanted: &str| file.iter().any(|part| part == wanted);
    let source = matches!(file.extension().and_then(|ext| ext.to_str()), Some("rs" | "ts" | "tsx"));
    let test = folder("tests")
        || name == "tests.rs"
        || name.ends_with("_tests.rs")
        || name.contains(".test.")
        || name.contains(".spec.");
    let generated = folder("generated") || name.contains(".gen.");
    source && !test && !generated
}

#[test]
fn no_file_is_about_two_things() {
    let root = root();
    let long: Vec<String> = tracked()
        .iter()
        .filter(|file| counts(file) && !EXCEPTIONS.iter().any(|(exception, _)| file == &Path::new(exception)))
        .filter_map(|file| {
            let lines = fs::read_to_string(root.join(file)).unwrap().lines().count();
            (lines > LINES).then(|| format!("{lines} {}", file.display()))
        })
        .collect();
    assert!(long.is_empty(), "over {LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn tests_and_generated_files_are_known_by_name() {
    for (file, counted) in [
        ("crates/a/src/lib.rs", true),
        ("web/src/page.ts", true),
        ("crates/a/src/turn_tests.rs", false),
        ("crates/a/tests/it/main.rs", false),
        ("web/src/wire/generated/types.ts", false),
        ("web/src/types.gen.ts", false),
        ("README.md", false),
    ] {
        assert_eq!(counts(Path::new(file)), counted, "{file}");
    }
}
