//! Commands with an id: each is done once, however often it is sent.

use serde_json::Value;

use super::{Connection, receipt_of};
use crate::api::{ClientMessage, Code, Problem, ServerMessage};
use crate::hub::Turn;
use crate::session::now;

impl Connection {
    pub(super) async fn obey_once(&mut self, id: &str, message: ClientMessage) {
        let Some(turn) = self.begin_once(id).await else { return };
        // What one connection listens to is not the same after a restart.
        let is_kept = !matches!(
            message,
            ClientMessage::Subscribe { .. } | ClientMessage::Unsubscribe { .. }
        );
        let answer = self.obey(message, Some(id)).await;
        self.finish_once(turn, id, answer, is_kept).await;
    }

    /// Waits until no other connection of the device does this command. Returns `None` if it was done before: its
    /// receipt is sent again.
    pub(super) async fn begin_once(&self, id: &str) -> Option<Turn> {
        if id.len() > 200 {
            self.receipt(id, Err(Problem::new(Code::Field, "an id has at most 200 bytes")));
            return None;
        }
        let device = &self.person.by.device;
        let turn = self.hub.shared.commands.enter(device, id).await;
        match self.hub.shared.store.receipt(device, id).await {
            Ok(Some(before)) => self.outbox.answer(0, before.body),
            Ok(None) => return Some(turn),
            Err(error) => self.receipt(id, Err(error.into())),
        }
        None
    }

    /// Sends the receipt of a command, and stores it first if it `is_kept`.
    pub(super) async fn finish_once(&self, turn: Turn, id: &str, answer: Result<Value, Problem>, is_kept: bool) {
        let receipt = receipt_of(id, answer);
        let text = serde_json::to_string(&ServerMessage::Receipt(receipt.clone())).unwrap_or_default();
        // What a fault of the moment refused may be tried again under the same id.
        let passing = receipt
            .error
            .as_ref()
            .is_some_and(|problem| matches!(problem.code, Code::Storage | Code::Internal | Code::Limit));
        if is_kept && !passing {
            let row = sluice_store::ReceiptRow {
                device: self.person.by.device.clone(),
                id: id.to_owned(),
                at: now(),
                body: text.clone(),
            };
            if let Err(error) = self.hub.shared.store.put_receipt(row).await {
                tracing::error!(%error, "a receipt could not be kept");
            }
        }
        self.outbox.answer(0, text);
        drop(turn);
    }
}
