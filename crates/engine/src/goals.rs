//! `/goal` and `SetGoal`: the model continues until a condition is met.
//!
//! When a turn would end, the model is asked about the condition outside the conversation. While it is not met, the
//! turn continues, up to a maximum number of times.

use std::pin::pin;

use serde_json::json;
use sluice_model::{Request, models};

use crate::conversation::{Assessment, Goal};
use crate::hook_events::TurnEnd;
use crate::messages;
use crate::session::Session;
use crate::session_loop::{SessionLoop, WaitOutcome};

/// The maximum number of times that a goal continues one turn.
const MAX_CONTINUATIONS: u32 = 25;
/// The maximum number of tokens of an assessment.
const MAX_TOKENS: u32 = 500;
/// The maximum length of a condition, in characters.
const MAX_CONDITION: usize = 4_000;
/// The arguments of `/goal` that remove the goal.
const CLEAR: [&str; 5] = ["clear", "off", "stop", "none", "reset"];

/// The parsed `/goal` command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GoalCommand<'a> {
    Show,
    Clear,
    Set(&'a str),
}

impl<'a> GoalCommand<'a> {
    /// Parses the arguments of the command.
    pub(crate) fn read(arguments: &'a str) -> Self {
        match arguments.trim() {
            "" => Self::Show,
            word if CLEAR.contains(&word) => Self::Clear,
            condition => Self::Set(condition),
        }
    }
}

impl Session {
    /// Returns the prompt for the model when a person has set a goal.
    pub(crate) fn goal_prompt(condition: &str) -> String {
        format!(
            "The person has set a goal for this session. Work until it is met; it is checked whenever you would stop. If it \
             cannot be met, say why.\n\n{condition}"
        )
    }

    /// Sets the goal.
    pub(crate) fn set_goal(&mut self, condition: &str) {
        let condition: String = condition.chars().take(MAX_CONDITION).collect();
        self.conversation.goal = Some(Goal::new(&condition));
    }

    /// Runs `/goal` and `/goal clear`. Returns the output.
    pub(crate) fn run_goal_command(&mut self, command: GoalCommand<'_>) -> String {
        match (command, &self.conversation.goal) {
            (GoalCommand::Clear, Some(_)) => self.drop_goal("Goal removed"),
            (_, None) => "No goal is set. Set one with `/goal <condition>`.".to_owned(),
            (_, Some(goal)) => goal.status(),
        }
    }

    /// Removes the goal. Returns a message about it.
    fn drop_goal(&mut self, why: &str) -> String {
        let condition = self.conversation.goal.take();
        let condition = condition.map(|goal| goal.condition().to_owned()).unwrap_or_default();
        format!("{why}: {condition}")
    }

    /// Creates the request that asks whether the goal is met. The conversation precedes the question, for the prompt
    /// cache.
    fn assessment(&mut self, condition: &str) -> Request {
        let question = format!(
            "<system-reminder>\nThis is not from the person. The session has a goal:\n\n{condition}\n\nJudge by what the \
             conversation shows, not by what is claimed, whether it is met now. Answer with one JSON object and nothing else: \
             {{\"met\": true or false, \"impossible\": true if it cannot be met at all, \"reason\": \"one sentence: what shows \
             it, or what is missing\"}}\n</system-reminder>"
        );
        let mut request = self.request_of(self.conversation.history.with_question(&question));
        request.max_tokens = MAX_TOKENS;
        request.thinking = models::facts(&self.model.name).thinking.off();
        if !request.tools.is_empty() {
            request.extra.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
        request
    }

    /// Applies an assessment. Returns whether the turn continues.
    async fn assessed(&mut self, assessment: Assessment) -> TurnEnd {
        let Some(goal) = &mut self.conversation.goal else {
            return TurnEnd::End;
        };
        let reason = assessment.reason;
        if assessment.met || assessment.impossible {
            let why = if assessment.met {
                "Goal met"
            } else {
                "The goal cannot be met"
            };
            let text = self.drop_goal(why);
            self.emit(messages::informational(&format!("{text} ({reason})"), "notice"))
                .await;
            return TurnEnd::End;
        }
        goal.miss(&reason);
        let condition = goal.condition().to_owned();
        if self.turn.nudges.goal >= MAX_CONTINUATIONS {
            let text = format!(
                "The goal is not met after {MAX_CONTINUATIONS} continuations of this turn ({reason}). The turn ends; the goal \
                 stays."
            );
            self.emit(messages::informational(&text, "warning")).await;
            return TurnEnd::End;
        }
        self.turn.nudges.goal += 1;
        self.nudge(&format!("The goal is not met yet: {condition}\n{reason}"))
            .await;
        TurnEnd::Continue
    }
}

impl SessionLoop {
    /// Checks the goal, if there is one, when the turn would end.
    pub(crate) async fn check_goal(&mut self) -> TurnEnd {
        let Some(condition) = self
            .session
            .conversation
            .goal
            .as_ref()
            .map(|goal| goal.condition().to_owned())
        else {
            return TurnEnd::End;
        };
        let request = self.session.assessment(&condition);
        let services = self.session.tooling.services().clone();
        let answer = match self.wait_for(Some(pin!(services.answer(request)))).await {
            WaitOutcome::Ready(answer) => answer,
            WaitOutcome::CallsDone | WaitOutcome::Stopped => return TurnEnd::Stopped,
        };
        let assessment = answer.map(|text| Assessment::read(&text));
        match assessment {
            Ok(Some(assessment)) => self.session.assessed(assessment).await,
            unread => {
                let why = unread
                    .err()
                    .unwrap_or_else(|| "the answer was not understood".to_owned());
                let text = format!("The goal could not be checked: {why}. The turn ends; the goal stays.");
                self.session.emit(messages::informational(&text, "warning")).await;
                TurnEnd::End
            }
        }
    }
}
