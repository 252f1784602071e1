//! `reload_output_styles`: read the output styles again.

use crate::record::wire_struct;

wire_struct! {
    /// Reads the output styles again.
    pub struct ReloadOutputStyles ["subtype" = "reload_output_styles"] {}
}

wire_struct! {
    /// The output styles there are.
    pub struct ReloadOutputStylesResponse {
        available_output_styles: Vec<String>,
    }
}
