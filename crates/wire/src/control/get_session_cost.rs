//! `get_session_cost`: the cost of the session as text.

use crate::record::wire_struct;

wire_struct! {
    /// Requests the cost of the session.
    pub struct GetSessionCost ["subtype" = "get_session_cost"] {}
}

wire_struct! {
    /// The cost of the session as text.
    pub struct GetSessionCostResponse {
        text: String,
    }
}
