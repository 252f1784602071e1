//! The list of sessions every screen sees.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::ws::Utf8Bytes;

use crate::api::{ServerMessage, SessionInfo};
use crate::outbox::{Closing, Item, Outbox};
use crate::session::Level;

/// Summaries of all sessions, and the screens that are told when one changes.
#[derive(Debug, Default)]
pub(crate) struct List {
    infos: Mutex<HashMap<String, SessionInfo>>,
    screens: Mutex<HashMap<u64, Screen>>,
}

/// A screen that is connected.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) level: Level,
    pub(crate) device: String,
    pub(crate) outbox: Arc<Outbox>,
}

impl List {
    /// A session that was there before.
    pub(crate) fn know(&self, info: SessionInfo) {
        let mut infos = self.infos.lock().unwrap_or_else(PoisonError::into_inner);
        infos.insert(info.session_id.clone(), info);
    }

    /// A session is new, or changed.
    pub(crate) fn publish(&self, info: &SessionInfo) {
        self.know(info.clone());
        self.tell(&ServerMessage::Session {
            session: Box::new(info.clone()),
        });
    }

    /// A session is gone.
    pub(crate) fn remove(&self, id: &str) {
        self.infos.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.tell(&ServerMessage::SessionRemoved {
            session_id: id.to_owned(),
        });
    }

    pub(crate) fn get(&self, id: &str) -> Option<SessionInfo> {
        self.infos
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(id)
            .cloned()
    }

    /// All of them, the newest first.
    pub(crate) fn all(&self) -> Vec<SessionInfo> {
        let infos = self.infos.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<SessionInfo> = infos.values().cloned().collect();
        drop(infos);
        all.sort_by(|a, b| {
            b.last_activity_at
                .cmp(&a.last_activity_at)
                .then_with(|| a.session_id.cmp(&b.session_id))
        });
        all
    }

    pub(crate) fn join(&self, key: u64, screen: Screen) {
        self.screens
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, screen);
    }

    pub(crate) fn leave(&self, key: u64) {
        self.screens.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    pub(crate) fn screens(&self) -> usize {
        self.screens.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether a device is connected.
    pub(crate) fn is_online(&self, device: &str) -> bool {
        let screens = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        screens.values().any(|screen| screen.device == device)
    }

    /// Tells every screen of level 1.
    fn tell(&self, message: &ServerMessage) {
        let text: Utf8Bytes = serde_json::to_string(message).unwrap_or_default().into();
        let screens = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        for screen in screens.values().filter(|screen| screen.level == Level::One) {
            screen.outbox.push(0, Item::Frame(text.clone()));
        }
    }

    /// The bridge goes away: every screen is told.
    pub(crate) fn close_all(&self, bye: &ServerMessage) {
        let last = serde_json::to_string(bye).unwrap_or_default();
        let screens = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        for screen in screens.values() {
            screen.outbox.close(Closing {
                last: (screen.level == Level::One).then(|| last.clone()),
                code: 1001,
                reason: "the bridge goes away",
            });
        }
    }
}
