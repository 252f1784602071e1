//! `keep_alive`: nothing, so that a connection is not taken for dead.

use crate::record::wire_struct;

wire_struct! {
    /// Still here; both sides may send it.
    pub struct KeepAlive ["type" = "keep_alive"] {}
}
