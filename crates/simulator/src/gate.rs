//! Gates: points in a reply at which it waits until a test lets it continue.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

#[derive(Debug, Default, Clone, Copy)]
struct State {
    waiting: usize,
    permits: usize,
    passed: usize,
    open: bool,
}

/// A named point at which replies wait. It is closed initially. Clones refer to the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    state: Arc<watch::Sender<State>>,
}

impl Gate {
    fn new() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::default())),
        }
    }

    /// Opens the gate permanently.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    /// Lets `count` more replies pass: first those that are waiting, then later ones.
    pub fn open_n(&self, count: usize) {
        self.state.send_modify(|state| state.permits += count);
    }

    /// Waits until a reply is blocked at the gate, which means that it has sent everything before the gate.
    ///
    /// A reply that was released by [`Gate::open_n`] does not count as blocked, even if it has not continued yet. So
    /// `open_n(1)` followed by `reached()` waits for the next reply. An open gate counts as reached as soon as a reply
    /// has passed it.
    pub async fn reached(&self) {
        let mut state = self.state.subscribe();
        let arrived = state.wait_for(|now| {
            if now.open {
                now.passed > 0
            } else {
                now.waiting > now.permits
            }
        });
        // The sender is part of `self`, so the channel cannot be closed during the wait.
        drop(arrived.await);
    }

    /// Returns the number of replies that have passed the gate.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.state.borrow().passed
    }

    /// Passes the gate, waiting if necessary. If the future is dropped, the gate is unchanged.
    pub(crate) async fn pass(&self) {
        if self.try_pass(IsWaiting::No) {
            return;
        }
        let mut state = self.state.subscribe();
        self.state.send_modify(|now| now.waiting += 1);
        let mut guard = WaitGuard {
            gate: self,
            is_waiting: true,
        };
        while !self.try_pass(IsWaiting::Yes) {
            if state.changed().await.is_err() {
                return;
            }
        }
        guard.is_waiting = false;
    }

    fn try_pass(&self, is_waiting: IsWaiting) -> bool {
        self.state.send_if_modified(|now| {
            if !now.open && now.permits == 0 {
                return false;
            }
            if !now.open {
                now.permits -= 1;
            }
            if matches!(is_waiting, IsWaiting::Yes) {
                now.waiting -= 1;
            }
            now.passed += 1;
            true
        })
    }
}

#[derive(Clone, Copy)]
enum IsWaiting {
    No,
    Yes,
}

struct WaitGuard<'a> {
    gate: &'a Gate,
    is_waiting: bool,
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        if self.is_waiting {
            self.gate.state.send_modify(|now| now.waiting -= 1);
        }
    }
}

/// All gates of a server by name. They are created on first use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates {
    by_name: Arc<Mutex<BTreeMap<String, Gate>>>,
}

impl Gates {
    pub(crate) fn get(&self, name: &str) -> Gate {
        self.by_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(name.to_owned())
            .or_insert_with(Gate::new)
            .clone()
    }

    /// Opens all gates, because the server is shutting down.
    pub(crate) fn open_all(&self) {
        let gates = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        gates.values().for_each(Gate::open);
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;

    #[tokio::test]
    async fn permits_are_used_one_by_one_and_cancelled_waits_use_none() {
        let gate = Gate::new();
        gate.open_n(1);
        gate.pass().await;
        assert_eq!(gate.passed(), 1);

        let (cancelled, waiting) = (gate.clone(), gate.clone());
        let cancelled = tokio::spawn(async move { cancelled.pass().await });
        gate.reached().await;
        cancelled.abort();
        assert!(cancelled.await.is_err_and(|error| error.is_cancelled()));

        let waiting = tokio::spawn(async move { waiting.pass().await });
        gate.reached().await;
        gate.open_n(1);
        assert!(waiting.await.is_ok());
        assert_eq!(gate.passed(), 2);

        gate.open();
        gate.pass().await;
        gate.reached().await;
        assert_eq!(gate.passed(), 3);
    }
}
