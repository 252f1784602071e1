//! Completion of `/` and `@` below the composer.

use super::{Act, App};
use crate::app::commands::OURS;
use crate::text::{Role, Row, Style, width};

/// How many rows there are at most.
const MOST: usize = 8;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// What is put into the draft.
    pub(crate) insert: String,
    hint: String,
    about: String,
}

/// The rows below the composer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Popup {
    /// Where in the draft the word begins.
    pub(crate) from: usize,
    pub(crate) offers: Vec<Offer>,
    pub(crate) selected: usize,
    pub(crate) is_command: bool,
}

impl App {
    /// Looks at the word before the cursor.
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

    /// Files that were asked for; an answer that comes late is dropped.
    pub(super) fn offer_files(&mut self, query: &str, found: Vec<String>) {
        let before = self.editor.text().get(..self.editor.cursor()).unwrap_or_default();
        let start = before.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        if before.get(start..).and_then(|word| word.strip_prefix('@')) != Some(query) {
            return;
        }
        let offers: Vec<Offer> = found
            .into_iter()
            .take(MOST)
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
            is_command: false,
        });
    }

    /// Commands of ours and of the agent: by their beginning, the beginnings of their words, then any letters in order.
    fn commands_like(&self, word: &str) -> Vec<Offer> {
        let ours = OURS.iter().map(|(name, hint, about)| (*name, *hint, *about));
        let theirs = self.picture.commands.iter().map(|command| {
            let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned).unwrap_or_default();
            (
                command.name.to_string(),
                text(&command.hint),
                text(&command.description),
            )
        });
        let mut all: Vec<(String, String, String)> = ours
            .map(|(name, hint, about)| (name.to_owned(), hint.to_owned(), about.to_owned()))
            .collect();
        for command in theirs {
            if !all.iter().any(|(name, ..)| *name == command.0) {
                all.push(command);
            }
        }
        let mut ranked: Vec<(u8, (String, String, String))> = all
            .into_iter()
            .filter_map(|command| Some((rank(&command.0, word)?, command)))
            .collect();
        // Of those that fit as well the one that was used last comes first.
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
        let offers = ranked.into_iter().take(MOST).map(|(_, (name, hint, about))| Offer {
            insert: format!("/{name}"),
            hint,
            about: about.lines().next().unwrap_or_default().to_owned(),
        });
        offers.collect()
    }

    /// Takes the highlighted row into the draft; true when it can be sent as it is.
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

/// How well a name fits what was typed; smaller is better.
fn rank(name: &str, word: &str) -> Option<u8> {
    let (name, word) = (name.to_lowercase(), word.to_lowercase());
    if name.starts_with(&word) {
        return Some(0);
    }
    if name.split(['-', '_', ':']).any(|part| part.starts_with(&word)) {
        return Some(1);
    }
    let mut letters = name.chars();
    word.chars()
        .all(|wanted| letters.any(|letter| letter == wanted))
        .then_some(2)
}

impl Popup {
    /// The rows.
    pub(crate) fn rows(&self, columns: usize) -> Vec<Row> {
        let name = |offer: &Offer| width::of(&offer.insert);
        let names = self.offers.iter().map(name).max().unwrap_or(0).max(11);
        let hints = self
            .offers
            .iter()
            .map(|offer| width::of(&offer.hint))
            .max()
            .unwrap_or(0)
            .min(16);
        let rows = self.offers.iter().enumerate().map(|(at, offer)| {
            let mut row = Row::plain("  ").add(
                match offer.insert.strip_prefix('@') {
                    // Of a file the path alone; what is no file keeps its sign.
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
    fn beginnings_come_before_words_and_words_before_letters() {
        assert_eq!(rank("compact", "co"), Some(0));
        assert_eq!(rank("add-dir", "dir"), Some(1));
        assert_eq!(rank("context", "ctx"), Some(2));
        assert_eq!(rank("model", "x"), None);
    }
}
