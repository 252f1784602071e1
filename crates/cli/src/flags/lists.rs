//! Lists inside one value: tool rules, which may hold commas and spaces themselves, and plain comma lists.

/// Splits tool rules at commas and spaces, never inside parentheses.
///
/// `Read,Bash(git log:*) Edit(a, b)` is three rules. A backslash keeps a parenthesis from counting.
/// A rule whose parenthesis is never closed runs to the end of the value.
pub(crate) fn split_rules(value: &str) -> Vec<String> {
    let mut rules = Vec::new();
    let mut rule = String::new();
    let mut depth = 0usize;
    let mut escaped = false;
    for letter in value.chars() {
        if depth == 0 && (letter == ',' || letter.is_whitespace()) {
            escaped = false;
            if !rule.is_empty() {
                rules.push(std::mem::take(&mut rule));
            }
            continue;
        }
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        rule.push(letter);
    }
    let last = rule.trim_end();
    if !last.is_empty() {
        rules.push(last.to_owned());
    }
    rules
}

/// Splits at commas; an empty value is an empty list.
pub(crate) fn split_commas(value: &str) -> Vec<String> {
    value
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}
