//! Exits on signals even if the session is blocked. A host that reads nothing blocks the session, so that it cannot
//! handle a signal.

use std::time::Duration;

use sluice_engine::{Input, Signal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a session may take to exit by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(4);
/// How long an interrupted session may take: its turn ends first, including hooks.
const INTERRUPT_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a cancelled session may take: processes that it started are killed.
const KILL_TIMEOUT: Duration = Duration::from_secs(4);
/// The exit code of a process that was interrupted.
const INTERRUPTED: i32 = 130;
/// Capacity of the channel for signals. Further signals are dropped, because they would have no other effect.
const SIGNAL_CAPACITY: usize = 8;

/// Forwards signals to the session and returns a channel that receives them too.
pub(crate) fn signals(session: mpsc::Sender<Vec<Input>>) -> mpsc::Receiver<Signal> {
    let (sender, signals) = mpsc::channel(SIGNAL_CAPACITY);
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
            let _enough = sender.try_send(signal);
            let session = session.clone();
            // Sent from a separate task, so that a full channel does not block handling of the next signal.
            tokio::spawn(async move { session.send(vec![Input::Signal(signal)]).await });
        }
    });
    signals
}

/// Waits until the session has exceeded its time after a signal. Returns the exit code.
pub(crate) async fn exit_when_overdue(mut signals: mpsc::Receiver<Signal>, quit: CancellationToken) -> i32 {
    let Some(first) = signals.recv().await else {
        return std::future::pending().await;
    };
    let (mut code, mut deadline) = code_and_deadline(first);
    loop {
        tokio::select! {
            () = tokio::time::sleep_until(deadline) => break,
            Some(again) = signals.recv() => {
                let (next, sooner) = code_and_deadline(again);
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
    tokio::time::sleep(KILL_TIMEOUT).await;
    code
}

/// The exit code for a signal, and the latest time at which the session has to exit.
fn code_and_deadline(signal: Signal) -> (i32, Instant) {
    match signal {
        Signal::Interrupt => (INTERRUPTED, Instant::now() + INTERRUPT_TIMEOUT),
        Signal::Leave(code) => (code, Instant::now() + EXIT_TIMEOUT),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// How long it takes to abandon a session that does not react, after these signals.
    async fn abandoned(signals: &[Signal]) -> (i32, Duration) {
        let (sender, receiver) = mpsc::channel(SIGNAL_CAPACITY);
        for signal in signals {
            sender.send(*signal).await.unwrap();
        }
        let (quit, began) = (CancellationToken::new(), Instant::now());
        let code = exit_when_overdue(receiver, quit.clone()).await;
        assert!(quit.is_cancelled());
        (code, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_session_is_abandoned_after_a_signal() {
        let close = |took: Duration, wanted: Duration| took >= wanted && took < wanted + Duration::from_millis(100);
        let (code, took) = abandoned(&[Signal::Leave(143)]).await;
        assert!(
            code == 143 && close(took, EXIT_TIMEOUT + KILL_TIMEOUT),
            "{code} {took:?}"
        );
        let (code, took) = abandoned(&[Signal::Interrupt]).await;
        assert!(
            code == 130 && close(took, INTERRUPT_TIMEOUT + KILL_TIMEOUT),
            "{code} {took:?}"
        );
        let (code, took) = abandoned(&[Signal::Interrupt, Signal::Interrupt]).await;
        assert!(code == 130 && close(took, KILL_TIMEOUT), "{code} {took:?}");
        let (code, took) = abandoned(&[Signal::Interrupt, Signal::Leave(129)]).await;
        assert!(
            code == 129 && close(took, EXIT_TIMEOUT + KILL_TIMEOUT),
            "{code} {took:?}"
        );
    }
}
