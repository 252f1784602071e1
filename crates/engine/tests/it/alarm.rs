//! A clock that cannot be paused: with the runtime's own clock paused, a wait of minutes takes no time, and a
//! hanging test must still end.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tokio::sync::Notify;

/// How long a session may be silent before its test is over. Far more than it ever needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// Rings when nothing has put it off for too long.
pub(crate) struct Alarm {
    put_off: Sender<()>,
    bell: Arc<Notify>,
}

impl Alarm {
    pub(crate) fn set() -> Self {
        let (put_off, listen) = channel();
        let bell = Arc::new(Notify::new());
        let ring = bell.clone();
        std::thread::spawn(move || {
            loop {
                match listen.recv_timeout(PATIENCE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => return ring.notify_one(),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { put_off, bell }
    }

    /// What comes of `awaited`, or nothing if it rings first.
    pub(crate) async fn guard<T>(&self, awaited: impl Future<Output = T>) -> Option<T> {
        // Once it has rung nobody listens any more.
        let _rung = self.put_off.send(());
        tokio::select! {
            biased;
            output = awaited => Some(output),
            () = self.bell.notified() => None,
        }
    }
}
