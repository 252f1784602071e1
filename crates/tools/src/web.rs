//! The way to the web, for one session: a client that opens public addresses only, and what it fetched lately.

mod address;

/// What the surroundings say about the way to the web.
#[derive(Debug, Clone, Default)]
pub struct WebConfig {
    /// Certificates to trust besides the system's, in PEM.
    pub extra_roots: Option<String>,
}

/// The way to the web.
#[derive(Debug)]
pub struct Web {
    config: WebConfig,
}

impl Web {
    /// Nothing is opened before something is fetched.
    pub fn new(config: WebConfig) -> Self {
        Self { config }
    }
}
