//! Who gets in: HTTP, TLS, devices, pairing, the embedded page.
//!
//! Nothing here can see an agent or a session: what a client that was let in gets is up to a [`Backend`].

// Who comes, and what stands behind the door.
mod backend;
mod scope;
mod socket;

// Who is known.
mod access;

// What every request has to pass.
mod guard;

pub use access::{
    Access, AccessError, AccessOptions, Attempt, AuditNote, AuthError, BookError, DeviceBook, DeviceInfo, KnownDevice,
    Notice, Offer, Paired, qr_rows, qr_text,
};
pub use backend::{Backend, BlobFile, Content, DeviceKind, Exported, Refusal, RefusalKind, Uploaded, Who};
pub use guard::BadHost;
pub use scope::{Scope, UnknownScope};
pub use socket::{MAX_FRAME, Socket, SocketError};
// What a backend meets in this interface.
pub use axum::body::Body;
pub use axum::extract::ws::{CloseFrame, Message};
pub use tokio_util::sync::CancellationToken;
