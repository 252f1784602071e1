//! The result of a permission decision, and its reason.

use std::path::PathBuf;

use sluice_wire::permission_update::PermissionUpdate;

use crate::rule::Rule;

/// May it run?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// It needs a permission request.
    Ask,
    /// It does not run.
    Deny,
}

/// The kind of a reason, with its word on the wire (`decision_reason_type`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReasonKind {
    /// A rule matched.
    Rule,
    /// The session's mode.
    Mode,
    /// The parts of a command line, taken together.
    SubcommandResults,
    /// A path outside the working directories.
    WorkingDir,
    /// A protected place.
    SafetyCheck,
    /// The decision of a hook.
    Hook,
    /// No person can be asked.
    AsyncAgent,
    /// Anything else.
    Other,
}

impl ReasonKind {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Mode => "mode",
            Self::SubcommandResults => "subcommandResults",
            Self::WorkingDir => "workingDir",
            Self::SafetyCheck => "safetyCheck",
            Self::Hook => "hook",
            Self::AsyncAgent => "asyncAgent",
            Self::Other => "other",
        }
    }
}

/// Why a call was decided as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reason {
    /// Its kind; `None` where the wire carries no `decision_reason_type`.
    pub kind: Option<ReasonKind>,
    /// A sentence for people (`decision_reason`), where there is more to say than the kind.
    pub text: Option<String>,
    /// The rule that decided.
    pub rule: Option<Rule>,
}

impl Reason {
    /// A reason without words.
    #[must_use]
    pub fn kind(kind: ReasonKind) -> Self {
        Self {
            kind: Some(kind),
            ..Self::default()
        }
    }

    /// A reason in words.
    #[must_use]
    pub fn said(kind: ReasonKind, text: impl Into<String>) -> Self {
        Self {
            kind: Some(kind),
            text: Some(text.into()),
            rule: None,
        }
    }

    /// A rule as the reason.
    #[must_use]
    pub fn rule(kind: ReasonKind, rule: &Rule) -> Self {
        Self {
            kind: Some(kind),
            text: None,
            rule: Some(rule.clone()),
        }
    }
}

/// The answer to "may this call run?".
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Allow, deny or ask.
    pub behavior: Verdict,
    /// Why.
    pub reason: Reason,
    /// The permission suggestions. `None` leaves the key out, an empty list means that there are none.
    pub suggestions: Option<Vec<PermissionUpdate>>,
    /// The path because of which the call is not allowed.
    pub blocked_path: Option<PathBuf>,
    /// Only a person can answer, no rule and no hook.
    pub requires_user_interaction: bool,
    /// The message for the model if the call does not run.
    pub message: String,
}

impl Decision {
    /// It runs.
    #[must_use]
    pub fn allow(reason: Reason) -> Self {
        Self::new(Verdict::Allow, reason, String::new())
    }

    /// A permission request is needed.
    #[must_use]
    pub fn ask(reason: Reason, message: impl Into<String>) -> Self {
        Self::new(Verdict::Ask, reason, message.into())
    }

    /// It does not run.
    #[must_use]
    pub fn deny(reason: Reason, message: impl Into<String>) -> Self {
        Self::new(Verdict::Deny, reason, message.into())
    }

    fn new(behavior: Verdict, reason: Reason, message: String) -> Self {
        Self {
            behavior,
            reason,
            suggestions: None,
            blocked_path: None,
            requires_user_interaction: false,
            message,
        }
    }

    /// With something to offer.
    #[must_use]
    pub fn offering(mut self, suggestions: Vec<PermissionUpdate>) -> Self {
        self.suggestions = Some(suggestions);
        self
    }

    /// With the path because of which the call is not allowed.
    #[must_use]
    pub fn blocked_by(mut self, path: impl Into<PathBuf>) -> Self {
        self.blocked_path = Some(path.into());
        self
    }

    /// Only a person can answer.
    #[must_use]
    pub fn for_a_person(mut self) -> Self {
        self.requires_user_interaction = true;
        self
    }
}
