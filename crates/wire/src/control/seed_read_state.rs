//! `seed_read_state`: mark a file as read.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// Marks a file as read, so that it can be edited without reading it first.
    pub struct SeedReadState ["subtype" = "seed_read_state"] {
        path: String,
        mtime: Number,
    }
}
