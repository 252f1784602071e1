//! The connection to a bridge: plain, or TLS pinned to the certificate the bridge itself named.
//!
//! A bridge of this machine is asked for its certificate over the socket in its state folder, which only its owner can
//! open. So a certificate it made for itself is as good as any other, and no other is taken.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{self, CryptoProvider};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};

/// What bytes go through.
pub(super) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

pub(super) type Socket = WebSocketStream<Box<dyn Stream>>;

/// Opens it, with a token.
pub(super) async fn open(page: &str, fingerprint: Option<&str>, token: &str) -> Result<Socket, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let (encrypted, authority) = match (page.strip_prefix("https://"), page.strip_prefix("http://")) {
        (Some(rest), _) => (true, rest.trim_end_matches('/')),
        (None, rest) => (false, rest.unwrap_or(page).trim_end_matches('/')),
    };
    let (host, port) = split(authority, if encrypted { 443 } else { 80 });
    let stream = TcpStream::connect((host.trim_matches(['[', ']']), port))
        .await
        .map_err(|error| said(&error))?;
    let stream: Box<dyn Stream> = if encrypted {
        let fingerprint = fingerprint.ok_or("the bridge does not report its certificate")?;
        let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).map_err(|error| said(&error))?;
        let connector = TlsConnector::from(Arc::new(config(fingerprint).map_err(|error| said(&error))?));
        Box::new(connector.connect(name, stream).await.map_err(|error| said(&error))?)
    } else {
        Box::new(stream)
    };
    let scheme = if encrypted { "wss" } else { "ws" };
    let request = format!("{scheme}://{authority}/ws").into_client_request();
    let mut request = request.map_err(|error| said(&error))?;
    let token = format!("Bearer {token}").parse();
    let token = token.map_err(|_| "the token cannot be sent".to_owned())?;
    request.headers_mut().insert("authorization", token);
    let (socket, _) = client_async(request, stream).await.map_err(|error| said(&error))?;
    Ok(socket)
}

/// Host and port of `host:port`, `[::1]:port` or a host alone.
fn split(authority: &str, usual: u16) -> (&str, u16) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().unwrap_or(usual)),
        _ => (authority, usual),
    }
}

fn config(fingerprint: &str) -> Result<ClientConfig, Error> {
    let provider = Arc::new(crypto::ring::default_provider());
    let pinned = Pinned {
        fingerprint: fingerprint.to_owned(),
        provider: Arc::clone(&provider),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(pinned))
        .with_no_client_auth();
    Ok(config)
}

/// Takes one certificate, whatever it says about itself.
#[derive(Debug)]
struct Pinned {
    fingerprint: String,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if hash(end_entity) == self.fingerprint {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::General("the certificate is not that of the bridge".to_owned()))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        crypto::verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

/// As the bridge writes it.
fn hash(certificate: &CertificateDer<'_>) -> String {
    let pairs: Vec<String> = Sha256::digest(certificate.as_ref())
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    pairs.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        assert_eq!(split("127.0.0.1:4717", 80), ("127.0.0.1", 4717));
        assert_eq!(split("[::1]:4717", 80), ("[::1]", 4717));
        assert_eq!(split("[::1]", 443), ("[::1]", 443));
        assert_eq!(split("shop.example", 443), ("shop.example", 443));
    }

    #[test]
    fn only_the_certificate_that_was_named_is_taken() {
        let certificate = CertificateDer::from(b"certificate".to_vec());
        let name = ServerName::try_from("localhost").unwrap();
        let verify = |fingerprint: String| {
            let provider = Arc::new(crypto::ring::default_provider());
            Pinned { fingerprint, provider }.verify_server_cert(&certificate, &[], &name, &[], UnixTime::now())
        };
        assert!(verify(hash(&certificate)).is_ok());
        assert!(verify("00:11".to_owned()).is_err());
    }
}
