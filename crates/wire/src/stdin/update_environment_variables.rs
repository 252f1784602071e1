//! `update_environment_variables`: new values for the agent's environment.

use crate::Map;
use crate::record::wire_struct;

wire_struct! {
    /// Sets variables of the agent's environment.
    pub struct UpdateEnvironmentVariables ["type" = "update_environment_variables"] {
        variables: Map<String>,
    }
}
