//! `seed_read_state`: a file counts as read.

use crate::Number;
use crate::record::wire_struct;

wire_struct! {
    /// Lets a file count as read.
    pub struct SeedReadState ["subtype" = "seed_read_state"] {
        path: String,
        mtime: Number,
    }
}
