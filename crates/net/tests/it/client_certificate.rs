//! Client certificates, tested with a server that requires one.

use std::sync::Arc;

use sluice_net::{ClientCertificate, ClientCertificateError, Network};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

const ROOT: &str = include_str!("tls/root.pem");
const SERVER: &str = include_str!("tls/server.pem");
const SERVER_KEY: &str = include_str!("tls/server-key.pem");
const CLIENT: &str = include_str!("tls/client.pem");
const CLIENT_KEY: &str = include_str!("tls/client-key.pem");
const ENCRYPTED_KEY: &str = include_str!("tls/client-key-encrypted.pem");

fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}

/// Returns an acceptor that requires a client certificate signed by the test root.
fn acceptor() -> TlsAcceptor {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(certificate(ROOT)).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let builder = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap());
    let key = PrivateKeyDer::from_pem_slice(SERVER_KEY.as_bytes()).unwrap();
    let config = builder.with_single_cert(vec![certificate(SERVER)], key).unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Sends one request. Returns the response, and the certificate that the server received.
async fn request(client: Option<ClientCertificate>) -> (Result<String, reqwest::Error>, Option<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = async {
        let (socket, _) = listener.accept().await.unwrap();
        let mut socket = acceptor().accept(socket).await.ok()?;
        let seen = socket.get_ref().1.peer_certificates()?.first()?.to_vec();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(socket.read_u8().await.ok()?);
        }
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
        socket.write_all(answer).await.ok()?;
        socket.shutdown().await.ok()?;
        Some(seen)
    };
    let network = Network {
        extra_roots: Some(ROOT.to_owned()),
        client_certificate: client,
        ..Network::default()
    };
    let http = network.builder(true).unwrap().build().unwrap();
    let client = async { http.get(format!("https://{address}/")).send().await?.text().await };
    let (seen, answer) = tokio::join!(server, client);
    (answer, seen)
}

#[tokio::test]
async fn a_server_that_requests_a_certificate_gets_it() {
    let client = ClientCertificate::from_pem(CLIENT, CLIENT_KEY).unwrap();
    let (answer, seen) = request(Some(client)).await;
    assert_eq!(answer.unwrap(), "hello");
    assert_eq!(seen.as_deref(), Some(certificate(CLIENT).as_ref()));
}

#[tokio::test]
async fn the_server_does_not_respond_without_a_certificate() {
    let (answer, seen) = request(None).await;
    assert!(answer.is_err(), "{answer:?}");
    assert_eq!(seen, None);
}

#[test]
fn one_file_can_contain_certificate_and_key() {
    let both = format!("{CLIENT}{CLIENT_KEY}");
    assert!(ClientCertificate::from_pem(&both, &both).is_ok());
}

#[test]
fn errors_name_the_environment_variable() {
    use ClientCertificateError as Error;
    for (certificate, key, why) in [
        ("", CLIENT_KEY, Error::NoCertificate),
        (CLIENT_KEY, CLIENT_KEY, Error::NoCertificate),
        (CLIENT, "", Error::NoKey),
        (CLIENT, CLIENT, Error::NoKey),
        (CLIENT, ENCRYPTED_KEY, Error::EncryptedKey),
        (CLIENT, SERVER_KEY, Error::Mismatch),
    ] {
        let error = ClientCertificate::from_pem(certificate, key).unwrap_err();
        assert_eq!(error, why);
        assert!(error.to_string().starts_with("CLAUDE_CODE_CLIENT_"), "{error}");
    }
    let damaged = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
    let error = ClientCertificate::from_pem(damaged, CLIENT_KEY).unwrap_err();
    assert!(matches!(error, Error::Certificate(_)), "{error:?}");
    let damaged = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let error = ClientCertificate::from_pem(CLIENT, damaged).unwrap_err();
    assert!(matches!(error, Error::Key(_)), "{error:?}");
}

#[test]
fn debug_output_does_not_contain_the_key() {
    let client = ClientCertificate::from_pem(CLIENT, CLIENT_KEY).unwrap();
    assert_eq!(format!("{client:?}"), "ClientCertificate { .. }");
}
