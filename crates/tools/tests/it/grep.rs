use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Lab, said};

fn lab() -> Lab {
    let lab = Lab::new();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    for (name, text, age) in [("a.txt", "alpha\nbeta\ngamma\n", 9), ("src/b.txt", "alpha two\n", 1)] {
        let path = lab.file(name, text);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    lab
}

async fn content(lab: &Lab, mut input: Value) -> String {
    input["output_mode"] = json!("content");
    let outcome = lab.call("Grep", input).await;
    assert_eq!(outcome.is_error, None, "{}", outcome.content);
    outcome.result["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn results_have_the_recorded_shapes() {
    let lab = lab();
    let outcome = lab
        .call(
            "Grep",
            json!({"pattern": "alpha", "output_mode": "content", "-n": true}),
        )
        .await;
    let lines = "a.txt:1:alpha\nsrc/b.txt:1:alpha two";
    assert_eq!(outcome.content, lines);
    assert_eq!(
        outcome.result.to_string(),
        json!({"mode": "content", "numFiles": 0, "filenames": [], "content": lines, "numLines": 2, "totalLines": 2})
            .to_string()
    );
    let outcome = lab
        .call("Grep", json!({"pattern": "alpha", "output_mode": "count"}))
        .await;
    assert_eq!(
        outcome.content,
        "a.txt:1\nsrc/b.txt:1\n\nFound 2 total occurrences across 2 files."
    );
    assert_eq!(
        outcome.result,
        json!({"mode": "count", "numFiles": 2, "filenames": [], "content": "a.txt:1\nsrc/b.txt:1", "numMatches": 2})
    );
    let outcome = lab.call("Grep", json!({"pattern": "alpha"})).await;
    assert_eq!(outcome.content, "Found 2 files\nsrc/b.txt\na.txt");
    assert_eq!(
        outcome.result,
        json!({"mode": "files_with_matches", "filenames": ["src/b.txt", "a.txt"], "numFiles": 2, "totalFiles": 2})
    );
    let outcome = lab.call("Grep", json!({"pattern": "zzz"})).await;
    assert_eq!(outcome.content, "No files found");
    assert_eq!(
        outcome.result,
        json!({"mode": "files_with_matches", "filenames": [], "numFiles": 0, "totalFiles": 0})
    );
    assert_eq!(
        lab.call("Grep", json!({"pattern": "zzz", "output_mode": "content"}))
            .await
            .content,
        "No matches found"
    );
}

#[tokio::test]
async fn lines_come_with_what_is_around_them() {
    let lab = Lab::new();
    let text: String = (1..=12).map(|number| format!("line {number}\n")).collect();
    lab.file("t.txt", &text);
    lab.file("u.txt", "line 3\n");
    assert_eq!(
        content(&lab, json!({"pattern": "line (3|10)$", "-A": 1})).await,
        "t.txt:3:line 3\nt.txt-4-line 4\n--\nt.txt:10:line 10\nt.txt-11-line 11\n--\nu.txt:1:line 3"
    );
    assert_eq!(
        content(&lab, json!({"pattern": "line 5", "-B": 2, "path": "t.txt"})).await,
        "t.txt-3-line 3\nt.txt-4-line 4\nt.txt:5:line 5"
    );
    for field in ["-C", "context"] {
        assert_eq!(
            content(&lab, json!({"pattern": "line 5", field: 1, "-n": false})).await,
            "t.txt-line 4\nt.txt:line 5\nt.txt-line 6"
        );
    }
    assert_eq!(
        content(&lab, json!({"pattern": "[0-9]+", "-o": true, "glob": "u*"})).await,
        "u.txt:1:3"
    );
}

#[tokio::test]
async fn case_types_and_globs_narrow() {
    let lab = lab();
    lab.file("c.rs", "ALPHA\n");
    lab.file("d.py", "Alpha\n");
    assert_eq!(
        content(&lab, json!({"pattern": "ALPHA", "-i": true, "type": "rust"})).await,
        "c.rs:1:ALPHA"
    );
    assert_eq!(
        content(&lab, json!({"pattern": "(?i)alpha", "glob": "*.{rs,py}"})).await,
        "c.rs:1:ALPHA\nd.py:1:Alpha"
    );
    assert_eq!(
        content(&lab, json!({"pattern": "(?i)alpha", "glob": "!*.txt !c.*"})).await,
        "d.py:1:Alpha"
    );
    assert_eq!(
        content(&lab, json!({"pattern": "alpha", "glob": "src/**"})).await,
        "src/b.txt:1:alpha two"
    );
    let outcome = lab.call("Grep", json!({"pattern": "x", "type": "nonsense"})).await;
    assert!(said(&outcome).contains("no file type `nonsense`"));
}

#[tokio::test]
async fn a_pattern_spans_lines_only_when_it_may() {
    let lab = lab();
    let outcome = lab.call("Grep", json!({"pattern": "alpha\\nbeta"})).await;
    assert!(
        outcome.is_error == Some(true) && said(&outcome).contains("multiline"),
        "{}",
        said(&outcome)
    );
    assert_eq!(
        content(&lab, json!({"pattern": "alpha.*gam", "multiline": true})).await,
        "a.txt:1:alpha\na.txt:2:beta\na.txt:3:gamma"
    );
    assert_eq!(
        content(&lab, json!({"pattern": "a\\nb.", "multiline": true, "-o": true})).await,
        "a.txt:1:a\na.txt:2:be"
    );
    lab.file("twice.txt", "x\ny\nx\ny\n");
    let outcome = lab
        .call(
            "Grep",
            json!({"pattern": "x\\ny", "multiline": true, "output_mode": "count", "path": "twice.txt"}),
        )
        .await;
    assert_eq!(outcome.result["numMatches"], 2);
    let outcome = lab.call("Grep", json!({"pattern": "("})).await;
    assert!(said(&outcome).contains("not a regular expression"));
}

#[tokio::test]
async fn pages_follow_each_other() {
    let lab = Lab::new();
    for number in 0..10 {
        lab.file(&format!("f{number}.txt"), "hit\nmiss\nhit\n");
    }
    let page = |offset: u64, limit: u64| json!({"pattern": "hit", "output_mode": "content", "offset": offset, "head_limit": limit});
    let first = lab.call("Grep", page(0, 3)).await;
    assert_eq!(first.result["content"], "f0.txt:1:hit\nf0.txt:3:hit\nf1.txt:1:hit");
    assert_eq!(
        (
            &first.result["numLines"],
            &first.result["totalLines"],
            &first.result["appliedLimit"]
        ),
        (&json!(3), &json!(20), &json!(3))
    );
    assert!(said(&first).contains("offset 3"), "{}", said(&first));
    let second = lab.call("Grep", page(3, 2)).await;
    assert_eq!(second.result["content"], "f1.txt:3:hit\nf2.txt:1:hit");
    assert_eq!(second.result["appliedOffset"], 3);
    let last = lab.call("Grep", page(19, 5)).await;
    assert_eq!(
        (&last.result["content"], last.result.get("appliedLimit")),
        (&json!("f9.txt:3:hit"), None)
    );
    assert!(said(&lab.call("Grep", page(50, 5)).await).contains("fewer than the offset"));
    let all = lab.call("Grep", page(0, 0)).await;
    assert_eq!(
        (&all.result["numLines"], all.result.get("appliedLimit")),
        (&json!(20), None)
    );
    let files = lab.call("Grep", json!({"pattern": "hit", "head_limit": 4})).await;
    assert_eq!(
        (
            &files.result["numFiles"],
            &files.result["totalFiles"],
            &files.result["appliedLimit"]
        ),
        (&json!(4), &json!(10), &json!(4))
    );
    let count = lab
        .call(
            "Grep",
            json!({"pattern": "hit", "output_mode": "count", "head_limit": 1}),
        )
        .await;
    assert_eq!(
        (
            &count.result["content"],
            &count.result["numMatches"],
            &count.result["numFiles"]
        ),
        (&json!("f0.txt:2"), &json!(20), &json!(10))
    );
}

#[tokio::test]
async fn large_results_are_limited() {
    let lab = Lab::new();
    lab.file("many.txt", "hit\n".repeat(1000));
    let outcome = lab
        .call("Grep", json!({"pattern": "hit", "output_mode": "content"}))
        .await;
    assert_eq!(
        (&outcome.result["numLines"], &outcome.result["totalLines"]),
        (&json!(250), &json!(1000))
    );
    lab.file(
        "wide.txt",
        format!("{}needle{}\n", "x".repeat(1 << 20), "y".repeat(1 << 20)),
    );
    let shown = content(&lab, json!({"pattern": "needle"})).await;
    assert!(
        shown.len() < 700 && shown.contains("needle") && shown.contains("bytes in this line"),
        "{shown}"
    );
    lab.file("heavy.txt", format!("{}\n", "heavy ".repeat(80)).repeat(2000));
    let outcome = lab
        .call(
            "Grep",
            json!({"pattern": "heavy", "output_mode": "content", "head_limit": 0}),
        )
        .await;
    assert!(outcome.result["content"].as_str().unwrap().len() <= 256 * 1024);
    assert_eq!(outcome.result["totalLines"], 2000);
    assert!(outcome.result["appliedLimit"].as_u64().unwrap() < 2000);
    // a line longer than the limit: text before the limit is searched
    lab.file("endless.txt", format!("start\n{}", "z".repeat(9 << 20)));
    assert_eq!(content(&lab, json!({"pattern": "start"})).await, "endless.txt:1:start");
}

#[tokio::test]
async fn binary_and_ignored_files_are_skipped() {
    let lab = lab();
    lab.file(".gitignore", "*.log\n");
    lab.file("x.log", "alpha\n");
    lab.file(".git/y.txt", "alpha\n");
    lab.file("binary.bin", b"alpha\n\0\n");
    lab.file("late.bin", format!("alpha\n{}\0", "text\n".repeat(50_000)));
    let wide: Vec<u8> = "\u{FEFF}alpha wide\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    lab.file("wide.txt", wide);
    std::os::unix::fs::symlink("a.txt", lab.work.join("link.txt")).unwrap();
    let lines = content(&lab, json!({"pattern": "alpha"})).await;
    assert_eq!(lines, "a.txt:1:alpha\nsrc/b.txt:1:alpha two\nwide.txt:1:alpha wide");
    let files = lab
        .call("Grep", json!({"pattern": "alpha", "path": "binary.bin"}))
        .await;
    assert_eq!(files.result["numFiles"], 0);
    assert_eq!(
        content(&lab, json!({"pattern": "alpha", "path": "x.log"})).await,
        "x.log:1:alpha"
    );
}

#[tokio::test]
async fn hidden_files_are_not_searched() {
    let mut lab = lab();
    lab.cx.hidden = Some(Arc::new(|path| path.ends_with("a.txt")));
    assert_eq!(
        content(&lab, json!({"pattern": "alpha"})).await,
        "src/b.txt:1:alpha two"
    );
    assert_eq!(content(&lab, json!({"pattern": "alpha", "path": "a.txt"})).await, "");
}

#[tokio::test]
async fn a_cancelled_search_answers_at_once() {
    let lab = lab();
    lab.cx.cancel.cancel();
    assert!(lab.call("Grep", json!({"pattern": "alpha"})).await.interrupted);
}
