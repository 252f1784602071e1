//! Transport security towards web pages: the system's roots and the given ones.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

pub(super) fn config(extra: Option<&str>) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let extra: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(extra.unwrap_or_default().as_bytes())
        .collect::<Result<_, _>>()
        .map_err(|error| rustls::Error::General(format!("extra certificates: {error}")))?;
    let verifier = rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(&provider))?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
