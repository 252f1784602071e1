//! Text of a notebook with the positions of its cells, so that an edit keeps everything else byte for byte: order,
//! unknown keys, numbers and indentation.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// Text and cells of a notebook.
#[derive(Debug)]
pub(crate) struct Notebook<'a> {
    text: &'a str,
    list: Range<usize>,
    cells: Vec<Cell>,
    /// Language of its code.
    pub(crate) language: String,
    /// True if cells of this format version have ids.
    pub(crate) has_ids: bool,
}

/// A cell.
#[derive(Debug)]
pub(crate) struct Cell {
    range: Range<usize>,
    members: Vec<Member>,
    /// Id, if it has one.
    pub(crate) id: Option<String>,
    /// `code`, `markdown`, `raw`.
    pub(crate) kind: String,
    /// Source text.
    pub(crate) source: String,
}

#[derive(Debug)]
struct Member {
    name: String,
    key: usize,
    value: Range<usize>,
}

/// Formatting of a cell.
#[derive(Debug, Clone)]
struct Layout {
    open: String,
    between: String,
    colon: String,
    close: String,
    /// True if sources are written as lists of lines.
    by_lines: bool,
}

impl<'a> Notebook<'a> {
    /// Parses `text`; the error names what is missing.
    pub(crate) fn parse(text: &'a str) -> Result<Self, String> {
        let top = members(text, 0..text.len()).map_err(|error| error.to_string())?;
        let value = |name| {
            let range = member(&top, name)?.value.clone();
            serde_json::from_str::<Value>(text.get(range)?).ok()
        };
        let list = member(&top, "cells").ok_or("it has no cells")?.value.clone();
        let raw: Vec<&RawValue> = serde_json::from_str(text.get(list.clone()).unwrap_or_default())
            .map_err(|_| "its cells are not a list".to_owned())?;
        let cells = raw
            .into_iter()
            .map(|raw| Cell::parse(text, place(text, raw)))
            .collect::<Result<_, _>>()?;
        let language = value("metadata")
            .and_then(|metadata| Some(metadata.pointer("/language_info/name")?.as_str()?.to_owned()))
            .unwrap_or_else(|| "python".to_owned());
        let number = |name| value(name).and_then(|value| value.as_u64()).unwrap_or(0);
        let has_ids = (number("nbformat"), number("nbformat_minor")) >= (4, 5);
        Ok(Self {
            text,
            list,
            cells,
            language,
            has_ids,
        })
    }

    /// Finds a cell by id; `cell-3` (the name Read uses for cells without an id) and `3` are indices from 0.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let named = self.cells.iter().position(|cell| cell.id.as_deref() == Some(name));
        named.or_else(|| {
            let at = name.strip_prefix("cell-").unwrap_or(name).parse().ok()?;
            (at < self.cells.len()).then_some(at)
        })
    }

    pub(crate) fn cell(&self, at: usize) -> Option<&Cell> {
        self.cells.get(at)
    }

    /// Returns the text with a new source in a cell, and the cell's outputs removed.
    pub(crate) fn replaced(&self, at: usize, source: &str, kind: &str) -> Option<String> {
        let cell = self.cells.get(at)?;
        let layout = self.layout(Some(cell));
        let new_source = layout.source(source);
        if kind != cell.kind || member(&cell.members, "source").is_none() {
            return Some(self.spliced(&[(cell.range.clone(), self.retyped(cell, &layout, new_source, kind))]));
        }
        let mut changes = Vec::new();
        for member in &cell.members {
            let new = match member.name.as_str() {
                "source" => new_source.clone(),
                "outputs" if kind == "code" => "[]".to_owned(),
                "execution_count" if kind == "code" => "null".to_owned(),
                _ => continue,
            };
            changes.push((member.value.clone(), new));
        }
        Some(self.spliced(&changes))
    }

    /// Returns the text with a new cell after the one at `after`, or at the beginning.
    pub(crate) fn inserted(&self, after: Option<usize>, source: &str, kind: &str, id: Option<&str>) -> String {
        let layout = self.layout(after.and_then(|at| self.cells.get(at)).or(self.cells.first()));
        let mut parts = vec![("cell_type".to_owned(), quoted(kind))];
        if let Some(id) = id {
            parts.push(("id".to_owned(), quoted(id)));
        }
        parts.push(("source".to_owned(), layout.source(source)));
        parts.push(("metadata".to_owned(), "{}".to_owned()));
        if kind == "code" {
            parts.push(("execution_count".to_owned(), "null".to_owned()));
            parts.push(("outputs".to_owned(), "[]".to_owned()));
        }
        let cell = layout.cell(&parts);
        let Some(first) = self.cells.first() else {
            let indent = layout.close.clone();
            let outer = indent.strip_suffix(layout.step()).unwrap_or_default();
            return self.spliced(&[(self.list.clone(), format!("[{indent}{cell}{outer}]"))]);
        };
        let lead = self
            .text
            .get(self.list.start + 1..first.range.start)
            .unwrap_or_default();
        let between = match self.cells.get(1) {
            Some(second) => self
                .text
                .get(first.range.end..second.range.start)
                .unwrap_or(",")
                .to_owned(),
            None => format!(",{lead}"),
        };
        match after.and_then(|at| self.cells.get(at)) {
            Some(cell_before) => {
                let end = cell_before.range.end;
                self.spliced(&[(end..end, format!("{between}{cell}"))])
            }
            None => self.spliced(&[(first.range.start..first.range.start, format!("{cell}{between}"))]),
        }
    }

    /// Returns the text without a cell.
    pub(crate) fn deleted(&self, at: usize) -> Option<String> {
        let cell = self.cells.get(at)?;
        let gone = match (
            at.checked_sub(1).and_then(|before| self.cells.get(before)),
            self.cells.get(at + 1),
        ) {
            (Some(before), _) => before.range.end..cell.range.end,
            (None, Some(next)) => cell.range.start..next.range.start,
            (None, None) => return Some(self.spliced(&[(self.list.clone(), "[]".to_owned())])),
        };
        Some(self.spliced(&[(gone, String::new())]))
    }

    /// Rewrites a cell whose type changes, which determines its members.
    fn retyped(&self, cell: &Cell, layout: &Layout, source: String, kind: &str) -> String {
        let is_code = kind == "code";
        let mut parts: Vec<(String, String)> = Vec::new();
        for member in &cell.members {
            let value = match member.name.as_str() {
                "cell_type" => quoted(kind),
                "source" => source.clone(),
                "outputs" | "execution_count" => continue,
                "attachments" if is_code => continue,
                _ => self.text.get(member.value.clone()).unwrap_or("null").to_owned(),
            };
            parts.push((member.name.clone(), value));
        }
        let absent = |parts: &[(String, String)], name: &str| parts.iter().all(|(known, _)| known != name);
        if absent(&parts, "source") {
            parts.push(("source".to_owned(), source));
        }
        if is_code {
            parts.push(("execution_count".to_owned(), "null".to_owned()));
            parts.push(("outputs".to_owned(), "[]".to_owned()));
        }
        layout.cell(&parts)
    }

    fn spliced(&self, changes: &[(Range<usize>, String)]) -> String {
        let mut out = self.text.to_owned();
        // from the end, so that earlier positions stay valid; members are in order
        for (range, new) in changes.iter().rev() {
            out.replace_range(range.clone(), new);
        }
        out
    }

    /// Returns the formatting of `cell`; without one, that of Jupyter with the indentation of the file.
    fn layout(&self, cell: Option<&Cell>) -> Layout {
        let text = |range: Range<usize>| self.text.get(range).unwrap_or_default().to_owned();
        if let Some(cell) = cell
            && let (Some(first), Some(last)) = (cell.members.first(), cell.members.last())
        {
            let open = text(cell.range.start + 1..first.key);
            let between = match cell.members.get(1) {
                Some(second) => text(first.value.end..second.key),
                None => format!(",{open}"),
            };
            let key = text(first.key..first.value.start);
            let colon = key
                .rfind('"')
                .and_then(|at| key.get(at + 1..))
                .unwrap_or(":")
                .to_owned();
            let by_lines = member(&cell.members, "source").is_some_and(|source| {
                self.text
                    .get(source.value.clone())
                    .is_some_and(|raw| raw.starts_with('['))
            });
            return Layout {
                open,
                between,
                colon,
                close: text(last.value.end..cell.range.end.saturating_sub(1)),
                by_lines,
            };
        }
        let Some((_, rest)) = self.text.split_once('\n') else {
            return Layout {
                open: String::new(),
                between: ", ".to_owned(),
                colon: ": ".to_owned(),
                close: String::new(),
                by_lines: true,
            };
        };
        let step = rest
            .get(..rest.len() - rest.trim_start_matches([' ', '\t']).len())
            .unwrap_or(" ");
        Layout {
            open: format!("\n{}", step.repeat(3)),
            between: format!(",\n{}", step.repeat(3)),
            colon: ": ".to_owned(),
            close: format!("\n{}", step.repeat(2)),
            by_lines: true,
        }
    }
}

impl Cell {
    fn parse(text: &str, range: Range<usize>) -> Result<Self, String> {
        let members = members(text, range.clone()).map_err(|_| "one of its cells is not an object".to_owned())?;
        let value = |name| {
            let raw = text.get(member(&members, name)?.value.clone())?;
            serde_json::from_str::<Value>(raw).ok()
        };
        let string = |name| value(name).and_then(|value| Some(value.as_str()?.to_owned()));
        let source = match value("source") {
            Some(Value::String(source)) => source,
            Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
            _ => String::new(),
        };
        Ok(Self {
            id: string("id"),
            kind: string("cell_type").unwrap_or_else(|| "code".to_owned()),
            source,
            range,
            members,
        })
    }
}

impl Layout {
    fn cell(&self, parts: &[(String, String)]) -> String {
        let parts: Vec<String> = parts
            .iter()
            .map(|(name, value)| format!("{}{}{value}", quoted(name), self.colon))
            .collect();
        format!("{{{}{}{}}}", self.open, parts.join(&self.between), self.close)
    }

    /// Returns the additional indentation inside the braces of a cell.
    fn step(&self) -> &str {
        self.open.strip_prefix(self.close.as_str()).unwrap_or_default()
    }

    /// Formats a source like the other cells.
    fn source(&self, source: &str) -> String {
        if !self.by_lines {
            return quoted(source);
        }
        let lines: Vec<String> = source.split_inclusive('\n').map(quoted).collect();
        if lines.is_empty() {
            return "[]".to_owned();
        }
        if !self.open.contains('\n') {
            return format!("[{}]", lines.join(&self.between));
        }
        let inner = format!("{}{}", self.open, self.step());
        format!("[{inner}{}{}]", lines.join(&format!(",{inner}")), self.open)
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn member<'m>(members: &'m [Member], name: &str) -> Option<&'m Member> {
    members.iter().find(|member| member.name == name)
}

/// Returns the position of a value in the text from which it was borrowed.
fn place(text: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + raw.get().len()
}

/// Returns the members of the object in this range of the text.
fn members(text: &str, range: Range<usize>) -> Result<Vec<Member>, serde_json::Error> {
    let inside = text.get(range.clone()).unwrap_or_default();
    let Pairs(pairs) = serde_json::from_str(inside)?;
    let mut from = range.start;
    Ok(pairs
        .into_iter()
        .map(|(name, raw)| {
            let value = place(text, raw);
            // only braces, commas and whitespace can precede a key
            let key = text
                .get(from..)
                .and_then(|rest| rest.find('"'))
                .map_or(from, |at| from + at);
            from = value.end;
            Member { name, key, value }
        })
        .collect())
}

/// Members of an object in order, with raw values.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
#[path = "notebook_tests.rs"]
mod tests;
