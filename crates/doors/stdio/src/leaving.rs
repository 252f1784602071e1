//! Exits on signals even if the session is blocked. A host that reads nothing blocks the session, so that it cannot handle a
//! signal.

use std::time::Duration;

use sluice_engine::{Input, Signal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a session may take to exit by itself.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long an interrupted session may take: its turn ends first, including hooks.
const LONG_PATIENCE: Duration = Duration::from_secs(60);
/// How long a cancelled session may take: processes that it started are killed.
const LAST: Duration = Duration::from_secs(4);
/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;
/// Capacity of the channel for signals. Further signals are dropped, because they would have no other effect.
const SIGNALS: usize = 8;

/// Forwards signals to the session and returns a channel that receives them too.
pub(crate) fn signals(session: mpsc::Sender<Vec<Input>>) -> mpsc::Receiver<Signal> {
    let (tell, told) = mpsc::channel(SIGNALS);
    // Register the handlers now, not when the task first runs: the session may have sent messages by then, and a signal
    // without a handler kills the process.
    let listened = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    );
    tokio::spawn(async move {
        let (Ok(mut int), Ok(mut term), Ok(mut hup)) = listened else {
            return;
        };
        loop {
            let signal = tokio::select! {
                _ = int.recv() => Signal::Interrupt,
                _ = term.recv() => Signal::Leave(143),
                _ = hup.recv() => Signal::Leave(129),
            };
            let _enough = tell.try_send(signal);
            let session = session.clone();
            // Sent from a separate task, so that a full channel does not block handling of the next signal.
            tokio::spawn(async move { session.send(vec![Input::Signal(signal)]).await });
        }
    });
    told
}

/// Waits until the session has exceeded its time after a signal. Returns the exit code.
pub(crate) async fn overdue(mut told: mpsc::Receiver<Signal>, quit: CancellationToken) -> i32 {
    let Some(first) = told.recv().await else {
        return std::future::pending().await;
    };
    let (mut code, mut deadline) = terms(first);
    loop {
        tokio::select! {
            () = tokio::time::sleep_until(deadline) => break,
            Some(again) = told.recv() => {
                let (next, sooner) = terms(again);
                deadline = deadline.min(sooner);
                if again == Signal::Interrupt {
                    // A second interrupt means: do not wait.
                    break;
                }
                code = next;
            }
        }
    }
    quit.cancel();
    tokio::time::sleep(LAST).await;
    code
}

/// The exit code for a signal, and the latest time at which the session has to exit.
fn terms(signal: Signal) -> (i32, Instant) {
    match signal {
        Signal::Interrupt => (INTERRUPTED, Instant::now() + LONG_PATIENCE),
        Signal::Leave(code) => (code, Instant::now() + PATIENCE),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// How long it takes to abandon a session that does not react, after these signals.
    async fn left(signals: &[Signal]) -> (i32, Duration) {
        let (tell, told) = mpsc::channel(SIGNALS);
        for signal in signals {
            tell.send(*signal).await.unwrap();
        }
        let (quit, began) = (CancellationToken::new(), Instant::now());
        let code = overdue(told, quit.clone()).await;
        assert!(quit.is_cancelled());
        (code, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_does_not_go_is_left() {
        let close = |took: Duration, wanted: Duration| took >= wanted && took < wanted + Duration::from_millis(100);
        let (code, took) = left(&[Signal::Leave(143)]).await;
        assert!(code == 143 && close(took, PATIENCE + LAST), "{code} {took:?}");
        let (code, took) = left(&[Signal::Interrupt]).await;
        assert!(code == 130 && close(took, LONG_PATIENCE + LAST), "{code} {took:?}");
        let (code, took) = left(&[Signal::Interrupt, Signal::Interrupt]).await;
        assert!(code == 130 && close(took, LAST), "{code} {took:?}");
        let (code, took) = left(&[Signal::Interrupt, Signal::Leave(129)]).await;
        assert!(code == 129 && close(took, PATIENCE + LAST), "{code} {took:?}");
    }
}
