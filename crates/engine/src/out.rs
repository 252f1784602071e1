//! Where the session speaks.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sluice_hooks::{HookReport, HookReports};
use sluice_wire::ToHost;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::messages::Signed;

/// Who speaks through another session's door.
pub(crate) trait Speaker: std::fmt::Debug + Send + Sync {
    /// What the host is told when they say this.
    fn speak(&self, message: ToHost) -> Vec<ToHost>;
}

/// The session's mouth. A door that is gone ends the session: nobody listens.
#[derive(Debug, Clone)]
pub(crate) struct Out {
    messages: mpsc::Sender<ToHost>,
    session_id: Arc<str>,
    quit: CancellationToken,
    /// Whose words these are, where they are a subagent's.
    speaker: Option<Arc<dyn Speaker>>,
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

    /// The same door, for a subagent.
    pub(crate) fn of_agent(&self, speaker: Arc<dyn Speaker>) -> Self {
        Self {
            speaker: Some(speaker),
            ..self.clone()
        }
    }

    /// Speaks for another session from now on.
    pub(crate) fn sign_as(&mut self, session_id: &str) {
        self.session_id = session_id.into();
    }

    /// Says it, as soon as the door has room. Everything said carries the session's id.
    pub(crate) async fn say(&self, mut message: impl Signed) {
        message.sign(&self.session_id);
        match &self.speaker {
            None => self.send(message.into()).await,
            Some(speaker) => {
                for message in speaker.speak(message.into()) {
                    self.send(message).await;
                }
            }
        }
    }

    /// Passes on what was said and signed before.
    pub(crate) async fn pass_on(&self, message: ToHost) {
        self.send(message).await;
    }

    async fn send(&self, message: ToHost) {
        tokio::select! {
            biased;
            sent = self.messages.send(message) => if sent.is_err() {
                self.quit.cancel();
            },
            // A door without room is not waited for any more: its host reads nothing.
            () = self.quit.cancelled() => {}
        }
    }
}

impl HookReports for Out {
    fn report(&self, report: HookReport) -> BoxFuture<'_, ()> {
        async move {
            match report {
                HookReport::Started(started) => self.say(started).await,
                HookReport::Progress(progress) => self.say(progress).await,
                HookReport::Response(response) => self.say(response).await,
            }
        }
        .boxed()
    }
}
