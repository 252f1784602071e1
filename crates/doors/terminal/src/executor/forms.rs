//! Elicitation forms that wait for an answer.

use std::sync::{Arc, Mutex, PoisonError};

use sluice_wire::control::{Elicitation, ElicitationResponse};
use tokio::sync::oneshot;

/// Pending forms, in order of arrival.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forms(Arc<Mutex<Vec<Waiting>>>);

/// A form and the channel for its answer.
type Waiting = (Elicitation, oneshot::Sender<ElicitationResponse>);

impl Forms {
    /// Waits until the form is answered.
    pub(crate) async fn ask(self, elicitation: Elicitation) -> ElicitationResponse {
        let (answer, answered) = oneshot::channel();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((elicitation, answer));
        answered.await.unwrap_or_default()
    }

    /// Answers a pending form. Forms that were cancelled are dropped.
    pub(crate) fn answer(&self, elicitation: &Elicitation, response: ElicitationResponse) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, answer)| !answer.is_closed());
        if let Some(at) = waiting.iter().position(|(asked, _)| asked == elicitation) {
            let (_, answer) = waiting.remove(at);
            answer.send(response).ok();
        }
    }
}
