//! `get_plan`: read the plan of plan mode.

use crate::record::wire_struct;

wire_struct! {
    /// Requests the plan.
    pub struct GetPlan ["subtype" = "get_plan"] {}
}

wire_struct! {
    /// The plan and the path of its file, if there is a plan.
    pub struct GetPlanResponse {
        exists: bool,
        plan: Option<String>,
        file_path: Option<String> as "filePath",
    }
}
