//! The bridge's database: sessions, records, prompts, asks (permission requests), devices, search.
//!
//! One SQLite file, owned by one thread. A [`Store`] is a cheap handle to that thread: every call waits in a bounded
//! queue and is answered once what it wrote is as durable as [`Sync`] says. Calls that wait at the same time share one
//! transaction. Nothing here sees the network, an agent or a screen.

// Errors, options, schema, and opening the file.
mod error;
mod options;

mod schema;

mod mirror;
mod opening;
mod salvage;
mod snapshot;

// The handle and its thread.
mod store;
mod thread;

// Sessions, their records, and search.
mod row;
mod sessions;

mod records;

mod paging;
mod search;
mod segments;

// Prompts, asks, and receipts of commands.
mod asks;
mod prompts;
mod receipts;

// Devices, their folders and push subscriptions, and the audit log.
mod audit;
mod devices;
mod folders;
mod push;

// Usage of turns, large bodies, single values.
mod blobs;
mod meta;
mod turns;

mod health;
mod upkeep;

pub use asks::{AskRow, Settled};
pub use audit::AuditRow;
pub use blobs::Blob;
pub use devices::DeviceRow;
pub use error::StoreError;
pub use folders::FolderRow;
pub use health::StorageCounts;
pub use opening::Opened;
pub use options::{Options, Sync};
pub use prompts::{PromptPatch, PromptRow};
pub use push::PushRow;
pub use receipts::ReceiptRow;
pub use records::{NewRecord, Page, Record};
pub use salvage::Lost;
pub use schema::VERSION as SCHEMA_VERSION;
pub use search::{Hit, SearchFilter};
pub use sessions::{ProviderRow, SessionFilter, SessionPatch, SessionRow};
pub use snapshot::Snapshot;
pub use store::Store;
pub use turns::{TurnRow, UsageBy, UsageFilter, UsageRow};
pub use upkeep::{Retained, Stats};
