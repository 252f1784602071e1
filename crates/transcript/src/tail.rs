//! The entries of the model's last message and of everything after it: what a compaction keeps.

use super::line::Line;

/// The end of the conversation, entry by entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tail {
    message: Option<String>,
    entries: Vec<(bool, String)>,
}

impl Tail {
    /// The end of an earlier conversation.
    pub(super) fn of(branch: &[Line]) -> Self {
        let mut tail = Self::default();
        for line in branch.iter().filter(|line| line.speaks()) {
            let shown = !line.flag("isApiErrorMessage");
            tail.push(line.message_id().filter(|_| shown), &line.uuid);
        }
        tail
    }

    /// Another entry: a block of this message of the model's, or something else. Known ones are not taken twice.
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

    /// The entries, the model's own included or not.
    pub(super) fn uuids(&self, with_reply: bool) -> Vec<String> {
        let wanted = self.entries.iter().filter(|(by_model, _)| with_reply || !by_model);
        wanted.map(|(_, uuid)| uuid.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_with_the_last_message_of_the_model() {
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
