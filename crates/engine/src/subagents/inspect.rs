//! An agent that runs for a hook: it may read and run commands that need no permission. It has no host,
//! cannot request permission, and is not saved.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_catalogue::agents::{AgentDefinition, AgentOrigin};
use sluice_permission::PermissionMode;
use sluice_tools::{TaskStatus, agent_id};
use tokio::task::JoinSet;

use super::call::Order;
use super::child::{self, Child};
use crate::agents::Brief;
use crate::agents::relay::{Relay, SubagentLabel};

/// The kind, as reported to hooks.
pub(super) const KIND: &str = "hook-agent";
/// The maximum number of model requests.
const MAX_REQUESTS: u32 = 50;

/// Runs the agent on `prompt` and returns its final text. Dropping the future cancels the agent.
pub(crate) fn inspect(
    brief: Brief,
    guide: &str,
    prompt: String,
    model: String,
) -> BoxFuture<'static, Result<String, String>> {
    let mut kind = AgentDefinition::plain(KIND, "Looks into something for a hook", guide, AgentOrigin::BuiltIn);
    // It may read files and run commands, as far as the session has tools for that.
    let tools = brief.options.tools.toolbox.iter().map(|tool| tool.descriptor());
    let looks = tools.filter(|tool| tool.touches.reads() || tool.touches.runs());
    kind.limits.tools = Some(looks.map(|tool| tool.name.to_string()).collect());
    kind.limits.max_turns = Some(MAX_REQUESTS);
    kind.omit_memory = true;
    let order = Order {
        description: kind.description.clone(),
        kind,
        prompt,
        name: None,
        model,
        effort: None,
        mode: Some(PermissionMode::DontAsk),
        run_in_background: Some(false),
        background: false,
        isolated: false,
        continued: None,
        fork: None,
    };
    async move {
        let id = agent_id();
        let relay = Arc::new(Relay::silent(SubagentLabel {
            call_id: id.clone(),
            run_id: id.clone(),
            kind: KIND.to_owned(),
            description: order.description.clone(),
            id,
            quiet: true,
        }));
        let journal = brief.options.folders.outputs.join(format!("{}.output", relay.label.id));
        let cwd = brief.tools.cwd.clone();
        let Child { session, quit, .. } = child::make(&brief, &order, relay, journal, &cwd);
        let _ends_with_this = quit.drop_guard();
        // Runs in a separate task, like every session: the caller's future is large already.
        let mut work = JoinSet::new();
        work.spawn(async move { session.run_subagent(&order, None).await });
        match work.join_next().await {
            Some(Ok(served)) if served.status == TaskStatus::Completed => Ok(served.text),
            Some(Ok(served)) => Err(served.text),
            Some(Err(_)) | None => Err("the agent broke down; this is a bug of ours".to_owned()),
        }
    }
    .boxed()
}
