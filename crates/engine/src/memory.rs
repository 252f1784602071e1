//! What a person and a project want every session to know, by the names the engine has for it.

pub(crate) use sluice_catalogue::memory::{
    Brought, Found, Memory, Nearby, files_of_command, load_for, read, reminder, reminder_of_brought,
};
