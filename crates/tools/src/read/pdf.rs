//! PDF files: a small file as a document block; selected pages as text if `pdftotext` is installed.

use std::ffi::OsString;
use std::fs::File;
use std::process::Stdio;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tokio::process::Command;

use super::Reading;
use crate::outcome::Outcome;
use crate::truncate::{first_bytes, human_size};

/// Maximum size of a file sent to the model as a whole.
const MAX_WHOLE_FILE: u64 = 10 << 20;
/// Maximum number of bytes of page text.
const MAX_SHOWN: usize = 256 * 1024;

pub(super) fn read(file: &mut File, reading: &Reading) -> Outcome {
    let path = &reading.input.file_path;
    match file.metadata() {
        Ok(metadata) if metadata.len() > MAX_WHOLE_FILE => {
            return Outcome::refused(format!(
                "{path} has {}, too much to be read whole (the limit is {}). Name the pages you need with `pages`.",
                human_size(metadata.len()),
                human_size(MAX_WHOLE_FILE)
            ));
        }
        Ok(_) => {}
        Err(error) => return reading.failed(&error),
    }
    let bytes = match reading.bytes(file, MAX_WHOLE_FILE) {
        Ok(bytes) => bytes,
        Err(outcome) => return outcome,
    };
    if !bytes.starts_with(b"%PDF-") {
        return Outcome::refused(format!("{path} is named like a PDF but is not one."));
    }
    let data = STANDARD.encode(&bytes);
    reading.files.saw(&reading.path, &bytes);
    Outcome::ok(
        json!([{"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}]),
        json!({"type": "pdf", "file": {"filePath": path, "base64": data, "originalSize": bytes.len()}}),
    )
}

/// Returns the text of the selected pages.
pub(super) async fn pages(reading: &Reading, env: &[(OsString, OsString)]) -> Outcome {
    let path = &reading.input.file_path;
    let wanted = reading.input.pages.as_deref().unwrap_or_default();
    let Some((first, last)) = range(wanted) else {
        return Outcome::refused(format!(
            "`pages` is \"{wanted}\"; write one page (\"3\"), a range (\"1-5\") or an open one (\"10-\")."
        ));
    };
    let (path_to_open, pin) = (reading.path.clone(), reading.pin.clone());
    let opened = tokio::task::spawn_blocking(move || super::open(&path_to_open, pin.as_ref())).await;
    let file = match opened {
        Ok(Ok(file)) => file,
        Ok(Err(refusal)) => return reading.refused(refusal),
        Err(_) => return Outcome::interrupted(),
    };
    let mut command = Command::new("pdftotext");
    command.args(["-layout", "-enc", "UTF-8", "-f", &first.to_string()]);
    if let Some(last) = last {
        command.args(["-l", &last.to_string()]);
    }
    // passes the open file, because its path may resolve to another file by now
    command
        .args(["-", "-"])
        .env_clear()
        .envs(env.iter().map(|(name, value)| (name, value)));
    let output = command
        .stdin(Stdio::from(file))
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .output()
        .await;
    let Ok(output) = output else {
        return Outcome::failed(
            "Pages of a PDF are read with pdftotext, which is not installed here (it comes with poppler-utils).",
        );
    };
    if !output.status.success() {
        return Outcome::failed(format!(
            "{path} cannot be read: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    let text = String::from_utf8_lossy(&output.stdout).replace('\u{c}', "\n");
    let shown = first_bytes(&text, MAX_SHOWN);
    let lines = shown.split('\n').count();
    let mut said = shown.to_owned();
    if shown.len() < text.len() {
        said.push_str(
            "\n\n<system-reminder>The pages hold more text than is shown. Ask for fewer at once.</system-reminder>",
        );
    }
    Outcome::ok(
        said,
        json!({"type": "text", "file": {"filePath": path, "content": shown, "numLines": lines, "startLine": 1, "totalLines": text.split('\n').count()}}),
    )
}

/// Parses `3`, `1-5`, `10-`.
fn range(text: &str) -> Option<(u32, Option<u32>)> {
    let page = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
    match text.split_once('-') {
        None => page(text).map(|only| (only, Some(only))),
        Some((first, last)) if last.trim().is_empty() => page(first).map(|first| (first, None)),
        Some((first, last)) => page(first)
            .zip(page(last))
            .filter(|(first, last)| first <= last)
            .map(|(first, last)| (first, Some(last))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_ranges() {
        assert_eq!(range("3"), Some((3, Some(3))));
        assert_eq!(range("1-5"), Some((1, Some(5))));
        assert_eq!(range("10-"), Some((10, None)));
        for bad in ["", "0", "5-1", "a", "1,2", "-3"] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }
}
