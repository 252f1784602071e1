//! TLS with a self-signed certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use sha2::{Digest, Sha256};
use sluice_server::TlsOptions;
use tokio::io::AsyncWriteExt;

use crate::house::{House, options};
use crate::raw::{Request, Response, connect, ends, get, post, read};

/// Accepts only the certificate with the fingerprint shown in the terminal.
#[derive(Debug)]
struct ByFingerprint(String);

impl ServerCertVerifier for ByFingerprint {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let pairs: Vec<String> = Sha256::digest(certificate.as_ref())
            .iter()
            .map(|byte| format!("{byte:02X}"))
            .collect();
        if pairs.join(":") == self.0 {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::General("another certificate".to_owned()))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let provider = rustls::crypto::ring::default_provider();
        rustls::crypto::verify_tls12_signature(
            message,
            certificate,
            signature,
            &provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let provider = rustls::crypto::ring::default_provider();
        rustls::crypto::verify_tls13_signature(
            message,
            certificate,
            signature,
            &provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider()
            .signature_verification_algorithms
            .supported_schemes()
    }
}

async fn send(house: &House, request: &Request) -> Response {
    let fingerprint = house.running.fingerprint().unwrap().to_owned();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(ByFingerprint(fingerprint)))
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = connector.connect(name, connect(house.port).await).await.unwrap();
    stream.write_all(&request.bytes(house.port)).await.unwrap();
    read(&mut stream, false).await.unwrap()
}

async fn house() -> House {
    let mut options = options();
    options.listen.tls = Some(TlsOptions::SelfMade);
    options.listen.hosts = vec!["box.example".to_owned()];
    House::with(options).await
}

#[tokio::test]
async fn the_self_signed_certificate_has_the_shown_fingerprint() {
    let house = house().await;
    assert!(house.running.urls().iter().all(|url| url.starts_with("https://")));
    let health = send(&house, &get("/api/health")).await;
    assert_eq!(health.status, 200);
    assert_eq!(health.header("strict-transport-security"), Some("max-age=31536000"));
    let local = get("/api/health").with("Host", &format!("localhost:{}", house.port));
    let local = send(&house, &local).await;
    assert_eq!((local.status, local.header("strict-transport-security")), (200, None));
}

#[tokio::test]
async fn under_tls_the_cookie_is_bound_to_it() {
    let house = house().await;
    let offer = house.access.offer(None);
    let body = serde_json::json!({"code": offer.code, "device": "phone"}).to_string();
    let origin = format!("https://127.0.0.1:{}", house.port);
    let pair = post("/api/pair", "application/json", body).with("Origin", &origin);
    let paired = send(&house, &pair).await;
    let cookie = paired.header("set-cookie").unwrap();
    assert!(
        cookie.starts_with("__Host-sluice=") && cookie.ends_with("; Secure"),
        "{cookie}"
    );
    let secret = cookie.split(';').next().unwrap();
    let metrics = get("/metrics").with("Origin", &origin);
    assert_eq!(send(&house, &metrics.clone().with("Cookie", secret)).await.status, 200);
    let renamed = secret.strip_prefix("__Host-").unwrap();
    assert_eq!(send(&house, &metrics.with("Cookie", renamed)).await.status, 401);
    let plain = get("/metrics").with("Origin", &house.origin()).with("Cookie", secret);
    assert_eq!(send(&house, &plain).await.code(), "origin");
}

#[tokio::test]
async fn plain_http_at_the_tls_port_gets_no_answer_from_behind_it() {
    let house = house().await;
    let mut stream = connect(house.port).await;
    stream.write_all(&get("/api/health").bytes(house.port)).await.unwrap();
    let mut bytes = Vec::new();
    // An alert may be received first.
    tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes).await.ok();
    assert!(!String::from_utf8_lossy(&bytes).contains("HTTP/1.1"));
}

#[tokio::test]
async fn a_stalled_handshake_times_out() {
    let mut impatient = options();
    impatient.listen.tls = Some(TlsOptions::SelfMade);
    impatient.limits.tls_handshake = std::time::Duration::from_millis(100);
    let house = House::with(impatient).await;
    let mut stream = connect(house.port).await;
    stream.write_all(b"\x16\x03\x01").await.unwrap();
    assert!(ends(&mut stream).await);
}
