//! `reload_output_styles`: reload the output styles.

use crate::record::wire_struct;

wire_struct! {
    /// Reloads the output styles.
    pub struct ReloadOutputStyles ["subtype" = "reload_output_styles"] {}
}

wire_struct! {
    /// The available output styles.
    pub struct ReloadOutputStylesResponse {
        available_output_styles: Vec<String>,
    }
}
