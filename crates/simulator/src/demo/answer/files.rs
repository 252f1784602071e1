//! Replies to prompts about files: list, read, search, write, edit.

use serde_json::json;

use super::super::results;
use super::super::turn::Turn;
use super::{call, shell};
use crate::script::Reply;

pub(super) fn list(turn: &Turn, folder: Option<&str>) -> Reply {
    let Some(done) = turn.calls.first() else {
        let command = folder.map_or("ls -Ap".to_owned(), |folder| format!("ls -Ap -- {}", quoted(folder)));
        return shell(turn, "Let me see what is here.", &command, "List the folder");
    };
    Reply::text(listing(&done.output, folder))
}

fn listing(output: &str, folder: Option<&str>) -> String {
    let names: Vec<&str> = names(output).collect();
    let place = folder.map_or("This folder".to_owned(), |folder| format!("`{folder}`"));
    if names.is_empty() {
        return format!("{place} is empty. Say `make a note: hello` and it will not be.");
    }
    let (folders, files): (Vec<&&str>, Vec<&&str>) = names.iter().partition(|name| name.ends_with('/'));
    let mut said = format!(
        "{place} holds {} and {}:\n",
        results::count(folders.len(), "folder"),
        results::count(files.len(), "file")
    );
    for name in folders.iter().chain(&files).take(20) {
        said += &format!("\n- `{name}`");
    }
    if names.len() > 20 {
        said += &format!("\n- … and {} more", names.len() - 20);
    }
    if let Some(file) = files
        .iter()
        .find(|name| name.to_lowercase().starts_with("readme"))
        .or(files.first())
    {
        said += &format!("\n\nSay `read {file}` to look inside.");
    }
    said
}

/// Returns the names in a listing, without messages such as `(no output)`.
pub(super) fn names(output: &str) -> impl Iterator<Item = &str> {
    output
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('('))
}

pub(super) fn read(turn: &Turn, file: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return call(
            turn,
            &format!("I open `{file}`."),
            "Read",
            json!({"file_path": turn.path(file)}),
        );
    };
    let text = results::without_line_numbers(&done.output);
    if text.is_empty() {
        return Reply::text(format!("`{file}` is empty."));
    }
    Reply::text(format!(
        "`{file}` has {}. It begins like this:\n\n{}",
        results::count(text.lines().count(), "line"),
        results::first_lines(&text, results::language(file))
    ))
}

pub(super) fn explain(turn: &Turn, file: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        return call(
            turn,
            &format!("I read `{file}` first."),
            "Read",
            json!({"file_path": turn.path(file)}),
        );
    };
    let text = results::without_line_numbers(&done.output);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let blank = lines.iter().filter(|line| line.is_empty()).count();
    let headings: Vec<&str> = lines.iter().copied().filter(|line| landmark(line, file)).collect();
    let mut said = format!(
        "**{file}** is a file of {} ({} blank, {}), by its name {}.",
        results::count(lines.len(), "line"),
        blank,
        results::count(text.split_whitespace().count(), "word"),
        match results::language(file) {
            "text" => "plain text".to_owned(),
            language => format!("written in {language}"),
        }
    );
    if headings.is_empty() {
        said += &format!("\n\n{}", results::first_lines(&text, results::language(file)));
    } else {
        said += "\n\nIts landmarks:\n";
        for line in headings.iter().take(10) {
            said += &format!("\n1. `{}`", line.trim_end_matches(['{', ' ']));
        }
        if headings.len() > 10 {
            said += &format!("\n\n… and {} more.", headings.len() - 10);
        }
    }
    said += "\n\nWhat it *means* only a real model can tell; I count and quote.";
    Reply::text(said)
}

/// Whether a line starts a section of a file: a heading, function, type or section.
fn landmark(line: &str, file: &str) -> bool {
    let starts: &[&str] = match results::language(file) {
        "markdown" => &["# ", "## ", "### "],
        "rust" => &[
            "pub fn ",
            "fn ",
            "pub struct ",
            "struct ",
            "pub enum ",
            "enum ",
            "impl ",
            "pub mod ",
            "mod ",
        ],
        "python" => &["def ", "class ", "async def "],
        "javascript" | "typescript" => &["function ", "export ", "class ", "const "],
        "toml" => &["["],
        "go" => &["func ", "type "],
        _ => &[],
    };
    starts.iter().any(|start| line.starts_with(start))
}

pub(super) fn search(turn: &Turn, text: &str) -> Reply {
    let Some(done) = turn.calls.first() else {
        let says = format!("I am looking for `{text}` in all files.");
        if turn.offers("Grep") {
            let pattern = regex::escape(text);
            return call(
                turn,
                &says,
                "Grep",
                json!({"pattern": pattern, "output_mode": "content", "-n": true}),
            );
        }
        let command = format!(
            "grep -rnIF --exclude-dir=.git --exclude-dir=target --exclude-dir=node_modules -e {} . | head -n 50",
            quoted(text)
        );
        return shell(turn, &says, &command, "Search all files");
    };
    let hits: Vec<&str> = names(&done.output).filter(|line| line.contains(':')).collect();
    if hits.is_empty() {
        return Reply::text(format!("`{text}` is nowhere in these files."));
    }
    let mut files: Vec<&str> = hits.iter().filter_map(|hit| hit.split(':').next()).collect();
    files.dedup();
    Reply::text(format!(
        "I found `{text}` in {} ({}):\n\n{}",
        results::count(files.len(), "file"),
        results::count(hits.len(), "match"),
        results::first_lines(&hits.join("\n"), "text")
    ))
}

pub(super) fn note(turn: &Turn, text: &str) -> Reply {
    if text.is_empty() {
        return Reply::text("What shall the note say? For example: `make a note: water the plants`.");
    }
    let file = format!("note-{}.md", slug(text));
    if turn.calls.is_empty() {
        let content = format!("# Note\n\n{text}\n");
        let input = json!({"file_path": turn.path(&file), "content": content});
        return call(turn, &format!("I will write that down in `{file}`."), "Write", input);
    }
    Reply::text(format!(
        "Done. `{file}` now says:\n\n> {text}\n\nSay `read {file}` to see it, or `list files`."
    ))
}

pub(super) fn create(turn: &Turn, file: &str, text: Option<&str>) -> Reply {
    let mut content = text.unwrap_or("Written by the demo model of Sluice.").to_owned();
    if !content.ends_with('\n') {
        content.push('\n');
    }
    if turn.calls.is_empty() {
        let input = json!({"file_path": turn.path(file), "content": content});
        return call(turn, &format!("I will write `{file}`."), "Write", input);
    }
    Reply::text(format!(
        "`{file}` is written, {} long:\n\n{}",
        results::count(content.lines().count(), "line"),
        results::first_lines(&content, results::language(file))
    ))
}

pub(super) fn edit(turn: &Turn, file: &str, old: &str, new: &str) -> Reply {
    let path = turn.path(file);
    match turn.calls.as_slice() {
        [] => call(
            turn,
            &format!("I read `{file}` before I change it."),
            "Read",
            json!({"file_path": path}),
        ),
        [read] => {
            let found = results::without_line_numbers(&read.output).matches(old).count();
            if found == 0 {
                return Reply::text(format!("`{file}` does not contain `{old}`, so I changed nothing."));
            }
            let says = format!(
                "It is there {}. I replace it.",
                if found == 1 {
                    "once".to_owned()
                } else {
                    format!("{found} times")
                }
            );
            let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": found > 1});
            call(turn, &says, "Edit", input)
        }
        _ => Reply::text(format!("Changed in `{file}`:\n\n```diff\n- {old}\n+ {new}\n```")),
    }
}

/// Quotes a text as one word of a shell command.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the first words of a text as a part of a file name.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .collect();
    let slug: String = words.join("-").chars().take(40).collect();
    if slug.is_empty() { "1".to_owned() } else { slug }
}
