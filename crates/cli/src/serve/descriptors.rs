//! Limit of file descriptors; each client and session needs one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Requested limit.
const REQUESTED_LIMIT: u64 = 65_536;

/// Raises the soft limit as far as permitted, and returns the resulting limit.
pub(super) fn raise() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(REQUESTED_LIMIT).min(REQUESTED_LIMIT);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit {
            current: Some(wanted),
            ..limit
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files could not be raised");
        }
    }
    let current = getrlimit(Resource::Nofile).current.unwrap_or(REQUESTED_LIMIT);
    usize::try_from(current).unwrap_or(usize::MAX)
}
