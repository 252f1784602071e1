//! Routes by path. Paths are not decoded and folders not searched; unknown paths are not found.

use http::Method;

use crate::guard::Need;
use crate::scope::Scope;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// A file of the page, if it exists.
    Page,
    Health,
    /// The process is running.
    Live,
    /// Sessions can be served and stored.
    Ready,
    Pair,
    Logout,
    Metrics,
    Export {
        session: String,
        format: String,
    },
    Blob {
        hash: String,
    },
    Upload,
    /// The public key for push subscriptions.
    PushKey,
    /// Adding and removing a push subscription.
    PushSubscription,
    Socket,
    /// Unknown path.
    Nothing,
}

const FORMATS: [&str; 3] = ["md", "html", "jsonl"];

impl Route {
    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/ws" => return Self::Socket,
            "/metrics" => return Self::Metrics,
            "/healthz" => return Self::Live,
            "/readyz" => return Self::Ready,
            _ => {}
        }
        let Some(rest) = path.strip_prefix("/api/") else {
            return if path == "/api" { Self::Nothing } else { Self::Page };
        };
        match rest {
            "health" => Self::Health,
            "pair" => Self::Pair,
            "logout" => Self::Logout,
            "upload" => Self::Upload,
            "push/key" => Self::PushKey,
            "push/subscribe" => Self::PushSubscription,
            _ => Self::blob(rest).or_else(|| Self::export(rest)).unwrap_or(Self::Nothing),
        }
    }

    fn blob(rest: &str) -> Option<Self> {
        let hash = rest.strip_prefix("blobs/")?;
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (hash.len() == 64 && hash.bytes().all(digit)).then(|| Self::Blob { hash: hash.to_owned() })
    }

    fn export(rest: &str) -> Option<Self> {
        let (session, format) = rest.strip_prefix("sessions/")?.split_once("/export.")?;
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let id = (1..=128).contains(&session.len()) && session.bytes().all(letter);
        (id && FORMATS.contains(&format)).then(|| Self::Export {
            session: session.to_owned(),
            format: format.to_owned(),
        })
    }

    /// Returns the name for logs and metrics, which contains no client input.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Health => "health",
            Self::Live => "live",
            Self::Ready => "ready",
            Self::Pair => "pair",
            Self::Logout => "logout",
            Self::Metrics => "metrics",
            Self::Export { .. } => "export",
            Self::Blob { .. } => "blob",
            Self::Upload => "upload",
            Self::PushKey => "push_key",
            Self::PushSubscription => "push_subscription",
            Self::Socket => "socket",
            Self::Nothing => "nothing",
        }
    }

    /// Returns the value of the `Allow` header.
    pub(crate) fn methods(&self) -> &'static str {
        match self {
            Self::Pair | Self::Logout | Self::Upload => "POST",
            Self::PushSubscription => "POST, DELETE",
            Self::Socket => "GET",
            _ => "GET, HEAD",
        }
    }

    pub(crate) fn takes(&self, method: &Method) -> bool {
        self.methods().split(", ").any(|name| name == method.as_str())
    }

    pub(crate) fn need(&self) -> Need {
        match self {
            Self::Page => Need::Page,
            Self::Health | Self::Live | Self::Ready | Self::Nothing => Need::Public,
            Self::Pair => Need::PublicChange,
            Self::Metrics | Self::Export { .. } | Self::Blob { .. } | Self::PushKey => Need::Read,
            Self::Logout | Self::Upload | Self::PushSubscription | Self::Socket => Need::Change,
        }
    }

    /// Returns the minimum scope. WebSockets check the scope of each command.
    pub(crate) fn scope(&self) -> Option<Scope> {
        match self {
            Self::Page | Self::Health | Self::Live | Self::Ready | Self::Pair | Self::Nothing => None,
            Self::Logout
            | Self::Export { .. }
            | Self::Blob { .. }
            | Self::PushKey
            | Self::PushSubscription
            | Self::Socket => Some(Scope::View),
            Self::Upload => Some(Scope::Operate),
            Self::Metrics => Some(Scope::Admin),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_is_its_route_as_it_stands() {
        let hash = "a1".repeat(32);
        assert_eq!(
            Route::of(&format!("/api/blobs/{hash}")),
            Route::Blob { hash: hash.clone() }
        );
        let export = |format: &str| Route::Export {
            session: "s-1_A".to_owned(),
            format: format.to_owned(),
        };
        for format in FORMATS {
            assert_eq!(
                Route::of(&format!("/api/sessions/s-1_A/export.{format}")),
                export(format)
            );
        }
        for nothing in [
            "/api",
            "/api/",
            "/api/x",
            "/api/pair/",
            "/api//pair",
            "/api/./pair",
            "/api/blobs/",
            "/api/blobs/../pair",
            "/api/sessions//export.md",
            "/api/sessions/../export.md",
            "/api/sessions/%2e%2e/export.md",
            "/api/sessions/a/b/export.md",
            "/api/sessions/a/export.exe",
            "/api/sessions/a/export.md/",
            "/api/sessions/a%00/export.md",
        ] {
            assert_eq!(Route::of(nothing), Route::Nothing, "{nothing}");
        }
        assert_eq!(
            Route::of(&format!("/api/blobs/{}", hash.to_uppercase())),
            Route::Nothing
        );
        assert_eq!(Route::of(&format!("/api/blobs/{hash}/../../pair")), Route::Nothing);
    }

    proptest! {
        #[test]
        fn paths_for_the_backend_cannot_leave_their_folder(path in "/api/(sessions|blobs)/[a-f0-9./%\\\\]{0,70}(/export\\.(md|html|jsonl))?") {
            match Route::of(&path) {
                Route::Blob { hash } => prop_assert!(hash.len() == 64 && !hash.contains(['.', '/', '\\', '%'])),
                Route::Export { session, .. } => prop_assert!(!session.contains(['.', '/', '\\', '%'])),
                Route::Nothing => {}
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
