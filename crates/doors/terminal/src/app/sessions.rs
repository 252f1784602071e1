//! `/resume`: the list of sessions, a preview of each, and renaming.

use std::collections::HashSet;
use std::time::Duration;

use sluice_host::sessions::SessionInfo;

use super::{Act, App, Next, Now, Picker, PickerKind};
use crate::input::{Code, Editor, Key};
use crate::text::{Role, Row, Style};
use crate::view::amount;

/// Minimum number of characters for a search in conversations.
const MIN_QUERY: usize = 3;

/// The listed sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    sessions: Vec<SessionInfo>,
    /// True if sessions of all folders are listed.
    everywhere: bool,
    /// The last text searched in conversations, and the ids of the sessions that contain it.
    words: String,
    holding: HashSet<String>,
}

impl Found {
    /// Returns the label of the search scope.
    pub(super) fn place(&self) -> &'static str {
        if self.everywhere { " everywhere" } else { " here" }
    }

    /// True if the session at this index contains the searched text.
    pub(super) fn says(&self, at: usize, wanted: &str) -> bool {
        self.words == wanted
            && self
                .sessions
                .get(at)
                .is_some_and(|session| self.holding.contains(&session.session_id))
    }
}

impl App {
    /// Opens the list with the first page of sessions; later pages are appended.
    pub(super) fn pick_session(&mut self, sessions: Vec<SessionInfo>, everywhere: bool, first: bool, now: Now) {
        let rows: Vec<(String, String, String)> = sessions
            .iter()
            .map(|session| self.session_row(session, everywhere, now))
            .collect();
        if !first {
            // Ignored if the list was closed meanwhile.
            if let Some(picker) = &mut self.picker
                && let PickerKind::Session(found) = &mut picker.picks
                && found.everywhere == everywhere
            {
                found.sessions.extend(sessions);
                picker.extend(rows);
            }
            return;
        }
        if rows.is_empty() && !everywhere && self.picker.is_none() {
            self.notify(
                "there are no sessions in this folder; /resume all looks everywhere",
                now,
            );
            return;
        }
        let typed = self.picker.take().and_then(|picker| match picker.picks {
            PickerKind::Session(_) => picker.filter,
            _ => None,
        });
        let found = Found {
            sessions,
            everywhere,
            ..Found::default()
        };
        let mut picker = Picker::new("Resume", PickerKind::Session(found), []);
        picker.extend(rows);
        picker.hints = vec![
            "enter resume",
            "ctrl+f fork",
            "ctrl+o read",
            "ctrl+r rename",
            if everywhere {
                "ctrl+a this folder"
            } else {
                "ctrl+a all folders"
            },
        ];
        picker.filter = typed.or(picker.filter);
        self.picker = Some(picker);
        self.search_sessions();
    }

    /// Returns age, title with details in columns, and the uncut details.
    fn session_row(&self, session: &SessionInfo, everywhere: bool, now: Now) -> (String, String, String) {
        let age = Duration::from_millis(now.saturating_sub(session.last_modified));
        let ago = format!("{} ago", amount::ago(age));
        // A long title would push the details off the row.
        let room = match self.columns {
            narrow @ ..60 if !everywhere => narrow.saturating_sub(12).max(16),
            columns => columns.saturating_sub(40).clamp(16, 60),
        };
        let title = crate::text::clean::one_line(&session.summary);
        let short = Row::plain(&title).cut(room).text();
        let gap = " ".repeat(room.saturating_sub(crate::text::width::of(&short)));
        let mut facts = Vec::new();
        if everywhere {
            facts.extend(session.cwd.as_deref().map(|folder| self.near_home(folder)));
        }
        if self.columns >= 60 {
            // A detached head is recorded as `HEAD`, which is not a branch.
            facts.extend(session.git_branch.clone().filter(|branch| branch != "HEAD"));
            // Names the program that started the session, if it was not this terminal.
            facts.extend(
                session
                    .entrypoint
                    .clone()
                    .filter(|from| from.starts_with("sdk"))
                    .map(|_| "(sdk)".to_owned()),
            );
        }
        let facts = facts.join("   ");
        let about = format!("{short}{gap}   {facts}").trim_end().to_owned();
        let whole = match short == title {
            true => about.clone(),
            false => format!("{title}   {facts}").trim_end().to_owned(),
        };
        (format!("{ago:<8}"), about, whole)
    }

    fn near_home(&self, folder: &str) -> String {
        let home = self.facts.home.display().to_string();
        match folder.strip_prefix(&home) {
            Some(rest) if !home.is_empty() => format!("~{rest}"),
            _ => folder.to_owned(),
        }
    }

    /// Searches conversations for the typed text.
    pub(super) fn search_sessions(&mut self) {
        let Some(picker) = &self.picker else { return };
        let (PickerKind::Session(found), Some(filter)) = (&picker.picks, &picker.filter) else {
            return;
        };
        let words = filter.text().to_lowercase();
        if words.chars().count() >= MIN_QUERY && words != found.words {
            self.acts.push(Act::FindSessions {
                words,
                everywhere: found.everywhere,
            });
        }
    }

    /// Adds the sessions that contain the searched text.
    pub(super) fn found_sessions(&mut self, words: String, ids: Vec<String>) {
        let Some(picker) = &mut self.picker else { return };
        if let PickerKind::Session(found) = &mut picker.picks
            && picker.filter.as_ref().map(|it| it.text().to_lowercase()) == Some(words.clone())
        {
            if found.words != words {
                found.holding.clear();
                found.words = words;
            }
            found.holding.extend(ids);
        }
    }

    /// Handles a key for the highlighted session.
    pub(super) fn session_key(&mut self, key: Key, now: Now) {
        let Some(picker) = &self.picker else { return };
        let PickerKind::Session(found) = &picker.picks else {
            return;
        };
        let everywhere = found.everywhere;
        if key == Key::ctrl('a') {
            self.acts.push(Act::Sessions {
                everywhere: !everywhere,
            });
            return;
        }
        let at = picker.fitting().get(picker.selected).copied();
        let Some(session) = at.and_then(|at| found.sessions.get(at)).cloned() else {
            return;
        };
        match key.code {
            Code::Char('f') if self.is_resumable_here(&session, everywhere, now) => {
                self.acts.push(Act::StartNext(Next::Resume {
                    session: session.session_id,
                    fork: true,
                }));
            }
            Code::Char('o') => self.acts.push(Act::ReadSession {
                session: session.session_id,
                title: session.summary,
            }),
            Code::Char('r') => {
                let mut editor = Editor::default();
                editor.set(&session.summary);
                if let Some(picker) = &mut self.picker {
                    picker.entry = Some(editor);
                }
            }
            _ => {}
        }
    }

    /// Handles the text entered below a list.
    pub(super) fn entered(&mut self, text: &str, now: Now) {
        let Some(picker) = &self.picker else { return };
        match &picker.picks {
            PickerKind::Session(found) => {
                let at = picker.fitting().get(picker.selected).copied();
                if let Some(session) = at.and_then(|at| found.sessions.get(at)) {
                    self.acts.push(Act::RenameSession {
                        session: session.session_id.clone(),
                        title: text.to_owned(),
                        everywhere: found.everywhere,
                    });
                }
            }
            PickerKind::Model(_) => {
                self.picker = None;
                self.take_model(text, false, now);
            }
            PickerKind::Agent(_) => self.new_agent(text, now),
            _ if picker.tries => self.try_command(text, now),
            _ => self.add_rule(text),
        }
    }

    /// Resumes a session, if it belongs to this folder.
    pub(super) fn resume(&mut self, found: &Found, at: usize, now: Now) {
        let Some(session) = found.sessions.get(at) else { return };
        if self.is_resumable_here(session, found.everywhere, now) {
            self.acts.push(Act::StartNext(Next::Resume {
                session: session.session_id.clone(),
                fork: false,
            }));
        }
    }

    /// A session of another folder needs the files, rules and trust of that folder: shows and copies the command to
    /// resume it there.
    fn is_resumable_here(&mut self, session: &SessionInfo, everywhere: bool, now: Now) -> bool {
        // The list of this folder also contains the sessions of its worktrees, which can be resumed here.
        let elsewhere = |folder: &&str| everywhere && std::path::Path::new(folder) != self.facts.folder;
        let Some(folder) = session.cwd.as_deref().filter(elsewhere) else {
            return true;
        };
        let short = session.session_id.get(..8).unwrap_or(&session.session_id);
        let command = format!("cd {} && sluice -r {short}", quoted(folder));
        self.say(vec![
            Row::new()
                .add("~ ", Role::Note)
                .add("this session belongs to another folder: ", Role::Faint)
                .add(&command, Style::TEXT),
        ]);
        self.acts.push(Act::Copy(command));
        self.notify("copied to the clipboard", now);
        self.picker = None;
        false
    }
}

/// Quotes a path for a shell.
fn quoted(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_quoted_for_a_shell() {
        assert_eq!(quoted("/home/me/shop"), "/home/me/shop");
        assert_eq!(quoted("/a b/it's"), "'/a b/it'\\''s'");
    }
}
