//! Prompts that a person holds: they keep their place in the queue until they are released.

use super::actor::Actor;

impl Actor {
    /// Holds every prompt that waits now. Prompts that come later are sent as usual.
    pub(super) fn hold_queue(&mut self) {
        self.extra.held = self.queue.iter().map(|row| row.uuid.clone()).collect();
        self.mark_queue();
    }

    /// Sends held prompts again as the agent becomes free.
    pub(super) fn release_queue(&mut self) {
        self.extra.held.clear();
        self.mark_queue();
        self.wake();
        self.feed_agent();
    }

    pub(super) fn is_held(&self, uuid: &str) -> bool {
        self.extra.held.iter().any(|held| held == uuid)
    }

    /// The prompt to be sent next.
    pub(super) fn next_prompt(&self) -> Option<String> {
        let waiting = self.queue.iter().map(|row| row.uuid.as_str());
        next(waiting, &self.extra.held).map(str::to_owned)
    }

    fn mark_queue(&mut self) {
        self.dirty.row = true;
        self.dirty.state = true;
        self.tell_zero_queue();
    }
}

/// The first prompt that is not held.
fn next<'a>(mut waiting: impl Iterator<Item = &'a str>, held: &[String]) -> Option<&'a str> {
    waiting.find(|uuid| !held.iter().any(|held| held == uuid))
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn held_prompts_are_passed_over() {
        let held = ["a".to_owned(), "b".to_owned()];
        assert_eq!(next(["a", "b", "c"].into_iter(), &held), Some("c"));
        assert_eq!(next(["a", "b"].into_iter(), &held), None);
        assert_eq!(next(["a", "b"].into_iter(), &[]), Some("a"));
    }
}
