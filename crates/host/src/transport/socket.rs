//! An agent behind a socket: a runner that owns its pipes.

use std::path::PathBuf;

use tokio::net::TcpStream;

use super::{BoxFuture, Link, Start, Transport};
use crate::error::Error;

/// An agent behind a socket. The runner at the other end passes its lines on as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketTransport {
    /// A socket of the file system.
    Unix(PathBuf),
    /// A host and a port.
    Tcp(String),
}

impl SocketTransport {
    /// A socket of the file system.
    pub fn unix(path: impl Into<PathBuf>) -> Self {
        Self::Unix(path.into())
    }

    /// A host and a port, such as `127.0.0.1:7000`.
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
                Ok(behind(read, write))
            }
            #[cfg(not(unix))]
            Self::Unix(path) => Err(Error::new(
                crate::ErrorKind::Start,
                format!("{}: there are no such sockets here", path.display()),
            )),
            Self::Tcp(address) => {
                let stream = TcpStream::connect(address)
                    .await
                    .map_err(|error| Error::start(address, &error))?;
                // Lines are small and wait for each other.
                stream
                    .set_nodelay(true)
                    .map_err(|error| Error::start(address, &error))?;
                let (read, write) = stream.into_split();
                Ok(behind(read, write))
            }
        }
    }
}

/// The runner keeps the agent when a connection is lost.
fn behind(
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
