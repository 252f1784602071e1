//! Outgoing connections: trusted certificates, proxies and the client certificate (mTLS), set up once for the model,
//! web pages, hooks, MCP servers and push services.
//!
//! A [`Network`] is plain values: nothing here reads the environment or a file, and nothing is sent.
//! [`Network::builder`] returns a `reqwest` builder, so that a caller can add what it needs, such as a resolver that
//! only allows public addresses.

mod client_certificate;
mod proxy;
mod tls;

pub use client_certificate::{CLIENT_CERT, CLIENT_KEY, ClientCertificate, ClientCertificateError};
pub use proxy::Proxy;

/// How other machines are reached.
#[derive(Clone, Default)]
pub struct Network {
    /// Proxies, as the usual variables name them.
    pub proxy: Proxy,
    /// Certificates in PEM to trust besides the system's (`NODE_EXTRA_CA_CERTS`).
    pub extra_roots: Option<String>,
    /// The certificate for servers that ask for one (`CLAUDE_CODE_CLIENT_CERT`, `CLAUDE_CODE_CLIENT_KEY`).
    pub client_certificate: Option<ClientCertificate>,
}

// A proxy's address may hold a password.
impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network")
            .field("proxy", &self.proxy)
            .field("extra_roots", &self.extra_roots.is_some())
            .field("client_certificate", &self.client_certificate.is_some())
            .finish()
    }
}

/// Why no client can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A proxy address is not one.
    #[error("not a proxy address: {0}")]
    Proxy(String),
    /// The certificates to trust cannot be used.
    #[error("{0}")]
    Certificates(String),
}

impl Network {
    /// Checks the proxies. The certificates to trust are read only when they are needed.
    ///
    /// # Errors
    /// If a proxy is malformed.
    pub fn check(&self) -> Result<(), Error> {
        self.proxy.made().map(drop)
    }

    /// A client builder, for https if it is to be `secure`: it trusts the system's certificates and the given ones,
    /// uses the given proxies and no others, sends the client certificate to who asks for one, and follows no redirect.
    ///
    /// # Errors
    /// If a proxy is malformed, or the certificates cannot be used.
    pub fn builder(&self, secure: bool) -> Result<reqwest::ClientBuilder, Error> {
        let tls = if secure || self.proxy.is_secure() {
            tls::with_roots(self.extra_roots.as_deref(), self.client_certificate.as_ref())
        } else {
            tls::without_roots()
        };
        let tls = tls.map_err(|error| Error::Certificates(error.to_string()))?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            // A redirect would carry a key to someone else, or lead past whoever judged the address.
            .redirect(reqwest::redirect::Policy::none())
            // A connection nobody uses is not looked after by a timer that would wake an idle process for ever: the
            // kernel asks the other side whether it is still there, and says when it is not.
            .pool_idle_timeout(None)
            // Not from the environment.
            .no_proxy();
        for proxy in self.proxy.made()? {
            builder = builder.proxy(proxy);
        }
        Ok(builder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(address: &str) -> Network {
        Network {
            proxy: Proxy {
                https: Some(address.to_owned()),
                ..Proxy::default()
            },
            ..Network::default()
        }
    }

    #[test]
    fn what_cannot_be_used_is_said_before_anything_is_sent() {
        let refused = Error::Proxy("://".to_owned());
        assert_eq!(through("://").check(), Err(refused.clone()));
        assert_eq!(through("://").builder(false).err(), Some(refused));
        assert_eq!(through(" ").check(), Ok(()));
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
    fn a_way_shown_in_a_log_shows_no_password() {
        let network = through("http://me:secret@proxy.example");
        assert!(!format!("{network:?}").contains("secret"));
    }
}
