//! The output of a session: messages to the host.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_hooks::{HookReport, HookReports};
use sluice_wire::ToHost;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::messages::Outgoing;

/// Transforms messages that a subagent sends over the connection of its session.
pub(crate) trait OutputFilter: std::fmt::Debug + Send + Sync {
    /// Returns the messages that the host receives for a message of the subagent.
    fn filter_message(&self, message: ToHost) -> Vec<ToHost>;
}

/// The output of a session. If the receiver is gone, the session is cancelled.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    messages: mpsc::Sender<ToHost>,
    session_id: Arc<str>,
    quit: CancellationToken,
    /// Filter for the messages of a subagent.
    speaker: Option<Arc<dyn OutputFilter>>,
}

impl Out {
    pub(crate) fn new(messages: mpsc::Sender<ToHost>, session_id: &str, quit: CancellationToken) -> Self {
        Self {
            messages,
            session_id: session_id.into(),
            quit,
            speaker: None,
        }
    }

    /// Creates the output of a subagent.
    pub(crate) fn of_agent(&self, speaker: Arc<dyn OutputFilter>) -> Self {
        Self {
            speaker: Some(speaker),
            ..self.clone()
        }
    }

    /// Changes the session id of outgoing messages.
    pub(crate) fn set_session_id(&mut self, session_id: &str) {
        self.session_id = session_id.into();
    }

    /// Sends a message with the id of the session. Waits while the channel is full.
    pub(crate) async fn emit(&self, mut message: impl Outgoing) {
        message.set_session(&self.session_id);
        match &self.speaker {
            None => self.send(message.into()).await,
            Some(speaker) => {
                for message in speaker.filter_message(message.into()) {
                    self.send(message).await;
                }
            }
        }
    }

    /// Forwards a message that contains its session id already.
    pub(crate) async fn forward(&self, message: ToHost) {
        self.send(message).await;
    }

    async fn send(&self, message: ToHost) {
        tokio::select! {
            biased;
            sent = self.messages.send(message) => if sent.is_err() {
                self.quit.cancel();
            },
            // Do not wait for a full channel after cancellation: the host does not read.
            () = self.quit.cancelled() => {}
        }
    }
}

impl HookReports for Out {
    fn report(&self, report: HookReport) -> BoxFuture<'_, ()> {
        async move {
            match report {
                HookReport::Started(started) => self.emit(started).await,
                HookReport::Progress(progress) => self.emit(progress).await,
                HookReport::Response(response) => self.emit(response).await,
            }
        }
        .boxed()
    }
}
