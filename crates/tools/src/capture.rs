//! Output of a command: its beginning in memory; all of it in a file if it is long or requested.

use std::io;
use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt as _, AsyncWriteExt};
use tokio::net::unix::pipe::Receiver;
use tokio::sync::{mpsc, oneshot, watch};

use crate::bash::Lines;

/// Number of bytes kept in memory from the beginning; more than 30,000 characters of any width.
const MAX_HEAD: usize = 128 * 1024;
/// Maximum size of the file.
const MAX_FILE: u64 = 1 << 30;
/// Size of the read buffer.
const BUFFER_SIZE: usize = 64 * 1024;
/// Maximum number of bytes read after the end of the shell from processes that outlive it.
const MAX_LATE_OUTPUT: usize = 1 << 20;

/// Output of one command, read by a separate task so that the command never blocks.
#[derive(Debug)]
pub(crate) struct Capture {
    asks: mpsc::Sender<Ask>,
    done: watch::Receiver<bool>,
}

/// The output so far.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    /// The beginning.
    pub(crate) head: Vec<u8>,
    /// Total number of bytes.
    pub(crate) total: u64,
    /// The file with the output, and the number of bytes in it.
    pub(crate) file: Option<(PathBuf, u64)>,
    /// Why the file is incomplete.
    pub(crate) trouble: Option<String>,
}

#[derive(Debug)]
enum Ask {
    /// Requests the output so far; with `in_file` all of it must be in the file.
    Look {
        in_file: bool,
        answer: oneshot::Sender<Printed>,
    },
    /// As `Look`, and stops recording.
    Finish { answer: oneshot::Sender<Printed> },
}

/// Handle to the output of a command that may still be running.
#[derive(Debug, Clone)]
pub struct Printing {
    asks: mpsc::WeakSender<Ask>,
}

impl Printing {
    /// Returns the last `most` bytes of output as text, and the total number of bytes.
    pub async fn tail(&self, most: u64) -> (String, u64) {
        let Some(asks) = self.asks.upgrade() else {
            return (String::new(), 0);
        };
        let (answer, answered) = oneshot::channel();
        if asks.send(Ask::Look { in_file: false, answer }).await.is_err() {
            return (String::new(), 0);
        }
        let printed = answered.await.unwrap_or_default();
        let bytes = match &printed.file {
            Some((path, _)) if printed.total > printed.head.len() as u64 => {
                end_of(path, most).await.unwrap_or_default()
            }
            _ => {
                let most = usize::try_from(most).unwrap_or(usize::MAX);
                let from = printed.head.len().saturating_sub(most);
                printed.head.get(from..).unwrap_or_default().to_vec()
            }
        };
        (String::from_utf8_lossy(&bytes).into_owned(), printed.total)
    }
}

async fn end_of(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path).await?;
    let length = file.metadata().await?.len();
    file.seek(io::SeekFrom::Start(length.saturating_sub(most))).await?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).await?;
    Ok(bytes)
}

impl Capture {
    /// Returns a handle to the output. It does not keep the reader alive.
    pub(crate) fn printing(&self) -> Printing {
        Printing {
            asks: self.asks.downgrade(),
        }
    }

    /// Starts reading. A file is created at `path` if one is needed. `lines` also receives every line.
    pub(crate) fn start(pipe: Receiver, path: PathBuf, lines: Option<Lines>) -> Self {
        let (asks, inbox) = mpsc::channel(4);
        let (told, done) = watch::channel(false);
        let store = Store {
            lines,
            ..Store::new(path)
        };
        tokio::spawn(read(pipe, store, inbox, told));
        Self { asks, done }
    }

    /// Saves all past and future output to the file.
    pub(crate) async fn save(&self) -> Printed {
        let (answer, answered) = oneshot::channel();
        self.ask(Ask::Look { in_file: true, answer }, answered).await
    }

    /// Returns the output so far.
    pub(crate) async fn look(&self) -> Printed {
        let (answer, answered) = oneshot::channel();
        self.ask(Ask::Look { in_file: false, answer }, answered).await
    }

    /// Returns the complete output of an ended command. Later output of its child processes is discarded.
    pub(crate) async fn finish(&self) -> Printed {
        let (answer, answered) = oneshot::channel();
        self.ask(Ask::Finish { answer }, answered).await
    }

    /// Waits until the pipe is closed by all processes.
    pub(crate) async fn closed(&self) {
        self.done.clone().wait_for(|done| *done).await.ok();
    }

    async fn ask(&self, ask: Ask, answered: oneshot::Receiver<Printed>) -> Printed {
        if self.asks.send(ask).await.is_err() {
            return Printed::default();
        }
        answered.await.unwrap_or_default()
    }
}

/// Reads until the pipe and the request channel are closed.
async fn read(mut pipe: Receiver, mut store: Store, mut inbox: mpsc::Receiver<Ask>, told: watch::Sender<bool>) {
    let mut piece = vec![0; BUFFER_SIZE];
    let mut open = true;
    let mut asking = true;
    while open || asking {
        tokio::select! {
            biased;
            ask = inbox.recv(), if asking => match ask {
                Some(ask) => {
                    // output written before the request is already in the pipe
                    open = open && catch_up(&mut pipe, &mut piece, &mut store).await;
                    answer(ask, &mut store).await;
                }
                None => asking = false,
            },
            count = pipe.read(&mut piece), if open => match count {
                Ok(0) | Err(_) => open = false,
                Ok(count) => store.add(piece.get(..count).unwrap_or_default()).await,
            },
        }
        if !open {
            told.send_replace(true);
        }
    }
}

/// Reads available output without waiting. Returns whether the pipe is still open.
async fn catch_up(pipe: &mut Receiver, piece: &mut [u8], store: &mut Store) -> bool {
    let mut late = 0;
    while late < MAX_LATE_OUTPUT {
        // read directly, because the runtime may not have noticed new output yet
        match rustix::io::read(&*pipe, &mut *piece) {
            Ok(0) => return false,
            Ok(count) => {
                late += count;
                store.add(piece.get(..count).unwrap_or_default()).await;
            }
            Err(error) => return error == rustix::io::Errno::AGAIN || error == rustix::io::Errno::INTR,
        }
    }
    true
}

async fn answer(ask: Ask, store: &mut Store) {
    let answer = match ask {
        Ask::Look { in_file, answer } => {
            if in_file {
                store.open().await;
            }
            answer
        }
        Ask::Finish { answer } => {
            store.finished = true;
            // Sends a last line that does not end with a line break.
            store.lines = None;
            answer
        }
    };
    store.flush().await;
    // the requester may have been dropped
    drop(answer.send(store.printed()));
}

/// Storage of the output.
#[derive(Debug)]
struct Store {
    head: Vec<u8>,
    total: u64,
    path: PathBuf,
    file: Option<File>,
    in_file: u64,
    trouble: Option<String>,
    finished: bool,
    lines: Option<Lines>,
}

impl Store {
    fn new(path: PathBuf) -> Self {
        Self {
            head: Vec::new(),
            total: 0,
            path,
            file: None,
            in_file: 0,
            trouble: None,
            finished: false,
            lines: None,
        }
    }

    async fn add(&mut self, bytes: &[u8]) {
        if self.finished {
            return;
        }
        if let Some(lines) = &mut self.lines {
            lines.add(bytes);
        }
        let room = MAX_HEAD.saturating_sub(self.head.len());
        if bytes.len() > room {
            // the head no longer contains everything
            self.open().await;
        }
        self.head
            .extend_from_slice(bytes.get(..room.min(bytes.len())).unwrap_or_default());
        self.total += bytes.len() as u64;
        self.write(bytes).await;
    }

    /// Creates the file and writes the output so far.
    async fn open(&mut self) {
        if self.file.is_some() || self.trouble.is_some() {
            return;
        }
        match create(&self.path).await {
            Ok(file) => {
                self.file = Some(file);
                let head = self.head.clone();
                self.write(&head).await;
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    async fn write(&mut self, bytes: &[u8]) {
        let Some(file) = self.file.as_mut() else { return };
        let room = usize::try_from(MAX_FILE.saturating_sub(self.in_file)).unwrap_or(usize::MAX);
        let bytes = match bytes.get(..room) {
            Some(part) if part.len() < bytes.len() => {
                self.trouble
                    .get_or_insert_with(|| format!("only the first {MAX_FILE} bytes were kept"));
                part
            }
            _ => bytes,
        };
        match file.write_all(bytes).await {
            Ok(()) => self.in_file += bytes.len() as u64,
            Err(error) => {
                self.trouble = Some(error.to_string());
                self.file = None;
            }
        }
    }

    async fn flush(&mut self) {
        if let Some(file) = self.file.as_mut()
            && let Err(error) = file.flush().await
        {
            self.trouble = Some(error.to_string());
        }
    }

    fn printed(&self) -> Printed {
        Printed {
            head: self.head.clone(),
            total: self.total,
            file: (self.in_file > 0 || self.file.is_some()).then(|| (self.path.clone(), self.in_file)),
            trouble: self.trouble.clone(),
        }
    }
}

/// Creates a file readable only by its owner, because output may contain secrets.
async fn create(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        tokio::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)
            .await?;
    }
    tokio::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .await
}
