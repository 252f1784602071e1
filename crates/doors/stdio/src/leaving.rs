//! Going when the process is told to, whatever the session is busy with. A host that reads nothing keeps the session
//! from saying anything, and so from hearing a signal.

use std::time::Duration;

use sluice_engine::{Input, Signal};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a session may take to leave by itself.
const PATIENCE: Duration = Duration::from_secs(4);
/// How long an interrupted one may: its turn comes to an end first, hooks and all.
const LONG_PATIENCE: Duration = Duration::from_secs(60);
/// How long it takes at the most once it need not say anything more: what it started is killed.
const LAST: Duration = Duration::from_secs(4);
/// The exit code of a process that an interrupt has ended.
const INTERRUPTED: i32 = 130;
/// Signals that may wait to be looked at; who sends more of them means the same.
const SIGNALS: usize = 8;

/// Hands signals on to the session, and tells of them.
pub(crate) fn signals(session: mpsc::Sender<Vec<Input>>) -> mpsc::Receiver<Signal> {
    let (tell, told) = mpsc::channel(SIGNALS);
    // Listened for from here on, not from when the task gets its turn: the session may have spoken by then, and a signal
    // nobody listens for ends the process on the spot.
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
            // The next signal is heard even if the session has no room for this one.
            tokio::spawn(async move { session.send(vec![Input::Signal(signal)]).await });
        }
    });
    told
}

/// Resolves with the exit code when the session was told to go, has had its time, and is still there.
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
                    // Whoever asks twice does not want to wait.
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

/// The exit code a signal asks for, and until when the session may take its time.
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

    /// How long it takes until a session that does nothing is left, after these signals.
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
