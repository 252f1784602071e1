//! Handles the outcomes of acts.

use super::act::EditTarget;
use super::{Act, ActOutcome, App, Now};
use crate::text::{Role, Row};
use crate::view::amount;

impl App {
    /// Applies the outcome of an act.
    pub fn apply_outcome(&mut self, told: ActOutcome, now: Now) {
        let opens = matches!(
            told,
            ActOutcome::Models(_)
                | ActOutcome::Servers(_)
                | ActOutcome::Plugins(_)
                | ActOutcome::PluginOffer(_)
                | ActOutcome::PluginRemoval(_)
                | ActOutcome::Rules(_)
                | ActOutcome::Settings(_)
                | ActOutcome::Agents(_)
                | ActOutcome::Points(_)
                | ActOutcome::Sessions { first: true, .. }
        );
        // The user typed or pressed escape meanwhile; the dialog is no longer expected.
        if opens && !self.expects && self.picker.is_none() {
            return;
        }
        match told {
            ActOutcome::Notice(text) => self.notify(text, now),
            ActOutcome::Rows(rows) => self.say(rows),
            ActOutcome::OutputSize { job, written } => self.set_output_size(job, written, now),
            ActOutcome::Files { query, found } => self.offer_files(&query, found),
            ActOutcome::Branch(branch) => self.status_context.branch = branch,
            ActOutcome::Transcript { items, title } => self.open_pager(&items, title, now),
            ActOutcome::Points(points) => self.pick_point(points, now),
            ActOutcome::PointsAgain(points) => {
                if self
                    .picker
                    .as_ref()
                    .is_some_and(|picker| matches!(picker.picks, super::PickerKind::Point(_)))
                {
                    self.pick_point(points, now);
                }
            }
            ActOutcome::Rewound { count, then } => {
                let files = amount::count(count as u64, "file");
                self.say(vec![
                    Row::new()
                        .add("~ ", Role::Note)
                        .add(&format!("restored {files}"), Role::Faint),
                ]);
                if let Some((next, text)) = then {
                    self.go_back(next, &text);
                }
            }
            ActOutcome::Sessions {
                sessions,
                everywhere,
                first,
            } => self.pick_session(sessions, everywhere, first, now),
            ActOutcome::FoundSessions { words, ids } => self.found_sessions(words, ids),
            ActOutcome::SignIn { server, url } => self.sign_in(&server, url, now),
            ActOutcome::Summarised(next) => self.acts.push(Act::StartNext(next)),
            ActOutcome::Models(models) => self.pick_model(models, now),
            ActOutcome::Model(model) => {
                self.status_context.model = crate::view::status::model_word(&model);
                self.facts.model = model;
            }
            ActOutcome::Effort(level) => self.effort = level,
            ActOutcome::AgentFiles(files) => self.agent_files = files,
            ActOutcome::Skills(skills) => self.say(crate::view::report::skills(&skills, self.columns)),
            ActOutcome::Servers(servers) => self.pick_server(servers, now),
            ActOutcome::Plugins(plugins) => self.pick_plugin(plugins, now),
            ActOutcome::PluginOffer(offer) => self.offer_plugin(&offer),
            ActOutcome::PluginRemoval(id) => self.confirm_removal(&id),
            ActOutcome::Rules(rules) => self.pick_rule(*rules, 0),
            ActOutcome::RulesOf(rules, kind) => self.pick_rule(*rules, kind),
            ActOutcome::Saved { place, settings } => self.saved(place, &settings, now),
            ActOutcome::NotSaved(why) => {
                self.end_theme_preview();
                self.notify(why, now);
            }
            ActOutcome::Settings(settings) => self.pick_setting(settings),
            ActOutcome::Agents(agents) => self.pick_agent(agents, now),
            ActOutcome::StatusLine(text) => self.status_line.set_output(&text),
            ActOutcome::Image(bytes) => {
                if !bytes.is_some_and(|bytes| self.attach_picture(&bytes)) {
                    self.notify("the clipboard contains no image", now);
                }
            }
            ActOutcome::Reprint(items) => {
                let text = format!("printed again at {} columns", self.columns);
                self.say(vec![Row::new().add("~ ", Role::Note).add(&text, Role::Faint)]);
                self.print_again(items);
            }
            ActOutcome::Hooks(hooks) => self.say(crate::view::report::hooks(&hooks, self.columns)),
            ActOutcome::Context(usage) => {
                self.say(crate::view::report::context(&usage, self.facts.is_demo(), self.columns));
            }
            ActOutcome::Cost(usage) => {
                let (last, demo) = (self.snapshot.last_cost, self.facts.is_demo());
                self.say(crate::view::report::cost(&usage, last, demo, self.columns));
            }
            ActOutcome::Edited { text, what } => self.edited(text, &what, now),
            ActOutcome::Shell { id, output, code } => self.shell_ended(id, &output, code),
            ActOutcome::ShellWrote { id, tail } => self.shell_wrote(id, tail),
            ActOutcome::CallWrote { call, tail } => self.feed.prints(&call, tail),
        }
    }

    fn edited(&mut self, text: Option<String>, what: &EditTarget, now: Now) {
        // The error was shown when the editor closed.
        let Some(text) = text else { return };
        match what {
            EditTarget::Draft => self.editor.set(text.trim_end_matches('\n')),
            EditTarget::Nothing => {}
            EditTarget::Input(ask) => {
                let Some(open_request) = self
                    .open_request
                    .as_mut()
                    .filter(|open_request| open_request.id == *ask)
                else {
                    return;
                };
                match &mut open_request.change {
                    // The command is still being edited; enter runs it.
                    Some(change) => change.set(text.trim_end_matches('\n')),
                    None => self.changed(&text, now),
                }
            }
        }
    }
}
