//! `channel_enable`: let a channel send messages.

use crate::record::wire_struct;

wire_struct! {
    /// Lets a channel send messages.
    pub struct ChannelEnable ["subtype" = "channel_enable"] {
        server_name: Option<String> as "serverName",
    }
}
