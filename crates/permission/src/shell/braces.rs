//! Brace expansion: the words that one word becomes.

/// The words a word with one plain brace in it becomes; nothing when it has none.
#[must_use]
pub fn braces(raw: &str) -> Option<Vec<String>> {
    if raw.contains(['$', '`', '\\', '\'', '"', '~']) {
        return None;
    }
    let (before, rest) = raw.split_once('{')?;
    let (inner, after) = rest.split_once('}')?;
    if inner.contains(['{', '}']) || after.contains(['{', '}']) || before.contains('}') {
        return None;
    }
    let parts: Vec<String> = match inner.split_once("..") {
        Some((from, to)) if !inner.contains(',') => {
            let number = |text: &str| text.parse::<u8>().ok().filter(|_| !text.starts_with(['0', '+']));
            let (from, to) = (number(from)?, number(to)?);
            (from..=to).map(|number| number.to_string()).collect()
        }
        _ if inner.contains(',') && !inner.contains("..") => inner.split(',').map(str::to_owned).collect(),
        _ => return None,
    };
    if parts.is_empty() || parts.len() > 16 {
        return None;
    }
    let words: Vec<String> = parts.iter().map(|part| format!("{before}{part}{after}")).collect();
    // One of which nothing is left is no word at all, and all that follow move up.
    (!words.iter().any(String::is_empty)).then_some(words)
}
