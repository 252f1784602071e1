//! The client certificate for servers and proxies that request one (mTLS).

use std::sync::Arc;

use rustls::client::ResolvesClientCert;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};

/// The environment variable for the file with the certificate and its intermediate certificates.
pub const CLIENT_CERT: &str = "CLAUDE_CODE_CLIENT_CERT";
/// The environment variable for the file with the private key.
pub const CLIENT_KEY: &str = "CLAUDE_CODE_CLIENT_KEY";

/// A certificate chain and its private key. The certificate is only sent to servers that request one.
#[derive(Clone)]
pub struct ClientCertificate(Arc<CertifiedKey>);

// Keeps the key out of logs.
impl std::fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientCertificate").finish_non_exhaustive()
    }
}

/// Why a client certificate cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClientCertificateError {
    /// The first file contains no certificate.
    #[error("{CLIENT_CERT}: the file has no certificate in PEM form (-----BEGIN CERTIFICATE-----)")]
    NoCertificate,
    /// No file contains a key.
    #[error(
        "{CLIENT_KEY}: no private key in PEM form (-----BEGIN PRIVATE KEY-----) in the file it names, \
         or in that of {CLIENT_CERT} if it is not set"
    )]
    NoKey,
    /// The key is encrypted.
    #[error(
        "{CLIENT_KEY}: the private key is encrypted, which is not supported (nor is {CLIENT_KEY}_PASSPHRASE)\n\
         hint: decrypt it into a file only you can read: (umask 077; openssl pkey -in KEY.pem -out PLAIN.pem)"
    )]
    EncryptedKey,
    /// The type of the key is not supported.
    #[error("{CLIENT_KEY}: the private key cannot be used: {0}")]
    Key(String),
    /// The certificate belongs to another key.
    #[error("{CLIENT_CERT} and {CLIENT_KEY} do not belong together: the certificate is for another key")]
    Mismatch,
    /// The certificate is invalid.
    #[error("{CLIENT_CERT}: the certificate cannot be used: {0}")]
    Certificate(String),
}

impl ClientCertificate {
    /// Parses the certificate chain and the key in PEM format. If one file contains both, its text is passed twice.
    ///
    /// # Errors
    /// If one of them is missing or invalid, or they do not belong together.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, ClientCertificateError> {
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| ClientCertificateError::Certificate(error.to_string()))?;
        if chain.is_empty() {
            return Err(ClientCertificateError::NoCertificate);
        }
        // PKCS#8 marks encryption in the first line, older formats in the second.
        if key.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") || key.contains("Proc-Type: 4,ENCRYPTED") {
            return Err(ClientCertificateError::EncryptedKey);
        }
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|error| match error {
            rustls::pki_types::pem::Error::NoItemsFound => ClientCertificateError::NoKey,
            error => ClientCertificateError::Key(error.to_string()),
        })?;
        let key = ring::sign::any_supported_type(&key).map_err(|error| ClientCertificateError::Key(plain(&error)))?;
        let certified = CertifiedKey::new(chain, key);
        match certified.keys_match() {
            // For some keys this cannot be determined.
            Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => {
                Ok(Self(Arc::new(certified)))
            }
            Err(rustls::Error::InconsistentKeys(_)) => Err(ClientCertificateError::Mismatch),
            Err(error) => Err(ClientCertificateError::Certificate(plain(&error))),
        }
    }

    /// Returns the certificate in the form that rustls needs.
    pub(crate) fn resolver(&self) -> Arc<dyn ResolvesClientCert> {
        Arc::new(SingleCertAndKey::from(Arc::clone(&self.0)))
    }
}

fn plain(error: &rustls::Error) -> String {
    match error {
        rustls::Error::General(text) => text.clone(),
        error => error.to_string(),
    }
}
