//! The `Skill` tool, with which the model invokes a skill or command.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use sluice_model::Names;
use sluice_permission::Touches;
use sluice_tools::{Context, Descriptor, Effect, Invalid, Outcome, Pending, Tool};

use crate::agents::BriefSlot;
use crate::catalogue::Catalogue;
use crate::commands::{SKILL, skill_of};
use crate::subagents;

/// The `Skill` tool for one catalogue.
#[derive(Debug)]
pub(crate) struct SkillTool {
    descriptor: Descriptor,
    catalogue: Arc<Catalogue>,
    /// The brief for skills that run in a subagent.
    brief_slot: Arc<BriefSlot>,
    /// Model aliases.
    names: Names,
}

impl SkillTool {
    pub(crate) fn new(catalogue: Arc<Catalogue>, brief_slot: Arc<BriefSlot>, names: Names) -> Self {
        let descriptor = Descriptor {
            name: SKILL.into(),
            description: "Takes up a skill: instructions for one kind of task, written by the person, the project or a \
                plugin. A list of the skills there are stands in the conversation; use only names from it.\n\n\
                When a skill fits the task, call this before anything else about the task: its instructions arrive as your \
                next input, and you follow them. Do not call it for a skill whose instructions you already have."
                .into(),
            schema: json!({
                "type": "object",
                "properties": {
                    "skill": {"type": "string", "minLength": 1, "description": "The skill's name, without a slash."},
                    "args": {"type": "string", "description": "What the skill is to be told, where it asks for something."},
                },
                "required": ["skill"],
                "additionalProperties": false,
            }),
            aliases: &["SlashCommand"],
            touches: Touches::Skill { name: "skill" },
            ..Descriptor::default()
        };
        Self {
            descriptor,
            catalogue,
            brief_slot,
            names,
        }
    }

    /// Returns the error if a skill cannot be invoked.
    fn refusal(&self, name: &str) -> Option<String> {
        match self.catalogue.find(name) {
            None => Some(format!("Unknown skill: {name}")),
            Some(entry) if !entry.model_invocable => Some(format!(
                "Skill {name} cannot be used with Skill tool due to disable-model-invocation"
            )),
            Some(entry) => entry
                .body()
                .err()
                .map(|error| format!("The skill {name} cannot be read: {error}")),
        }
    }
}

impl Tool for SkillTool {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn check(&self, input: &Value, cwd: &Path) -> Result<Value, Invalid> {
        let mut checked = self.descriptor.checked(input, cwd)?;
        // Permission rules contain the name of a skill; the input may contain an alias.
        if let (Some(entry), Some(fields)) = (self.catalogue.find(skill_of(&checked)), checked.as_object_mut()) {
            fields.insert("skill".to_owned(), entry.name.as_str().into());
        }
        Ok(checked)
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        false
    }

    fn vet<'a>(&'a self, input: &'a Value, _cx: &'a Context) -> Pending<'a, Option<Outcome>> {
        Box::pin(async move { self.refusal(skill_of(input)).map(Outcome::refused) })
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let name = skill_of(&input);
            if let Some(why) = self.refusal(name) {
                return Outcome::refused(why);
            }
            let args = input.get("args").and_then(Value::as_str).unwrap_or_default();
            if let Some(entry) = self.catalogue.find(name).filter(|entry| entry.fork) {
                return subagents::call_fork(&self.brief_slot, entry, args, cx).await;
            }
            let mut result = json!({"success": true, "commandName": name});
            if let (Some(result), Some(entry)) = (result.as_object_mut(), self.catalogue.find(name)) {
                if !entry.allowed_tools.is_empty() {
                    result.insert("allowedTools".to_owned(), json!(entry.allowed_tools));
                }
                if let Some(model) = &entry.model {
                    let model = self.names.resolve(Some(model));
                    result.insert("model".to_owned(), json!(model));
                }
            }
            Outcome::ok(format!("Launching skill: {name}"), result).with(Effect::TakeUpSkill {
                name: name.to_owned(),
                args: args.to_owned(),
            })
        })
    }
}
