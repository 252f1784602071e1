//! Access control: pairing codes, device cookies, bearer tokens.

// Pairing codes and secrets; pure.
mod pairing;
mod secret;

// Device storage, and the state of devices while the server runs.
mod book;
mod devices;
mod entry;
mod offer;
mod store;

pub use book::{AuditNote, BookError, DeviceBook, KnownDevice};
pub(crate) use devices::unix_ms;
pub use devices::{Access, AccessError, AccessOptions, DeviceInfo, Notice, Paired};
pub use entry::AuthError;
pub use offer::{Offer, qr_rows, qr_text};
