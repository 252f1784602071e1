//! Reports of local commands: context usage, cost.

use std::time::Duration;

use sluice_wire::control::{GetContextUsageResponse, GetUsageResponse, HookListing, SlashCommand};

use super::amount;
use super::status::model_word;
use crate::text::{Role, Row, Style, width, wrap};

/// Renders named values. A value that does not fit beside its name is placed below it; if it is still too long, its
/// middle is cut.
#[must_use]
pub fn facts(title: &str, facts: &[(&str, String)], columns: usize) -> Vec<Row> {
    let widest = facts.iter().map(|(name, _)| width::of(name)).max().unwrap_or(0);
    let mut rows = vec![Row::new().add(title, Style::TEXT.bold())];
    for (name, value) in facts {
        let value = crate::text::clean::one_line(value);
        let gap = " ".repeat(widest.saturating_sub(width::of(name)) + 2);
        let row = Row::faint(&format!("  {name}{gap}"));
        if row.width() + width::of(&value) <= columns {
            rows.push(row.add(&value, Style::TEXT));
            continue;
        }
        rows.push(Row::faint(&format!("  {name}")));
        let below = wrap::words(&Row::plain(&value).indented(4), columns, 4);
        if below.iter().all(|row| row.width() <= columns) {
            rows.extend(below);
        } else {
            let short = super::card::middle(&value, columns.saturating_sub(4));
            rows.push(Row::plain(&short).indented(4));
        }
    }
    rows
}

/// Report of `/hooks`.
#[must_use]
pub fn hooks(hooks: &[HookListing], columns: usize) -> Vec<Row> {
    let mut rows = vec![Row::new().add("Hooks", Style::TEXT.bold())];
    for hook in hooks {
        let matcher = if hook.matcher.is_empty() { "*" } else { &hook.matcher };
        let row = Row::plain(&format!("  {:<18} {matcher:<12} {}", hook.event, hook.display_text))
            .add(&format!("  {}", hook.source_label), Style::FAINT);
        rows.extend(wrap::whole(&row, columns, 4));
    }
    if hooks.is_empty() {
        rows.push(Row::faint("  none"));
    }
    rows
}

/// Report of `/skills`.
#[must_use]
pub fn skills(skills: &[SlashCommand], columns: usize) -> Vec<Row> {
    let count = format!("  {}", skills.len());
    let mut rows = vec![Row::new().add("Skills", Style::TEXT.bold()).add(&count, Role::Faint)];
    let widest = skills
        .iter()
        .map(|skill| width::of(&skill.name))
        .max()
        .unwrap_or(0)
        .min(columns / 3);
    for skill in skills {
        let about = skill.description.trim().lines().next().unwrap_or_default();
        let gap = " ".repeat(widest.saturating_sub(width::of(&skill.name)) + 2);
        let row = Row::plain(&format!("  /{}{gap}", skill.name)).add(about, Role::Faint);
        rows.extend(wrap::whole(&row, columns, 4));
    }
    if skills.is_empty() {
        let none = Row::faint("  none; skills are located in .claude/skills and ~/.claude/skills");
        rows.extend(wrap::words(&none, columns, 2));
    }
    rows
}

/// Report of `/context`.
#[must_use]
pub fn context(usage: &GetContextUsageResponse, demo: bool, columns: usize) -> Vec<Row> {
    let most = usage.raw_max_tokens.max(usage.max_tokens).max(1);
    let percent = (usage.total_tokens * 100 + most / 2) / most;
    let title = format!(
        "  {} of {} tokens ({percent}%)  {}",
        amount::tokens(usage.total_tokens),
        amount::tokens(most),
        if demo {
            "demo".to_owned()
        } else {
            model_word(&usage.model)
        }
    );
    let title = Row::new().add("Context", Style::TEXT.bold()).add(&title, Style::TEXT);
    let mut rows = crate::text::wrap::words(&title, columns, 2);
    let cells = 48_u64.min(columns as u64);
    let used = (usage.total_tokens * cells).div_ceil(most).min(cells);
    let bar = |count: u64, sign: &str| sign.repeat(usize::try_from(count).unwrap_or(0));
    rows.push(
        Row::new()
            .add(&bar(used, "⣿"), Role::Accent)
            .add(&bar(cells - used, "⣀"), Role::Faint),
    );
    for part in usage.categories.iter().filter(|part| part.tokens > 0) {
        let tenths = part.tokens * 1000 / most;
        let name = match part.name.to_lowercase().as_str() {
            "free space" => "free".to_owned(),
            "autocompact buffer" => "kept for compaction".to_owned(),
            name => name.to_owned(),
        };
        let mut row = Row::plain(&format!("  {name:<20}"));
        row.push(
            &format!(
                "{:>7}  {:>3}.{}%",
                amount::tokens(part.tokens),
                tenths / 10,
                tenths % 10
            ),
            Role::Faint,
        );
        let files = (name == "memory files")
            .then(|| memory(usage))
            .filter(|files| !files.is_empty());
        if let Some(files) = files.filter(|_| columns >= 60) {
            row.push(&format!("  {files}"), Role::Faint);
        } else if columns >= 60 && !matches!(name.as_str(), "free" | "kept for compaction") {
            row.push(
                &format!("  {}", bar((part.tokens * cells).div_ceil(most), "⣿")),
                Role::Faint,
            );
        }
        rows.push(row.cut(columns));
    }
    rows
}

/// Formats the memory files with their token counts.
fn memory(usage: &GetContextUsageResponse) -> String {
    let files = usage.memory_files.iter().filter_map(|file| {
        let file = file.to_value();
        let path = file.get("path")?.as_str()?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let own = file.get("type").and_then(serde_json::Value::as_str) == Some("User");
        let name = if own {
            format!("~/.claude/{name}")
        } else {
            name.to_owned()
        };
        let tokens = file.get("tokens")?.as_u64()?;
        Some(format!("{name} {}", amount::tokens(tokens)))
    });
    files.collect::<Vec<_>>().join(" ∙ ")
}

/// Report of `/cost`.
#[must_use]
pub fn cost(usage: &GetUsageResponse, last: Option<f64>, demo: bool, columns: usize) -> Vec<Row> {
    let session = &usage.session;
    let total = amount::dollars(session.total_cost_usd.get());
    let last = last.map(|last| format!(" ∙ {} last turn", amount::dollars(last)));
    let title = format!("  {total} this session{}", last.unwrap_or_default());
    let title = Row::new().add("Cost", Style::TEXT.bold()).add(&title, Style::TEXT);
    let mut rows = wrap::words(&title, columns, 6);
    for (model, used) in &session.model_usage {
        let value = serde_json::to_value(used).unwrap_or_default();
        let number = |name: &str| value.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let read = number("cacheReadInputTokens");
        let input = number("inputTokens") + read + number("cacheCreationInputTokens");
        let cached = (read * 100).checked_div(input).unwrap_or(0);
        let dollars = value.get("costUSD").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
        let text = format!(
            "  {:<12} {} in ({cached}% from cache)   {} out   {}",
            if demo { "demo".to_owned() } else { model_word(model) },
            amount::tokens(input),
            amount::tokens(number("outputTokens")),
            amount::dollars(dollars)
        );
        rows.extend(wrap::whole(&Row::faint(&text), columns, 4));
    }
    let time = |ms: f64| amount::lasted(Duration::from_secs_f64(ms.max(0.0) / 1000.0));
    let lines = amount::lines(session.total_lines_added, session.total_lines_removed);
    let text = format!(
        "  {} with the model, {} since the start{}",
        time(session.total_api_duration_ms.get()),
        time(session.total_duration_ms.get()),
        match session.total_lines_added + session.total_lines_removed {
            0 => String::new(),
            1 => format!(" ∙ {lines} line"),
            _ => format!(" ∙ {lines} lines"),
        },
    );
    rows.extend(wrap::whole(&Row::faint(&text), columns, 4));
    rows
}
