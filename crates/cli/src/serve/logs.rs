//! The bridge's own log: never the content of a conversation, never a secret.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// Begins to write to standard error, as text or as JSON.
pub(super) fn begin(format: Option<&str>, verbose: bool) {
    let usual = if verbose {
        "info,sluice_bridge=debug,sluice_server=debug"
    } else {
        "warn"
    };
    let filter = EnvFilter::try_from_env("SLUICE_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    // A second one in the same process is no harm.
    if format == Some("json") {
        builder.json().try_init().ok();
    } else {
        builder.try_init().ok();
    }
}
