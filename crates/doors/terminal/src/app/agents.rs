//! `/agents`: subagent definitions, where they are stored, and new ones.

use std::path::Path;

use sluice_wire::control::AgentInfo;

use super::{Act, App, Now, Picker, PickerKind};
use crate::input::Editor;
use crate::text::{Row, Style, wrap};

impl App {
    /// Lists the subagents.
    pub(super) fn pick_agent(&mut self, agents: Vec<AgentInfo>, now: Now) {
        if agents.is_empty() {
            self.notify("the agent has no subagents", now);
            return;
        }
        let rows: Vec<(String, String)> = agents
            .iter()
            .map(|agent| {
                let model = agent.model.as_deref().map(crate::view::status::model_word);
                let model = model
                    .filter(|model| model != "inherit")
                    .unwrap_or_else(|| "as session".to_owned());
                let about = agent.description.lines().next().unwrap_or_default();
                let place = self.agent_place(&agent.name);
                (agent.name.clone(), format!("{place:<17} {model:<11} {about}"))
            })
            .collect();
        let mut picker = Picker::new("Agents", PickerKind::Agent(agents), rows);
        picker.hints = vec!["enter reads it", "e edits it", "n new from a description", "esc"];
        self.picker = Some(picker);
    }

    /// Returns the folder of an agent's definition file.
    fn agent_place(&self, name: &str) -> String {
        let Some(folder) = self.agent_files.get(name).and_then(|file| file.parent()) else {
            return "built in".to_owned();
        };
        let near = |root: &Path, sign: &str| Some(format!("{sign}{}", folder.strip_prefix(root).ok()?.display()));
        near(&self.facts.folder, "")
            .or_else(|| near(&self.facts.home, "~/"))
            .unwrap_or_else(|| folder.display().to_string())
    }

    /// Shows the description of an agent.
    pub(super) fn read_agent(&mut self, agents: &[AgentInfo], at: usize) {
        let Some(agent) = agents.get(at) else { return };
        let mut rows = vec![Row::plain("").add(&agent.name, Style::TEXT.bold())];
        rows.push(Row::faint(&format!("  {}", self.agent_place(&agent.name))));
        for line in agent.description.lines() {
            rows.extend(wrap::words(&Row::faint(&format!("  {line}")), self.columns, 2));
        }
        self.say(rows);
    }

    /// Handles a letter key while an agent is highlighted.
    pub(super) fn agent_key(&mut self, letter: char, at: Option<usize>, now: Now) {
        let Some(picker) = &mut self.picker else { return };
        let PickerKind::Agent(agents) = &picker.picks else {
            return;
        };
        match letter {
            'e' => {
                let name = at.and_then(|at| agents.get(at)).map(|agent| agent.name.clone());
                let file = name.and_then(|name| self.agent_files.get(&name)).cloned();
                match file {
                    Some(file) => {
                        self.picker = None;
                        self.acts.push(Act::EditFile(file));
                    }
                    None => self.notify("built in; there is no file to edit", now),
                }
            }
            'n' => {
                picker.entry = Some(Editor::default());
                picker.hints = vec!["what the agent should do", "enter writes it with the model", "esc"];
            }
            _ => {}
        }
    }

    /// Asks the model to write a new agent definition.
    pub(super) fn new_agent(&mut self, what: &str, now: Now) {
        self.picker = None;
        let prompt = format!(
            "Write a new subagent for this project: one file .claude/agents/NAME.md, with front matter (name, \
             description: when it is to be used, tools: only if it needs few) and below it what it is told. It shall do \
             this: {what}"
        );
        self.send(&prompt, Vec::new(), false, now);
    }
}
