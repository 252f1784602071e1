#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use pretty_assertions::assert_eq;

use super::*;

fn tools() -> Vec<DeferredTool> {
    [
        ("NotebookEdit", "Changes a cell of a notebook."),
        ("WebFetch", "Reads a page of the web."),
        ("WebSearch", "Looks for pages."),
        ("mcp__slack__send_message", "Sends something to a channel."),
        ("mcp__slack__read_channel", "Reads a channel."),
        ("mcp__mail__send_message", "Sends a letter, not to slackers."),
    ]
    .into_iter()
    .map(|(name, description)| DeferredTool {
        name: name.to_owned(),
        description: description.to_owned(),
    })
    .collect()
}

fn find(query: &str, most: usize) -> Vec<String> {
    Query::parse(query).find(&tools(), most)
}

#[test]
fn a_selection_gives_what_it_names_and_nothing_twice() {
    assert_eq!(find("select:WebFetch", 5), ["WebFetch"]);
    assert_eq!(
        find("select: WebSearch , webfetch,WebFetch,Nothing", 1),
        ["WebSearch", "WebFetch"]
    );
    assert!(find("select:", 5).is_empty());
    assert!(find("select:Web", 5).is_empty());
}

#[test]
fn words_in_the_name_count_most() {
    assert_eq!(find("notebook", 5), ["NotebookEdit"]);
    assert_eq!(find("web", 5), ["WebFetch", "WebSearch"]);
    assert_eq!(
        find("slack", 2),
        ["mcp__slack__send_message", "mcp__slack__read_channel"]
    );
    assert_eq!(find("webfetch", 5), ["WebFetch"]);
    assert!(find("quantum", 5).is_empty());
    assert!(find(" ", 5).is_empty());
}

#[test]
fn words_with_a_plus_are_required() {
    assert_eq!(find("+slack send", 5)[0], "mcp__slack__send_message");
    assert_eq!(find("+channel +read", 5), ["mcp__slack__read_channel"]);
    assert!(find("+nonsense send", 5).is_empty());
    assert_eq!(find("+mail", 5), ["mcp__mail__send_message"]);
}

#[test]
fn names_fall_into_words() {
    assert_eq!(parts("mcp__slack__send_message"), ["mcp", "slack", "send", "message"]);
    assert_eq!(parts("NotebookEdit"), ["notebook", "edit"]);
    assert_eq!(parts("LSP"), ["lsp"]);
}
