//! Evaluates and formats tool results.

use regex::Regex;

use super::turn::Call;

/// Maximum number of lines of a result in a reply.
const MAX_LINES: usize = 12;

/// Why a call did not succeed.
pub(super) enum Problem {
    /// The user or a rule denied it.
    Declined(String),
    /// It ran and failed.
    Failed(String),
}

/// Returns why a call did not succeed, if it did not.
pub(super) fn problem(call: &Call) -> Option<Problem> {
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
        return Some(Problem::Declined(first_line(&output)));
    }
    // A host may deny with any message. An error in a format that no tool uses is a denial.
    Some(if ran || call.name != "Bash" {
        Problem::Failed(output)
    } else {
        Problem::Declined(first_line(&output))
    })
}

/// Removes the tags that some agents add to the output.
pub(super) fn plain(output: &str) -> String {
    output
        .replace("<tool_use_error>", "")
        .replace("</tool_use_error>", "")
        .trim()
        .to_owned()
}

/// Removes the line numbers from the output of `Read`.
pub(super) fn without_line_numbers(output: &str) -> String {
    let body = output.split("<system-reminder>").next().unwrap_or(output);
    let Ok(number) = Regex::new(r"^\s*\d+(?:→|\t)") else {
        return body.to_owned();
    };
    let lines = body.lines().map(|line| number.replace(line, "").into_owned());
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Returns a code block with the first lines, and the number of omitted lines.
pub(super) fn first_lines(text: &str, language: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut block = fenced(lines.get(..MAX_LINES.min(lines.len())).unwrap_or(&[]), language);
    if lines.len() > MAX_LINES {
        block += &format!("\n\n… and {} more lines.", lines.len() - MAX_LINES);
    }
    block
}

/// Returns a code block with the last lines, in which most programs report their result.
pub(super) fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.len().saturating_sub(MAX_LINES);
    fenced(lines.get(start..).unwrap_or(&[]), "text")
}

fn fenced(lines: &[&str], language: &str) -> String {
    // The fence must be longer than any fence in the text.
    let mut fence = "```".to_owned();
    while lines.iter().any(|line| line.trim_start().starts_with(&fence)) {
        fence.push('`');
    }
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

/// Returns a number with a noun, such as `1 line` or `2 lines`.
pub(super) fn count(number: usize, one: &str) -> String {
    let many = match one.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if one.ends_with("ch") => format!("{one}es"),
        None => format!("{one}s"),
    };
    format!("{number} {}", if number == 1 { one } else { &many })
}

/// Returns the language of a file by its extension.
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
