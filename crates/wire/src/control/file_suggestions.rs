//! `file_suggestions`: files whose name fits.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Asks for files whose name fits.
    pub struct FileSuggestions ["subtype" = "file_suggestions"] {
        query: String,
    }
}

wire_struct! {
    /// Files whose name fits.
    pub struct FileSuggestionsResponse {
        suggestions: Vec<Raw>,
        cwd: String,
    }
}
