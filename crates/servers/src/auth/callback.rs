//! The OAuth callback: a listener on this machine to which the browser is redirected after a sign-in.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How long a browser may take to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of a request head in bytes.
const MAX_REQUEST: usize = 16 << 10;

/// Serves requests until `finish` accepts one. Any other request is answered with an error and has no effect.
pub(super) async fn serve<F, T>(listener: &TcpListener, finish: F)
where
    F: Fn(String) -> T,
    T: Future<Output = Result<(), String>>,
{
    loop {
        let Ok((mut stream, _)) = listener.accept().await else {
            return;
        };
        let Ok(Some(target)) = tokio::time::timeout(REQUEST_TIMEOUT, target(&mut stream)).await else {
            continue;
        };
        if !target.starts_with("/callback") {
            respond(&mut stream, "404 Not Found", "Not found.").await;
            continue;
        }
        match finish(format!("http://localhost{target}")).await {
            Ok(()) => {
                respond(&mut stream, "200 OK", "You are signed in. You can close this page.").await;
                return;
            }
            Err(error) => respond(&mut stream, "400 Bad Request", &error).await,
        }
    }
}

/// Reads the target (path and query) of a GET request.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(2).any(|pair| pair == b"\r\n") {
        let mut piece = [0; 1024];
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        head.extend_from_slice(piece.get(..count)?);
        if head.len() > MAX_REQUEST {
            return None;
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut words = head.lines().next()?.split(' ');
    (words.next() == Some("GET")).then(|| words.next().map(str::to_owned))?
}

async fn respond(stream: &mut TcpStream, status: &str, text: &str) {
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(answer.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}
