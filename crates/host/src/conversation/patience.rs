//! Timeouts: how long the state is believed without a sign of the agent.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Deadlines. The defaults come from what the reference agents were seen to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patience {
    /// A model may be silent this long: the agents themselves give up after 300 seconds.
    pub model: Duration,
    /// An answer that is being streamed may be silent this long.
    pub stream: Duration,
    /// A call may be silent this long when the agent gives no sign of life: longer than the longest
    /// time a command may have.
    pub call: Duration,
    /// A call that gave a sign of life gives the next one within this time: three times thirty seconds, and some.
    pub heartbeat: Duration,
    /// Between the model's last word and the `result`.
    pub result: Duration,
    /// A prompt that was sent while nothing ran is taken up within this time, or nobody knows what became of it.
    pub uptake: Duration,
    /// An answer to a request of this side.
    pub reply: Duration,
    /// The rungs of an interrupt; `None` waits for ever at the first.
    pub ladder: Option<Ladder>,
}

/// How long each rung of an interrupt is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ladder {
    /// Until the agent acknowledges.
    pub acknowledge: Duration,
    /// From there to the `result`.
    pub result: Duration,
    /// From `SIGTERM` to the exit.
    pub terminate: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            model: Duration::from_secs(330),
            stream: Duration::from_secs(60),
            call: Duration::from_secs(660),
            heartbeat: Duration::from_secs(100),
            result: Duration::from_secs(15),
            uptake: Duration::from_secs(60),
            reply: Duration::from_secs(60),
            ladder: Some(Ladder::default()),
        }
    }
}

impl Default for Ladder {
    fn default() -> Self {
        Self {
            acknowledge: Duration::from_secs(10),
            result: Duration::from_secs(15),
            terminate: Duration::from_secs(5),
        }
    }
}
