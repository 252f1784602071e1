//! Catches panics: every started turn ends with a result, and a panic in a tool fails only its call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use sluice_tools::Outcome;
use sluice_wire::stdout::{ResultSubtype, TurnResult};

use crate::messages;
use crate::out::Out;
use crate::port::Exit;

/// Whether a turn is open and its `result` has not been sent yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenTurn(Arc<AtomicBool>);

impl OpenTurn {
    pub(crate) fn set(&self, owed: bool) {
        self.0.store(owed, Ordering::Release);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Runs a session to its end. If it panics during a turn, the turn still gets its `result`, so that the host does not
/// wait forever.
pub(crate) async fn catch_session_panic(session: impl Future<Output = Exit>, out: Out, owed: OpenTurn) -> Exit {
    match AssertUnwindSafe(session).catch_unwind().await {
        Ok(exit) => exit,
        Err(_) => {
            if owed.is_set() {
                out.emit(panic_result()).await;
            }
            Exit { code: 1 }
        }
    }
}

/// Runs a call. A panic makes it a failed call.
pub(crate) async fn catch_panic(call: impl Future<Output = Outcome>) -> Outcome {
    let ran = AssertUnwindSafe(call).catch_unwind().await;
    ran.unwrap_or_else(|_| Outcome::failed("The tool broke down; this is a bug of ours. Try another way."))
}

fn panic_result() -> TurnResult {
    TurnResult {
        subtype: ResultSubtype::ErrorDuringExecution,
        is_error: true,
        num_turns: 1,
        errors: Some(vec![
            "The agent broke down inside this turn; this is a bug of ours".to_owned(),
        ]),
        uuid: messages::fresh_id(),
        ..TurnResult::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]

    use sluice_wire::ToHost;
    use tokio::sync::mpsc;
    use tokio_util::sync::CancellationToken;

    use super::*;

    async fn panic_in_session(owed: bool) -> (Exit, Vec<ToHost>) {
        let (messages, mut received) = mpsc::channel(8);
        let out = Out::new(messages, "s", CancellationToken::new());
        let turn = OpenTurn::default();
        turn.set(owed);
        let exit = catch_session_panic(async { panic!("a bug, made on purpose") }, out, turn).await;
        let mut sent = Vec::new();
        while let Some(message) = received.recv().await {
            sent.push(message);
        }
        (exit, sent)
    }

    #[tokio::test]
    async fn panic_during_a_turn_ends_it_with_one_result() {
        let (exit, sent) = panic_in_session(true).await;
        assert_eq!(exit.code, 1);
        let [ToHost::Result(result)] = sent.as_slice() else {
            panic!("{sent:?}")
        };
        assert!(result.is_error);
        assert_eq!(result.session_id, "s");
    }

    #[tokio::test]
    async fn panic_in_a_tool_fails_the_call() {
        let outcome = catch_panic(async { panic!("a bug, made on purpose") }).await;
        assert_eq!(outcome.is_error, Some(true));
    }

    #[tokio::test]
    async fn panic_between_turns_sends_no_result() {
        assert!(panic_in_session(false).await.1.is_empty());
    }
}
