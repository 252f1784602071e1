use base64::Engine as _;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Lab, said};

const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==";

#[tokio::test]
async fn text_is_as_recorded() {
    let lab = Lab::new();
    let path = lab.file("a.txt", "alpha\nbeta\ngamma\n");
    let whole = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(whole.content, "1\talpha\n2\tbeta\n3\tgamma\n4\t");
    assert_eq!(whole.is_error, None);
    assert_eq!(
        whole.result,
        json!({"type": "text", "file": {"filePath": path, "content": "alpha\nbeta\ngamma\n", "numLines": 4, "startLine": 1, "totalLines": 4}})
    );
    let part = lab
        .call("Read", json!({"file_path": path, "offset": 2, "limit": 1}))
        .await;
    assert_eq!(part.content, "2\tbeta");
    assert_eq!(
        part.result["file"],
        json!({"filePath": path, "content": "beta", "numLines": 1, "startLine": 2, "totalLines": 4})
    );
    let past = lab.call("Read", json!({"file_path": path, "offset": 99})).await;
    assert!(said(&past).starts_with("<system-reminder>Warning: the file exists but is shorter than the prov"));
    assert_eq!(
        past.result["file"],
        json!({"filePath": path, "content": "", "numLines": 0, "startLine": 99, "totalLines": 4})
    );
}

#[tokio::test]
async fn empty_missing_and_folder_are_as_recorded() {
    let lab = Lab::new();
    let empty = lab.file("src/empty.txt", "");
    let outcome = lab.call("Read", json!({"file_path": empty})).await;
    assert_eq!(
        outcome.content,
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    );
    assert_eq!(
        outcome.result["file"],
        json!({"filePath": empty, "content": "", "numLines": 1, "startLine": 1, "totalLines": 1})
    );
    let outcome = lab.call("Read", json!({"file_path": lab.work.join("none.txt")})).await;
    let missing = format!(
        "File does not exist. Note: your current working directory is {}.",
        lab.work.display()
    );
    assert_eq!(
        (outcome.content, outcome.is_error, outcome.result),
        (json!(missing), Some(true), json!(format!("Error: {missing}")))
    );
    let folder = lab.work.join("src");
    let outcome = lab.call("Read", json!({"file_path": folder})).await;
    assert_eq!(
        outcome.content,
        format!("EISDIR: illegal operation on a directory, read '{}'", folder.display())
    );
}

#[tokio::test]
async fn a_relative_path_is_reported_as_given() {
    let lab = Lab::new();
    lab.file("src/rel.txt", "x\n");
    lab.cx.cwd.set(lab.work.join("src"));
    let outcome = lab.call("Read", json!({"file_path": "rel.txt"})).await;
    assert_eq!(outcome.result["file"]["filePath"], "rel.txt");
}

#[tokio::test]
async fn images_and_notebooks_are_as_recorded() {
    let lab = Lab::new();
    let bytes = base64::engine::general_purpose::STANDARD.decode(PNG).unwrap();
    let path = lab.file("i.png", &bytes);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(
        outcome.content,
        json!([{"type": "image", "source": {"type": "base64", "data": PNG, "media_type": "image/png"}}])
    );
    assert_eq!(
        outcome.result,
        json!({"type": "image", "file": {"base64": PNG, "type": "image/png", "originalSize": 73,
            "dimensions": {"originalWidth": 2, "originalHeight": 2, "displayWidth": 2, "displayHeight": 2}}})
    );
    let notebook = json!({"cells": [{"cell_type": "code", "id": "c1", "source": ["print(1)\n"], "metadata": {}, "execution_count": 1,
        "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]}], "metadata": {"language_info": {"name": "python"}}});
    let path = lab.file("n.ipynb", notebook.to_string());
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(
        outcome.content,
        json!([{"text": "<cell id=\"c1\">print(1)\n</cell id=\"c1\">\n\n1\n", "type": "text"}])
    );
    assert_eq!(
        outcome.result["file"]["cells"][0]["outputs"],
        json!([{"output_type": "stream", "text": "1\n"}])
    );
}

#[tokio::test]
async fn a_pdf_is_a_document() {
    let lab = Lab::new();
    let path = lab.file("p.pdf", "%PDF-1.4\n%%EOF\n");
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(outcome.content[0]["type"], "document");
    assert_eq!(outcome.content[0]["source"]["media_type"], "application/pdf");
    assert_eq!(
        (&outcome.result["type"], &outcome.result["file"]["originalSize"]),
        (&json!("pdf"), &json!(15))
    );
    let outcome = lab.call("Read", json!({"file_path": path, "pages": "five"})).await;
    assert!(said(&outcome).contains("`pages`"), "{}", said(&outcome));
}

#[tokio::test]
async fn binary_files_are_refused_before_permission() {
    let lab = Lab::new();
    let path = lab.file("bin.dat", (0..=255u8).collect::<Vec<_>>());
    let input = json!({"file_path": path});
    let refusal = lab.vet("Read", &input).await.unwrap();
    assert!(
        said(&refusal).starts_with("<tool_use_error>This tool cannot read binary files. The file appears to be a bi")
    );
    assert_eq!(lab.call("Read", input).await, refusal);
    let fake = lab.file("fake.png", "no image");
    assert!(said(&lab.call("Read", json!({"file_path": fake})).await).contains("not a PNG"));
}

#[tokio::test]
async fn devices_and_pipes_are_refused() {
    let lab = Lab::new();
    let pipe = lab.gate("pipe");
    let link = lab.work.join("zero");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    for path in [pipe.path().to_owned(), link, "/dev/zero".into(), "/dev/tty".into()] {
        let outcome = lab.call("Read", json!({"file_path": path})).await;
        assert_eq!(outcome.is_error, Some(true), "{path:?}");
        assert!(said(&outcome).contains("not a file"), "{}", said(&outcome));
    }
}

#[tokio::test]
async fn a_long_file_is_read_in_parts() {
    let lab = Lab::new();
    let text: String = (1..=5000).map(|number| format!("line {number}\n")).collect();
    let path = lab.file("long.txt", text);
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    assert_eq!(
        (
            &outcome.result["file"]["numLines"],
            &outcome.result["file"]["totalLines"]
        ),
        (&json!(5001), &json!(5001))
    );
    let wide: String = (1..=5000)
        .map(|number| format!("line {number} {}\n", "-".repeat(92)))
        .collect();
    let wide = lab.file("wide.txt", wide);
    let outcome = lab.call("Read", json!({"file_path": wide})).await;
    let shown = outcome.result["file"]["numLines"].as_u64().unwrap();
    assert!((2000..3000).contains(&shown), "{shown}");
    let advice = format!("Lines 1 to {shown} of 5001 are shown");
    assert!(said(&outcome).contains(&advice) && said(&outcome).contains(&format!("offset {}", shown + 1)));
    let outcome = lab
        .call("Read", json!({"file_path": path, "limit": 5000, "offset": 1}))
        .await;
    assert!(
        said(&outcome).ends_with("5000\tline 5000"),
        "what was asked for needs no advice"
    );
}

#[tokio::test]
async fn a_large_passage_is_cut_at_a_line() {
    let lab = Lab::new();
    let path = lab.file("wide.txt", format!("{}\n", "w".repeat(999)).repeat(1000));
    let outcome = lab.call("Read", json!({"file_path": path})).await;
    let file = &outcome.result["file"];
    assert_eq!(
        (&file["truncatedByTokenCap"], &file["numLines"]),
        (&json!(true), &json!(262))
    );
    assert_eq!(file["content"].as_str().unwrap().len(), 262 * 1000 - 1);
    assert!(said(&outcome).contains("Lines 1 to 262 of 1001 are shown"));
    let outcome = lab.call("Read", json!({"file_path": path, "allow_large": true})).await;
    assert_eq!(outcome.result["file"]["numLines"], 1001);
    let path = lab.file("one.txt", "w".repeat(1 << 20));
    assert!(said(&lab.call("Read", json!({"file_path": path})).await).contains("Line 1 is too long"));
}

#[tokio::test]
async fn bom_line_ends_and_utf_16_are_normalized() {
    let lab = Lab::new();
    let path = lab.file("crlf.txt", b"\xEF\xBB\xBFa\r\nb\r\n");
    assert_eq!(
        lab.call("Read", json!({"file_path": path})).await.content,
        "1\ta\n2\tb\n3\t"
    );
    let wide: Vec<u8> = "\u{FEFF}grün\r\nrot"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let path = lab.file("wide.txt", wide);
    assert_eq!(
        lab.call("Read", json!({"file_path": path, "offset": 1})).await.content,
        "1\tgrün\n2\trot"
    );
}

#[tokio::test]
async fn a_cancelled_read_stops() {
    let lab = Lab::new();
    let path = lab.file("a.txt", "alpha\n");
    lab.cx.cancel.cancel();
    assert!(lab.call("Read", json!({"file_path": path})).await.interrupted);
}
