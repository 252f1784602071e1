//! Gates: places in a reply where it waits until a test lets it go on.

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

/// A named place where replies wait. Closed at first; clones are the same gate.
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

    /// Opens the gate for good.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    /// Lets `count` more pass: those who wait now, then those who come later.
    pub fn open_n(&self, count: usize) {
        self.state.send_modify(|state| state.permits += count);
    }

    /// Waits until a reply stands at the gate, that is, has said everything before it and may not go on.
    ///
    /// Who was let through by [`Gate::open_n`] no longer stands there, even if it has not yet moved, so
    /// `open_n(1)` followed by `reached()` waits for the next arrival. An open gate is reached once
    /// something has passed it.
    pub async fn reached(&self) {
        let mut state = self.state.subscribe();
        let arrived = state.wait_for(|now| {
            if now.open {
                now.passed > 0
            } else {
                now.waiting > now.permits
            }
        });
        // The sender lives in `self`, so the channel cannot close while we wait.
        drop(arrived.await);
    }

    /// How many have gone through so far.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.state.borrow().passed
    }

    /// Goes through, waiting as long as needed. Giving up (dropping the future) leaves the gate as it was.
    pub(crate) async fn pass(&self) {
        if self.try_pass(Standing::No) {
            return;
        }
        let mut state = self.state.subscribe();
        self.state.send_modify(|now| now.waiting += 1);
        let mut place = Place {
            gate: self,
            standing: true,
        };
        while !self.try_pass(Standing::Yes) {
            if state.changed().await.is_err() {
                return;
            }
        }
        place.standing = false;
    }

    fn try_pass(&self, standing: Standing) -> bool {
        self.state.send_if_modified(|now| {
            if !now.open && now.permits == 0 {
                return false;
            }
            if !now.open {
                now.permits -= 1;
            }
            if matches!(standing, Standing::Yes) {
                now.waiting -= 1;
            }
            now.passed += 1;
            true
        })
    }
}

#[derive(Clone, Copy)]
enum Standing {
    No,
    Yes,
}

struct Place<'a> {
    gate: &'a Gate,
    standing: bool,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.standing {
            self.gate.state.send_modify(|now| now.waiting -= 1);
        }
    }
}

/// All gates of a server by name; asking for one makes it.
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

    /// Opens every gate there is, for a server that stops.
    pub(crate) fn open_all(&self) {
        let gates = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        gates.values().for_each(Gate::open);
    }
}

#[cfg(test)]
mod tests {
    use super::Gate;

    #[tokio::test]
    async fn permits_are_used_one_by_one_and_given_back_by_those_who_leave() {
        let gate = Gate::new();
        gate.open_n(1);
        gate.pass().await;
        assert_eq!(gate.passed(), 1);

        let (leaver, stayer) = (gate.clone(), gate.clone());
        let leaver = tokio::spawn(async move { leaver.pass().await });
        gate.reached().await;
        leaver.abort();
        assert!(leaver.await.is_err_and(|error| error.is_cancelled()));

        let stayer = tokio::spawn(async move { stayer.pass().await });
        gate.reached().await;
        gate.open_n(1);
        assert!(stayer.await.is_ok());
        assert_eq!(gate.passed(), 2);

        gate.open();
        gate.pass().await;
        gate.reached().await;
        assert_eq!(gate.passed(), 3);
    }
}
