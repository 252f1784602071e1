//! A timeout that uses the system clock. With the paused clock of the runtime, a wait of minutes takes no time, but a
//! hanging test must still fail.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tokio::sync::Notify;

/// Maximum time without a message before a test fails; far above the usual time.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Rings after a time without calls of [`Self::guard`].
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
                match listen.recv_timeout(TIMEOUT) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => return ring.notify_one(),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { put_off, bell }
    }

    /// Awaits the future. Returns `None` if the alarm rings first.
    pub(crate) async fn guard<T>(&self, awaited: impl Future<Output = T>) -> Option<T> {
        // The receiver is gone once the alarm has rung.
        let _rung = self.put_off.send(());
        tokio::select! {
            biased;
            output = awaited => Some(output),
            () = self.bell.notified() => None,
        }
    }
}
