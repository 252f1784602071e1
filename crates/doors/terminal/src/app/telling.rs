//! Handles the outcomes of acts.

use super::act::Edited;
use super::{Act, App, Now, Told};
use crate::text::{Role, Row};
use crate::view::amount;

impl App {
    /// Applies the outcome of an act.
    pub fn told(&mut self, told: Told, now: Now) {
        let opens = matches!(
            told,
            Told::Models(_)
                | Told::Servers(_)
                | Told::Plugins(_)
                | Told::PluginOffer(_)
                | Told::PluginRemoval(_)
                | Told::Rules(_)
                | Told::Settings(_)
                | Told::Agents(_)
                | Told::Points(_)
                | Told::Sessions { first: true, .. }
        );
        // The user typed or pressed escape meanwhile; the dialog is no longer expected.
        if opens && !self.expects && self.picker.is_none() {
            return;
        }
        match told {
            Told::Notice(text) => self.notify(text, now),
            Told::Rows(rows) => self.say(rows),
            Told::Written { job, written } => self.job_wrote(job, written, now),
            Told::Files { query, found } => self.offer_files(&query, found),
            Told::Branch(branch) => self.around.branch = branch,
            Told::Transcript { items, title } => self.open_pager(&items, title, now),
            Told::Points(points) => self.pick_point(points, now),
            Told::PointsAgain(points) => {
                if self
                    .picker
                    .as_ref()
                    .is_some_and(|picker| matches!(picker.picks, super::Picks::Point(_)))
                {
                    self.pick_point(points, now);
                }
            }
            Told::Rewound { count, then } => {
                let files = amount::count(count as u64, "file");
                self.say(vec![
                    Row::new()
                        .add("~ ", Role::Note)
                        .add(&format!("put back {files}"), Role::Faint),
                ]);
                if let Some((next, text)) = then {
                    self.go_back(next, &text);
                }
            }
            Told::Sessions {
                sessions,
                everywhere,
                first,
            } => self.pick_session(sessions, everywhere, first, now),
            Told::FoundSessions { words, ids } => self.found_sessions(words, ids),
            Told::SignIn { server, url } => self.sign_in(&server, url, now),
            Told::Summarised(next) => self.acts.push(Act::Again(next)),
            Told::Models(models) => self.pick_model(models, now),
            Told::Model(model) => self.around.model = crate::view::status::model_word(&model),
            Told::Effort(level) => self.effort = level,
            Told::AgentFiles(files) => self.agent_files = files,
            Told::Skills(skills) => self.say(crate::view::report::skills(&skills, self.columns)),
            Told::Servers(servers) => self.pick_server(servers, now),
            Told::Plugins(plugins) => self.pick_plugin(plugins, now),
            Told::PluginOffer(offer) => self.offer_plugin(&offer),
            Told::PluginRemoval(id) => self.confirm_removal(&id),
            Told::Rules(rules) => self.pick_rule(*rules, 0),
            Told::RulesOf(rules, kind) => self.pick_rule(*rules, kind),
            Told::Saved { place, settings } => self.saved(place, &settings, now),
            Told::NotSaved(why) => {
                self.undress();
                self.notify(why, now);
            }
            Told::Settings(settings) => self.pick_setting(settings),
            Told::Agents(agents) => self.pick_agent(agents, now),
            Told::StatusLine(text) => self.standing.said(&text),
            Told::Picture(bytes) => {
                if !bytes.is_some_and(|bytes| self.attach_picture(&bytes)) {
                    self.notify("there is no picture in the clipboard", now);
                }
            }
            Told::Reprint(items) => {
                let text = format!("printed again at {} columns", self.columns);
                self.say(vec![Row::new().add("~ ", Role::Note).add(&text, Role::Faint)]);
                self.print_again(items);
            }
            Told::Hooks(hooks) => self.say(crate::view::report::hooks(&hooks, self.columns)),
            Told::Context(usage) => self.say(crate::view::report::context(&usage, self.facts.is_demo(), self.columns)),
            Told::Cost(usage) => {
                let (last, demo) = (self.picture.last_cost, self.facts.is_demo());
                self.say(crate::view::report::cost(&usage, last, demo, self.columns));
            }
            Told::Edited { text, what } => self.edited(text, &what, now),
            Told::Shell { id, output, code } => self.shell_ended(id, &output, code),
            Told::ShellWrote { id, tail } => self.shell_wrote(id, tail),
            Told::CallWrote { call, tail } => self.feed.prints(&call, tail),
        }
    }

    fn edited(&mut self, text: Option<String>, what: &Edited, now: Now) {
        // The error was shown when the editor closed.
        let Some(text) = text else { return };
        match what {
            Edited::Draft => self.editor.set(text.trim_end_matches('\n')),
            Edited::Nothing => {}
            Edited::Input(ask) => {
                let Some(asking) = self.asking.as_mut().filter(|asking| asking.id == *ask) else {
                    return;
                };
                match &mut asking.change {
                    // The command is still being edited; enter runs it.
                    Some(change) => change.set(text.trim_end_matches('\n')),
                    None => self.changed(&text, now),
                }
            }
        }
    }
}
