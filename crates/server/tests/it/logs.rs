//! The log contains events, but no contents or secrets.

use std::io;
use std::sync::{Arc, Mutex};

use sluice_server::Scope;
use tracing_subscriber::fmt::MakeWriter;

use crate::house::House;
use crate::raw::{get, handshake, post, send};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn nothing_secret_is_ever_logged() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .with_ansi(false)
        .finish();
    // The runtime of this test uses only the current thread.
    let _guard = tracing::subscriber::set_default(subscriber);
    let house = House::open().await;
    let offer = house.access.offer(Some(Scope::Admin));
    house.post_code("WRNG-CDEX").await;
    let paired = house.post_code(&offer.code).await;
    let cookie = paired
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let token = house.token(Scope::Admin).await;
    let port = house.port;
    for request in [
        get("/?token=QUERYSECRET"),
        get("/PATHSECRET/x"),
        get("/metrics").with("Authorization", "Bearer WRONGTOKEN"),
        get("/metrics").with("Authorization", &token),
        get("/metrics").with("Cookie", "sluice=WRONGCOOKIE"),
        get("/api/sessions/SESSIONNAME/export.md?q=QUERYSECRET").with("Authorization", &token),
        get("/").with("Host", "HOSTSECRET.test"),
        get("/").with("Origin", "http://ORIGINSECRET.test"),
        get("/")
            .with("Referer", "http://REFERERSECRET.test")
            .with("User-Agent", "AGENTSECRET"),
        post("/api/pair", "application/json", "{\"code\":\"BODYSECRET").with("Origin", &house.origin()),
        post("/api/upload", "image/png", "BODYSECRET").with("Authorization", &token),
        handshake("/ws?key=QUERYSECRET").with("Authorization", &token),
        house.as_page(get("/metrics")).with("Cookie", &cookie),
    ] {
        request.send(port).await;
    }
    send(port, b"GARBAGESECRET\0\r\n\r\n").await;
    send(port, b"METHODSECRET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    house.running.stop(std::time::Duration::from_secs(20)).await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for expected in [
        "a device was paired",
        "a request was refused",
        "reason=\"host\"",
        "a socket opened",
        "listening",
    ] {
        assert!(text.contains(expected), "{expected:?} is not in\n{text}");
    }
    let secrets = [
        offer.code.as_str(),
        &offer.code.replace('-', ""),
        "WRNG",
        cookie.split_once('=').unwrap().1,
        token.split_once(' ').unwrap().1,
        "WRONGTOKEN",
        "WRONGCOOKIE",
        "SESSIONNAME",
        "SECRET",
    ];
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} is in\n{text}");
    }
}
