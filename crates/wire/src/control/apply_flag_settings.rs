//! `apply_flag_settings`: change settings as the command line would.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Lays settings over the others; `null` takes one back.
    pub struct ApplyFlagSettings ["subtype" = "apply_flag_settings"] {
        settings: Raw,
    }
}
