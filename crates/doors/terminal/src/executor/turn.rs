//! Prompts, answers to asks, and interrupts.

use sluice_host::{PermissionDecision, Prompt};
use sluice_wire::content::{Base64Source, Block, Image};
use sluice_wire::control::{
    BackgroundTasks, GetTaskOutput, SetMaxThinkingTokens, SetPermissionMode, SideQuestion, StopTask,
};
use sluice_wire::stdin::{Priority, User};

use super::{Executor, REPLY_TIMEOUT, error_text};
use crate::app::{Act, ActOutcome, OutputSize};
use crate::text::{Row, clean};

impl Executor {
    /// Carries out acts on the turn.
    pub(super) async fn turn(&self, act: Act) -> Result<Option<ActOutcome>, String> {
        let client = &self.client;
        Ok(Some(match act {
            Act::Send {
                uuid,
                text,
                images,
                at_once,
            } => {
                let mut prompt = Prompt::from(prompt(&text, images)).uuid(uuid);
                if at_once {
                    prompt = prompt.priority(Priority::Now);
                }
                client.send(prompt).await.map_err(error_text)?;
                return Ok(None);
            }
            Act::Withdraw(uuid) => {
                client.withdraw(uuid).await.map_err(error_text)?;
                return Ok(None);
            }
            Act::Interrupt { all } => {
                let stopped = if all {
                    client.interrupt_all().await
                } else {
                    client.interrupt().await
                };
                stopped.map_err(error_text)?;
                return Ok(None);
            }
            Act::Answer { ask, response } => {
                let answered = client.answer(ask, PermissionDecision::from(response)).await;
                answered.map_err(|_| "already answered".to_owned())?;
                return Ok(None);
            }
            Act::Fill { ask, response } => {
                let line = client
                    .look(move |state| state.ask(&ask).and_then(|ask| ask.line.clone()))
                    .await
                    .map_err(error_text)?;
                let request = line.and_then(|line| line.to_host().ok());
                if let Some(sluice_wire::ToHost::ControlRequest(request)) = request
                    && let sluice_wire::control::Request::Elicitation(elicitation) = request.request
                {
                    self.forms.answer(&elicitation, response);
                }
                return Ok(None);
            }
            Act::SetMode(mode) => {
                let request = SetPermissionMode {
                    mode,
                    ..SetPermissionMode::default()
                };
                client
                    .request_within(request, REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                return Ok(None);
            }
            Act::SetModel(model) => {
                client.set_model(model.as_deref()).await.map_err(error_text)?;
                ActOutcome::Notice(format!("model: {}", model.unwrap_or_else(|| "default".to_owned())))
            }
            Act::Aside(question) => {
                let request = SideQuestion {
                    question: Some(question.clone()),
                    ..SideQuestion::default()
                };
                self.outcomes
                    .send(ActOutcome::Notice("asking a side question".to_owned()))
                    .ok();
                let answer = client.request(request).await.map_err(error_text)?;
                let text = answer.response.unwrap_or_else(|| "there was no answer".to_owned());
                let mut rows = vec![Row::faint(&format!("~ side question: {question}"))];
                rows.extend(crate::view::markdown::rows(&text, 80));
                ActOutcome::Rows(rows)
            }
            Act::Thinking(most) => {
                let request = SetMaxThinkingTokens {
                    max_thinking_tokens: most.map(Into::into),
                    ..SetMaxThinkingTokens::default()
                };
                client
                    .request_within(request, REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                return Ok(None);
            }
            Act::StopTask(task_id) => {
                let request = StopTask {
                    task_id: task_id.clone(),
                    ..StopTask::default()
                };
                client
                    .request_within(request, REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                ActOutcome::Notice(format!("job {task_id} is stopped"))
            }
            Act::TaskOutput(task_id) => {
                let request = GetTaskOutput {
                    task_id: task_id.clone(),
                    ..GetTaskOutput::default()
                };
                let answer = client
                    .request_within(request, REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                let mut rows = vec![Row::faint(&format!("& job {task_id}"))];
                let lines: Vec<&str> = answer.output.lines().collect();
                let from = lines.len().saturating_sub(40);
                rows.extend(
                    lines
                        .iter()
                        .skip(from)
                        .map(|line| Row::plain(&format!("    {}", clean::output_line(line)))),
                );
                ActOutcome::Rows(rows)
            }
            Act::CallOutput { call, task } => {
                let request = GetTaskOutput {
                    task_id: task,
                    ..GetTaskOutput::default()
                };
                // Without support from the agent, the card of a running call shows no output.
                let Ok(answer) = client.request_within(request, REPLY_TIMEOUT).await else {
                    return Ok(None);
                };
                ActOutcome::CallWrote {
                    call,
                    tail: answer.output,
                }
            }
            Act::TaskSize(job) => {
                let request = GetTaskOutput {
                    task_id: job.clone(),
                    ..GetTaskOutput::default()
                };
                // Without support from the agent, the row shows no size.
                let Ok(answer) = client.request_within(request, REPLY_TIMEOUT).await else {
                    return Ok(None);
                };
                let written = match answer.truncated {
                    true => OutputSize::Bytes(answer.total_bytes),
                    false => OutputSize::Lines(answer.output.lines().count() as u64),
                };
                ActOutcome::OutputSize { job, written }
            }
            Act::Background => {
                let answer = client
                    .request_within(BackgroundTasks::default(), REPLY_TIMEOUT)
                    .await
                    .map_err(error_text)?;
                if answer.backgrounded == Some(false) {
                    return Err("nothing can be moved to the background".to_owned());
                }
                return Ok(None);
            }
            Act::Tell(text) => {
                self.tell(text, false).await;
                return Ok(None);
            }
            _ => return Ok(None),
        }))
    }

    /// Sends a message to the agent. The model answers only if `asks` is set.
    pub(super) async fn tell(&self, text: String, asks: bool) {
        let mut user = User::new(text);
        user.should_query = (!asks).then_some(false);
        user.client_composed = Some(true);
        user.is_synthetic = Some(true);
        user.uuid = Some(uuid::Uuid::new_v4().to_string());
        let line = sluice_wire::ToAgent::from(user).to_line();
        self.client.write_line(&line).await.ok();
    }
}

fn prompt(text: &str, images: Vec<(String, String)>) -> User {
    if images.is_empty() {
        return User::new(text);
    }
    let mut blocks = vec![Block::text(text)];
    blocks.extend(images.into_iter().map(|(media_type, data)| {
        let source = Base64Source {
            media_type,
            data,
            ..Base64Source::default()
        };
        Block::from(Image {
            source: source.into(),
            ..Image::default()
        })
    }));
    User::new(blocks)
}
