//! Curly and straight quotes: models write straight quotes where the file has curly ones.

/// Finds `wanted` regardless of the kind of quotes. Returns the matching text and the offsets of all its occurrences.
/// If spellings differ, the first one counts.
pub(super) fn find(text: &str, wanted: &str) -> Option<(String, Vec<usize>)> {
    let needle = straight(wanted);
    if !needle.contains(['"', '\'']) {
        return None;
    }
    let first = straight(text).find(&needle)?;
    let begins = within(text, first)?;
    let ends = within(text, first + needle.len())?;
    let passage = text.get(begins..ends)?.to_owned();
    let all = text.match_indices(&passage).map(|(at, _)| at).collect();
    Some((passage, all))
}

/// Returns `text` with curly quotes of the kinds that occur in `passage`.
pub(super) fn like(passage: &str, text: &str) -> String {
    let curved = |pair: [char; 2]| passage.contains(pair);
    let (double, single) = (curved(['“', '”']), curved(['‘', '’']));
    let mut before = None;
    let curve = |letter: char| {
        let opens = before.is_none_or(|before: char| before.is_whitespace() || "([{—–".contains(before));
        before = Some(letter);
        match (letter, opens) {
            ('"', true) if double => '“',
            ('"', false) if double => '”',
            ('\'', true) if single => '‘',
            ('\'', false) if single => '’',
            _ => letter,
        }
    };
    text.chars().map(curve).collect()
}

fn straight(text: &str) -> String {
    text.chars().map(straightened).collect()
}

fn straightened(letter: char) -> char {
    match letter {
        '“' | '”' => '"',
        '‘' | '’' => '\'',
        other => other,
    }
}

/// Returns the offset in `text` that corresponds to the offset `at` in its straight form.
fn within(text: &str, at: usize) -> Option<usize> {
    let mut passed = 0;
    for (place, letter) in text.char_indices() {
        if passed == at {
            return Some(place);
        }
        passed += straightened(letter).len_utf8();
    }
    (passed == at).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_and_curly_quotes_match_each_other() {
        let text = "é “hi” ‘x’ it’s";
        assert_eq!(find(text, "\"hi\" 'x'"), Some(("“hi” ‘x’".to_owned(), vec![3])));
        assert_eq!(find(text, "it's"), Some(("it’s".to_owned(), vec![20])));
        assert_eq!(find("say \"hi\"", "“hi”"), Some(("\"hi\"".to_owned(), vec![4])));
        assert_eq!(find(text, "hi"), None, "without quotes there is nothing to bend");
        assert_eq!(find(text, "\"ho\""), None);
    }

    #[test]
    fn every_passage_that_stands_so_is_found() {
        assert_eq!(find("“a” “a”", "\"a\""), Some(("“a”".to_owned(), vec![0, 8])));
    }

    #[test]
    fn new_text_takes_the_kind_of_the_passage() {
        assert_eq!(like("“hi”", "say \"ho\" (\"x\") it's"), "say “ho” (“x”) it's");
        assert_eq!(like("it’s", "that's 'so'"), "that’s ‘so’");
        assert_eq!(like("\"hi\"", "\"ho\""), "\"ho\"");
    }
}
