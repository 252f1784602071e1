//! `get_plan`: the plan, if there is one.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for the plan.
    pub struct GetPlan ["subtype" = "get_plan"] {}
}
