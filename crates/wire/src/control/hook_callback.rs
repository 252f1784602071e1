//! `hook_callback`: call a hook of the host.

use crate::hook::HookInput;
use crate::record::wire_struct;

wire_struct! {
    /// Calls a hook of the host. The response is a [`HookOutput`](crate::hook::HookOutput).
    pub struct HookCallback ["subtype" = "hook_callback"] {
        callback_id: String,
        input: HookInput,
        tool_use_id: Option<String>,
    }
}
