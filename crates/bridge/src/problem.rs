//! Errors of the API: a code for programs, a sentence for people, and a hint.

use sluice_store::StoreError;

use crate::api::{Code, Problem, Resolved};

impl Problem {
    /// A problem of this kind.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            resolved: None,
        }
    }

    /// The same, with what to do.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The session is not there.
    pub(crate) fn no_session(id: &str) -> Self {
        Self::new(Code::Session, format!("there is no session {id}")).hint("list_recent_sessions names those there are")
    }

    /// A command without a session, from a client that joined none.
    pub(crate) fn none_joined() -> Self {
        Self::new(
            Code::Session,
            "no session was named, and this connection has joined none",
        )
        .hint("send sessionId, or start a session first")
    }

    /// The agent does not run.
    pub(crate) fn stopped() -> Self {
        Self::new(Code::Stopped, "the agent of this session does not run").hint("send resume_session")
    }

    /// The device may not.
    pub(crate) fn scope(needed: &str) -> Self {
        Self::new(
            Code::Scope,
            format!("this device may not do that: it needs the scope {needed}"),
        )
        .hint("pair it again with `sluice serve pair --scope`")
    }

    /// A fault of ours.
    pub(crate) fn internal(why: impl std::fmt::Display) -> Self {
        Self::new(Code::Internal, format!("the bridge failed: {why}"))
    }

    /// The ask was decided by somebody else before.
    pub(crate) fn decided(decision: &str, by: Option<String>, at: i64) -> Self {
        let who = by.as_deref().map(|name| format!(" by {name}")).unwrap_or_default();
        Self {
            resolved: Some(Resolved {
                decision: decision.to_owned(),
                by,
                at,
            }),
            ..Self::new(Code::Decided, format!("this was {decision} already{who}"))
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let text = error.to_string();
        match text.split_once("\nhint: ") {
            Some((message, hint)) => Self::new(Code::Storage, message).hint(hint),
            None => Self::new(Code::Storage, text),
        }
    }
}
