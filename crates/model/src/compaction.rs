//! Compaction: when a conversation is too long for a model's window, and when trying is given up. Values in, decisions out.

/// Room that is kept free: for the answer, and for the summary once it is needed.
const BUFFER: u64 = 33_000;
/// A model that fails so often at summarising is not asked again.
const MOST_FAILURES: u32 = 3;
/// Summaries in a row that made no room. A conversation whose last messages alone fill the window cannot be helped.
const MOST_IN_VAIN: u32 = 3;

/// What the launch says about compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Never, not even when asked to.
    pub off: bool,
    /// Only when asked to.
    pub manual_only: bool,
    /// Behave as if the model's window were no larger than this.
    pub window: Option<u64>,
    /// Begin at this share of the window, if that is earlier than usual.
    pub percent: Option<u8>,
}

/// When a conversation becomes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether it is summarised by itself.
    pub auto: bool,
    /// What counts as full.
    pub window: u64,
    /// From here on it is summarised.
    pub threshold: u64,
    /// Who says how large the window is.
    pub source: &'static str,
}

impl Limits {
    /// What the launch and the settings make of a model's window.
    pub fn of(model: u64, launch: &Compaction, enabled: Option<bool>, setting: Option<u64>) -> Self {
        let (asked, source) = match (launch.window, setting) {
            (Some(window), _) => (window, "env"),
            (None, Some(window)) => (window, "settings"),
            (None, None) => (model, "model-default"),
        };
        let window = asked.clamp(1, model.max(1));
        // A window hardly larger than the buffer still has to hold a conversation.
        let usual = window.saturating_sub(BUFFER).max(window / 2);
        let earlier = launch.percent.map(|percent| window * u64::from(percent.min(100)) / 100);
        Self {
            auto: !launch.off && !launch.manual_only && enabled != Some(false),
            window,
            threshold: earlier.unwrap_or(usual).min(usual),
            source,
        }
    }

    /// Room that is never used.
    pub fn buffer(&self) -> u64 {
        if self.auto { self.window - self.threshold } else { 0 }
    }
}

/// What has been tried so far: the guard against summarising for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tries {
    failures: u32,
    /// Since the conversation last had room.
    in_vain: u32,
    /// The model has not spoken since the last summary.
    fresh: bool,
}

impl Tries {
    /// Whether another try makes sense.
    pub fn may_try(self) -> bool {
        !self.fresh && self.failures < MOST_FAILURES && self.in_vain < MOST_IN_VAIN
    }

    /// The model has answered, and the conversation then was or was not too long.
    pub fn answered(&mut self, full: bool) {
        self.fresh = false;
        if !full {
            self.in_vain = 0;
        }
    }

    /// A summary is there.
    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.in_vain += 1;
        self.fresh = true;
    }

    /// There is none.
    pub fn failed(&mut self) {
        self.failures += 1;
        self.fresh = true;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_buffer_is_kept_free() {
        let limits = Limits::of(1_000_000, &Compaction::default(), None, None);
        assert_eq!(
            (limits.threshold, limits.buffer(), limits.source),
            (967_000, 33_000, "model-default")
        );
        assert_eq!(
            Limits::of(8_000, &Compaction::default(), None, None).threshold,
            4_000,
            "a small window is used too"
        );
    }

    #[test]
    fn the_window_may_be_made_smaller_and_the_share_earlier_but_neither_larger() {
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
    fn each_of_the_switches_is_enough() {
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
    fn what_does_not_help_is_given_up() {
        let mut tries = Tries::default();
        for _ in 0..MOST_IN_VAIN {
            assert!(tries.may_try());
            tries.succeeded();
            assert!(!tries.may_try(), "not twice without an answer in between");
            tries.answered(true);
        }
        assert!(!tries.may_try());
        tries.answered(false);
        assert!(tries.may_try(), "there was room again");
        for _ in 0..MOST_FAILURES {
            assert!(tries.may_try());
            tries.failed();
            tries.answered(false);
        }
        assert!(!tries.may_try());
    }

    proptest! {
        #[test]
        fn however_full_it_stays_tries_are_bounded(events in prop::collection::vec(any::<bool>(), 0..200)) {
            let mut tries = Tries::default();
            let mut made = 0;
            for worked in events {
                if tries.may_try() {
                    made += 1;
                    if worked { tries.succeeded() } else { tries.failed() }
                }
                tries.answered(true);
            }
            prop_assert!(made <= (MOST_FAILURES * (MOST_IN_VAIN + 1)) as usize);
        }
    }
}
