//! https: certificates are checked, and http URLs are upgraded.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::*;

/// Test certificate authority of the workspace; its certificate is valid for `localhost` and 127.0.0.1.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../model/tests/it/tls/", $name))
    };
}

/// Starts a server that sends the same response to every request.
async fn serve() -> u16 {
    let cert = CertificateDer::from_pem_slice(fixture!("cert.pem").as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(fixture!("key.pem").as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(socket).await {
                let mut head = [0; 4096];
                if stream.read(&mut head).await.unwrap_or(0) == 0 {
                    continue;
                }
                let page = format!("HTTP/1.1 {}", page("text/plain", "in private"));
                stream.write_all(page.as_bytes()).await.ok();
                stream.shutdown().await.ok();
            }
        }
    });
    port
}

#[tokio::test]
async fn a_page_needs_a_trusted_certificate() {
    let port = serve().await;
    let url = |host: &str| Url::parse(&format!("https://{host}:{port}/")).unwrap();
    let (trusting, _) = web_with(WebConfig {
        extra_roots: Some(fixture!("root.pem").to_owned()),
        ..WebConfig::default()
    });
    assert_eq!(text(&trusting, url("localhost")).await, "in private");
    // the certificate does not contain this name
    let wrong = trusting.fetch(url("page.test")).await;
    assert!(matches!(wrong, Err(Trouble::Connection(_))), "{wrong:?}");
    // the certificate is not trusted; without any root certificates the client cannot connect at all
    let (stranger, _) = web();
    let unknown = stranger.fetch(url("localhost")).await;
    assert!(
        matches!(unknown, Err(Trouble::Connection(_) | Trouble::Client(_))),
        "{unknown:?}"
    );
}
