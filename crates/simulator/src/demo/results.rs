//! Tool results, in a few words and lines.

use regex::Regex;

use super::turn::Call;

/// How many lines of a result are repeated to the person.
const SHOWN: usize = 12;

/// Why a call brought nothing.
pub(super) enum Trouble {
    /// Somebody or some rule said no.
    Declined(String),
    /// It ran and went wrong.
    Failed(String),
}

/// What kept a call from working, if anything did.
pub(super) fn trouble(call: &Call) -> Option<Trouble> {
    if !call.is_error {
        return None;
    }
    let output = plain(&call.output);
    let lower = output.to_lowercase();
    let ran = lower.starts_with("exit code") || call.output.contains("<tool_use_error>");
    let no = [
        "doesn't want",
        "denied",
        "declined",
        "reject",
        "refused",
        "not allowed",
        "blocked",
        "permission",
    ];
    if no.iter().any(|word| lower.contains(word)) && !lower.starts_with("exit code") {
        return Some(Trouble::Declined(first_line(&output)));
    }
    // A host may say no in any words; an error that no tool writes is such a no.
    Some(if ran || call.name != "Bash" {
        Trouble::Failed(output)
    } else {
        Trouble::Declined(first_line(&output))
    })
}

/// The output without the tags some agents put around it.
pub(super) fn plain(output: &str) -> String {
    output
        .replace("<tool_use_error>", "")
        .replace("</tool_use_error>", "")
        .trim()
        .to_owned()
}

/// The text of a file as `Read` shows it, without line numbers.
pub(super) fn without_numbers(output: &str) -> String {
    let body = output.split("<system-reminder>").next().unwrap_or(output);
    let Ok(number) = Regex::new(r"^\s*\d+(?:→|\t)") else {
        return body.to_owned();
    };
    let lines = body.lines().map(|line| number.replace(line, "").into_owned());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// A code block of the first lines, with a word on what was left out.
pub(super) fn first_lines(text: &str, language: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut block = fenced(lines.get(..SHOWN.min(lines.len())).unwrap_or(&[]), language);
    if lines.len() > SHOWN {
        block += &format!("\n\n… and {} more lines.", lines.len() - SHOWN);
    }
    block
}

/// A code block of the last lines, where programs say how it went.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(SHOWN);
    fenced(lines.get(start..).unwrap_or(&[]), "text")
}

fn fenced(lines: &[&str], language: &str) -> String {
    // A fence longer than any in the text, so that Markdown inside Markdown stays one block.
    let mut fence = "```".to_owned();
    while lines.iter().any(|line| line.trim_start().starts_with(&fence)) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

/// `1 line`, `2 lines`.
pub(super) fn count(number: usize, one: &str) -> String {
    let many = match one.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if one.ends_with("ch") => format!("{one}es"),
        None => format!("{one}s"),
    };
    format!("{number} {}", if number == 1 { one } else { &many })
}

/// The name of the language a file is probably in.
pub(super) fn language(file: &str) -> &'static str {
    match file.rsplit('.').next().unwrap_or("") {
        "rs" => "rust",
        "py" => "python",
        "js" | "mjs" => "javascript",
        "ts" | "tsx" => "typescript",
        "json" => "json",
        "md" => "markdown",
        "toml" => "toml",
        "yml" | "yaml" => "yaml",
        "sh" => "bash",
        "html" => "html",
        "css" => "css",
        "go" => "go",
        "c" | "h" => "c",
        _ => "text",
    }
}

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("").trim().to_owned()
}
