//! `get_workspace_diff`: what the session changed; declared from 2.1.210 to 2.1.229.

use crate::record::wire_struct;

wire_struct! {
    /// Asks what the session changed.
    pub struct GetWorkspaceDiff ["subtype" = "get_workspace_diff"] {}
}
