//! Queries: files, folders, diffs, highlighted code, time lines.

pub(crate) mod browse;
pub(crate) mod changes;
pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod folders;
pub(crate) mod memory;
pub(crate) mod rendering;
pub(crate) mod timeline;
