//! `update_environment_variables`: change the agent's environment.

use crate::Map;
use crate::record::wire_struct;

wire_struct! {
    /// Sets environment variables of the agent.
    pub struct UpdateEnvironmentVariables ["type" = "update_environment_variables"] {
        variables: Map<String>,
    }
}
