//! `/resume`: the list of sessions, a preview of each, and renaming.

use std::collections::HashSet;
use std::time::Duration;

use sluice_host::sessions::SessionInfo;

use super::{Act, App, Next, Now, Picker, Picks};
use crate::input::{Code, Editor, Key};
use crate::text::{Role, Row, Style};
use crate::view::amount;

/// Words are looked for in what was said from so many letters on.
const LEAST: usize = 3;

/// The sessions that were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    sessions: Vec<SessionInfo>,
    /// Of all folders.
    everywhere: bool,
    /// The last words that were looked for in what was said, and the sessions that hold them.
    words: String,
    holding: HashSet<String>,
}

impl Found {
    /// Where they were looked for.
    pub(super) fn place(&self) -> &'static str {
        if self.everywhere { " everywhere" } else { " here" }
    }

    /// Whether these words were said in the session at this place.
    pub(super) fn says(&self, at: usize, wanted: &str) -> bool {
        self.words == wanted
            && self
                .sessions
                .get(at)
                .is_some_and(|session| self.holding.contains(&session.session_id))
    }
}

impl App {
    /// The first sessions make a list; those that come later go to its end.
    pub(super) fn pick_session(&mut self, sessions: Vec<SessionInfo>, everywhere: bool, first: bool, now: Now) {
        let rows: Vec<(String, String, String)> = sessions
            .iter()
            .map(|session| self.session_row(session, everywhere, now))
            .collect();
        if !first {
            // Whoever closed the list meanwhile does not want it any more.
            if let Some(picker) = &mut self.picker
                && let Picks::Session(found) = &mut picker.picks
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
            Picks::Session(_) => picker.filter,
            _ => None,
        });
        let found = Found {
            sessions,
            everywhere,
            ..Found::default()
        };
        let mut picker = Picker::new("Resume", Picks::Session(found), []);
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

    /// How long ago, the title and facts in columns, and the same whole.
    fn session_row(&self, session: &SessionInfo, everywhere: bool, now: Now) -> (String, String, String) {
        let age = Duration::from_millis(now.saturating_sub(session.last_modified));
        let ago = format!("{} ago", amount::ago(age));
        // What is too long would push the rest off the row.
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
            // No branch at all is written so.
            facts.extend(session.git_branch.clone().filter(|branch| branch != "HEAD"));
            // Begun by a program, not by a person here.
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

    /// Looks for the typed words in what was said.
    pub(super) fn search_sessions(&mut self) {
        let Some(picker) = &self.picker else { return };
        let (Picks::Session(found), Some(filter)) = (&picker.picks, &picker.filter) else {
            return;
        };
        let words = filter.text().to_lowercase();
        if words.chars().count() >= LEAST && words != found.words {
            self.acts.push(Act::FindSessions {
                words,
                everywhere: found.everywhere,
            });
        }
    }

    /// Sessions that contain the searched text.
    pub(super) fn found_sessions(&mut self, words: String, ids: Vec<String>) {
        let Some(picker) = &mut self.picker else { return };
        if let Picks::Session(found) = &mut picker.picks
            && picker.filter.as_ref().map(|it| it.text().to_lowercase()) == Some(words.clone())
        {
            if found.words != words {
                found.holding.clear();
                found.words = words;
            }
            found.holding.extend(ids);
        }
    }

    /// A key that is about the highlighted session.
    pub(super) fn session_key(&mut self, key: Key, now: Now) {
        let Some(picker) = &self.picker else { return };
        let Picks::Session(found) = &picker.picks else { return };
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
            Code::Char('f') if self.is_near(&session, everywhere, now) => {
                self.acts.push(Act::Again(Next::Resume {
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

    /// Something new was written below a list.
    pub(super) fn entered(&mut self, text: &str, now: Now) {
        let Some(picker) = &self.picker else { return };
        match &picker.picks {
            Picks::Session(found) => {
                let at = picker.fitting().get(picker.selected).copied();
                if let Some(session) = at.and_then(|at| found.sessions.get(at)) {
                    self.acts.push(Act::RenameSession {
                        session: session.session_id.clone(),
                        title: text.to_owned(),
                        everywhere: found.everywhere,
                    });
                }
            }
            Picks::Model(_) => {
                self.picker = None;
                self.take_model(text, false, now);
            }
            Picks::Agent(_) => self.new_agent(text, now),
            _ if picker.tries => self.try_command(text, now),
            _ => self.add_rule(text),
        }
    }

    /// Goes on with it, if it belongs here.
    pub(super) fn resume(&mut self, found: &Found, at: usize, now: Now) {
        let Some(session) = found.sessions.get(at) else { return };
        if self.is_near(session, found.everywhere, now) {
            self.acts.push(Act::Again(Next::Resume {
                session: session.session_id.clone(),
                fork: false,
            }));
        }
    }

    /// A session of another folder has its files, rules and trust there: how to get to it is said and copied.
    fn is_near(&mut self, session: &SessionInfo, everywhere: bool, now: Now) -> bool {
        // A list of this folder holds sessions of its work trees too, and they can go on here.
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
        self.notify("sent to the terminal's clipboard", now);
        self.picker = None;
        false
    }
}

/// As a shell reads it back.
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
    fn a_folder_is_written_as_a_shell_reads_it() {
        assert_eq!(quoted("/home/me/shop"), "/home/me/shop");
        assert_eq!(quoted("/a b/it's"), "'/a b/it'\\''s'");
    }
}
