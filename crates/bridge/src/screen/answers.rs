//! Answers to asks, at both levels.

use serde_json::{Value, json};
use sluice_host::conversation::{Ask, ConversationState};

use super::Connection;
use crate::api::{AnswerAsk, Code, Problem};
use crate::session::{Command, accepted_suggestions, in_words};

impl Connection {
    pub(super) async fn decide(&mut self, session: Option<String>, answer: AnswerAsk) -> Result<Value, Problem> {
        let session = self.session(session.as_deref()).await?;
        let by = self.person.by.clone();
        let wanted = answer.clone();
        let asked = self.hub.look(&session, move |state, _| {
            let ask = find(state, &wanted.ask)?;
            Some((in_words(ask), accepted_suggestions(ask, &wanted)))
        });
        let (asked, updates) = asked.await?.unzip();
        super::scopes::check_updates(&updates.unwrap_or_default(), self.person.scope)?;
        self.hub
            .ask(&session, |reply| Command::Answer {
                answer: Box::new(answer.clone()),
                by: by.clone(),
                reply,
            })
            .await?;
        let detail = format!("{} {}", answer.decision, asked.as_deref().unwrap_or(&answer.ask));
        self.hub.audit(&by, "answer", Some(&session), &detail).await;
        Ok(Value::Null)
    }

    /// That rule, in this session, whatever the agent suggested for other places.
    pub(super) async fn approve_always(&mut self, session: Option<String>, id: &str) -> Result<Value, Problem> {
        let session = self.session(session.as_deref()).await?;
        let about = id.to_owned();
        let found = self
            .hub
            .look(&session, move |state, _| {
                let ask = find(state, &about)?;
                let line: Value = serde_json::from_str(ask.line.as_ref()?).ok()?;
                let suggestions = line.pointer("/request/permission_suggestions")?.as_array()?;
                let rules = suggestions
                    .iter()
                    .position(|it| it.get("type").and_then(Value::as_str) == Some("addRules"));
                let place = rules.or_else(|| (!suggestions.is_empty()).then_some(0));
                Some((ask.name.to_string(), place))
            })
            .await?;
        let mut answer = allow(id);
        answer.destination = Some("session".to_owned());
        match found {
            Some((_, Some(place))) => answer.suggestions = vec![u32::try_from(place).unwrap_or(0)],
            Some((tool, None)) => answer.rule = Some(tool),
            None => {
                let tool = self.tool_of(&session, id).await?;
                answer.rule = tool;
            }
        }
        self.decide(Some(session), answer).await
    }

    async fn tool_of(&self, session: &str, id: &str) -> Result<Option<String>, Problem> {
        let about = id.to_owned();
        self.hub
            .look(session, move |state, _| {
                find(state, &about).map(|ask| ask.name.to_string())
            })
            .await
    }

    /// An answer to questions: a string for one, or a map.
    pub(super) async fn answer_question(
        &mut self,
        session: Option<String>,
        call: String,
        result: Value,
    ) -> Result<Value, Problem> {
        let id = self.session(session.as_deref()).await?;
        let about = call.clone();
        let questions = self
            .hub
            .look(&id, move |state, _| {
                let ask = find(state, &about)?;
                let line: Value = serde_json::from_str(ask.line.as_ref()?).ok()?;
                let questions = line.pointer("/request/input/questions")?.as_array()?;
                let texts = questions
                    .iter()
                    .filter_map(|it| it.get("question").and_then(Value::as_str));
                Some(texts.map(str::to_owned).collect::<Vec<_>>())
            })
            .await?
            .unwrap_or_default();
        let answers = match result {
            // Some clients send the map as text.
            Value::String(text) => match serde_json::from_str::<Value>(&text) {
                Ok(Value::Object(map)) => Value::Object(map),
                _ => match questions.first() {
                    Some(question) => json!({ question.as_str(): text }),
                    None => json!({ "answer": text }),
                },
            },
            Value::Object(map) => match map.get("answers") {
                Some(Value::Object(inner)) => Value::Object(inner.clone()),
                _ => Value::Object(map),
            },
            _ => {
                return Err(Problem::new(
                    Code::Field,
                    "result is a string or a map from question to answer",
                ));
            }
        };
        let answer = AnswerAsk {
            answers: Some(answers),
            ..allow(&call)
        };
        self.decide(Some(id), answer).await
    }
}

/// The newest ask with this request id, or about the call with this id.
fn find<'a>(state: &'a ConversationState, id: &str) -> Option<&'a Ask> {
    let mut asks = state.asks().iter().rev();
    asks.find(|ask| ask.call.as_deref() == Some(id) || ask.id.to_string() == id)
}

pub(super) fn allow(id: &str) -> AnswerAsk {
    AnswerAsk {
        ask: id.to_owned(),
        decision: "allow".to_owned(),
        ..AnswerAsk::default()
    }
}

pub(super) fn deny(id: &str, message: Option<String>, interrupt: bool) -> AnswerAsk {
    AnswerAsk {
        ask: id.to_owned(),
        decision: "deny".to_owned(),
        message,
        interrupt,
        ..AnswerAsk::default()
    }
}
