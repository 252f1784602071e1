//! The configuration of proxies.

use reqwest::NoProxy;

use crate::Error;

/// Proxy addresses. Empty strings count as absent.
#[derive(Clone, Default)]
pub struct Proxy {
    /// `HTTPS_PROXY`: for https targets.
    pub https: Option<String>,
    /// `HTTP_PROXY`: for http targets.
    pub http: Option<String>,
    /// `ALL_PROXY`: for targets without one of the other proxies.
    pub all: Option<String>,
    /// `NO_PROXY`: hosts, domains and networks without a proxy, separated by commas.
    pub no_proxy: Option<String>,
}

// An address may contain a password.
impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy")
            .field("https", &self.https.is_some())
            .field("http", &self.http.is_some())
            .field("all", &self.all.is_some())
            .field("no_proxy", &self.no_proxy)
            .finish()
    }
}

impl Proxy {
    /// Whether one of the proxies uses https.
    pub(crate) fn is_secure(&self) -> bool {
        let addresses = [&self.https, &self.http, &self.all].into_iter().flatten();
        addresses
            .map(|address| address.trim())
            .any(|address| address.starts_with("https:"))
    }

    /// Returns the proxies in the form that reqwest needs.
    pub(crate) fn to_reqwest(&self) -> Result<Vec<reqwest::Proxy>, Error> {
        type Make = fn(String) -> reqwest::Result<reqwest::Proxy>;
        let make: [(&Option<String>, Make); 3] = [
            (&self.https, reqwest::Proxy::https),
            (&self.http, reqwest::Proxy::http),
            (&self.all, reqwest::Proxy::all),
        ];
        // In reqwest `*` only covers host names, not IP addresses.
        let mut direct = self.no_proxy.iter().flat_map(|list| list.split(','));
        let all_direct = direct.any(|host| host.trim() == "*");
        let given = make
            .into_iter()
            .filter_map(|(address, make)| Some((address.as_deref()?.trim(), make)));
        given
            .filter(|(address, _)| !address.is_empty() && !all_direct)
            .map(|(address, make)| {
                let direct = self.no_proxy.as_deref().and_then(NoProxy::from_string);
                make(address.to_owned())
                    .map(|made| made.no_proxy(direct))
                    .map_err(|_| Error::Proxy(address.to_owned()))
            })
            .collect()
    }
}
