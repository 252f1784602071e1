//! `stop_session`: its receipt comes when the agent has ended.

use serde_json::Value;
use tokio::sync::oneshot;

use super::{Connection, Work};
use crate::api::Problem;

impl Connection {
    /// Begins to stop a session, so that commands that follow come after it. The rest is worked on beside: an agent may
    /// take some seconds to end.
    pub(super) async fn stop(&mut self, id: Option<String>, session: &str) -> Option<Work> {
        let turn = match &id {
            Some(id) if self.hub.shared.commands.is_busy(&self.person.by.device, id) => {
                return Some(self.clone().stop_again(id.clone(), session.to_owned()));
            }
            Some(id) => Some(self.begin_once(id).await?),
            None => None,
        };
        let ended = self.begin_stop(session).await;
        let (connection, session) = (self.clone(), session.to_owned());
        Some(Box::pin(async move {
            let answer = match ended {
                Ok(ended) => ended
                    .await
                    .unwrap_or_else(|_| Err(Problem::internal("the session does not answer"))),
                Err(problem) => Err(problem),
            };
            match (turn, id, answer) {
                (Some(turn), Some(id), answer) => {
                    connection
                        .finish_once(turn, &id, answer.map(|()| Value::Null), true)
                        .await;
                }
                (_, _, Err(problem)) => connection.complain(&problem, Some(&session), None),
                (_, _, Ok(())) => {}
            }
        }))
    }

    /// The same command, sent again while it is being done: it gets the same receipt.
    fn stop_again(mut self, id: String, session: String) -> Work {
        Box::pin(async move {
            if let Some(turn) = self.begin_once(&id).await {
                // The first one was refused for the moment.
                drop(turn);
                if let Some(work) = Box::pin(self.stop(Some(id), &session)).await {
                    work.await;
                }
            }
        })
    }

    async fn begin_stop(&self, session: &str) -> Result<oneshot::Receiver<Result<(), Problem>>, Problem> {
        let by = &self.person.by;
        let id = self.hub.known(session, by).await?;
        let ended = self.hub.stop(&id, by).await?;
        self.hub.audit(by, "stop", Some(&id), "").await;
        Ok(ended)
    }
}
