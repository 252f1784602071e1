//! Options of the host: optional messages, and which settings it may write.

use sluice_settings::Writer;

/// Options of the host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostOptions {
    /// Send streaming events of the model.
    pub partial: bool,
    /// Report every hook that starts, makes progress or ends.
    pub hook_events: bool,
    /// Whether the session was started with `--await-initialize`: `initialize` is the first message of the host.
    pub awaits_initialize: bool,
    /// Echo the prompts of the host.
    pub replay: bool,
    /// Whether to send state changes of the session.
    pub state_events: StateEvents,
    /// Which settings the host may write. Set by the program that starts the session, never by a message.
    pub writer: Writer,
}

/// Whether `session_state_changed` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StateEvents {
    /// They are not sent.
    #[default]
    Off,
    /// Sent for the SDK only, which does not pass them on.
    HostOnly,
    /// Sent for all consumers.
    Visible,
}
