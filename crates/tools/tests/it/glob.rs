use std::fs::File;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sluice_tools::find;

use crate::support::{Lab, said};

fn aged(path: &Path, seconds: u64) {
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 - seconds);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(changed)
        .unwrap();
}

async fn names(lab: &Lab, input: Value) -> Vec<String> {
    let outcome = lab.call("Glob", input).await;
    assert_eq!(outcome.is_error, None, "{}", outcome.content);
    serde_json::from_value(outcome.result["filenames"].clone()).unwrap()
}

#[tokio::test]
async fn the_result_has_the_recorded_shape() {
    let lab = Lab::new();
    aged(&lab.file("src/b.txt", "alpha two\n"), 10);
    aged(&lab.file("a.txt", "alpha\n"), 5);
    let mut outcome = lab.call("Glob", json!({"pattern": "**/*.txt"})).await;
    assert_eq!(outcome.content, "a.txt\nsrc/b.txt");
    assert!(outcome.result["durationMs"].take().is_u64());
    assert_eq!(
        outcome.result,
        json!({"filenames": ["a.txt", "src/b.txt"], "durationMs": null, "numFiles": 2, "truncated": false, "totalMatches": 2, "countIsComplete": true})
    );
    let outcome = lab.call("Glob", json!({"pattern": "*.none"})).await;
    assert_eq!(
        (outcome.content, &outcome.result["numFiles"]),
        (json!("No files found"), &json!(0))
    );
}

#[tokio::test]
async fn the_newest_hundred_come_first() {
    let lab = Lab::new();
    for number in 0..130 {
        aged(&lab.file(&format!("f{number}.txt"), ""), number);
    }
    let outcome = lab.call("Glob", json!({"pattern": "*.txt"})).await;
    let result = &outcome.result;
    assert_eq!(
        (&result["truncated"], &result["numFiles"], &result["totalMatches"]),
        (&json!(true), &json!(100), &json!(130))
    );
    assert_eq!(
        (&result["filenames"][0], &result["filenames"][99]),
        (&json!("f0.txt"), &json!("f99.txt"))
    );
    assert!(said(&outcome).contains("130 files match"));
}

#[tokio::test]
async fn patterns_mean_what_they_mean_to_git() {
    let lab = Lab::new();
    for (at, name) in [
        "a.rs",
        "src/b.rs",
        "src/deep/c.rs",
        "src/d.ts",
        ".hidden/e.rs",
        "!odd.rs",
    ]
    .iter()
    .enumerate()
    {
        aged(&lab.file(name, ""), at as u64);
    }
    for (pattern, expected) in [
        (
            "*.rs",
            vec!["a.rs", "src/b.rs", "src/deep/c.rs", ".hidden/e.rs", "!odd.rs"],
        ),
        ("./src/*.rs", vec!["src/b.rs"]),
        ("src/**/*.rs", vec!["src/b.rs", "src/deep/c.rs"]),
        ("src/*.{rs,ts}", vec!["src/b.rs", "src/d.ts"]),
        ("s*/deep/*", vec!["src/deep/c.rs"]),
        ("!odd.rs", vec!["!odd.rs"]),
        ("src/b.rs", vec!["src/b.rs"]),
        ("nowhere/*.rs", vec![]),
    ] {
        assert_eq!(names(&lab, json!({"pattern": pattern})).await, expected, "{pattern}");
    }
    assert_eq!(
        names(&lab, json!({"pattern": "*.rs", "path": "src/deep"})).await,
        ["src/deep/c.rs"]
    );
    let whole = format!("{}/src/*.ts", lab.work.display());
    assert_eq!(names(&lab, json!({"pattern": whole})).await, ["src/d.ts"]);
    lab.cx.cwd.set(lab.work.join("src/deep"));
    let above = format!("{}/src/d.ts", lab.work.display());
    assert_eq!(names(&lab, json!({"pattern": "../*.ts"})).await, [above]);
}

#[tokio::test]
async fn ignored_files_version_control_and_links_are_left_out() {
    let lab = Lab::new();
    lab.file(".gitignore", "*.log\nbuild/\n");
    for name in [
        "a.log",
        "build/x.txt",
        ".git/config.txt",
        "sub/.svn/y.txt",
        "kept.txt",
        "sub/kept.txt",
    ] {
        lab.file(name, "");
    }
    lab.file("sub/.gitignore", "!*.log\n");
    lab.file("sub/b.log", "");
    let outside = lab.work.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.txt"), "").unwrap();
    std::os::unix::fs::symlink(&outside, lab.work.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.txt"), lab.work.join("link.txt")).unwrap();
    for pattern in ["**/*.{txt,log}", "{link,sub,build,.git,.}/**/*.*"] {
        let mut found = names(&lab, json!({"pattern": pattern})).await;
        found.retain(|name| !name.ends_with(".gitignore"));
        found.sort();
        let expected: &[&str] = if pattern.starts_with("**") {
            &["kept.txt", "sub/b.log", "sub/kept.txt"]
        } else {
            &["sub/b.log", "sub/kept.txt"]
        };
        assert_eq!(found, expected, "{pattern}");
    }
    assert!(names(&lab, json!({"pattern": "link/*.txt"})).await.is_empty());
    assert_eq!(
        names(&lab, json!({"pattern": "*.txt", "path": "build"})).await,
        ["build/x.txt"],
        "who names an ignored folder means it"
    );
}

#[tokio::test]
async fn hidden_files_are_not_listed() {
    let mut lab = Lab::new();
    lab.file("secret/a.txt", "");
    lab.file("b.txt", "");
    let secret = lab.work.join("secret");
    lab.cx.hidden = Some(Arc::new(move |path| path.starts_with(&secret)));
    assert_eq!(names(&lab, json!({"pattern": "**/*"})).await, ["b.txt"]);
    assert!(names(&lab, json!({"pattern": "*", "path": "secret"})).await.is_empty());
    std::os::unix::fs::symlink("secret", lab.work.join("other")).unwrap();
    assert!(names(&lab, json!({"pattern": "*", "path": "other"})).await.is_empty());
}

#[tokio::test]
async fn unsearchable_paths_are_refused() {
    let lab = Lab::new();
    lab.file("a.txt", "");
    for (input, message) in [
        (json!({"pattern": "*", "path": "none"}), "Path does not exist"),
        (json!({"pattern": "*", "path": "a.txt"}), "is not a folder"),
        (json!({"pattern": "a[/*"}), "is not a pattern"),
        (json!({"pattern": "*/../../*"}), "may not follow a wildcard"),
    ] {
        let outcome = lab.call("Glob", input).await;
        assert_eq!(outcome.is_error, Some(true));
        assert!(said(&outcome).contains(message), "{}", said(&outcome));
    }
}

#[tokio::test]
async fn a_cancelled_search_ends_at_once_and_goes_no_further() {
    let mut lab = Lab::new();
    for number in 0..500 {
        lab.file(&format!("{number}/f.txt"), "");
    }
    let (seen, watched) = mpsc::channel();
    let cancel = lab.cx.cancel.clone();
    let token = cancel.clone();
    lab.cx.hidden = Some(Arc::new(move |_| {
        // the search signals that it has started, then blocks until it is cancelled
        seen.send(()).unwrap();
        while !token.is_cancelled() {
            std::thread::yield_now();
        }
        false
    }));
    let cx = lab.cx.clone();
    let running = tokio::spawn(async move { find("Glob").unwrap().run(json!({"pattern": "**/*"}), &cx).await });
    let watched = tokio::task::spawn_blocking(move || {
        watched.recv().unwrap();
        watched
    })
    .await
    .unwrap();
    cancel.cancel();
    assert!(running.await.unwrap().interrupted);
    drop(lab);
    // the channel closes when the last thread has dropped the context
    let looked_at = watched.iter().count();
    assert!(looked_at < 200, "{looked_at} files were looked at after the end");
}

#[test]
fn searching_is_safe_beside_others_and_offered_only_when_named() {
    for name in ["Glob", "Grep"] {
        let tool = find(name).unwrap();
        assert!(tool.concurrency_safe(&json!({"pattern": "x"})));
        assert!(!tool.descriptor().default);
    }
    assert!(find("NotebookEdit").unwrap().descriptor().default);
    let asked = find("Grep")
        .unwrap()
        .check(&json!({"-n": true, "path": "src", "pattern": "x"}), Path::new("/w"));
    assert_eq!(
        asked.unwrap().to_string(),
        r#"{"pattern":"x","path":"/w/src","-n":true}"#
    );
    let asked = find("Glob").unwrap().check(&json!({"pattern": "x"}), Path::new("/w"));
    assert_eq!(asked.unwrap().to_string(), r#"{"pattern":"x"}"#);
}
