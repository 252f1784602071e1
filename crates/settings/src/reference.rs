//! `docs/reference/settings.md`: the table of settings as a page of the documentation.

use std::fmt::Write as _;
use std::path::Path;

use crate::keys::{Key, Scopes, TABLE, Untrusted, permissions};

/// Returns the page.
fn page() -> String {
    let mut out = String::from(
        "# Settings\n\n<!-- Generated from crates/settings/src/keys.rs by `make reference`. -->\n\n\
         Settings files are shared with the reference CLI. A stronger file overrides a weaker one; lists and objects are merged. \
         From weak to strong:\n\n\
         1. user: `~/.claude/settings.json`\n\
         2. project: `.claude/settings.json`\n\
         3. local: `.claude/settings.local.json`\n\
         4. flags: `--settings`\n\
         5. managed: the files of the administrator\n\n\
         *Untrusted* says whether the setting of a project applies before its folder is [trusted](../trust.md): \
         \"held back\", \"yes\", or \"for hosts\" (only where a program requests the project's settings with `--setting-sources`). \
         Keys that are not listed are preserved.\n\n\
         | key | value | effect | files | untrusted |\n|---|---|---|---|---|\n",
    );
    for key in TABLE {
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} |",
            key.name,
            key.shape.words(),
            key.about().replace('|', "\\|"),
            files(key),
            untrusted(key)
        );
    }
    out.push_str("\n## Keys of `permissions`\n\n| key | effect |\n|---|---|\n");
    for key in permissions::TABLE {
        let _ = writeln!(out, "| `{}` | {} |", key.name, key.about());
    }
    out
}

/// Returns the files that may contain a setting.
fn files(key: &Key) -> &'static str {
    match key.scopes {
        Scopes::All => "all",
        Scopes::NotProjects => "all but project and local",
        Scopes::Owners => "user, managed",
        Scopes::Policy => "managed",
    }
}

/// Returns whether a setting applies in an untrusted folder.
fn untrusted(key: &Key) -> &'static str {
    match key.untrusted {
        Untrusted::Waits => "held back",
        Untrusted::CountsForHosts => "for hosts",
        Untrusted::Counts => "yes",
    }
}

#[test]
fn reference_of_settings_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/settings.md");
    if std::env::var_os("SLUICE_WRITE_DOCS").is_some() {
        std::fs::write(&file, page()).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page(),
        "docs/reference/settings.md is not current: run `make reference`"
    );
}
