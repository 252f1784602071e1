#![allow(clippy::unwrap_used)]

use pretty_assertions::assert_eq;

use super::*;

/// As written by Jupyter, with unknown members and numbers that parsers do not preserve.
const JUPYTER: &str = "{\n \"zz\": 1e400,\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 7,\n   \"id\": \"c1\",\n   \"metadata\": {\"x\": 1.0},\n   \"outputs\": [\n    {\n     \"name\": \"stdout\"\n    }\n   ],\n   \"source\": [\n    \"a = 1\\n\",\n    \"print(\\u0061)\"\n   ],\n   \"unknown\": true\n  }\n ],\n \"metadata\": {},\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

#[test]
fn a_replaced_source_changes_nothing_else() {
    let notebook = Notebook::parse(JUPYTER).unwrap();
    assert_eq!(notebook.cell(0).unwrap().source, "a = 1\nprint(a)");
    let updated = notebook.replaced(0, "b = 2\nprint(\"ü\")", "code").unwrap();
    let expected = JUPYTER
        .replace(
            "\"a = 1\\n\",\n    \"print(\\u0061)\"",
            "\"b = 2\\n\",\n    \"print(\\\"ü\\\")\"",
        )
        .replace("\"execution_count\": 7", "\"execution_count\": null")
        .replace("[\n    {\n     \"name\": \"stdout\"\n    }\n   ]", "[]");
    assert_eq!(updated, expected);
}

#[test]
fn a_new_cell_is_written_like_its_neighbours() {
    let notebook = Notebook::parse(JUPYTER).unwrap();
    let updated = notebook.inserted(Some(0), "# T\ntext", "markdown", Some("new"));
    let cell = "  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"new\",\n   \"source\": [\n    \"# T\\n\",\n    \"text\"\n   ],\n   \"metadata\": {}\n  }";
    assert_eq!(
        updated,
        JUPYTER.replace("  }\n ],\n \"meta", &format!("  }},\n{cell}\n ],\n \"meta"))
    );
    let before = notebook.inserted(None, "x", "code", None);
    assert!(before.contains("\"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"x\"\n   ],\n   \"metadata\": {},\n   \"execution_count\": null,\n   \"outputs\": []\n  },\n  {"), "{before}");
}

#[test]
fn deleting_what_was_inserted_gives_the_old_text() {
    let notebook = Notebook::parse(JUPYTER).unwrap();
    for (after, at) in [(None, 0), (Some(0), 1)] {
        let more = notebook.inserted(after, "x", "code", Some("new"));
        let more = Notebook::parse(&more).unwrap();
        assert_eq!(more.find("new"), Some(at));
        assert_eq!(more.deleted(at).unwrap(), JUPYTER);
    }
    let empty = notebook.deleted(0).unwrap();
    assert!(empty.contains("\"cells\": [],"));
    let first = Notebook::parse(&empty)
        .unwrap()
        .inserted(None, "x", "markdown", Some("m"));
    assert!(first.contains("\"cells\": [\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"m\",\n   \"source\": [\n    \"x\"\n   ],\n   \"metadata\": {}\n  }\n ],"), "{first}");
}

#[test]
fn a_cell_of_another_kind_has_other_members() {
    let notebook = Notebook::parse(JUPYTER).unwrap();
    let updated = notebook.replaced(0, "text", "markdown").unwrap();
    let expected = "{\n   \"cell_type\": \"markdown\",\n   \"id\": \"c1\",\n   \"metadata\": {\"x\": 1.0},\n   \"source\": [\n    \"text\"\n   ],\n   \"unknown\": true\n  }";
    assert!(updated.contains(expected), "{updated}");
    let back = Notebook::parse(&updated).unwrap().replaced(0, "y", "code").unwrap();
    assert!(
        back.contains("\"unknown\": true,\n   \"execution_count\": null,\n   \"outputs\": []\n  }"),
        "{back}"
    );
}

#[test]
fn text_in_one_line_stays_in_one_line() {
    let text =
        r#"{"cells": [{"cell_type": "markdown", "source": "a", "metadata": {}}], "nbformat": 4, "nbformat_minor": 2}"#;
    let notebook = Notebook::parse(text).unwrap();
    assert!(!notebook.has_ids);
    assert_eq!(
        notebook.replaced(0, "b", "markdown").unwrap(),
        text.replace("\"a\"", "\"b\"")
    );
    assert_eq!(
        notebook.inserted(Some(0), "b", "markdown", None),
        text.replace("}}]", r#"}},{"cell_type": "markdown", "source": "b", "metadata": {}}]"#)
    );
}

#[test]
fn cells_are_found_by_name_and_by_number() {
    let text = r#"{"cells":[{"id":"1","source":""},{"source":""},{"id":"x","source":""}]}"#;
    let notebook = Notebook::parse(text).unwrap();
    for (name, at) in [
        ("1", Some(0)),
        ("x", Some(2)),
        ("cell-1", Some(1)),
        ("2", Some(2)),
        ("3", None),
        ("y", None),
    ] {
        assert_eq!(notebook.find(name), at, "{name}");
    }
    assert!(
        Notebook::parse("{}").is_err()
            && Notebook::parse("[]").is_err()
            && Notebook::parse(r#"{"cells":[1]}"#).is_err()
    );
}
