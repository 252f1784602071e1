//! Commands that tell the test when they run, and wait until they are let go: no test has to guess.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Where commands ring.
pub(crate) struct Bell {
    listener: TcpListener,
}

impl Bell {
    pub(crate) async fn hang() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { listener }
    }

    /// A command for bash: it rings, waits for a line and prints it.
    pub(crate) fn command(&self) -> String {
        let port = self.listener.local_addr().unwrap().port();
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo $$ >&3; read -r line <&3; echo \"$line\"")
    }

    /// Waits until a command rings.
    pub(crate) async fn rung(&self) -> Caller {
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

/// A command that has rung.
pub(crate) struct Caller {
    stream: BufReader<TcpStream>,
    /// The shell it runs in.
    pub(crate) pid: u32,
}

impl Caller {
    /// Lets it print this and end.
    pub(crate) async fn let_go(mut self, line: &str) {
        self.stream
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Waits until nobody holds the other end any more: the command is dead, and its children too.
    pub(crate) async fn hung_up(&mut self) {
        let mut rest = Vec::new();
        // A reset says the same as an end.
        let _either = self.stream.read_to_end(&mut rest).await;
    }

    /// Whether its process is there.
    pub(crate) fn lives(&self) -> bool {
        let asked = std::process::Command::new("kill")
            .args(["-0", &self.pid.to_string()])
            .stderr(std::process::Stdio::null())
            .status();
        asked.unwrap().success()
    }
}
