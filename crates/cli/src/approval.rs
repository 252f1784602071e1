//! What a person is asked before a session begins: whether the folder is trusted, and the servers its project names.

use std::io::{self, BufRead, Write};

use sluice_engine::mcp::scopes::{self, Named, Standing};
use sluice_engine::mcp::store;
use sluice_engine::settings::{Places, trust};

use crate::flags::Flags;
use crate::launch::Place;
use crate::mcp_list::reach;

/// Asks what has to be asked, and remembers the answers. True if something may hold now that did not.
pub(crate) fn ask(place: &Place, flags: &Flags) -> bool {
    let mut asking = Asking {
        places: place.settings.places(),
        input: io::stdin().lock(),
        out: io::stdout().lock(),
    };
    asking.ask(place, flags)
}

/// A server's name, and what it would run or where it is.
type Waiting = (String, String);

struct Asking<'a, I, O> {
    places: &'a Places,
    input: I,
    out: O,
}

impl<I: BufRead, O: Write> Asking<'_, I, O> {
    fn ask(&mut self, place: &Place, flags: &Flags) -> bool {
        let waiting = waiting(place, flags);
        let trusted = place.settings.trusted();
        let waits = place.waits_for_trust() || !waiting.is_empty();
        if !trusted && !waits {
            return false;
        }
        if !trusted && !self.is_trusted() {
            return false;
        }
        self.about_servers(&waiting);
        !trusted || !waiting.is_empty()
    }

    /// Asks whether the folder's own settings may take effect, and remembers a yes.
    fn is_trusted(&mut self) -> bool {
        let question = format!(
            "{} has settings of its own: commands, servers, variables or permissions that take effect only in a folder \
             you trust.\nDo you trust its authors? y(es), n(o): ",
            trust::key(&self.places.cwd).display()
        );
        let answer = self.answer(&question);
        if !matches!(answer.as_deref(), Some("y" | "yes")) {
            let _gone = self
                .out
                .write_all(b"They stay without effect; deny and ask rules hold all the same.\n\n");
            return false;
        }
        self.kept(trust::trust(&self.places.global, &self.places.cwd).map(|_| ()))
    }

    /// Asks about each server the project names and nobody has said anything about. What is neither yes nor no is
    /// asked again next time.
    fn about_servers(&mut self, waiting: &[Waiting]) {
        let mut all = false;
        for (name, reach) in waiting {
            let question = format!(
                "The project names an MCP server, {name}: {reach}\nMay it be connected, here and from now on? y(es), \
                 n(o), a(ll it names): "
            );
            let answer = match all {
                true => Some("yes".to_owned()),
                false => self.answer(&question),
            };
            all |= matches!(answer.as_deref(), Some("a" | "all"));
            let approved = match answer.as_deref() {
                Some("y" | "yes" | "a" | "all") => true,
                Some("n" | "no") => false,
                _ => continue,
            };
            self.kept(store::choose(self.places, name, approved));
        }
    }

    fn answer(&mut self, question: &str) -> Option<String> {
        let mut answer = String::new();
        self.out.write_all(question.as_bytes()).ok()?;
        self.out.flush().ok()?;
        self.input.read_line(&mut answer).ok().filter(|read| *read > 0)?;
        Some(answer.trim().to_lowercase())
    }

    fn kept(&mut self, written: Result<(), sluice_engine::settings::WriteError>) -> bool {
        match written {
            Ok(()) => true,
            Err(error) => {
                crate::warn(&format!("the answer could not be written down: {error}"));
                false
            }
        }
    }
}

fn waiting(place: &Place, flags: &Flags) -> Vec<Waiting> {
    if flags.strict_mcp_config {
        return Vec::new();
    }
    let named = scopes::gather(&place.settings, &indexmap::IndexMap::new(), false);
    let waits = |named: &Named| named.standing == Standing::Waiting;
    let told = |named: Named| (named.name, named.config.as_ref().map(reach).unwrap_or_default());
    named.into_iter().filter(waits).map(told).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    /// What the project's own file says after these answers, and how many questions were put.
    fn answered(answers: &str) -> (Value, usize) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let places = Places {
            cwd: root.clone(),
            home: root.clone(),
            config_dir: root.join("home/.claude"),
            managed: root.join("managed.json"),
            global: root.join(".claude.json"),
        };
        let mut out = Vec::new();
        let mut asking = Asking {
            places: &places,
            input: answers.as_bytes(),
            out: &mut out,
        };
        let server = |name: &str| (name.to_owned(), format!("run {name}"));
        asking.about_servers(&[server("one"), server("two"), server("three")]);
        let written = std::fs::read_to_string(root.join(".claude/settings.local.json")).unwrap_or_default();
        let asked = String::from_utf8(out).unwrap().matches("May it be connected").count();
        (serde_json::from_str(&written).unwrap_or_default(), asked)
    }

    #[test]
    fn each_server_is_asked_about_and_the_answers_stay() {
        let (written, asked) = answered("y\nno\n\n");
        assert_eq!(
            written,
            json!({"enabledMcpjsonServers": ["one"], "disabledMcpjsonServers": ["two"]})
        );
        assert_eq!(asked, 3);
    }

    #[test]
    fn one_answer_may_be_for_all() {
        let (written, asked) = answered("n\na\n");
        assert_eq!(
            written,
            json!({"disabledMcpjsonServers": ["one"], "enabledMcpjsonServers": ["two", "three"]})
        );
        assert_eq!(asked, 2);
    }

    #[test]
    fn whoever_says_nothing_has_decided_nothing() {
        assert_eq!(answered(""), (Value::Null, 3));
    }
}
