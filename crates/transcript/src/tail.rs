//! The entries from the model's last message on, which a compaction preserves.

use super::line::Line;

/// The end of the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tail {
    message: Option<String>,
    entries: Vec<(bool, String)>,
}

impl Tail {
    /// Creates the value for an earlier conversation.
    pub(super) fn of(branch: &[Line]) -> Self {
        let mut tail = Self::default();
        for line in branch.iter().filter(|line| line.is_message()) {
            let shown = !line.flag("isApiErrorMessage");
            tail.push(line.message_id().filter(|_| shown), &line.uuid);
        }
        tail
    }

    /// Adds an entry. `message` is the id of the model message if the entry is a block of one. An entry that is already
    /// in the list is not added again.
    pub(super) fn push(&mut self, message: Option<&str>, uuid: &str) {
        if let Some(message) = message
            && self.message.as_deref() != Some(message)
        {
            self.message = Some(message.to_owned());
            self.entries.clear();
        }
        if !self.entries.iter().any(|(_, known)| known == uuid) {
            self.entries.push((message.is_some(), uuid.to_owned()));
        }
    }

    /// Returns the uuids of the entries, with or without those of the model.
    pub(super) fn uuids(&self, with_reply: bool) -> Vec<String> {
        let wanted = self.entries.iter().filter(|(by_model, _)| with_reply || !by_model);
        wanted.map(|(_, uuid)| uuid.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_begins_with_the_last_message_of_the_model() {
        let mut tail = Tail::default();
        for (message, uuid) in [
            (None, "u1"),
            (Some("m1"), "a1"),
            (None, "u2"),
            (Some("m2"), "a2"),
            (None, "r1"),
            (Some("m2"), "a3"),
            (None, "a3"),
            (None, "r2"),
        ] {
            tail.push(message, uuid);
        }
        assert_eq!(tail.uuids(true), ["a2", "r1", "a3", "r2"]);
        assert_eq!(tail.uuids(false), ["r1", "r2"]);
    }
}
