//! Snapshots: the state as JSON, written and restored.

use serde::{Deserialize, Serialize};

use super::state::{ConversationState, Index};
use super::{EntryKind, Line};

/// The form of what is written. One that is not known is refused rather than guessed at.
const FORM: u32 = 4;

/// A conversation at one moment.
///
/// What follows on a snapshot is the same as what follows on the conversation it was taken from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    form: u32,
    state: ConversationState,
}

/// The snapshot has a format version that this version cannot restore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("snapshot of form {0}; this version reads form {FORM}: read the log again instead")]
pub struct OtherForm(pub u32);

impl ConversationState {
    /// A snapshot of the state.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let mut state = self.clone();
        for entry in &mut state.entries {
            // The prompt holds the text; it is not written twice.
            if matches!(entry.kind, EntryKind::Prompt(_)) {
                entry.line = Line::default();
            }
        }
        Snapshot { form: FORM, state }
    }

    /// Restores the state from a snapshot.
    ///
    /// # Errors
    /// When the snapshot is of another form.
    pub fn restore(snapshot: Snapshot) -> Result<Self, OtherForm> {
        if snapshot.form != FORM {
            return Err(OtherForm(snapshot.form));
        }
        let mut state = snapshot.state;
        for entry in &mut state.entries {
            if let EntryKind::Prompt(at) = entry.kind
                && let Some(prompt) = state.prompts.get(at as usize)
            {
                entry.line = prompt.line.clone();
            }
        }
        state.index = Index::of(&state);
        state.items.reindex();
        Ok(state)
    }
}
