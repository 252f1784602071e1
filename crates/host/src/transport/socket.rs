//! Agents behind a socket, connected to a runner that owns their pipes.

use std::path::PathBuf;

use tokio::net::TcpStream;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

/// A transport to an agent behind a socket. The runner at the other end forwards lines unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketTransport {
    /// The path of a Unix socket.
    Unix(PathBuf),
    /// Host and port.
    Tcp(String),
}

impl SocketTransport {
    /// Creates a transport over the Unix socket at this path.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::Unix(path.into())
    }

    /// Creates a transport to a host and port, such as `127.0.0.1:7000`.
    pub fn tcp(address: impl Into<String>) -> Self {
        Self::Tcp(address.into())
    }

    async fn open(&self) -> Result<Link, Error> {
        match self {
            #[cfg(unix)]
            Self::Unix(path) => {
                let stream = tokio::net::UnixStream::connect(path)
                    .await
                    .map_err(|error| Error::start(path.display(), &error))?;
                let (read, write) = stream.into_split();
                Ok(runner_link(read, write))
            }
            #[cfg(not(unix))]
            Self::Unix(path) => Err(Error::new(
                crate::ErrorKind::Start,
                format!("{}: Unix sockets are not supported on this system", path.display()),
            )),
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address)
                    .await
                    .map_err(|error| Error::start(address, &error))?;
                // Lines are small, and delaying them would delay the conversation.
                stream
                    .set_nodelay(true)
                    .map_err(|error| Error::start(address, &error))?;
                let (read, write) = stream.into_split();
                Ok(runner_link(read, write))
            }
        }
    }
}

/// Returns a link to a runner, which keeps the agent when the connection is lost.
fn runner_link(
    read: impl tokio::io::AsyncRead + Send + Unpin + 'static,
    write: impl tokio::io::AsyncWrite + Send + Unpin + 'static,
) -> Link {
    Link {
        outlives: true,
        ..Link::bytes(read, write)
    }
}

impl Transport for SocketTransport {
    fn connect(&self, _: Start) -> BoxFuture<'_, Result<Link, Error>> {
        Box::pin(self.open())
    }
}
