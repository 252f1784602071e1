//! Compaction: when a conversation is too long for the context window, and when to stop trying. Pure functions.

/// Tokens that are kept free for the answer and, once it is needed, for the summary.
const BUFFER: u64 = 33_000;
/// The maximum number of failed summaries before no more are requested.
const MAX_FAILURES: u32 = 3;
/// The maximum number of consecutive summaries that did not free enough space, for example because the last messages
/// alone fill the window.
const MAX_INEFFECTIVE: u32 = 3;

/// The compaction options of the launch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compaction {
    /// No compaction, not even on request.
    pub off: bool,
    /// Compaction only on request.
    pub manual_only: bool,
    /// An upper limit for the context window in tokens.
    pub window: Option<u64>,
    /// The share of the window in percent at which compaction starts, if this is earlier than the default.
    pub percent: Option<u8>,
}

/// The token limits at which a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether the conversation is compacted automatically.
    pub auto: bool,
    /// The size of the context window in tokens.
    pub window: u64,
    /// The number of tokens at which the conversation is compacted.
    pub threshold: u64,
    /// Where the size of the window comes from, as reported to hosts.
    pub source: &'static str,
}

impl Limits {
    /// Computes the limits from the model's window, the launch options and the settings.
    pub fn of(model: u64, launch: &Compaction, enabled: Option<bool>, setting: Option<u64>) -> Self {
        let (requested, source) = match (launch.window, setting) {
            (Some(window), _) => (window, "env"),
            (None, Some(window)) => (window, "settings"),
            (None, None) => (model, "model-default"),
        };
        let window = requested.clamp(1, model.max(1));
        // For a window not much larger than the buffer, half of it is used.
        let default_threshold = window.saturating_sub(BUFFER).max(window / 2);
        let configured = launch.percent.map(|percent| window * u64::from(percent.min(100)) / 100);
        Self {
            auto: !launch.off && !launch.manual_only && enabled != Some(false),
            window,
            threshold: configured.unwrap_or(default_threshold).min(default_threshold),
            source,
        }
    }

    /// Returns the number of tokens that are never used.
    pub fn buffer(&self) -> u64 {
        if self.auto { self.window - self.threshold } else { 0 }
    }
}

/// The attempts at compaction so far; prevents endless attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tries {
    failures: u32,
    /// Summaries since the conversation last fitted into the window.
    ineffective: u32,
    /// The model has not answered since the last attempt.
    just_tried: bool,
}

impl Tries {
    /// Returns whether another attempt is allowed.
    pub fn may_try(self) -> bool {
        !self.just_tried && self.failures < MAX_FAILURES && self.ineffective < MAX_INEFFECTIVE
    }

    /// Records an answer of the model. `full` tells whether the conversation was then too long.
    pub fn answered(&mut self, full: bool) {
        self.just_tried = false;
        if !full {
            self.ineffective = 0;
        }
    }

    /// Records a successful summary.
    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.ineffective += 1;
        self.just_tried = true;
    }

    /// Records a failed summary.
    pub fn failed(&mut self) {
        self.failures += 1;
        self.just_tried = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buffer_is_kept_free() {
        let limits = Limits::of(1_000_000, &Compaction::default(), None, None);
        assert_eq!(
            (limits.threshold, limits.buffer(), limits.source),
            (967_000, 33_000, "model-default")
        );
        assert_eq!(
            Limits::of(8_000, &Compaction::default(), None, None).threshold,
            4_000,
            "half of a small window is used"
        );
    }

    #[test]
    fn window_and_threshold_can_only_be_lowered() {
        let launch = Compaction {
            window: Some(200_000),
            percent: Some(50),
            ..Compaction::default()
        };
        let limits = Limits::of(1_000_000, &launch, None, Some(500_000));
        assert_eq!(
            (limits.window, limits.threshold, limits.source),
            (200_000, 100_000, "env")
        );
        let late = Compaction {
            window: Some(2_000_000),
            percent: Some(99),
            ..Compaction::default()
        };
        assert_eq!(Limits::of(1_000_000, &late, None, None).threshold, 967_000);
    }

    #[test]
    fn each_switch_disables_automatic_compaction() {
        let on = Compaction::default();
        assert!(Limits::of(1, &on, Some(true), None).auto);
        assert!(!Limits::of(1, &on, Some(false), None).auto);
        assert!(!Limits::of(1, &Compaction { off: true, ..on }, Some(true), None).auto);
        assert!(
            !Limits::of(
                1,
                &Compaction {
                    manual_only: true,
                    ..on
                },
                None,
                None
            )
            .auto
        );
    }

    #[test]
    fn ineffective_and_failing_compaction_is_given_up() {
        let mut tries = Tries::default();
        for _ in 0..MAX_INEFFECTIVE {
            assert!(tries.may_try());
            tries.succeeded();
            assert!(!tries.may_try(), "an answer is needed between two attempts");
            tries.answered(true);
        }
        assert!(!tries.may_try());
        tries.answered(false);
        assert!(tries.may_try(), "the conversation fitted again");
        for _ in 0..MAX_FAILURES {
            assert!(tries.may_try());
            tries.failed();
            tries.answered(false);
        }
        assert!(!tries.may_try());
    }

    proptest! {
        #[test]
        fn number_of_attempts_is_bounded(events in prop::collection::vec(any::<bool>(), 0..200)) {
            let mut tries = Tries::default();
            let mut attempts = 0;
            for succeeded in events {
                if tries.may_try() {
                    attempts += 1;
                    if succeeded { tries.succeeded() } else { tries.failed() }
                }
                tries.answered(true);
            }
            prop_assert!(attempts <= (MAX_FAILURES * (MAX_INEFFECTIVE + 1)) as usize);
        }
    }
}
