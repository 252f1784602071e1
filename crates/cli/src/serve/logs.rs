//! Log of the bridge. It contains neither conversation contents nor secrets.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// Environment variable with the filter: a level, or `module=level` entries separated by commas.
const FILTER: &str = "SLUICE_LOG";

/// Starts logging to standard error, as text or JSON.
pub(super) fn begin(format: Option<&str>, verbose: bool) {
    let (filter, problem) = filter(std::env::var(FILTER).ok().as_deref(), verbose);
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let layer = if format == Some("json") {
        super::report::use_json();
        // Includes the lines that are printed as text otherwise.
        let filter = filter.with_target("sluice::serve::report", tracing::Level::INFO);
        layer.json().with_filter(filter).boxed()
    } else {
        layer.with_filter(filter).boxed()
    };
    // Fails if the process has a logger already, which is fine.
    tracing_subscriber::registry().with(layer).try_init().ok();
    if let Some(problem) = problem {
        tracing::warn!("{problem}");
    }
}

/// Returns the filter, and an error message if the requested one is invalid.
fn filter(asked: Option<&str>, verbose: bool) -> (Targets, Option<String>) {
    let usual = if verbose {
        let bridge = ["sluice_bridge", "sluice_server"].map(|name| (name, tracing::Level::DEBUG));
        Targets::new().with_default(tracing::Level::INFO).with_targets(bridge)
    } else {
        Targets::new().with_default(tracing::Level::WARN)
    };
    match asked.map(str::parse::<Targets>) {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (
            usual,
            Some(format!(
                "{FILTER}: {error}; use a level, or module=level, with commas between them"
            )),
        ),
        None => (usual, None),
    }
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    #[test]
    fn the_log_filter_follows_the_variable_and_reports_invalid_values() {
        let (filter, problem) = super::filter(Some("info,sluice_host=trace"), false);
        assert!(problem.is_none());
        assert!(filter.would_enable("sluice_bridge", &Level::INFO));
        assert!(!filter.would_enable("sluice_bridge", &Level::DEBUG));
        assert!(filter.would_enable("sluice_host", &Level::TRACE));
        let (filter, problem) = super::filter(Some("sluice_host=loud"), true);
        assert!(problem.is_some_and(|problem| problem.starts_with("SLUICE_LOG: ")));
        assert!(filter.would_enable("sluice_server", &Level::DEBUG));
        assert!(!filter.would_enable("hyper", &Level::DEBUG));
        let (filter, _) = super::filter(None, false);
        assert!(filter.would_enable("hyper", &Level::WARN) && !filter.would_enable("sluice_bridge", &Level::INFO));
    }
}
