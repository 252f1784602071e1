use std::os::unix::fs::PermissionsExt;

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Lab, said};

#[tokio::test]
async fn creating_is_as_recorded() {
    let lab = Lab::new();
    let path = lab.work.join("d/e/new.txt");
    let outcome = lab
        .call("Write", json!({"file_path": path, "content": "l1\nl2\n"}))
        .await;
    assert!(said(&outcome).starts_with(&format!("File created successfully at: {}", path.display())));
    assert_eq!(outcome.is_error, None);
    assert_eq!(
        outcome.result,
        json!({"type": "create", "filePath": path, "content": "l1\nl2\n", "structuredPatch": [], "originalFile": null, "userModified": false})
    );
    assert_eq!(lab.text("d/e/new.txt"), "l1\nl2\n");
}

#[tokio::test]
async fn replacing_is_as_recorded() {
    let lab = Lab::new();
    let path = lab.file("a.txt", "alpha\nbeta\ngamma\n");
    let outcome = lab
        .call("Write", json!({"file_path": path, "content": "alpha\nnew\n"}))
        .await;
    assert!(said(&outcome).starts_with(&format!("The file {} has been updated succ", path.display())));
    assert_eq!(
        outcome.result,
        json!({"type": "update", "filePath": path, "content": "alpha\nnew\n",
            "structuredPatch": [{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 2, "lines": [" alpha", "-beta", "-gamma", "+new"]}],
            "originalFile": "alpha\nbeta\ngamma\n", "userModified": false})
    );
    let again = lab
        .call("Write", json!({"file_path": path, "content": "alpha\nnew\n"}))
        .await;
    assert_eq!(
        (&again.result["structuredPatch"], &again.result["originalFile"]),
        (&json!([]), &json!("alpha\nnew\n"))
    );
}

#[tokio::test]
async fn a_relative_path_is_reported_as_given() {
    let lab = Lab::new();
    let outcome = lab
        .call("Write", json!({"file_path": "rel.txt", "content": "x\n"}))
        .await;
    assert!(said(&outcome).starts_with("File created successfully at: rel.txt ("));
    assert_eq!(outcome.result["filePath"], "rel.txt");
    assert_eq!(lab.text("rel.txt"), "x\n");
}

#[tokio::test]
async fn write_errors_are_reported() {
    let lab = Lab::new();
    let folder = lab.file("src/x", "");
    let folder = folder.parent().unwrap();
    let outcome = lab.call("Write", json!({"file_path": folder, "content": "x"})).await;
    assert_eq!(
        outcome.content,
        format!("EISDIR: illegal operation on a directory, open '{}'", folder.display())
    );
    assert_eq!(outcome.is_error, Some(true));
    let under_a_file = lab.file("plain", "").join("child");
    let outcome = lab
        .call("Write", json!({"file_path": under_a_file, "content": "x"}))
        .await;
    assert!(said(&outcome).contains("cannot be written"), "{}", said(&outcome));
    let gate = lab.gate("pipe");
    let outcome = lab
        .call("Write", json!({"file_path": gate.path(), "content": "x"}))
        .await;
    assert!(said(&outcome).contains("not a regular file"), "{}", said(&outcome));
}

#[tokio::test]
async fn the_mode_of_a_script_stays() {
    let lab = Lab::new();
    let path = lab.file("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    lab.call("Write", json!({"file_path": path, "content": "#!/bin/sh\necho hi\n"}))
        .await;
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn a_written_file_counts_as_seen() {
    let lab = Lab::new();
    lab.call("Write", json!({"file_path": "a.txt", "content": "one\n"}))
        .await;
    let outcome = lab
        .call(
            "Edit",
            json!({"file_path": "a.txt", "old_string": "one", "new_string": "two"}),
        )
        .await;
    assert_eq!(outcome.result.get("contentNotInModelContext"), None);
}
