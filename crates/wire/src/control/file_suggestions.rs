//! `file_suggestions`: find files by name.

use crate::Raw;
use crate::record::wire_struct;

wire_struct! {
    /// Requests files whose path matches a query.
    pub struct FileSuggestions ["subtype" = "file_suggestions"] {
        query: String,
    }
}

wire_struct! {
    /// The matching files.
    pub struct FileSuggestionsResponse {
        suggestions: Vec<Raw>,
        cwd: String,
    }
}
