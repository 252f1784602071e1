//! The session list that every screen sees.
//!
//! Each change goes to each screen, so many sessions and many screens multiply. Changes are therefore collected by
//! session and told in rounds: the first at once, the next a few milliseconds later, each of bounded size. Two changes
//! of one session between rounds are told as one, and a storm in the list never holds up what sessions stream.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::Notify;

use crate::api::{ServerMessage, SessionInfo};
use crate::outbox::{Closing, Frame, Outbox};
use crate::session::Level;

/// How long a round lasts at least.
const ROUND: Duration = Duration::from_millis(10);
/// How many frames a round sends, over all screens.
const FRAMES_A_ROUND: usize = 2048;

/// Summaries of all sessions, and the screens that are told when one changes.
#[derive(Debug, Default)]
pub(crate) struct List {
    sessions: Mutex<Sessions>,
    screens: Mutex<HashMap<u64, Screen>>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Sessions {
    infos: HashMap<String, SessionInfo>,
    /// Those that changed since the screens were told, in order of their first change.
    changed: VecDeque<String>,
    is_changed: HashSet<String>,
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
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.infos.insert(info.session_id.clone(), info);
    }

    /// A session is new, or changed.
    pub(crate) fn publish(&self, info: SessionInfo) {
        let id = info.session_id.clone();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.infos.insert(id.clone(), info);
        if sessions.is_changed.insert(id.clone()) {
            sessions.changed.push_back(id);
        }
        drop(sessions);
        self.news.notify_one();
    }

    /// A session is gone.
    pub(crate) fn remove(&self, id: &str) {
        // The lock is held until the screens are told, so that no older change is told after this.
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.infos.remove(id);
        if sessions.is_changed.remove(id) {
            sessions.changed.retain(|changed| changed != id);
        }
        self.tell(&ServerMessage::SessionRemoved {
            session_id: id.to_owned(),
        });
    }

    /// Tells the screens what changed, for as long as the bridge runs.
    pub(crate) async fn run(&self) {
        loop {
            self.news.notified().await;
            while self.tell_some() {
                tokio::time::sleep(ROUND).await;
            }
        }
    }

    /// One round. Gives whether there was anything to tell.
    fn tell_some(&self) -> bool {
        let at_once = (FRAMES_A_ROUND / self.screens().max(1)).max(1);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told = false;
        for _ in 0..at_once {
            let Some(id) = sessions.changed.pop_front() else { break };
            sessions.is_changed.remove(&id);
            if let Some(info) = sessions.infos.get(&id) {
                self.tell(&ServerMessage::Session {
                    session: Box::new(info.clone()),
                });
            }
            told = true;
        }
        told
    }

    pub(crate) fn get(&self, id: &str) -> Option<SessionInfo> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.infos.get(id).cloned()
    }

    /// All of them, the newest first.
    pub(crate) fn all(&self) -> Vec<SessionInfo> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<SessionInfo> = sessions.infos.values().cloned().collect();
        drop(sessions);
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
            screen.outbox.push(0, Frame::Whole(text.clone()));
        }
    }

    /// Sends a message to every client, of both levels.
    pub(crate) fn tell_all(&self, message: &ServerMessage) {
        let text: Utf8Bytes = serde_json::to_string(message).unwrap_or_default().into();
        let screens = self.screens.lock().unwrap_or_else(PoisonError::into_inner);
        for screen in screens.values() {
            screen.outbox.push(0, Frame::Whole(text.clone()));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{FRAMES_A_ROUND, List, Screen};
    use crate::api::{SessionInfo, SimpleStatus, Standing};
    use crate::outbox::Outbox;
    use crate::session::Level;

    fn session(id: &str, title: &str) -> SessionInfo {
        SessionInfo {
            session_id: id.to_owned(),
            project_path: String::new(),
            title: Some(title.to_owned()),
            status: SimpleStatus::Idle,
            standing: Standing::Idle,
            about: None,
            since: 0,
            last_sign: None,
            model: None,
            permission_mode: "default".to_owned(),
            started_at: 0,
            last_activity_at: 0,
            pending_asks: 0,
            queue: 0,
            cost: 0.0,
            turns: 0,
            provider_session_id: None,
            agent: String::new(),
            archived: false,
            external: false,
            preview: None,
            activity: Vec::new(),
            revision: 0,
            finished_at: None,
            ask: None,
            branch: None,
            context: None,
        }
    }

    fn screen(list: &List, key: u64) -> Arc<Outbox> {
        let outbox = Arc::new(Outbox::new());
        let screen = Screen {
            level: Level::One,
            device: "d".to_owned(),
            outbox: Arc::clone(&outbox),
        };
        list.join(key, screen);
        outbox
    }

    #[tokio::test]
    async fn changes_of_one_session_between_rounds_are_told_as_one() {
        let list = List::default();
        let outbox = screen(&list, 1);
        list.publish(session("a", "first"));
        list.publish(session("b", "other"));
        list.publish(session("a", "second"));
        assert!(list.tell_some());
        assert!(!list.tell_some(), "all was told");
        let frames = outbox.take().await.frames;
        assert_eq!(frames.len(), 2);
        assert!(
            frames[0].contains("second"),
            "the newest is told, in the order of the first change"
        );
    }

    #[tokio::test]
    async fn a_session_that_is_gone_is_not_told_again() {
        let list = List::default();
        let outbox = screen(&list, 1);
        list.publish(session("a", "first"));
        list.remove("a");
        assert!(!list.tell_some());
        let frames = outbox.take().await.frames;
        assert_eq!(frames.len(), 1);
        assert!(frames[0].contains("session_removed"));
    }

    #[tokio::test]
    async fn a_storm_in_the_list_is_told_in_rounds_and_whole() {
        let list = List::default();
        let outboxes: Vec<_> = (0..FRAMES_A_ROUND as u64).map(|key| screen(&list, key)).collect();
        for at in 0..5 {
            list.publish(session(&at.to_string(), "t"));
        }
        for round in 0..5 {
            assert!(list.tell_some());
            let frames = outboxes[7].take().await.frames;
            assert_eq!(frames.len(), 1, "one session a round for so many screens");
            assert!(frames[0].contains(&format!("\"sessionId\":\"{round}\"")));
        }
        assert!(!list.tell_some());
    }
}
