//! Permission modes: what each of them allows.

use sluice_wire::mode::PermissionMode;

/// The modes as far as they differ here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stance {
    /// Reads run, the rest is asked.
    Default,
    /// Edits inside the roots run as well.
    AcceptEdits,
    /// Nothing is changed without a question.
    Plan,
    /// What would be asked is refused.
    DontAsk,
    /// Everything runs that no deny, no ask rule and no critical removal stops.
    Bypass,
}

/// What `mode` allows. An unknown mode is treated as the careful one.
#[must_use]
pub fn stance(mode: &PermissionMode) -> Stance {
    match mode {
        PermissionMode::Default | PermissionMode::Delegate | PermissionMode::Other(_) => Stance::Default,
        // `auto` never goes beyond edits and the proven read-only shell.
        PermissionMode::AcceptEdits | PermissionMode::Auto => Stance::AcceptEdits,
        PermissionMode::Plan => Stance::Plan,
        PermissionMode::DontAsk => Stance::DontAsk,
        PermissionMode::BypassPermissions => Stance::Bypass,
    }
}

impl Stance {
    /// Whether edits inside the roots run.
    #[must_use]
    pub fn edits(self) -> bool {
        matches!(self, Self::AcceptEdits | Self::Bypass)
    }
}
