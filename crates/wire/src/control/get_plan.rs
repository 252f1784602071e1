//! `get_plan`: the plan, if there is one.

use crate::record::wire_struct;

wire_struct! {
    /// Asks for the plan.
    pub struct GetPlan ["subtype" = "get_plan"] {}
}

wire_struct! {
    /// The plan, and where it is kept.
    pub struct GetPlanResponse {
        exists: bool,
        plan: Option<String>,
        file_path: Option<String> as "filePath",
    }
}
