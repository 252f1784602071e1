//! Certificates: from files, or self-signed and stored.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, KeyUsagePurpose, date_time_ymd};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;

use crate::private;

/// Source of the certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsOptions {
    /// Self-signed, stored in the state folder.
    SelfMade,
    /// PEM files.
    Given { certificate: PathBuf, key: PathBuf },
}

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{}: {detail}\nhint: --tls-cert takes a PEM file with the certificate and those above it, --tls-key its key", .path.display())]
    File { path: PathBuf, detail: String },
    #[error("the certificate and the key do not work together: {0}")]
    Pair(#[from] rustls::Error),
    #[error("no certificate could be made: {0}")]
    Make(#[from] rcgen::Error),
    #[error("the certificate could not be kept in {}: {error}", .path.display())]
    Keep { path: PathBuf, error: io::Error },
}

/// The current certificate. A certificate from files is reloaded when they change.
#[derive(Clone)]
pub(crate) struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    current: Arc<Mutex<Current>>,
}

struct Current {
    loaded: Loaded,
    stamp: Stamp,
    /// Time of the last check of the files.
    looked: Instant,
}

struct Loaded {
    acceptor: TlsAcceptor,
    /// SHA-256 of the certificate, in pairs of hexadecimal digits.
    fingerprint: String,
}

/// Length, inode and modification time of both files, to detect replacements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stamp([(u64, u64, i64, i64); 2]);

/// Minimum interval between two checks of the certificate files.
const MIN_CHECK_INTERVAL: Duration = Duration::from_secs(5);

impl Tls {
    fn load(certificate: PathBuf, key: PathBuf) -> Result<Self, TlsError> {
        let current = Current {
            stamp: Stamp::of(&certificate, &key),
            loaded: Loaded::read(&certificate, &key)?,
            looked: Instant::now(),
        };
        Ok(Self {
            certificate,
            key,
            current: Arc::new(Mutex::new(current)),
        })
    }

    /// Returns the TLS acceptor for the next connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        // The value is consistent between statements.
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.looked.elapsed() >= MIN_CHECK_INTERVAL {
            current.looked = Instant::now();
            self.reload(&mut current);
        }
        current.loaded.acceptor.clone()
    }

    /// Reloads changed files. While certificate and key do not match, the current certificate is kept.
    fn reload(&self, current: &mut Current) {
        let stamp = Stamp::of(&self.certificate, &self.key);
        if stamp == current.stamp {
            return;
        }
        match Loaded::read(&self.certificate, &self.key) {
            Ok(loaded) => {
                tracing::info!(fingerprint = loaded.fingerprint, "the certificate was reloaded");
                current.loaded = loaded;
                current.stamp = stamp;
            }
            Err(error) => tracing::warn!(%error, "the new certificate cannot be used; the old one stays"),
        }
    }

    pub(crate) fn fingerprint(&self) -> String {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.loaded.fingerprint.clone()
    }
}

impl Stamp {
    fn of(certificate: &Path, key: &Path) -> Self {
        let stamp = |path: &Path| {
            let about = fs::metadata(path).ok()?;
            Some((about.len(), about.ino(), about.mtime(), about.mtime_nsec()))
        };
        Self([certificate, key].map(|path| stamp(path).unwrap_or_default()))
    }
}

const VALIDITY_DAYS: i64 = 397;
/// Minimum remaining validity of a self-signed certificate in days; otherwise it is renewed.
const MIN_REMAINING_DAYS: i64 = 30;

/// Stored next to a self-signed certificate: its names and expiry.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct About {
    names: BTreeSet<String>,
    /// Seconds since 1970.
    until: i64,
}

/// Loads or creates a certificate; `names` are those of a self-signed one.
pub(crate) fn prepare(options: &TlsOptions, folder: &Path, names: BTreeSet<String>) -> Result<Tls, TlsError> {
    let (certificate, key) = match options {
        TlsOptions::Given { certificate, key } => (certificate.clone(), key.clone()),
        TlsOptions::SelfMade => {
            let folder = folder.join("tls");
            let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));
            let about = folder.join("about.json");
            if !is_current(&about, &names) || !certificate.is_file() || !key.is_file() {
                make(&certificate, &key, &about, names)?;
            }
            (certificate, key)
        }
    };
    Tls::load(certificate, key)
}

impl Loaded {
    fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let problem = |path: &Path, detail: &dyn std::fmt::Display| TlsError::File {
            path: path.to_owned(),
            detail: detail.to_string(),
        };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| problem(certificate, &error))?;
        let first = chain
            .first()
            .ok_or_else(|| problem(certificate, &"it holds no certificate"))?;
        let fingerprint = fingerprint(first);
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| problem(key, &error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, private)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            fingerprint,
        })
    }
}

fn is_current(about: &Path, names: &BTreeSet<String>) -> bool {
    let kept: Option<About> = fs::read(about).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let now = jiff::Timestamp::now().as_second();
    kept.is_some_and(|kept| names.is_subset(&kept.names) && kept.until - now > MIN_REMAINING_DAYS * 24 * 3600)
}

fn make(certificate: &Path, key: &Path, about: &Path, names: BTreeSet<String>) -> Result<(), TlsError> {
    let now = jiff::Timestamp::now().as_second();
    let until = now + VALIDITY_DAYS * 24 * 3600;
    let mut params = CertificateParams::new(names.iter().cloned().collect::<Vec<_>>())?;
    params
        .distinguished_name
        .push(DnType::CommonName, "sluice on this machine");
    // Valid from yesterday, because clocks differ.
    let (year, month, day) = date(now - 24 * 3600);
    params.not_before = date_time_ymd(year, month, day);
    let (year, month, day) = date(until);
    params.not_after = date_time_ymd(year, month, day);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let pair = KeyPair::generate()?;
    let made = params.self_signed(&pair)?;
    let about_text = serde_json::json!(About { names, until }).to_string();
    let texts = [
        (key, pair.serialize_pem()),
        (certificate, made.pem()),
        (about, about_text),
    ];
    for (path, text) in texts {
        write_private(path, text.as_bytes()).map_err(|error| TlsError::Keep {
            path: path.to_owned(),
            error,
        })?;
    }
    Ok(())
}

fn date(seconds: i64) -> (i32, u8, u8) {
    let date = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::from_second(seconds).unwrap_or_default());
    let number = |value: i8| u8::try_from(value).unwrap_or(1);
    (i32::from(date.year()), number(date.month()), number(date.day()))
}

fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        private::create_folder(folder)?;
    }
    let draft = path.with_extension("new");
    private::write(&draft, text)?.sync_all()?;
    fs::rename(&draft, path)
}

fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    let pairs: Vec<String> = Sha256::digest(certificate.as_ref())
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    pairs.join(":")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_self_signed_certificate_is_kept_until_a_name_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let made = |wanted: &[&str]| {
            prepare(&TlsOptions::SelfMade, folder.path(), names(wanted))
                .unwrap()
                .fingerprint()
        };
        let first = made(&["localhost", "127.0.0.1", "::1"]);
        assert_eq!(first.len(), 32 * 3 - 1);
        assert_eq!(made(&["localhost"]), first);
        assert_ne!(made(&["localhost", "box.example"]), first);
        let mode = |name: &str| {
            fs::metadata(folder.path().join("tls").join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(mode("key.pem"), 0o600);
        assert_eq!(mode(""), 0o700);
    }

    #[test]
    fn a_given_certificate_that_is_replaced_is_used_and_a_broken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        let renew = || make(&certificate, &key, &folder.path().join("about"), names(&["localhost"])).unwrap();
        renew();
        let tls = Tls::load(certificate.clone(), key.clone()).unwrap();
        let reload = || tls.reload(&mut tls.current.lock().unwrap());
        let first = tls.fingerprint();
        reload();
        assert_eq!(tls.fingerprint(), first);
        fs::write(&certificate, "half a file").unwrap();
        reload();
        assert_eq!(tls.fingerprint(), first);
        renew();
        reload();
        assert_ne!(tls.fingerprint(), first);
    }

    #[test]
    fn an_expiring_certificate_is_renewed() {
        let folder = tempfile::tempdir().unwrap();
        let about = folder.path().join("about.json");
        let now = jiff::Timestamp::now().as_second();
        let write = |days: i64| {
            let about_text = serde_json::json!(About {
                names: names(&["localhost"]),
                until: now + days * 24 * 3600
            });
            fs::write(&about, about_text.to_string()).unwrap();
        };
        write(MIN_REMAINING_DAYS + 1);
        assert!(is_current(&about, &names(&["localhost"])));
        write(MIN_REMAINING_DAYS - 1);
        assert!(!is_current(&about, &names(&["localhost"])));
    }

    #[test]
    fn files_that_are_none_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("c.pem"), folder.path().join("k.pem"));
        let given = TlsOptions::Given {
            certificate: certificate.clone(),
            key,
        };
        let error = |given: &TlsOptions| prepare(given, folder.path(), names(&[])).err().unwrap().to_string();
        assert!(error(&given).contains("c.pem"));
        fs::write(&certificate, "no certificate").unwrap();
        assert!(error(&given).contains("it holds no certificate"));
    }
}
