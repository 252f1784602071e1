//! Metrics in the Prometheus text format. Labels are fixed words, never client input.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::crowd::Crowd;
use crate::guard::Reason;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: &'static str,
    code: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Paired {
    outcome: &'static str,
}

#[derive(Clone)]
pub(crate) struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Registry,
    start: Instant,
    answered: Family<Answered, Counter>,
    took: Family<Of, Histogram, fn() -> Histogram>,
    refused: Family<Refused, Counter>,
    paired: Family<Paired, Counter>,
    accepted: Counter,
    sockets_opened: Counter,
    connections: Gauge,
    sockets: Gauge,
    uptime: Gauge<f64, AtomicU64>,
}

impl Metrics {
    pub(crate) fn new(version: &str, build: Option<&str>) -> Self {
        let mut registry = Registry::with_prefix("sluice");
        let inner = Inner {
            start: Instant::now(),
            answered: Family::default(),
            // 0.5 ms to 8 s.
            took: Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.0005, 4.0, 8))),
            refused: Family::default(),
            paired: Family::default(),
            accepted: Counter::default(),
            sockets_opened: Counter::default(),
            connections: Gauge::default(),
            sockets: Gauge::default(),
            uptime: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("http_requests", "Answers by route and status", inner.answered.clone());
        registry.register(
            "http_request_seconds",
            "Time from the headers of a request to its answer, by route",
            inner.took.clone(),
        );
        registry.register(
            "refused",
            "Requests that did not pass the guard, by reason",
            inner.refused.clone(),
        );
        registry.register("pairings", "Pairing codes given, by outcome", inner.paired.clone());
        registry.register("connections_accepted", "Connections accepted", inner.accepted.clone());
        registry.register("sockets_opened", "WebSockets opened", inner.sockets_opened.clone());
        registry.register(
            "connections",
            "Connections open now, WebSockets not counted",
            inner.connections.clone(),
        );
        registry.register("sockets", "WebSockets open now", inner.sockets.clone());
        registry.register("uptime_seconds", "Seconds since the start", inner.uptime.clone());
        let labels = vec![
            ("version", version.to_owned()),
            ("page", build.unwrap_or("none").to_owned()),
        ];
        registry.register("build", "What runs", Info::new(labels));
        Self {
            inner: Arc::new(Inner { registry, ..inner }),
        }
    }

    pub(crate) fn answered(&self, route: &'static str, code: u16) {
        self.inner.answered.get_or_create(&Answered { route, code }).inc();
    }

    pub(crate) fn took(&self, route: &'static str, time: std::time::Duration) {
        self.inner.took.get_or_create(&Of { route }).observe(time.as_secs_f64());
    }

    pub(crate) fn refused(&self, reason: Reason) {
        self.inner
            .refused
            .get_or_create(&Refused { reason: reason.code() })
            .inc();
    }

    pub(crate) fn paired(&self, good: bool) {
        let outcome = if good { "paired" } else { "refused" };
        self.inner.paired.get_or_create(&Paired { outcome }).inc();
    }

    pub(crate) fn accepted(&self) {
        self.inner.accepted.inc();
    }

    pub(crate) fn socket_opened(&self) {
        self.inner.sockets_opened.inc();
    }

    pub(crate) fn uptime(&self) -> std::time::Duration {
        self.inner.start.elapsed()
    }

    pub(crate) fn text(&self, crowd: &Crowd) -> String {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.inner.connections.set(count(crowd.connections()));
        self.inner.sockets.set(count(crowd.sockets()));
        self.inner.uptime.set(self.uptime().as_secs_f64());
        let mut text = String::new();
        if let Err(error) = encode(&mut text, &self.inner.registry) {
            tracing::error!(%error, "the metrics cannot be written");
        }
        plain(&text)
    }
}

/// Converts OpenMetrics to the older text format, which can be concatenated: counters are named with `_total`, an info
/// is a gauge, and there is no end marker.
fn plain(text: &str) -> String {
    let mut lines = String::with_capacity(text.len());
    let mut help: Option<&str> = None;
    for line in text.lines().filter(|line| *line != "# EOF") {
        if line.starts_with("# HELP ") {
            help = Some(line);
            continue;
        }
        let (suffix, kind) = match line.strip_prefix("# TYPE ").and_then(|rest| rest.rsplit_once(' ')) {
            Some((_, "counter")) => ("_total", "counter"),
            Some((_, "info")) => ("_info", "gauge"),
            Some((_, kind)) => ("", kind),
            None => {
                lines.push_str(line);
                lines.push('\n');
                continue;
            }
        };
        let name = line.split(' ').nth(2).unwrap_or_default();
        let about = help
            .take()
            .and_then(|help| help.splitn(4, ' ').nth(3))
            .unwrap_or_default();
        lines.push_str(&format!(
            "# HELP {name}{suffix} {about}\n# TYPE {name}{suffix} {kind}\n"
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_each_metric_as_its_samples_do() {
        let metrics = Metrics::new("1.2.3", Some("abc"));
        metrics.answered("page", 200);
        metrics.took("page", std::time::Duration::from_millis(1));
        metrics.refused(Reason::Host);
        metrics.paired(true);
        let text = metrics.text(&Crowd::new(&crate::limits::Limits::default()));
        for line in [
            "# TYPE sluice_http_requests_total counter",
            "sluice_http_requests_total{route=\"page\",code=\"200\"} 1",
            "sluice_refused_total{reason=\"host\"} 1",
            "sluice_pairings_total{outcome=\"paired\"} 1",
            "# TYPE sluice_http_request_seconds histogram",
            "sluice_http_request_seconds_count{route=\"page\"} 1",
            "# TYPE sluice_connections gauge",
            "sluice_connections 0",
            "sluice_build_info{version=\"1.2.3\",page=\"abc\"} 1",
        ] {
            assert!(text.lines().any(|given| given == line), "{line} in\n{text}");
        }
        let mut kind = String::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                kind = rest.split(' ').next().unwrap().to_owned();
            } else if !line.starts_with('#') {
                assert!(line.starts_with(&kind), "{line} below {kind}");
            }
        }
    }
}
