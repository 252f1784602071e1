//! Reads notebooks: cells and their outputs.

use std::fs::File;

use serde_json::{Map, Value, json};

use super::Reading;
use crate::outcome::Outcome;
use crate::truncate::first_bytes;

/// Maximum size of a notebook.
const MAX_FILE_SIZE: u64 = 32 << 20;
/// Maximum length of one output in characters.
const MAX_OUTPUT: usize = 10_000;
/// Maximum number of bytes of all sources and outputs.
const MAX_SHOWN: usize = 256 * 1024;

pub(super) fn read(file: &mut File, reading: &Reading) -> Outcome {
    let path = &reading.input.file_path;
    let bytes = match reading.bytes(file, MAX_FILE_SIZE) {
        Ok(bytes) => bytes,
        Err(outcome) => return outcome,
    };
    let notebook: Value = match serde_json::from_slice(&bytes) {
        Ok(notebook) => notebook,
        Err(error) => return Outcome::failed(format!("{path} is not a notebook: {error}")),
    };
    let Some(found) = notebook.get("cells").and_then(Value::as_array) else {
        return Outcome::failed(format!("{path} is not a notebook: it has no cells"));
    };
    let language = notebook
        .pointer("/metadata/language_info/name")
        .and_then(Value::as_str)
        .unwrap_or("python");
    let cells: Vec<Value> = found
        .iter()
        .enumerate()
        .map(|(at, cell)| described(cell, at, language))
        .collect();
    reading.files.saw(&reading.path, &bytes);
    Outcome::ok(
        blocks(&cells),
        json!({"type": "notebook", "file": {"filePath": path, "cells": cells}}),
    )
}

/// Returns a cell in the format of `tool_use_result`.
fn described(cell: &Value, at: usize, language: &str) -> Value {
    let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("code");
    let mut out = Map::new();
    out.insert("cellType".to_owned(), kind.into());
    out.insert("source".to_owned(), joined(cell.get("source")).into());
    if kind == "code"
        && let Some(count) = cell.get("execution_count").filter(|count| !count.is_null())
    {
        out.insert("execution_count".to_owned(), count.clone());
    }
    let id = cell
        .get("id")
        .and_then(Value::as_str)
        .map_or_else(|| format!("cell-{at}"), str::to_owned);
    out.insert("cell_id".to_owned(), id.into());
    if kind == "code" {
        out.insert("language".to_owned(), language.into());
        let outputs: Vec<Value> = cell
            .get("outputs")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(printed)
            .collect();
        if !outputs.is_empty() {
            out.insert("outputs".to_owned(), outputs.into());
        }
    }
    Value::Object(out)
}

/// Returns an output: its text and its image, if any.
fn printed(output: &Value) -> Value {
    let kind = output.get("output_type").and_then(Value::as_str).unwrap_or("stream");
    let text = match kind {
        "stream" => joined(output.get("text")),
        "error" => {
            let field = |name| output.get(name).and_then(Value::as_str).unwrap_or_default();
            let trace = output
                .get("traceback")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            format!(
                "{}: {}\n{}",
                field("ename"),
                field("evalue"),
                trace.collect::<Vec<_>>().join("\n")
            )
        }
        _ => joined(output.pointer("/data/text~1plain")),
    };
    let mut out = Map::new();
    out.insert("output_type".to_owned(), kind.into());
    if !text.is_empty() {
        out.insert("text".to_owned(), clipped(&text).into());
    }
    for (pointer, media_type) in [("/data/image~1png", "image/png"), ("/data/image~1jpeg", "image/jpeg")] {
        let data: String = joined(output.pointer(pointer)).split_whitespace().collect();
        if !data.is_empty() {
            out.insert(
                "image".to_owned(),
                json!({"image_data": data, "media_type": media_type}),
            );
            break;
        }
    }
    Value::Object(out)
}

/// Returns the content for the model: consecutive text is joined, images are separate blocks.
fn blocks(cells: &[Value]) -> Value {
    let mut out: Vec<Value> = Vec::new();
    let mut text = String::new();
    for cell in cells {
        let field = |name| cell.get(name).and_then(Value::as_str).unwrap_or_default();
        let id = field("cell_id");
        let kind = match field("cellType") {
            "code" => String::new(),
            other => format!("<cell_type>{other}</cell_type>"),
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&format!(
            "<cell id=\"{id}\">{kind}{}</cell id=\"{id}\">",
            field("source")
        ));
        for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
            if let Some(printed) = output.get("text").and_then(Value::as_str) {
                text.push_str("\n\n");
                text.push_str(printed);
            }
            if let Some(image) = output.get("image") {
                out.push(json!({"text": std::mem::take(&mut text), "type": "text"}));
                out.push(json!({"type": "image", "source": {"type": "base64", "data": image.get("image_data"), "media_type": image.get("media_type")}}));
            }
        }
    }
    if !text.is_empty() || out.is_empty() {
        if text.len() > MAX_SHOWN {
            text = format!(
                "{}\n<system-reminder>The notebook goes on; read the rest with a command such as `jq`.</system-reminder>",
                first_bytes(&text, MAX_SHOWN)
            );
        }
        out.push(json!({"text": text, "type": "text"}));
    }
    Value::Array(out)
}

/// Joins text that notebooks write as a string or a list of lines.
fn joined(text: Option<&Value>) -> String {
    match text {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn clipped(text: &str) -> String {
    if text.len() <= MAX_OUTPUT {
        return text.to_owned();
    }
    format!(
        "{}\n[{} bytes of output in all]",
        first_bytes(text, MAX_OUTPUT),
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn cells_are_as_recorded() {
        let cell = json!({"cell_type": "code", "id": "c1", "source": ["print(1)\n"], "metadata": {}, "execution_count": 1,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}]});
        let described = described(&cell, 0, "python");
        assert_eq!(
            described,
            json!({"cellType": "code", "source": "print(1)\n", "execution_count": 1, "cell_id": "c1", "language": "python", "outputs": [{"output_type": "stream", "text": "1\n"}]})
        );
        assert_eq!(
            blocks(&[described]),
            json!([{"text": "<cell id=\"c1\">print(1)\n</cell id=\"c1\">\n\n1\n", "type": "text"}])
        );
    }

    #[test]
    fn images_stand_where_they_were_printed() {
        let plot = json!({"cell_type": "code", "source": "plot()", "outputs": [{"output_type": "display_data", "data": {"image/png": "QUJD\n", "text/plain": "<Figure>"}}]});
        let note = json!({"cell_type": "markdown", "source": "# Title"});
        let cells = [described(&plot, 0, "python"), described(&note, 1, "python")];
        assert_eq!(
            blocks(&cells),
            json!([
                {"text": "<cell id=\"cell-0\">plot()</cell id=\"cell-0\">\n\n<Figure>", "type": "text"},
                {"type": "image", "source": {"type": "base64", "data": "QUJD", "media_type": "image/png"}},
                {"text": "<cell id=\"cell-1\"><cell_type>markdown</cell_type># Title</cell id=\"cell-1\">", "type": "text"},
            ])
        );
    }
}
