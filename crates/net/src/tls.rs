//! TLS configuration. Only this module selects the cryptography.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::ClientCertificate;

/// Returns the configuration for https: the root certificates of the system, the given ones, and the client
/// certificate. Reading the system's certificates takes milliseconds and megabytes, so this is only called if needed.
pub(super) fn with_roots(
    extra: Option<&str>,
    client: Option<&ClientCertificate>,
) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let extra = extra.unwrap_or_default().as_bytes();
    let extra: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(extra)
        .collect::<Result<_, _>>()
        .map_err(|error| rustls::Error::General(format!("extra certificates: {error}")))?;
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(&provider))?;
    let config = builder(provider)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(with_alpn(match client {
        Some(client) => config.with_client_cert_resolver(client.resolver()),
        None => config.with_no_client_auth(),
    }))
}

/// Returns the configuration for a client that only uses plain http. It trusts no certificate.
pub(super) fn without_roots() -> Result<ClientConfig, rustls::Error> {
    let config = builder(Arc::new(ring::default_provider()))?.with_root_certificates(RootCertStore::empty());
    Ok(with_alpn(config.with_no_client_auth()))
}

fn builder(
    provider: Arc<CryptoProvider>,
) -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

fn with_alpn(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
