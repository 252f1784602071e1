//! HTTPS: certificates are verified and HTTP/2 is offered.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use sluice_model::{Auth, Client, Config, Failure};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::server::TlsStream;

use crate::server::{good, request, serve};

const ROOT: &str = include_str!("tls/root.pem");

/// Accepts TLS connections and negotiates `protocol`.
struct Secure {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Secure {
    async fn start(protocol: &str) -> Self {
        let cert = CertificateDer::from_pem_slice(include_bytes!("tls/cert.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_slice(include_bytes!("tls/key.pem")).unwrap();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth();
        let mut config = builder.with_single_cert(vec![cert], key).unwrap();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            listener,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        }
    }

    fn client(&self, roots: Option<&str>) -> Client {
        let port = self.listener.local_addr().unwrap().port();
        let mut config = Config::new(format!("https://127.0.0.1:{port}"), Auth::ApiKey("key".into()));
        config.network.extra_roots = roots.map(str::to_owned);
        Client::new(config).unwrap()
    }

    async fn accept(&self) -> std::io::Result<TlsStream<TcpStream>> {
        let (socket, _) = self.listener.accept().await?;
        self.acceptor.accept(socket).await
    }
}

#[tokio::test]
async fn stream_works_over_a_trusted_connection() {
    let secure = Secure::start("http/1.1").await;
    let client = secure.client(Some(ROOT));
    let replies = Arc::new(Mutex::new(VecDeque::from([good()])));
    let (sender, mut seen) = mpsc::unbounded_channel();
    let server = async { serve(secure.accept().await.unwrap(), 0, replies, sender).await };
    let reading = async {
        let mut stream = client.stream(&request()).await.unwrap();
        let mut count = 0;
        while stream.next().await.unwrap().is_some() {
            count += 1;
        }
        count
    };
    let count = tokio::select! {
        count = reading => count,
        () = server => panic!("the server ended first"),
    };
    assert_eq!(count, 8);
    assert!(
        seen.recv()
            .await
            .unwrap()
            .head
            .starts_with("POST /v1/messages HTTP/1.1")
    );
}

#[tokio::test]
async fn http_2_is_used_if_the_server_offers_it() {
    let secure = Secure::start("h2").await;
    let client = secure.client(Some(ROOT));
    let request = request();
    let server = async {
        let mut socket = secure.accept().await.unwrap();
        assert_eq!(socket.get_ref().1.alpn_protocol(), Some(b"h2".as_slice()));
        let mut preface = [0; 24];
        socket.read_exact(&mut preface).await.unwrap();
        preface
    };
    let (preface, answer) = tokio::join!(server, client.stream(&request));
    assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(answer.is_err());
}

#[tokio::test]
async fn unknown_certificate_is_not_trusted() {
    let secure = Secure::start("http/1.1").await;
    let client = secure.client(None);
    let request = request();
    let (_refused, answer) = tokio::join!(secure.accept(), client.stream(&request));
    let failure = answer.unwrap_err();
    assert!(matches!(&failure, Failure::Connect { .. }), "{failure:?}");
}
