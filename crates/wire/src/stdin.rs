//! Messages from the host: the lines of the agent's stdin, except control messages.

mod update_environment_variables;
mod user;

pub use crate::stdout::KeepAlive;
pub use update_environment_variables::UpdateEnvironmentVariables;
pub use user::{Priority, User, UserFault};
