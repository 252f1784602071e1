//! Completion of `/` and `@` below the composer.

use super::{Act, App, Now};
use crate::text::{Role, Row, Style, width};

/// Maximum number of rows shown at once.
pub(super) const MAX_ROWS: usize = 8;

/// A completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Text inserted into the draft.
    pub(crate) insert: String,
    hint: String,
    about: String,
}

/// The list of completions below the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Popup {
    /// Offset in the draft at which the completed word starts.
    pub(crate) from: usize,
    pub(crate) offers: Vec<Offer>,
    pub(crate) selected: usize,
    /// True if the user moved the highlight; enter then runs the highlighted command.
    pub(crate) chosen: bool,
    pub(crate) is_command: bool,
}

impl App {
    /// Updates the completions for the word before the cursor.
    pub(super) fn complete(&mut self) {
        let before = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
        if let Some(word) = before
            .strip_prefix('/')
            .filter(|word| !word.contains(char::is_whitespace))
        {
            let offers = self.commands_like(word);
            self.popup = (!offers.is_empty()).then_some(Popup {
                from: 0,
                offers,
                selected: 0,
                chosen: false,
                is_command: true,
            });
            return;
        }
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        match before.get(start..).and_then(|word| word.strip_prefix('@')) {
            Some(query) => self.acts.push(Act::Files(query.to_owned())),
            None => self.popup = None,
        }
    }

    /// Shows matching files; a late reply to an older query is ignored.
    pub(super) fn offer_files(&mut self, query: &str, found: Vec<String>) {
        let before = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        if before.get(start..).and_then(|word| word.strip_prefix('@')) != Some(query) {
            return;
        }
        let offers: Vec<Offer> = found
            .into_iter()
            .map(|path| Offer {
                insert: format!("@{path}"),
                hint: String::new(),
                about: String::new(),
            })
            .collect();
        self.popup = (!offers.is_empty()).then_some(Popup {
            from: start,
            offers,
            selected: 0,
            chosen: false,
            is_command: false,
        });
    }

    /// Returns matching commands, best first: exact name, prefix, prefix of a word in the name, letters in order.
    fn commands_like(&self, word: &str) -> Vec<Offer> {
        let mut ranked: Vec<(u8, (String, String, String))> = self
            .all_commands()
            .into_iter()
            .filter_map(|command| Some((rank(&command.0, word)?, command)))
            .collect();
        // Among equally good matches the most recently used comes first.
        let used = |name: &str| {
            self.used
                .iter()
                .rev()
                .position(|used| used == name)
                .unwrap_or(usize::MAX)
        };
        ranked.sort_by(|(one, a), (other, b)| {
            let by_use = || used(&a.0).cmp(&used(&b.0));
            one.cmp(other).then_with(by_use).then_with(|| a.0.cmp(&b.0))
        });
        let offers = ranked.into_iter().map(|(_, (name, hint, about))| Offer {
            insert: format!("/{name}"),
            hint,
            about: about.lines().next().unwrap_or_default().to_owned(),
        });
        offers.collect()
    }

    /// Handles enter while commands are offered: runs a command that was typed in full or selected with the arrows;
    /// otherwise completes the highlighted one in the line.
    pub(super) fn enter_command(&mut self, now: Now) {
        let typed = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
        let whole_name = typed.strip_prefix('/').is_some_and(|name| self.is_command(name));
        let Some(popup) = &mut self.popup else { return };
        let mut runs = popup.chosen;
        if !popup.chosen && whole_name {
            runs = true;
            match popup.offers.iter().position(|offer| offer.insert == typed) {
                Some(at) => popup.selected = at,
                // Aliases are not among the completions.
                None => return self.submit(false, now),
            }
        }
        if self.accept() && runs {
            self.submit(false, now);
        }
    }

    /// Inserts the highlighted completion into the draft. Returns true if it can be sent unchanged.
    pub(super) fn accept(&mut self) -> bool {
        let Some(popup) = self.popup.take() else { return false };
        let Some(offer) = popup.offers.get(popup.selected) else {
            return false;
        };
        let whole = popup.is_command && (offer.hint.is_empty() || offer.hint.starts_with('['));
        let text = if whole {
            offer.insert.clone()
        } else {
            format!("{} ", offer.insert)
        };
        self.editor.replace(popup.from, self.editor.cursor(), &text);
        whole
    }
}

/// Returns how well a name matches the typed text; smaller is better.
fn rank(name: &str, word: &str) -> Option<u8> {
    let (name, word) = (name.to_lowercase(), word.to_lowercase());
    if name == word {
        return Some(0);
    }
    if name.starts_with(&word) {
        return Some(1);
    }
    if name.split(['-', '_', ':']).any(|part| part.starts_with(&word)) {
        return Some(2);
    }
    let mut letters = name.chars();
    word.chars()
        .all(|wanted| letters.any(|letter| letter == wanted))
        .then_some(3)
}

impl Popup {
    /// Highlights a row as selected by the user.
    pub(super) fn choose(&mut self, at: usize) {
        self.selected = at;
        self.chosen = true;
    }

    /// Returns the rows around the highlighted one, at most `room`.
    pub(crate) fn rows(&self, columns: usize, room: usize) -> Vec<Row> {
        let most = room.min(MAX_ROWS);
        let from = (self.selected + 1).saturating_sub(most);
        let name = |offer: &Offer| width::of(&offer.insert);
        let names = self.offers.iter().map(name).max().unwrap_or(0).max(11);
        let hints = self
            .offers
            .iter()
            .map(|offer| width::of(&offer.hint))
            .max()
            .unwrap_or(0)
            .min(16);
        let shown = self.offers.iter().enumerate().skip(from).take(most);
        let rows = shown.map(|(at, offer)| {
            let mut row = Row::plain("  ").add(
                match offer.insert.strip_prefix('@') {
                    // Files are shown as a bare path; other completions keep their prefix.
                    Some(path) if !path.starts_with("agent-") && !path.contains("://") => path,
                    _ => &offer.insert,
                },
                Style::TEXT,
            );
            if self.is_command {
                row.push(
                    &" ".repeat((names + 2).saturating_sub(width::of(&offer.insert)) + 1),
                    Style::TEXT,
                );
                if hints > 0 && columns >= 60 {
                    let hint = width::head(&offer.hint, 16);
                    row.push(
                        &format!("{hint}{}", " ".repeat((hints + 2).saturating_sub(width::of(hint)))),
                        Role::Faint,
                    );
                }
                row.push(&offer.about, Role::Faint);
            }
            let mut row = row.cut(columns);
            if at == self.selected {
                for span in &mut row.0 {
                    span.style = span.style.reverse();
                }
            }
            row
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn prefix_matches_rank_before_word_and_letter_matches() {
        assert_eq!(rank("compact", "compact"), Some(0));
        assert_eq!(rank("compact", "co"), Some(1));
        assert_eq!(rank("add-dir", "dir"), Some(2));
        assert_eq!(rank("context", "ctx"), Some(3));
        assert_eq!(rank("model", "x"), None);
    }
}
