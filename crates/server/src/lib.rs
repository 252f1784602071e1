//! Who gets in: HTTP, TLS, devices, pairing, the embedded page.
//!
//! Nothing here can see an agent or a session: what a client that was let in gets is up to a [`Backend`].

// Who comes, and what stands behind the door.
mod backend;
mod scope;
mod socket;

// Who is known.
mod access;

// Who is told when nobody looks.
mod push;

// What every request has to pass.
mod crowd;
mod guard;
mod limits;

// What is answered.
mod metrics;
pub mod page;
mod web;

// Where it listens, and how it is spoken to from its own machine.
mod control;
mod listen;
mod state;

// All of it put together.
mod server;

pub use access::{
    Access, AccessError, AccessOptions, AuditNote, AuthError, BookError, DeviceBook, DeviceInfo, KnownDevice, Notice,
    Offer, Paired, qr_rows, qr_text,
};
pub use backend::{Backend, BlobFile, Content, DeviceKind, Exported, Refusal, RefusalKind, Uploaded, Who};
pub use control::{ControlError, ControlRequest, Reply, Wanted, What, ask};
pub use guard::BadHost;
pub use limits::Limits;
pub use listen::{Holder, Inheritance, Inherited, ListenError, ListenOptions, Port, TlsError, TlsOptions, who_listens};
pub use push::{Connect, Push, PushError, Subscription, SubscriptionKeys};
pub use scope::{Scope, UnknownScope};
pub use server::{Running, Server, ServerOptions, StartError};
pub use socket::{MAX_FRAME, Socket, SocketError};
pub use state::{BridgeNote, StateError, StateFolder, read_note};
// What a backend meets in this interface.
pub use axum::body::Body;
pub use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
pub use tokio_util::sync::CancellationToken;
