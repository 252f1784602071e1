use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Lab, said};

const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"id\": \"c1\",\n   \"source\": \"print(1)\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"execution_count\": null\n  },\n  {\n   \"cell_type\": \"markdown\",\n   \"id\": \"c2\",\n   \"source\": \"# T\",\n   \"metadata\": {}\n  }\n ],\n \"metadata\": {\n  \"language_info\": {\n   \"name\": \"python\"\n  }\n },\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}";

fn edit(cell: &str, source: &str) -> Value {
    json!({"notebook_path": "n.ipynb", "cell_id": cell, "new_source": source})
}

#[tokio::test]
async fn edits_are_as_recorded() {
    let lab = Lab::new();
    lab.file("n.ipynb", NOTEBOOK);
    let unread = "File has not been read yet. Read it first before writing to it.";
    let refusal = lab.vet("NotebookEdit", &edit("c1", "print(2)")).await.unwrap();
    assert_eq!(refusal.content, format!("<tool_use_error>{unread}</tool_use_error>"));
    assert_eq!(refusal.result, format!("Error: {unread}"));
    lab.call("Read", json!({"file_path": "n.ipynb"})).await;
    assert_eq!(lab.vet("NotebookEdit", &edit("c1", "print(2)")).await, None);

    let outcome = lab.call("NotebookEdit", edit("c1", "print(2)")).await;
    let second = NOTEBOOK.replace("print(1)", "print(2)");
    assert_eq!(
        (outcome.content, outcome.is_error),
        (json!("Updated cell c1 with print(2)"), None)
    );
    assert_eq!(
        outcome.result.to_string(),
        json!({"new_source": "print(2)", "old_source": "print(1)", "cell_type": "code", "language": "python", "edit_mode": "replace",
            "cell_id": "c1", "error": "", "notebook_path": "n.ipynb", "original_file": NOTEBOOK, "updated_file": second})
        .to_string()
    );

    let insert = json!({"notebook_path": "n.ipynb", "cell_id": "c1", "cell_type": "markdown", "edit_mode": "insert", "new_source": "## new"});
    let outcome = lab.call("NotebookEdit", insert).await;
    let id = outcome.result["cell_id"].as_str().unwrap();
    assert_eq!(outcome.content, format!("Inserted cell {id} with ## new"));
    let third = second.replace(
        "\n  },\n  {\n   \"cell_type\": \"markdown\"",
        &format!("\n  }},\n  {{\n   \"cell_type\": \"markdown\",\n   \"id\": \"{id}\",\n   \"source\": \"## new\",\n   \"metadata\": {{}}\n  }},\n  {{\n   \"cell_type\": \"markdown\""),
    );
    assert_eq!(outcome.result["updated_file"], third);
    assert_eq!(
        (outcome.result.get("old_source"), &outcome.result["cell_type"]),
        (None, &json!("markdown"))
    );

    let delete = json!({"notebook_path": "n.ipynb", "cell_id": "c2", "edit_mode": "delete", "new_source": ""});
    let outcome = lab.call("NotebookEdit", delete).await;
    assert_eq!(outcome.content, "Deleted cell c2");
    assert_eq!(
        (
            &outcome.result["old_source"],
            &outcome.result["cell_type"],
            &outcome.result["edit_mode"]
        ),
        (&json!("# T"), &json!("code"), &json!("delete"))
    );
    assert_eq!(outcome.result["updated_file"], lab.text("n.ipynb"));

    let refusal = lab.vet("NotebookEdit", &edit("zzz", "x")).await.unwrap();
    assert_eq!(refusal.result, "Error: Cell with ID \"zzz\" not found in notebook.");
    assert_eq!(lab.call("NotebookEdit", edit("zzz", "x")).await, refusal);
}

#[tokio::test]
async fn cells_without_names_go_by_number_and_outputs_are_cleared() {
    let lab = Lab::new();
    let notebook = json!({"cells": [
        {"cell_type": "markdown", "source": ["# T\n"], "metadata": {}},
        {"cell_type": "code", "source": ["1"], "metadata": {}, "execution_count": 3, "outputs": [{"output_type": "stream", "text": "1"}]},
    ], "metadata": {}, "nbformat": 4, "nbformat_minor": 2});
    lab.file("n.ipynb", notebook.to_string());
    lab.call("Read", json!({"file_path": "n.ipynb"})).await;
    let outcome = lab.call("NotebookEdit", edit("cell-1", "2")).await;
    assert_eq!(outcome.is_error, None, "{}", outcome.content);
    let now: Value = serde_json::from_str(&lab.text("n.ipynb")).unwrap();
    assert_eq!(
        now["cells"][1],
        json!({"cell_type": "code", "source": ["2"], "metadata": {}, "execution_count": null, "outputs": []})
    );
    let insert = json!({"notebook_path": "n.ipynb", "cell_type": "code", "edit_mode": "insert", "new_source": "0"});
    let outcome = lab.call("NotebookEdit", insert).await;
    assert_eq!(outcome.result["cell_id"], "cell-0");
    let outcome = lab.call("NotebookEdit", edit("1", "text")).await;
    assert_eq!(
        outcome.result["cell_type"], "markdown",
        "a replaced cell keeps its kind"
    );
    let now: Value = serde_json::from_str(&lab.text("n.ipynb")).unwrap();
    assert_eq!(now["cells"][0]["source"], json!(["0"]));
    assert_eq!(now["cells"][1]["source"], json!(["text"]));
    assert!(now["cells"][0].get("id").is_none(), "this format has no names");
}

#[tokio::test]
async fn impossible_edits_are_refused_before_permission() {
    let lab = Lab::new();
    lab.file("n.ipynb", NOTEBOOK);
    lab.file("a.txt", "x");
    lab.file("broken.ipynb", "{");
    for file in ["n.ipynb", "broken.ipynb"] {
        lab.call("Read", json!({"file_path": file})).await;
    }
    for (input, message) in [
        (
            json!({"notebook_path": "a.txt", "new_source": "", "cell_id": "c1"}),
            "Only notebooks",
        ),
        (
            json!({"notebook_path": "none.ipynb", "new_source": "", "cell_id": "c1"}),
            "File does not exist.",
        ),
        (
            json!({"notebook_path": "n.ipynb", "new_source": ""}),
            "`cell_id` must say",
        ),
        (
            json!({"notebook_path": "n.ipynb", "new_source": "", "edit_mode": "insert"}),
            "without `cell_type`",
        ),
        (
            json!({"notebook_path": "n.ipynb", "new_source": "", "edit_mode": "nonsense"}),
            "InputValidationError",
        ),
        (
            json!({"notebook_path": "broken.ipynb", "new_source": "", "cell_id": "c1"}),
            "File has not been read yet.",
        ),
    ] {
        let refusal = lab.vet("NotebookEdit", &input).await.unwrap();
        assert!(said(&refusal).contains(message), "{}", said(&refusal));
    }
    lab.file("n.ipynb", NOTEBOOK.replace("print(1)", "print(7)"));
    let refusal = lab.vet("NotebookEdit", &edit("c1", "x")).await.unwrap();
    assert!(said(&refusal).contains("has changed since it was read"));
    assert!(lab.text("n.ipynb").contains("print(7)"));
}
