//! `docs/reference/hooks.md`: the table of hook events as a page of the documentation.

use std::fmt::Write as _;
use std::path::Path;

use crate::event::Event;

/// Returns the page.
fn page() -> String {
    let mut out = String::from(
        "# Hook events\n\n<!-- Generated from crates/hooks/src/event.rs by `make reference`. -->\n\n\
         The guide to [hooks](../guides/hooks.md) says how they are configured.\n\n\
         *Matcher*: hooks of the event can have a `matcher`, which selects tools or kinds of the event. \
         *Blocks*: a hook can refuse the action, or send its reason to the model instead of ending.\n\n\
         | event | when it happens | matcher | blocks |\n|---|---|---|---|\n",
    );
    for event in Event::ALL {
        let mark = |holds: bool| if holds { "yes" } else { "" };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} |",
            event.as_str(),
            event.summary(),
            mark(event.has_matcher()),
            mark(event.can_block()),
        );
    }
    out
}

#[test]
fn reference_of_hook_events_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/hooks.md");
    if std::env::var_os("SLUICE_WRITE_DOCS").is_some() {
        std::fs::write(&file, page()).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page(),
        "docs/reference/hooks.md is not current: run `make reference`"
    );
}
