//! What the bridge keeps: sessions, records, prompts, asks, devices, search.
//!
//! One SQLite file, owned by one thread. A [`Store`] is a cheap handle to that thread: every call waits in a bounded
//! queue and is answered once what it wrote is as durable as [`Sync`] says. Calls that wait together share one
//! transaction. Nothing here sees the network, an agent or a screen.

// What every call may answer, and how the file is opened.
mod error;
mod options;

mod schema;

mod opening;

// The handle, and the thread behind it.
mod store;
mod thread;

// Sessions, and what happened in them.
mod row;
mod sessions;

mod records;

mod paging;
mod search;
mod segments;

// What people gave and decided.
mod asks;
mod prompts;
mod receipts;

// Who they are, and what they did.
mod audit;
mod devices;
mod folders;
mod push;

// What turns used, heavy bodies, single values.
mod blobs;
mod meta;
mod turns;

mod upkeep;

// What a second implementation has to offer.
mod directory;
mod ledger;

pub use asks::{AskRow, Settled};
pub use audit::AuditRow;
pub use blobs::Blob;
pub use devices::DeviceRow;
pub use directory::{Asked, BoxFuture, Directory, DirectoryError, Local, Ownership};
pub use error::StoreError;
pub use folders::FolderRow;
pub use ledger::{Ledger, Subscription};
pub use opening::Opened;
pub use options::{Options, Sync};
pub use prompts::{PromptPatch, PromptRow};
pub use push::PushRow;
pub use receipts::ReceiptRow;
pub use records::{NewRecord, Page, Record};
pub use schema::VERSION as SCHEMA_VERSION;
pub use search::{Hit, SearchFilter};
pub use sessions::{ProviderRow, SessionFilter, SessionPatch, SessionRow};
pub use store::Store;
pub use turns::{TurnRow, UsageBy, UsageFilter, UsageRow};
pub use upkeep::{Retained, Stats};
