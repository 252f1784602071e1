//! The title of a session, made from its first prompt.

/// The longest title, in characters.
const MAX_CHARS: usize = 60;
/// A sentence shorter than this says too little: the next one is added.
const MIN_CHARS: usize = 12;
/// Words a request begins with that say nothing about it.
const OPENINGS: &[&str] = &[
    "hi",
    "hello",
    "hey",
    "hallo",
    "please",
    "bitte",
    "can you",
    "could you",
    "would you",
    "will you",
    "kannst du",
    "könntest du",
    "i want you to",
    "i would like you to",
    "i'd like you to",
    "i need you to",
];

/// Returns a title for a session that starts with this prompt; none for a prompt without words.
pub(super) fn of_prompt(text: &str) -> Option<String> {
    let mut line = String::new();
    for part in prose(text) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
        if line.chars().count() >= MIN_CHARS {
            break;
        }
    }
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = without_opening(&line);
    let title = cut(first_sentence(said).trim_end_matches([':', ',', ';']));
    let mut chars = title.chars();
    let first = chars.next()?;
    // The rest of a sentence starts with a capital letter.
    match said.len() < line.len() {
        true => Some(first.to_uppercase().chain(chars).collect()),
        false => Some(title),
    }
}

/// The lines outside code blocks, without the marks of headings, lists and quotes.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| {
            let fence = line.starts_with("```");
            in_code ^= fence;
            !fence && !in_code
        })
        .map(|line| line.trim_start_matches(['#', '>', '*', '-', ' ']))
        .filter(|line| !line.is_empty())
        .collect();
    // A prompt that is only code is named by its first line.
    let only_code = lines.is_empty();
    let first = text
        .lines()
        .map(str::trim)
        .find(|line| only_code && !line.is_empty() && !line.starts_with("```"));
    lines.into_iter().chain(first)
}

fn without_opening(line: &str) -> &str {
    let mut rest = line;
    while let Some(shorter) = OPENINGS.iter().find_map(|opening| after(rest, opening)) {
        rest = shorter;
    }
    rest
}

/// What follows an opening, if it is more than a word.
fn after<'a>(line: &'a str, opening: &str) -> Option<&'a str> {
    let head = line.get(..opening.len())?;
    let rest = line.get(opening.len()..)?;
    let word_ends = rest.starts_with([' ', ',', '!']);
    let rest = rest.trim_start_matches([' ', ',', '!']);
    (head.to_lowercase() == *opening && word_ends && rest.contains(' ')).then_some(rest)
}

fn first_sentence(line: &str) -> &str {
    let ends = line.match_indices(['.', '?', '!']).map(|(at, _)| at);
    let end = ends.filter(|at| *at >= MIN_CHARS).find(|at| {
        line.get(at + 1..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    match end {
        // A question is marked as one.
        Some(at) if line.get(at..=at) == Some("?") => line.get(..=at).unwrap_or(line),
        Some(at) => line.get(..at).unwrap_or(line),
        None => line,
    }
}

/// At most [`MAX_CHARS`], cut between words.
fn cut(line: &str) -> String {
    if line.chars().count() <= MAX_CHARS {
        return line.to_owned();
    }
    let head: String = line.chars().take(MAX_CHARS).collect();
    let whole = head.rfind(' ').filter(|at| *at > MAX_CHARS / 2);
    let head = whole.and_then(|at| head.get(..at)).unwrap_or(&head);
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '.']))
}

#[cfg(test)]
mod tests {
    use super::of_prompt;

    #[test]
    fn title_names_what_is_asked_for() {
        let cases = [
            ("fix the flaky test in the pool", "fix the flaky test in the pool"),
            (
                "Hi, can you please fix the flaky test? It fails on CI.",
                "Fix the flaky test?",
            ),
            ("Könntest du bitte die Tests reparieren. Danke!", "Die Tests reparieren"),
            (
                "# Task\nMove the parser into its own crate.",
                "Task Move the parser into its own crate",
            ),
            (
                "```\nlet a = 1;\n```\nwhy does this not compile",
                "why does this not compile",
            ),
            ("```\nlet a = 1;\n```", "let a = 1"),
            (
                "look at src/pool.rs:12 and say what is wrong",
                "look at src/pool.rs:12 and say what is wrong",
            ),
            ("/review the last commit", "/review the last commit"),
            ("hi", "hi"),
            ("hello there", "hello there"),
            ("please", "please"),
        ];
        for (prompt, title) in cases {
            assert_eq!(of_prompt(prompt).as_deref(), Some(title), "{prompt}");
        }
        assert_eq!(of_prompt(" \n\n"), None);
    }

    #[test]
    fn long_title_is_cut_between_words() {
        let prompt =
            "rewrite the connection pool so that a lease which ends while it is being checked is not reaped twice";
        let title = of_prompt(prompt).unwrap();
        assert_eq!(title, "rewrite the connection pool so that a lease which ends…");
        let title = of_prompt(&"ä".repeat(500)).unwrap();
        assert_eq!(title.chars().count(), 61);
    }
}
