//! `get_session_cost`: the cost so far, in words.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for the cost so far.
    pub struct GetSessionCost ["subtype" = "get_session_cost"] {}
}

wire_struct! {
    /// The cost so far, in words.
    pub struct GetSessionCostResponse {
        text: String,
    }
}
