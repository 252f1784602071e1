use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Lab, said};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": false})
}

#[tokio::test]
async fn edits_are_as_recorded() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\nbeta\ngamma\n");
    lab.call("Read", json!({"file_path": "a.txt"})).await;
    let outcome = lab.call("Edit", edit("a.txt", "beta", "BETA")).await;
    assert_eq!(outcome.content, "The file a.txt has been updated successfully.");
    assert_eq!(outcome.is_error, None);
    assert_eq!(
        outcome.result,
        json!({"filePath": "a.txt", "oldString": "beta", "newString": "BETA", "originalFile": "alpha\nbeta\ngamma\n",
            "structuredPatch": [{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 3, "lines": [" alpha", "-beta", "+BETA", " gamma"]}],
            "userModified": false, "replaceAll": false})
    );
    let outcome = lab
        .call(
            "Edit",
            json!({"file_path": "a.txt", "old_string": "a", "new_string": "x", "replace_all": true}),
        )
        .await;
    assert!(said(&outcome).starts_with("The file a.txt has been updated. All o"));
    assert_eq!(
        (&outcome.result["replaceAll"], &outcome.result["originalFile"]),
        (&json!(true), &json!("alpha\nBETA\ngamma\n"))
    );
    assert_eq!(lab.text("a.txt"), "xlphx\nBETA\ngxmmx\n");
}

#[tokio::test]
async fn impossible_edits_are_refused_before_permission() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\nBETA\ngamma\n");
    let missing = format!(
        "File does not exist. Note: your current working directory is {}.",
        lab.work.display()
    );
    for (input, message) in [
        (
            edit("a.txt", "zzz", "y"),
            "String to replace not found in file.\nString: zzz",
        ),
        (
            edit("a.txt", "a", "x"),
            "Found 4 matches of the string to replace, but replace_all is fa",
        ),
        (
            edit("a.txt", "a", "a"),
            "No changes to make: old_string and new_string are exactly the same.",
        ),
        (edit("none.txt", "a", "x"), missing.as_str()),
        (edit("a.txt", "", "x"), "Cannot create new file - file already exists."),
        (edit(".", "a", "x"), "EISDIR: illegal operation on a directory"),
    ] {
        let refusal = lab.vet("Edit", &input).await.unwrap();
        assert!(
            said(&refusal).starts_with(&format!("<tool_use_error>{message}")),
            "{}",
            said(&refusal)
        );
        assert!(
            refusal
                .result
                .as_str()
                .unwrap()
                .starts_with(&format!("Error: {message}"))
        );
        assert_eq!(refusal.is_error, Some(true));
        assert_eq!(lab.call("Edit", input).await, refusal);
    }
    assert_eq!(lab.text("a.txt"), "alpha\nBETA\ngamma\n");
    assert_eq!(lab.vet("Edit", &edit("a.txt", "BETA", "b")).await, None);
    assert_eq!(lab.text("a.txt"), "alpha\nBETA\ngamma\n", "vetting changes nothing");
}

#[tokio::test]
async fn an_empty_old_string_makes_a_file() {
    let lab = Lab::new();
    let outcome = lab.call("Edit", edit("made.txt", "", "made\n")).await;
    assert_eq!(
        outcome.result,
        json!({"filePath": "made.txt", "oldString": "", "newString": "made\n", "originalFile": "",
            "structuredPatch": [{"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": ["+made"]}],
            "userModified": false, "replaceAll": false})
    );
    assert_eq!(lab.text("made.txt"), "made\n");
}

#[tokio::test]
async fn editing_a_changed_file_is_reported() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\nbeta\ngamma\n");
    lab.call("Read", json!({"file_path": "a.txt"})).await;
    lab.file("a.txt", "alpha\nbeta changed\ngamma\n");
    let outcome = lab.call("Edit", edit("a.txt", "beta", "BETA")).await;
    assert_eq!(
        (
            &outcome.result["staleRecovered"],
            &outcome.result["contentNotInModelContext"]
        ),
        (&json!(true), &json!(true))
    );
    assert_eq!(outcome.result["originalFile"], "alpha\nbeta changed\ngamma\n");
    assert_eq!(lab.text("a.txt"), "alpha\nBETA changed\ngamma\n");
}

#[tokio::test]
async fn editing_an_unread_file_is_reported() {
    let lab = Lab::new();
    lab.file("a.txt", "alpha\nbeta\ngamma\n");
    let outcome = lab.call("Edit", edit("a.txt", "beta", "BETA")).await;
    assert_eq!(outcome.content, "The file a.txt has been updated successfully.");
    assert_eq!(
        (
            outcome.result.get("staleRecovered"),
            &outcome.result["contentNotInModelContext"]
        ),
        (None, &json!(true))
    );
}

#[tokio::test]
async fn line_ends_and_bom_on_disk_are_kept() {
    let lab = Lab::new();
    let path = lab.file("a.txt", b"\xEF\xBB\xBFone\r\ntwo\r\n");
    let outcome = lab.call("Edit", edit("a.txt", "one\ntwo", "1\n2")).await;
    assert_eq!(std::fs::read(path).unwrap(), b"\xEF\xBB\xBF1\r\n2\r\n");
    assert_eq!(outcome.result["originalFile"], "one\ntwo\n");
}

#[tokio::test]
async fn straight_quotes_match_curly_ones_which_stay_curly() {
    let lab = Lab::new();
    lab.file("q.txt", "say “hi”\nend\n");
    lab.call("Read", json!({"file_path": "q.txt"})).await;
    let outcome = lab.call("Edit", edit("q.txt", "say \"hi\"", "say \"ho\"")).await;
    assert_eq!(outcome.is_error, None);
    assert_eq!(outcome.result["oldString"], "say “hi”");
    assert_eq!(lab.text("q.txt"), "say “ho”\nend\n");
}
