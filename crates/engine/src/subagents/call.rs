//! The `Agent` tool, formerly named `Task`, which starts a subagent.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sluice_catalogue::agents::builtin;
use sluice_catalogue::agents::{AgentDefinition, AgentOrigin};
use sluice_permission::PermissionMode;
use sluice_settings::Settings;
use sluice_tools::{Context, Descriptor, Outcome, Pending, Tool};

use super::forks::Fork;
use super::supervise;
use crate::agents::{Brief, BriefSlot};
use crate::agents::{names, shared};
use crate::history::History;

/// The maximum length of the description of a kind in the tool description, in characters.
const MAX_DESCRIPTION_CHARS: usize = 1000;

const ABOUT: &str = "Hands a piece of work to a subagent: another agent with a conversation of its own, which sees \
    nothing of this one and gives back one report.\n\n\
    - Put everything it needs into `prompt`: what to do, where, what is known already and what the report has to say.\n\
    - It runs in the background and you are told when it has ended, so go on with other work meanwhile and do not wait or \
    poll. Set `run_in_background` to false when you cannot go on without its report.\n\
    - Start several in one message when their work is independent.\n\
    - Do small things yourself: a subagent that reads one file costs more than reading it.\n\
    - Its report is a claim like any other. Check what matters.\n\
    - To say more to one you started, use SendMessage with its id.\n\n\
    The kinds there are (`subagent_type`; general-purpose when none is named):\n";

/// The `Agent` tool.
#[derive(Debug)]
pub(crate) struct AgentTool {
    descriptor: Descriptor,
    brief_slot: Arc<BriefSlot>,
}

#[derive(Debug, Clone, Deserialize)]
struct Input {
    description: String,
    prompt: String,
    subagent_type: Option<String>,
    model: Option<String>,
    effort: Option<String>,
    run_in_background: Option<bool>,
    name: Option<String>,
    mode: Option<String>,
    isolation: Option<String>,
}

/// A request to start or continue a subagent.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) kind: AgentDefinition,
    pub(crate) description: String,
    pub(crate) prompt: String,
    pub(crate) name: Option<String>,
    pub(crate) model: String,
    pub(crate) effort: Option<String>,
    /// A permission mode that is stricter than the mode of the session.
    pub(crate) mode: Option<PermissionMode>,
    /// The value of `run_in_background` in the call.
    pub(crate) run_in_background: Option<bool>,
    pub(crate) background: bool,
    pub(crate) isolated: bool,
    /// The subagent to continue.
    pub(crate) continued: Option<Continued>,
    /// The skill or command to run.
    pub(crate) fork: Option<Fork>,
}

/// A finished subagent to continue.
#[derive(Debug, Clone)]
pub(crate) struct Continued {
    pub(crate) id: String,
    /// The call that first started it.
    pub(crate) call_id: String,
    /// Its conversation; empty if it must be read from its transcript.
    pub(crate) history: History,
}

impl AgentTool {
    pub(crate) fn new<'a>(kinds: impl Iterator<Item = &'a AgentDefinition>, brief_slot: Arc<BriefSlot>) -> Self {
        let mut about = ABOUT.to_owned();
        for kind in kinds {
            let description: String = kind.description.chars().take(MAX_DESCRIPTION_CHARS).collect();
            write!(about, "- {}: {description}", kind.name).ok();
            if let Some(tools) = &kind.limits.tools {
                write!(about, " (Tools: {})", tools.join(", ")).ok();
            }
            about.push('\n');
        }
        Self {
            descriptor: Descriptor {
                description: Cow::Owned(about),
                schema: schema(),
                ..names::undescribed()
            },
            brief_slot,
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "description": {"type": "string", "description": "The work in three to five words."},
            "prompt": {"type": "string", "description": "Everything the subagent is told."},
            "subagent_type": {"type": "string", "description": "The kind of subagent."},
            "model": {"type": "string", "enum": ["sonnet", "opus", "haiku", "fable"],
                "description": "Another model than its kind names, which is usually the one you are."},
            "effort": {"type": "string", "enum": ["low", "medium", "high", "xhigh", "max"],
                "description": "How hard it should try."},
            "run_in_background": {"type": "boolean", "description": "False waits for its report."},
            "name": {"type": "string", "description": "A name by which SendMessage can reach it."},
            "mode": {"type": "string", "enum": ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"],
                "description": "A permission mode; only one that allows less than this session's has an effect."},
            "isolation": {"type": "string", "enum": ["worktree"],
                "description": "`worktree` lets it work in a git work tree of its own, which is kept if it changed something."},
        },
        "required": ["description", "prompt"],
    })
}

impl Tool for AgentTool {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn concurrency_safe(&self, _input: &Value) -> bool {
        // Permissions are decided per subagent; running concurrently is their purpose.
        true
    }

    fn run<'a>(&'a self, input: Value, cx: &'a Context) -> Pending<'a, Outcome> {
        Box::pin(async move {
            let input = match self.check(&input, &cx.cwd.get()) {
                Ok(input) => input,
                Err(invalid) => return invalid.into(),
            };
            let (Some(brief), Ok(input)) = (self.brief_slot.brief(), serde_json::from_value::<Input>(input)) else {
                return Outcome::failed("No subagent can be started here");
            };
            match order(input, &brief) {
                Ok(order) => supervise::start(brief, order, cx).await,
                Err(why) => Outcome::failed(why),
            }
        })
    }
}

/// Converts the input of a call to an order, or returns an error for the model.
fn order(input: Input, brief: &Brief) -> Result<Order, String> {
    let name = input.subagent_type.as_deref().unwrap_or(builtin::GENERAL);
    let allowed = |name: &str| {
        brief
            .family
            .may_start
            .as_ref()
            .is_none_or(|types| types.iter().any(|known| known == name))
    };
    let Some(kind) = brief.family.roster.find(name).filter(|kind| allowed(&kind.name)) else {
        let names: Vec<String> = brief
            .family
            .roster
            .names()
            .into_iter()
            .filter(|name| allowed(name))
            .collect();
        let names = names.join(", ");
        return Err(format!("Agent type '{name}' not found. Available agents: {names}"));
    };
    let named = input.model.as_deref().or(kind.model.as_deref());
    let mode = input.mode.as_deref().map(PermissionMode::from);
    Ok(Order {
        model: named.map_or_else(|| brief.model.clone(), |name| brief.client.names().resolve(Some(name))),
        effort: input.effort.or_else(|| kind.effort.clone()),
        // The model may choose a stricter mode, never a more permissive one.
        mode: mode.filter(|mode| matches!(mode, PermissionMode::Plan | PermissionMode::DontAsk)),
        run_in_background: input.run_in_background,
        background: in_background(input.run_in_background, kind, brief),
        isolated: kind.isolated || input.isolation.as_deref() == Some("worktree"),
        kind: kind.clone(),
        description: input.description,
        prompt: input.prompt,
        name: input.name,
        continued: None,
        fork: None,
    })
}

/// True if the call returns without waiting. Subagents wait for their own subagents by default, because their report
/// depends on them.
fn in_background(wanted: Option<bool>, kind: &AgentDefinition, brief: &Brief) -> bool {
    if brief.options.agents.never_in_background {
        return false;
    }
    kind.background == Some(true) || wanted.or(kind.background).unwrap_or(brief.family.depth == 0)
}

impl Order {
    /// True if the hooks of its definition run. Hooks of a project require that its folder is trusted, even for hosts
    /// that specify the project's settings, because no settings file contains these hooks.
    pub(crate) fn trusts_hooks(&self, settings: &Settings) -> bool {
        self.kind.origin != AgentOrigin::Project || settings.trusted()
    }

    /// Reserves a slot for the subagent, or returns why it may not start.
    pub(crate) fn reserve_slot(&self, brief: &Brief) -> Result<(), shared::SpawnError> {
        let budget = brief.options.limits.max_budget_usd;
        let request = shared::SpawnRequest {
            background: self.run_in_background,
            depth: brief.family.depth + 1,
            over_budget: budget.is_some_and(|limit| brief.ledger.total_cost_usd() >= limit),
        };
        brief.family.shared.admit(&self.kind.name, request)?;
        if self.background {
            brief.family.shared.count_background();
        }
        Ok(())
    }
}
