//! Configuration of outgoing connections: trusted certificates, proxies and the client certificate (mTLS), for the
//! model, web pages, hooks, MCP servers and push services.
//!
//! A [`Network`] consists of plain values: this crate does not read the environment or files, and sends nothing.
//! [`Network::builder`] returns a `reqwest` builder, to which a caller can add more, such as a resolver that only
//! allows public addresses.

mod client_certificate;
mod proxy;
mod tls;

pub use client_certificate::{CLIENT_CERT, CLIENT_KEY, ClientCertificate, ClientCertificateError};
pub use proxy::Proxy;

/// The configuration of outgoing connections.
#[derive(Clone, Default)]
pub struct Network {
    /// The proxies of the usual environment variables.
    pub proxy: Proxy,
    /// Certificates in PEM format to trust in addition to those of the system (`NODE_EXTRA_CA_CERTS`).
    pub extra_roots: Option<String>,
    /// The certificate for servers that request one (`CLAUDE_CODE_CLIENT_CERT`, `CLAUDE_CODE_CLIENT_KEY`).
    pub client_certificate: Option<ClientCertificate>,
}

// The address of a proxy may contain a password.
impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("proxy", &self.proxy)
            .field("extra_roots", &self.extra_roots.is_some())
            .field("client_certificate", &self.client_certificate.is_some())
            .finish()
    }
}

/// Why a client cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A proxy address is invalid.
    #[error("not a proxy address: {0}")]
    Proxy(String),
    /// The additional certificates are invalid.
    #[error("{0}")]
    Certificates(String),
}

impl Network {
    /// Validates the proxies. Certificates are only read when they are needed.
    ///
    /// # Errors
    /// If a proxy address is invalid.
    pub fn check(&self) -> Result<(), Error> {
        self.proxy.to_reqwest().map(drop)
    }

    /// Returns a client builder, for https if `secure` is set. The client trusts the certificates of the system and the
    /// given ones, uses only the given proxies, sends the client certificate to servers that request one, and does not
    /// follow redirects.
    ///
    /// # Errors
    /// If a proxy address or a certificate is invalid.
    pub fn builder(&self, secure: bool) -> Result<reqwest::ClientBuilder, Error> {
        let tls = if secure || self.proxy.is_secure() {
            tls::with_roots(self.extra_roots.as_deref(), self.client_certificate.as_ref())
        } else {
            tls::without_roots()
        };
        let tls = tls.map_err(|error| Error::Certificates(error.to_string()))?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            // A redirect could send a key to another host, or bypass the check of the address.
            .redirect(reqwest::redirect::Policy::none())
            // No timer for idle connections, because it would wake an idle process again and again. The kernel detects
            // dead connections by TCP keepalive.
            .pool_idle_timeout(None)
            // Proxies of the environment are not used.
            .no_proxy();
        for proxy in self.proxy.to_reqwest()? {
            builder = builder.proxy(proxy);
        }
        Ok(builder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_proxy(address: &str) -> Network {
        Network {
            proxy: Proxy {
                https: Some(address.to_owned()),
                ..Proxy::default()
            },
            ..Network::default()
        }
    }

    #[test]
    fn invalid_configuration_is_reported_before_any_request() {
        let refused = Error::Proxy("://".to_owned());
        assert_eq!(with_proxy("://").check(), Err(refused.clone()));
        assert_eq!(with_proxy("://").builder(false).err(), Some(refused));
        assert_eq!(with_proxy(" ").check(), Ok(()));
        let network = Network {
            extra_roots: Some("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n".to_owned()),
            ..Network::default()
        };
        assert!(matches!(network.builder(true), Err(Error::Certificates(_))));
        assert!(
            network.builder(false).is_ok(),
            "certificates are not needed for plain http"
        );
    }

    #[test]
    fn debug_output_contains_no_password() {
        let network = with_proxy("http://me:secret@proxy.example");
        assert!(!format!("{network:?}").contains("secret"));
    }
}
