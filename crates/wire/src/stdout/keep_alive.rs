//! `keep_alive`: an empty message that keeps an idle connection from being closed.

use crate::record::wire_struct;

wire_struct! {
    /// An empty message that either side may send.
    pub struct KeepAlive ["type" = "keep_alive"] {}
}
