//! Formats the result of a search.

use serde_json::{Map, Value, json};

use super::found::Found;
use super::sink::{BREAK, LineKind, ShownLine};
use super::{Input, Mode};
use crate::outcome::Outcome;

/// Maximum size of the output in bytes.
const MAX_OUTPUT: usize = 256 * 1024;

/// The rows of the output.
struct Page {
    rows: Vec<String>,
    total: usize,
}

impl Page {
    /// Selects the requested rows that fit.
    fn new(rows: impl Iterator<Item = String>, total: usize, input: &Input) -> Self {
        let mut room = MAX_OUTPUT;
        let rows = rows
            .skip(input.offset())
            .take(input.limit().unwrap_or(usize::MAX))
            .take_while(|row| {
                let fits = row.len() < room;
                room = room.saturating_sub(row.len() + 1);
                fits
            })
            .collect();
        Self { rows, total }
    }

    fn is_cut(&self, input: &Input) -> bool {
        input.offset().saturating_add(self.rows.len()) < self.total
    }

    /// Sets `appliedLimit` if results were cut at the end, and `appliedOffset` if at the beginning.
    fn applied(&self, input: &Input, fields: &mut Map<String, Value>) {
        if self.is_cut(input) && !self.rows.is_empty() {
            fields.insert("appliedLimit".to_owned(), self.rows.len().into());
        }
        if input.offset() > 0 {
            fields.insert("appliedOffset".to_owned(), input.offset().into());
        }
    }

    /// Returns the note for the model about omitted results.
    fn advice(&self, input: &Input, what: &str) -> String {
        if !self.is_cut(input) && input.offset() == 0 {
            return String::new();
        }
        let (first, last) = (input.offset() + 1, input.offset() + self.rows.len());
        if self.rows.is_empty() {
            return format!("\n\n(There are {} {what}, fewer than the offset.)", self.total);
        }
        let mut advice = format!("\n\n({what} {first} to {last} of {} are shown", self.total);
        if self.is_cut(input) {
            advice.push_str(&format!("; offset {last} shows the next"));
        }
        advice.push_str(".)");
        advice
    }
}

pub(super) fn outcome(input: &Input, found: &Found, timed_out: bool) -> Outcome {
    let mut fields = Map::new();
    let mut said = match input.output_mode {
        Mode::Content => content(input, found, &mut fields),
        Mode::FilesWithMatches => files(input, found, &mut fields),
        Mode::Count => count(input, found, &mut fields),
    };
    if found.foreign > 0 {
        said.push_str(&format!(
            "\n\n({} were not searched: they have other names outside the working directories, or may have. Read asks \
             about them.)",
            match found.foreign {
                1 => "1 file".to_owned(),
                count => format!("{count} files"),
            }
        ));
    }
    if timed_out {
        fields.insert("timedOut".to_owned(), Value::Bool(true));
        said.push_str("\n\n(The search ran out of time; there may be more. Search a smaller folder, or fewer files.)");
    }
    Outcome::ok(said, Value::Object(fields))
}

fn content(input: &Input, found: &Found, fields: &mut Map<String, Value>) -> String {
    let apart = input.has_context();
    let rows = found.hits.iter().enumerate().flat_map(|(at, (path, hits))| {
        let between = (apart && at > 0).then(|| BREAK.to_owned());
        between
            .into_iter()
            .chain(hits.lines.iter().map(move |line| row(path, line, input)))
    });
    let breaks = if apart { found.total_files.saturating_sub(1) } else { 0 };
    let page = Page::new(rows, found.total_lines + breaks, input);
    let text = page.rows.join("\n");
    extend(
        fields,
        json!({"mode": "content", "numFiles": 0, "filenames": [], "content": text, "numLines": page.rows.len(), "totalLines": page.total}),
    );
    page.applied(input, fields);
    if page.total == 0 {
        return "No matches found".to_owned();
    }
    format!("{text}{}", page.advice(input, "lines"))
}

/// Formats `path:12:text` for a match and `path-12-text` for context.
fn row(path: &str, line: &ShownLine, input: &Input) -> String {
    let sign = match line.kind {
        LineKind::Match => ':',
        LineKind::Context => '-',
        LineKind::Break => return line.text.clone(),
    };
    match line.number.filter(|_| input.numbered != Some(false)) {
        Some(number) => format!("{path}{sign}{number}{sign}{}", line.text),
        None => format!("{path}{sign}{}", line.text),
    }
}

fn files(input: &Input, found: &Found, fields: &mut Map<String, Value>) -> String {
    let rows = found.files.iter().map(|(_, path)| path.clone());
    let page = Page::new(rows, found.total_files, input);
    extend(
        fields,
        json!({"mode": "files_with_matches", "filenames": page.rows, "numFiles": page.rows.len(), "totalFiles": page.total}),
    );
    page.applied(input, fields);
    if page.total == 0 {
        return "No files found".to_owned();
    }
    format!(
        "Found {} {}\n{}{}",
        page.total,
        plural(page.total, "file"),
        page.rows.join("\n"),
        page.advice(input, "files")
    )
}

fn count(input: &Input, found: &Found, fields: &mut Map<String, Value>) -> String {
    let rows = found.hits.iter().map(|(path, hits)| format!("{path}:{}", hits.matches));
    let page = Page::new(rows, found.total_files, input);
    let text = page.rows.join("\n");
    extend(
        fields,
        json!({"mode": "count", "numFiles": found.total_files, "filenames": [], "content": text, "numMatches": found.total_matches}),
    );
    page.applied(input, fields);
    if page.total == 0 {
        return "No matches found".to_owned();
    }
    format!(
        "{text}\n\nFound {} total {} across {} {}.{}",
        found.total_matches,
        plural(found.total_matches, "occurrence"),
        found.total_files,
        plural(found.total_files, "file"),
        page.advice(input, "files")
    )
}

fn extend(fields: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        fields.extend(more);
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 {
        word.to_owned()
    } else {
        format!("{word}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_ran_out_of_time_says_so() {
        let input = Input::default();
        let outcome = outcome(&input, &Found::new(&input), true);
        assert_eq!(
            outcome.result,
            json!({"mode": "files_with_matches", "filenames": [], "numFiles": 0, "totalFiles": 0, "timedOut": true})
        );
        assert!(
            outcome
                .content
                .as_str()
                .is_some_and(|said| said.contains("ran out of time"))
        );
    }
}
