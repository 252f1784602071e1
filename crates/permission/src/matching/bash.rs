//! `Bash(…)`: exact, `prefix:*`, `prefix *`, `*` anywhere.

/// Whether `pattern` covers the command `text`.
#[must_use]
pub fn covers(pattern: &str, text: &str) -> bool {
    let pattern = pattern.trim();
    if let Some(prefix) = pattern.strip_suffix(":*") {
        return begins_with(prefix, text);
    }
    if let Some(prefix) = pattern.strip_suffix(" *")
        && !has_star(prefix)
    {
        return begins_with(&unescape(prefix), text);
    }
    if !has_star(pattern) {
        return squeeze(&unescape(pattern)) == squeeze(text);
    }
    let text = squeeze(text);
    let pattern = squeeze(pattern);
    glob(&pattern, &text) || pattern.strip_suffix(" *").is_some_and(|without| glob(without, &text))
}

/// Whether `pattern` names one command and no other.
#[must_use]
pub fn is_exact(pattern: &str) -> bool {
    !pattern.trim().ends_with(":*") && !has_star(pattern)
}

/// Returns the program that `pattern` covers with any arguments. `None`: the pattern depends on the arguments.
#[must_use]
pub fn whole_program(pattern: &str) -> Option<&str> {
    let pattern = pattern.trim();
    let program = pattern
        .strip_suffix(":*")
        .or_else(|| pattern.strip_suffix(" *"))?
        .trim();
    let plain = !program.is_empty() && !program.contains(['*', '\\', '"', '\'', '$']);
    (plain && !program.contains(char::is_whitespace)).then_some(program)
}

/// The words of `pattern` before its first wildcard.
#[must_use]
pub fn fixed_part(pattern: &str) -> &str {
    let pattern = pattern.trim();
    let end = pattern.find('*').unwrap_or(pattern.len());
    pattern.get(..end).unwrap_or(pattern).trim_end_matches(':').trim_end()
}

/// `prefix`, or `prefix` and a space and anything; never `prefixx`.
fn begins_with(prefix: &str, text: &str) -> bool {
    let prefix = squeeze(prefix);
    let text = squeeze(text);
    match text.strip_prefix(prefix.as_str()) {
        _ if prefix.is_empty() => true,
        Some("") => true,
        Some(rest) => rest.starts_with(' '),
        None => false,
    }
}

/// One space where there were several, or tabs. Newlines separate commands and stay.
fn squeeze(text: &str) -> String {
    crate::shell::join(text.split([' ', '\t']).filter(|part| !part.is_empty()))
}

fn has_star(pattern: &str) -> bool {
    let mut escaped = false;
    for c in pattern.chars() {
        match c {
            '\\' if !escaped => escaped = true,
            '*' if !escaped => return true,
            _ => escaped = false,
        }
    }
    false
}

fn unescape(pattern: &str) -> String {
    pattern.replace("\\*", "*")
}

/// `*` matches any text, `\*` a star. Linear but for one step back per star.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts: Vec<Option<char>> = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'*') => {
                chars.next();
                parts.push(Some('*'));
            }
            '*' => parts.push(None),
            c => parts.push(Some(c)),
        }
    }
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        match parts.get(p) {
            Some(None) => {
                back = Some((p, t));
                p += 1;
            }
            Some(Some(c)) if text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match back {
                Some((star, at)) => {
                    back = Some((star, at + 1));
                    p = star + 1;
                    t = at + 1;
                }
                None => return false,
            },
        }
    }
    parts.get(p..).is_some_and(|rest| rest.iter().all(Option::is_none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (pattern, yes, no) in [
            ("aaa", &["aaa"][..], &["aaa b", "aaab", "aa"][..]),
            ("aaa b", &["aaa b", "aaa  b"], &["aaa", "aaa b c"]),
            ("aaa:*", &["aaa", "aaa b", "aaa\tb"], &["aaab", "xaaa"]),
            ("aaa *", &["aaa", "aaa b"], &["aaab"]),
            ("aaa*", &["aaa", "aaab", "aaa b"], &["xaaa"]),
            (
                "git * main",
                &["git push main", "git a b main"],
                &["git main x", "git push mainx"],
            ),
            (
                "npm run test *",
                &["npm run test", "npm run test x"],
                &["npm run tests"],
            ),
            ("* --help *", &["x --help", "x --help y"], &["x --helpme"]),
            ("echo \\*", &["echo *"], &["echo x"]),
        ] {
            for text in yes {
                assert!(covers(pattern, text), "{pattern} should cover {text}");
            }
            for text in no {
                assert!(!covers(pattern, text), "{pattern} should not cover {text}");
            }
        }
    }

    #[test]
    fn the_fixed_part_ends_at_the_first_star() {
        assert_eq!(fixed_part("sudo apt:*"), "sudo apt");
        assert_eq!(fixed_part("find *"), "find");
        assert_eq!(fixed_part("ls -la"), "ls -la");
    }

    #[test]
    fn many_stars_are_quick() {
        let pattern = "a*".repeat(200);
        let text = format!("{}b", "a".repeat(9000));
        let begun = std::time::Instant::now();
        assert!(covers(&pattern, &text));
        assert!(!covers(&format!("{pattern}c"), &text));
        assert!(begun.elapsed().as_secs() < 2);
    }
}
