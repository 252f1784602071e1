//! Converts options to the `initialize` request.

use serde_json::json;
use sluice_wire::control::Initialize;
use sluice_wire::{Map, Raw, TextOrTexts};

use super::{Options, Skills, SystemPrompt};

impl Options {
    /// Returns the `initialize` request.
    #[must_use]
    pub fn greeting(&self) -> Initialize {
        let mut greeting = Initialize {
            hooks: self.callbacks.matchers(),
            sdk_mcp_servers: non_empty(self.sdk_servers.iter().map(|it| it.name().to_owned()).collect()),
            json_schema: self.output_schema.as_ref().map(Raw::from),
            plan_mode_instructions: self.plan_mode_instructions.clone(),
            tool_aliases: non_empty_map(&self.tool_aliases),
            agents: non_empty_map(
                &self
                    .agents
                    .iter()
                    .map(|(name, agent)| (name.clone(), Raw::of(agent)))
                    .collect(),
            ),
            title: self.title.clone(),
            prompt_suggestions: self.prompt_suggestions,
            agent_progress_summaries: self.agent_progress_summaries,
            forward_subagent_text: self.forward_subagent_text,
            supported_dialog_kinds: non_empty(self.supported_dialog_kinds.clone()),
            per_task_stop_affordance: self.per_task_stop_affordance,
            exclude_dynamic_sections: self.exclude_dynamic_sections,
            system_prompt_snapshot: self.system_prompt_snapshot,
            ..Initialize::default()
        };
        if let SystemPrompt::Texts(texts) = &self.system_prompt {
            greeting.system_prompt = Some(TextOrTexts::Texts(texts.clone()));
        }
        if let Some(Skills::Only(names)) = &self.skills {
            greeting.skills = Some(names.clone());
        }
        if self.plugins_in_greeting {
            let plugins = self.plugins.iter().map(|plugin| {
                let mut config = json!({"type": "local", "path": plugin.path});
                if let (true, Some(config)) = (plugin.skip_mcp, config.as_object_mut()) {
                    config.insert("skipMcpDiscovery".to_owned(), true.into());
                }
                Raw::from(config)
            });
            greeting.plugins = Some(plugins.collect());
        }
        greeting
    }
}

fn non_empty<T>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then_some(values)
}

fn non_empty_map<T: Clone>(values: &Map<T>) -> Option<Map<T>> {
    (!values.is_empty()).then(|| values.clone())
}
