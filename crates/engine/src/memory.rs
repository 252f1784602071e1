//! Re-exports memory files of users and projects under the names that the engine uses.

pub(crate) use sluice_catalogue::memory::{
    Brought, Found, Memory, Nearby, files_of_command, load_for, read, reminder, reminder_of_brought,
};
