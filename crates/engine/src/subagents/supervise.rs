//! Runs a subagent from the call that starts it to its end.
//!
//! The subagent runs in its own task, and a second task supervises it. The second task reports the end of the subagent
//! exactly once, also after a panic.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sluice_tools::{AgentTask, Context, Enlisted, Outcome, TaskStatus, TaskView, ToolEvent, agent_id};
use sluice_wire::Raw;
use sluice_wire::stdout::TranscriptMirror;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::call::Order;
use super::child::{self, Child};
use super::report::{self, SubagentOutcome};
use crate::agents::Brief;
use crate::agents::relay::{Relay, SubagentLabel};
use crate::agents::shared::Member;
use crate::messages;
use crate::port::{Input, Signal};
use crate::worktrees::WorkTree;

/// How long a stopped subagent may take to end, for each of two attempts.
const STOP_GRACE: Duration = Duration::from_secs(3);
/// How long reporting the end of a subagent may take.
const REPORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs an order. The outcome of the call is the report, or that the subagent runs in the background.
pub(crate) async fn start(brief: Arc<Brief>, order: Order, cx: &Context) -> Outcome {
    if let Err(refused) = order.reserve_slot(&brief) {
        return Outcome::failed(refused.to_string());
    }
    let continued = order.continued.as_ref().map(|continued| continued.id.clone());
    let fork = order.fork.as_ref().map(|fork| fork.id.clone());
    let id = continued.or(fork).unwrap_or_else(agent_id);
    let tree = match order.isolated {
        true => {
            let runs = brief.options.settings.runs_projects();
            let name = format!("agent-{id}");
            let (cwd, env) = (&brief.tools.cwd, &brief.options.env);
            WorkTree::create(cwd, &name, env, &brief.hook_client, runs)
                .await
                .map(Some)
        }
        false => Ok(None),
    };
    let tree = match tree {
        Ok(tree) => tree,
        Err(why) => {
            brief.family.shared.release_slot();
            return Outcome::failed(why.to_string());
        }
    };
    // A subagent that is being stopped must not start others, which would outlive it.
    let ended = brief.family.parent.as_ref().is_some_and(|parent| {
        let running = brief.tools.tasks.running();
        !running.iter().any(|task| task.id == *parent)
    });
    if ended || cx.cancel.is_cancelled() || brief.line.quit.is_cancelled() {
        if let Some(tree) = tree {
            tree.close().await;
        }
        brief.family.shared.release_slot();
        return Outcome::interrupted();
    }
    let output_file = cx.output_dir.join(format!("{id}.output"));
    let view = view(&brief, &order, &id, &cx.call_id, &output_file);
    let relay = Arc::new(relay_of(&brief, &order, &view));
    let task = brief.tools.tasks.enlist(view.clone(), brief.line.quit.child_token());
    let (done, served) = oneshot::channel();
    let order = Arc::new(order);
    tokio::spawn(run_supervised(
        brief.clone(),
        order.clone(),
        relay.clone(),
        task.clone(),
        tree,
        done,
    ));
    let started = ToolEvent::TaskStarted {
        task: view,
        is_backgrounded: order.background,
    };
    brief.line.events.send(started).await.ok();
    if order.background {
        return report::launched(&id, &order, &output_file);
    }
    tokio::select! {
        served = served => match served {
            Ok(served) => served.outcome(&id, &order),
            Err(_) => Outcome::failed(PANICKED),
        },
        () = task.asked_to_background(), if order.fork.is_none() => {
            if let Some(task) = task.moved_to_background(output_file.clone()) {
                relay.to_background();
                brief.line.events.send(ToolEvent::TaskBackgrounded { task }).await.ok();
            }
            report::launched(&id, &order, &output_file)
        }
        // The session stops the subagent after it has sent the result of the call.
        () = cx.cancel.cancelled() => Outcome::interrupted(),
    }
}

/// Creates the relay for a subagent.
fn relay_of(brief: &Brief, order: &Order, view: &TaskView) -> Relay {
    let relay = Relay::new(label(view, order), brief.options.agents.forward_text, order.background);
    let relay = relay.with_tools(brief.options.tools.toolbox.clone());
    let relay = match &brief.family.parent {
        Some(_) => relay.nested(),
        None => relay,
    };
    match &order.fork {
        Some(fork) if fork.typed => relay.holding_messages(),
        _ => relay,
    }
}

/// The error text for a subagent that panicked.
const PANICKED: &str = "The subagent broke down; this is a bug of ours. What it did so far stays done.";

/// Runs the subagent and reports its end.
async fn run_supervised(
    brief: Arc<Brief>,
    order: Arc<Order>,
    relay: Arc<Relay>,
    task: Enlisted,
    tree: Option<WorkTree>,
    done: oneshot::Sender<SubagentOutcome>,
) {
    let cwd = tree
        .as_ref()
        .map_or(brief.tools.cwd.as_path(), WorkTree::path)
        .to_owned();
    let output_file = task.view().output_file.unwrap_or_default();
    let Child {
        mut session,
        inbox,
        relay,
        journal,
        quit,
        transcript,
    } = child::make(&brief, &order, relay, output_file, &cwd);
    let id = relay.label.id.clone();
    if brief.family.shared.join(member(&order, &relay, &inbox)) {
        session.session.line.end_input();
    }
    let meta = child::meta(&brief, &order, &relay.label.call_id);
    if let Some(file) = &transcript {
        keep_meta(file, &meta);
        if brief.options.session.keeping.mirror {
            brief.line.out.emit(mirrored(file, &meta)).await;
        }
    }
    wait_for_announcement(&brief, &task).await;
    let shown = (!order.background).then(|| task.clone());
    let mut work = tokio::spawn({
        let order = order.clone();
        async move { session.run_subagent(&order, shown.as_ref()).await }
    });
    let ended = tokio::select! {
        biased;
        () = task.killed() => None,
        () = brief.line.events.closed() => None,
        served = join_session(&mut work) => Some(served),
    };
    let mut served = match ended {
        Some(served) => served,
        None => kill(&brief, &relay, &task, work, (&inbox, &quit)).await,
    };
    let killed_first = task.view().status != TaskStatus::Running;
    let work_summary = relay.work_summary();
    (served.calls, served.tools) = (work_summary.calls, work_summary.tools);
    if let Some(tree) = tree {
        served.left = tree.close().await;
    }
    withdraw(&brief, &id).await;
    journal.write(&format!("[{}]", served.status.as_notification()));
    if let Some(file) = &transcript {
        keep_meta(file, &finished(&meta));
    }
    // Nobody waits for a background subagent, so its denials are not part of a result.
    let denials = std::mem::take(&mut served.denials);
    if !relay.is_background() {
        brief.family.shared.denied(denials);
    }
    brief.family.shared.finish(&id, std::mem::take(&mut served.history));
    brief.family.shared.release_slot();
    if !killed_first {
        report_end(&brief, &relay, &task, &served).await;
    }
    if served.status == TaskStatus::Killed {
        brief.line.events.send(ToolEvent::TaskGone { id }).await.ok();
    }
    // Cancels everything that it left running.
    quit.cancel();
    done.send(served).ok();
}

/// The entry for the list of subagents.
fn member(order: &Order, relay: &Arc<Relay>, inbox: &mpsc::Sender<Vec<Input>>) -> Member {
    Member {
        id: relay.label.id.clone(),
        name: order.name.clone(),
        kind: order.kind.name.clone(),
        description: order.description.clone(),
        mode: order.mode.clone(),
        started: std::time::Instant::now(),
        inbox: inbox.clone(),
        relay: relay.clone(),
        history: None,
    }
}

/// Waits until the host has been notified of the subagent.
async fn wait_for_announcement(brief: &Brief, task: &Enlisted) {
    tokio::select! {
        () = task.listed() => {}
        () = task.killed() => {}
        () = brief.line.events.closed() => {}
    }
}

/// Stops the subagent early.
async fn kill(
    brief: &Brief,
    relay: &Relay,
    task: &Enlisted,
    work: JoinHandle<SubagentOutcome>,
    (inbox, quit): (&mpsc::Sender<Vec<Input>>, &tokio_util::sync::CancellationToken),
) -> SubagentOutcome {
    withdraw(brief, &relay.label.id).await;
    report_end(brief, relay, task, &SubagentOutcome::none(TaskStatus::Killed, "")).await;
    // Hosts receive the end of the subagent before the results of its calls.
    tokio::time::timeout(REPORT_TIMEOUT, task.told()).await.ok();
    let mut served = stop_in_steps(work, inbox, quit).await;
    served.status = TaskStatus::Killed;
    served
}

/// Withdraws the open permission requests of the subagent.
async fn withdraw(brief: &Brief, id: &str) {
    for request in brief.family.shared.take_asks_of(id) {
        brief.line.out.emit(messages::cancel(&request)).await;
    }
}

/// Waits for the session of the subagent. A panic makes it a failed subagent.
async fn join_session(work: &mut JoinHandle<SubagentOutcome>) -> SubagentOutcome {
    work.await
        .unwrap_or_else(|_| SubagentOutcome::none(TaskStatus::Failed, PANICKED))
}

/// Reports the end, exactly once, before the waiting call continues.
async fn report_end(brief: &Brief, relay: &Relay, task: &Enlisted, served: &SubagentOutcome) {
    let work_summary = relay.work_summary();
    let view = task.end(served.status, |agent| {
        agent.tokens = if served.tokens > 0 {
            served.tokens
        } else {
            work_summary.tokens
        };
        agent.tool_uses = work_summary.calls;
        agent.api_ms = served.api_ms;
    });
    let event = ToolEvent::TaskEnded {
        is_backgrounded: view.is_backgrounded,
        status: view.status,
        summary: match served.refused {
            true => messages::INTERRUPTED_TOOLS.to_owned(),
            false => match &served.note {
                Some(note) => format!("{note}\n{}", served.text),
                None => served.text.clone(),
            },
        },
        printed: None,
        notifies: true,
        task: view,
    };
    match brief.line.events.try_send(event) {
        Err(mpsc::error::TrySendError::Full(event)) => {
            // The receiver may be the one that waits for the end, so wake it before waiting for space.
            task.announce_end();
            brief.line.events.send(event).await.ok();
        }
        Ok(()) => task.announce_end(),
        Err(mpsc::error::TrySendError::Closed(_)) => {
            // The session that started it is gone, so this task reports to the host.
            task.announce_end();
            let view = task.view();
            brief.background.forget(&view.id);
            brief
                .line
                .out
                .emit(messages::agent_updated(&view, view.status, None))
                .await;
            brief
                .line
                .out
                .emit(messages::agent_notification(&view, view.status, "", &view.description))
                .await;
        }
    }
}

/// Interrupts a subagent, cancels it after [`STOP_GRACE`], and aborts it after another [`STOP_GRACE`].
async fn stop_in_steps(
    mut work: JoinHandle<SubagentOutcome>,
    inbox: &mpsc::Sender<Vec<Input>>,
    quit: &tokio_util::sync::CancellationToken,
) -> SubagentOutcome {
    let none = || SubagentOutcome::none(TaskStatus::Killed, "");
    inbox.try_send(vec![Input::Signal(Signal::Interrupt)]).ok();
    if let Ok(ended) = tokio::time::timeout(STOP_GRACE, &mut work).await {
        return ended.unwrap_or_else(|_| none());
    }
    quit.cancel();
    if let Ok(ended) = tokio::time::timeout(STOP_GRACE, &mut work).await {
        return ended.unwrap_or_else(|_| none());
    }
    work.abort();
    none()
}

fn view(brief: &Brief, order: &Order, id: &str, call_id: &str, output_file: &Path) -> TaskView {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    TaskView {
        id: id.to_owned(),
        call_id: call_id.to_owned(),
        command: order.prompt.clone(),
        description: match &order.fork {
            Some(fork) => format!("/{}", fork.name),
            None => order.description.clone(),
        },
        status: TaskStatus::Running,
        is_backgrounded: order.background,
        exit_code: None,
        output_file: Some(output_file.to_owned()),
        started_at: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        ended_at: None,
        parent: brief.family.parent.clone(),
        agent: Some(Box::new(AgentTask {
            subagent_type: order.kind.name.clone(),
            prompt: order.prompt.clone(),
            depth: brief.family.depth + 1,
            parent: brief.family.parent.clone(),
            ambient: order.fork.is_some(),
            ..AgentTask::default()
        })),
    }
}

fn label(view: &TaskView, order: &Order) -> SubagentLabel {
    SubagentLabel {
        id: view.id.clone(),
        call_id: match (&order.continued, &order.fork) {
            // A continued subagent keeps the id of its first call.
            (Some(continued), _) if !continued.call_id.is_empty() => continued.call_id.clone(),
            (_, Some(fork)) if fork.typed => format!("forked-command-{}", fork.name),
            _ => view.call_id.clone(),
        },
        quiet: order.fork.is_some(),
        run_id: messages::run_id(view),
        kind: order.kind.name.clone(),
        description: order.description.clone(),
    }
}

/// The metadata file of a transcript.
fn meta_file(transcript: &Path) -> PathBuf {
    transcript.with_extension("meta.json")
}

fn keep_meta(transcript: &Path, meta: &Value) {
    let file = meta_file(transcript);
    // Only lists use the metadata; the conversation is in the transcript.
    sluice_transcript::private::write(&file, meta.to_string()).ok();
}

fn finished(meta: &Value) -> Value {
    let mut meta = meta.clone();
    if let Some(meta) = meta.as_object_mut() {
        meta.insert("finished".to_owned(), json!(true));
    }
    meta
}

fn mirrored(transcript: &Path, meta: &Value) -> TranscriptMirror {
    let mut entry = meta.clone();
    if let Some(entry) = entry.as_object_mut() {
        entry.insert("type".to_owned(), json!("agent_metadata"));
    }
    TranscriptMirror {
        file_path: transcript.display().to_string(),
        entries: vec![Raw::of(&entry)],
        ..TranscriptMirror::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use super::*;

    #[tokio::test]
    async fn panicking_session_is_a_failed_subagent() {
        let mut work: JoinHandle<SubagentOutcome> = tokio::spawn(async { panic!("on purpose") });
        let served = join_session(&mut work).await;
        assert_eq!((served.status, served.text.as_str()), (TaskStatus::Failed, PANICKED));
    }

    #[tokio::test(start_paused = true)]
    async fn panicking_or_hanging_subagent_can_be_stopped() {
        let (inbox, _heard) = mpsc::channel(1);
        for hangs in [false, true] {
            let work: JoinHandle<SubagentOutcome> = tokio::spawn(async move {
                if hangs {
                    std::future::pending::<()>().await;
                }
                panic!("on purpose")
            });
            let quit = tokio_util::sync::CancellationToken::new();
            let served = stop_in_steps(work, &inbox, &quit).await;
            assert_eq!(served.status, TaskStatus::Killed);
            assert_eq!(quit.is_cancelled(), hangs);
        }
    }
}
