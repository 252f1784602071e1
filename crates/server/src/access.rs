//! Access control: pairing codes, device cookies, bearer tokens.

// Pure: what a code is worth, and when.
mod pairing;
mod secret;

// Where devices are kept, and what is known of them while the server runs.
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
