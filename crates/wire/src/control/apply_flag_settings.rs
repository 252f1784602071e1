//! `apply_flag_settings`: change the settings that come from the command line.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Changes the settings of the command-line layer, which override those of files. `null` removes a setting.
    pub struct ApplyFlagSettings ["subtype" = "apply_flag_settings"] {
        settings: Raw,
    }
}
