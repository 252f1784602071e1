//! The web server of the bridge: HTTP, TLS, access control (pairing, devices, tokens), and the embedded page.
//!
//! The server has no access to agents or sessions: what an authenticated client can do is up to a [`Backend`].

// The backend, the scope of a device, and its WebSocket.
mod backend;
mod scope;
mod socket;

// Pairing codes, device cookies, bearer tokens.
mod access;

// Web push.
mod push;

// Checks and limits for every request.
mod crowd;
mod guard;
mod limits;

// HTTP responses.
mod metrics;
pub mod page;
mod web;

// Listening; control from the same machine (`sluice serve status` and the like); the state folder.
mod control;
mod listen;
pub mod private;
mod state;

// Backup and restore of a state folder.
mod archive;
mod backup;

// Starting and stopping.
mod server;

pub use access::{
    Access, AccessError, AccessOptions, AuditNote, AuthError, BookError, DeviceBook, DeviceInfo, KnownDevice, Notice,
    Offer, Paired, qr_rows, qr_text,
};
pub use backend::{Backend, BlobFile, Content, DeviceKind, Exported, Health, Refusal, RefusalKind, Uploaded, Who};
pub use backup::{BackupError, BackupSummary, backup, restore};
pub use control::{BridgeRequest, ControlError, Reply, Wanted, What, ask};
pub use guard::BadHost;
pub use limits::Limits;
pub use listen::{Holder, Inheritance, Inherited, ListenError, ListenOptions, Port, TlsError, TlsOptions, who_listens};
pub use push::{Connect, Push, PushError, Subscription, SubscriptionKeys};
pub use scope::{Scope, UnknownScope};
pub use server::{Running, Server, ServerOptions, StartError};
pub use socket::{MAX_FRAME, Socket, SocketError};
pub use state::{BridgeNote, StateError, StateFolder, read_note, released};
// Types of other libraries in the backend interface.
pub use axum::body::Body;
pub use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
pub use tokio_util::sync::CancellationToken;
