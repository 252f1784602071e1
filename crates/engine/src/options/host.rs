//! Options of the host: which messages it gets besides the conversation, and which settings it may write.

use sluice_settings::Writer;

/// What a session is told about its host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostOptions {
    /// Stream the model's events to it.
    pub partial: bool,
    /// Tell it of every hook that starts, reports or ends.
    pub hook_events: bool,
    /// Whether the session was started with `--await-initialize`: `initialize` is the first message of the host.
    pub awaits_initialize: bool,
    /// Echo what it sends.
    pub replay: bool,
    /// Tell when the session is busy, waiting or at rest.
    pub state_events: StateEvents,
    /// Which settings it may write. Set by the program that starts the session, never by a message.
    pub writer: Writer,
}

/// Whether `session_state_changed` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateEvents {
    /// Not at all.
    #[default]
    Off,
    /// For the SDK alone, which swallows it.
    HostOnly,
    /// For everybody.
    Visible,
}
