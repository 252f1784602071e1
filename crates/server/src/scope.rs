//! Scopes: permissions of devices.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Permissions of a device; each scope includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// View sessions.
    View,
    /// Send prompts, interrupt, start sessions in allowed folders.
    Operate,
    /// Answer permission requests, questions and forms.
    Approve,
    /// Manage devices, folders, settings and bypass mode.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::View, Self::Operate, Self::Approve, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Operate => "operate",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }

    /// True if it equals or includes `needed`.
    pub fn includes(self, needed: Self) -> bool {
        self >= needed
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no scope {0:?}\nhint: one of view, operate, approve, admin")]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|scope| scope.as_str() == text);
        known.ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_reads_back_as_written_and_includes_those_before() {
        for (place, scope) in Scope::ALL.into_iter().enumerate() {
            assert_eq!(scope.to_string().parse(), Ok(scope));
            assert_eq!(
                serde_json::to_string(&scope).unwrap(),
                format!("\"{scope}\""),
                "one spelling everywhere"
            );
            for (other_place, other) in Scope::ALL.into_iter().enumerate() {
                assert_eq!(scope.includes(other), place >= other_place);
            }
        }
        assert_eq!("Admin".parse::<Scope>(), Err(UnknownScope("Admin".into())));
    }
}
