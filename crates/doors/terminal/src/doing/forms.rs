//! Elicitation forms that wait for a person.

use std::sync::{Arc, Mutex, PoisonError};

use sluice_wire::control::{Elicitation, ElicitationResponse};
use tokio::sync::oneshot;

/// Forms that wait for a person, in the order they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forms(Arc<Mutex<Vec<Waiting>>>);

/// A form, and who waits for it.
type Waiting = (Elicitation, oneshot::Sender<ElicitationResponse>);

impl Forms {
    /// Waits until somebody fills it in.
    pub(crate) async fn ask(self, elicitation: Elicitation) -> ElicitationResponse {
        let (answer, answered) = oneshot::channel();
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((elicitation, answer));
        answered.await.unwrap_or_default()
    }

    /// Answers the one that asks this. Those nobody waits for any more are dropped.
    pub(crate) fn answer(&self, elicitation: &Elicitation, response: ElicitationResponse) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|(_, answer)| !answer.is_closed());
        if let Some(at) = waiting.iter().position(|(asked, _)| asked == elicitation) {
            let (_, answer) = waiting.remove(at);
            answer.send(response).ok();
        }
    }
}
