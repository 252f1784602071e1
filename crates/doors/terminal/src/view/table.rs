//! Markdown tables: columns separated by two spaces, or one block per record if the table is too wide.

use super::inline;
use crate::text::{Row, Style};

/// Renders a table.
#[must_use]
pub fn rows(lines: &[String], width: usize) -> Vec<Row> {
    let records: Vec<Vec<Row>> = lines
        .iter()
        .filter(|line| !is_ruler(line))
        .map(|line| cells(line))
        .collect();
    let has_head = lines.get(1).is_some_and(|line| is_ruler(line));
    let Some(head) = records.first().filter(|_| has_head) else {
        return lines.iter().map(|line| Row::plain(line)).collect();
    };
    let columns = records.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |at: usize| {
        records
            .iter()
            .filter_map(|record| record.get(at))
            .map(Row::width)
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let total: usize = widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1);
    if total <= width {
        let line = |(number, record): (usize, &Vec<Row>)| laid_out(record, &widths, number == 0);
        return records.iter().enumerate().map(line).collect();
    }
    let mut rows = Vec::new();
    for (number, record) in records.iter().skip(1).enumerate() {
        if number > 0 {
            rows.push(Row::new());
        }
        for (at, cell) in record.iter().enumerate() {
            let mut row = Row::new();
            row.push(&head.get(at).map(Row::text).unwrap_or_default(), Style::TEXT.bold());
            row.push(": ", Style::TEXT.bold());
            row.append(cell);
            rows.extend(crate::text::wrap::words(&row, width, 2));
        }
    }
    rows
}

fn laid_out(record: &[Row], widths: &[usize], is_head: bool) -> Row {
    let mut row = Row::new();
    for (at, cell) in record.iter().enumerate() {
        let mut cell = cell.clone();
        if is_head {
            for span in &mut cell.0 {
                span.style.bold = true;
            }
        }
        row.append(&cell);
        if at + 1 < record.len() {
            let wide = widths.get(at).copied().unwrap_or(0);
            row.push(&" ".repeat(wide.saturating_sub(cell.width()) + 2), Style::TEXT);
        }
    }
    row
}

fn cells(line: &str) -> Vec<Row> {
    let inside = line.trim().trim_start_matches('|');
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    inside.split('|').map(|cell| inline::read(cell.trim()).row).collect()
}

fn is_ruler(line: &str) -> bool {
    line.contains('-') && line.chars().all(|sign| matches!(sign, '|' | '-' | ':' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: usize) -> Vec<String> {
        let lines: Vec<String> = ["| name | what it is |", "|---|---|", "| a | the first one |"]
            .map(str::to_owned)
            .into();
        rows(&lines, width).iter().map(Row::text).collect()
    }

    #[test]
    fn columns_are_two_spaces_apart() {
        assert_eq!(table(80), ["name  what it is", "a     the first one"]);
    }

    #[test]
    fn a_table_that_is_too_wide_becomes_records() {
        assert_eq!(table(12), ["name: a", "what it is:", "  the first", "  one"]);
    }
}
