//! Terminal output from a separate thread, so that a terminal that does not read cannot block the handling of keys.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;

/// Frames are skipped while more than this many bytes are unsent.
const MAX_UNSENT: usize = 64 * 1024;

enum Job {
    Write(Vec<u8>),
    Tell(mpsc::Sender<()>),
}

/// Output channel to the terminal.
#[derive(Debug, Clone)]
pub struct Outlet {
    jobs: mpsc::Sender<Job>,
    unsent: Arc<AtomicUsize>,
    gone: Arc<AtomicBool>,
    /// Notified when the terminal closes.
    lost: Arc<Notify>,
}

impl Outlet {
    /// Creates an outlet that writes to standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::to(io::stdout())
    }

    /// Creates an outlet for any writer.
    pub fn to(mut out: impl io::Write + Send + 'static) -> Self {
        let (jobs, todo) = mpsc::channel::<Job>();
        let unsent = Arc::new(AtomicUsize::new(0));
        let gone = Arc::new(AtomicBool::new(false));
        let lost = Arc::new(Notify::new());
        let (left, is_gone, loses) = (Arc::clone(&unsent), Arc::clone(&gone), Arc::clone(&lost));
        thread::spawn(move || {
            for job in todo {
                match job {
                    Job::Write(bytes) => {
                        if out.write_all(&bytes).and_then(|()| out.flush()).is_err() {
                            is_gone.store(true, Ordering::Relaxed);
                            loses.notify_one();
                        }
                        left.fetch_sub(bytes.len(), Ordering::Relaxed);
                    }
                    Job::Tell(done) => {
                        done.send(()).ok();
                    }
                }
            }
        });
        Self {
            jobs,
            unsent,
            gone,
            lost,
        }
    }

    /// Queues bytes for output.
    pub fn send(&self, bytes: String) {
        if !bytes.is_empty() {
            self.unsent.fetch_add(bytes.len(), Ordering::Relaxed);
            self.jobs.send(Job::Write(bytes.into_bytes())).ok();
        }
    }

    /// True if the queue is long enough to make a new frame outdated before it is shown.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.unsent.load(Ordering::Relaxed) > MAX_UNSENT
    }

    /// True if the terminal closed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Waits until the terminal closes.
    pub async fn lost(&self) {
        self.lost.notified().await;
    }

    /// Waits until all output is written, at most `within`.
    pub fn flush(&self, within: Duration) {
        let (done, told) = mpsc::channel();
        if self.jobs.send(Job::Tell(done)).is_ok() {
            told.recv_timeout(within).ok();
        }
    }
}

/// Writes to standard output immediately, bypassing the queue; used on exit.
pub(crate) fn write_now(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).ok();
}
