//! Transport security towards web pages.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};

/// For https: the system's roots and the given ones. Reading them takes a while, hence only when needed.
pub(super) fn with_roots(extra: Option<&str>) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let extra: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(extra.unwrap_or_default().as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| rustls::Error::General(format!("extra certificates: {error}")))?;
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(&provider))?;
    let config = builder(provider)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    Ok(negotiating(config.with_no_client_auth()))
}

/// For plain http: trusts nobody.
pub(super) fn without_roots() -> Result<ClientConfig, rustls::Error> {
    let config = builder(Arc::new(ring::default_provider()))?.with_root_certificates(RootCertStore::empty());
    Ok(negotiating(config.with_no_client_auth()))
}

fn builder(provider: Arc<CryptoProvider>) -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

fn negotiating(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
