//! Commands that connect to the test when they start and end on its signal, so that tests need no delays.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A listener to which commands connect.
pub(crate) struct Bell {
    listener: TcpListener,
}

impl Bell {
    pub(crate) async fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { listener }
    }

    /// A bash command that connects, waits for a line, and prints it.
    pub(crate) fn command(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo $$ >&3; read -r line <&3; echo \"$line\"")
    }

    /// Waits until a command connects.
    pub(crate) async fn connected(&self) -> Caller {
        let (stream, _) = self.listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut pid = String::new();
        stream.read_line(&mut pid).await.unwrap();
        Caller {
            stream,
            pid: pid.trim().parse().unwrap(),
        }
    }
}

/// A command that has connected.
pub(crate) struct Caller {
    stream: BufReader<TcpStream>,
    /// Process id of the shell.
    pub(crate) pid: u32,
}

impl Caller {
    /// Makes the command print a line and end.
    pub(crate) async fn finish(mut self, line: &str) {
        self.stream
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Waits until the command and its children have ended.
    pub(crate) async fn ended(&mut self) {
        let mut rest = Vec::new();
        // A connection reset also means the end.
        let _either = self.stream.read_to_end(&mut rest).await;
    }

    /// True while the process exists.
    pub(crate) fn is_running(&self) -> bool {
        let asked = std::process::Command::new("kill")
            .args(["-0", &self.pid.to_string()])
            .stderr(std::process::Stdio::null())
            .status();
        asked.unwrap().success()
    }
}
