//! Answers of local commands: what fills the context, what was spent.

use std::time::Duration;

use sluice_wire::control::{GetContextUsageResponse, GetUsageResponse, HookListing};

use super::amount;
use super::status::model_word;
use crate::text::{Role, Row, Style, width, wrap};

/// Facts by name. A value that does not fit beside its name stands below it; one that fits nowhere is cut in its middle.
#[must_use]
pub fn facts(title: &str, facts: &[(&str, String)], columns: usize) -> Vec<Row> {
    let widest = facts.iter().map(|(name, _)| width::of(name)).max().unwrap_or(0);
    let mut rows = vec![Row::new().add(title, Style::TEXT.bold())];
    for (name, value) in facts {
        let value = crate::text::clean::one_line(value);
        let gap = " ".repeat(widest.saturating_sub(width::of(name)) + 1);
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

/// `/hooks`.
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

/// `/context`.
#[must_use]
pub fn context(usage: &GetContextUsageResponse, columns: usize) -> Vec<Row> {
    let most = usage.raw_max_tokens.max(usage.max_tokens).max(1);
    let percent = (usage.total_tokens * 100 + most / 2) / most;
    let title = format!(
        "  {} of {} tokens ({percent}%)  {}",
        amount::tokens(usage.total_tokens),
        amount::tokens(most),
        model_word(&usage.model)
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
        let mut row = Row::plain(&format!("  {:<20}", part.name.to_lowercase()));
        row.push(
            &format!(
                "{:>7}  {:>3}.{}%",
                amount::tokens(part.tokens),
                tenths / 10,
                tenths % 10
            ),
            Role::Faint,
        );
        if columns >= 60 && !part.name.to_lowercase().contains("free") {
            row.push(
                &format!("  {}", bar((part.tokens * cells).div_ceil(most), "⣿")),
                Role::Faint,
            );
        }
        rows.push(row.cut(columns));
    }
    rows
}

/// `/cost`.
#[must_use]
pub fn cost(usage: &GetUsageResponse, columns: usize) -> Vec<Row> {
    let session = &usage.session;
    let total = amount::dollars(session.total_cost_usd.get());
    let mut rows = vec![
        Row::new()
            .add("Cost", Style::TEXT.bold())
            .add(&format!("  {total} this session"), Style::TEXT),
    ];
    for (model, used) in &session.model_usage {
        let value = serde_json::to_value(used).unwrap_or_default();
        let number = |name: &str| value.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        let read = number("cacheReadInputTokens");
        let input = number("inputTokens") + read + number("cacheCreationInputTokens");
        let cached = (read * 100).checked_div(input).unwrap_or(0);
        let dollars = value.get("costUSD").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
        let text = format!(
            "  {:<12} {} in ({cached}% from cache)   {} out   {}",
            model_word(model),
            amount::tokens(input),
            amount::tokens(number("outputTokens")),
            amount::dollars(dollars)
        );
        rows.extend(wrap::whole(&Row::faint(&text), columns, 4));
    }
    let time = |ms: f64| amount::lasted(Duration::from_secs_f64(ms.max(0.0) / 1000.0));
    let text = format!(
        "  {} with the model, {} since the start ∙ +{} -{} lines",
        time(session.total_api_duration_ms.get()),
        time(session.total_duration_ms.get()),
        session.total_lines_added,
        session.total_lines_removed
    );
    rows.extend(wrap::whole(&Row::faint(&text), columns, 4));
    rows
}
