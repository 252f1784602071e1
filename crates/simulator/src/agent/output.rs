//! Output of an agent: line by line, or with a fault.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The output with the faults that hold for it.
pub(super) struct Voice<W> {
    output: W,
    pub(super) delay: Duration,
    pub(super) chunk: Option<usize>,
    pub(super) duplicate: bool,
    order: Order,
}

enum Order {
    Kept,
    /// The next line is held back.
    Swapping,
    /// This line waits for the one after it.
    Held(Vec<u8>),
}

impl<W: AsyncWrite + Unpin> Voice<W> {
    pub(super) fn new(output: W, delay: Duration) -> Self {
        Self {
            output,
            delay,
            chunk: None,
            duplicate: false,
            order: Order::Kept,
        }
    }

    pub(super) fn swap_next(&mut self) {
        if matches!(self.order, Order::Kept) {
            self.order = Order::Swapping;
        }
    }

    /// Says a line, with the faults that are due.
    pub(super) async fn line(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        match std::mem::replace(&mut self.order, Order::Kept) {
            Order::Swapping => {
                self.order = Order::Held(line);
                return Ok(());
            }
            Order::Held(earlier) => {
                self.put(&line).await?;
                self.put(&earlier).await?;
            }
            Order::Kept => self.put(&line).await?,
        }
        if std::mem::take(&mut self.duplicate) {
            self.put(&line).await?;
        }
        Ok(())
    }

    /// Says what was held back; before a wait nothing may be kept from the host.
    pub(super) async fn let_go(&mut self) -> io::Result<()> {
        if let Order::Held(line) = std::mem::replace(&mut self.order, Order::Kept) {
            self.put(&line).await?;
        }
        Ok(())
    }

    /// Writes bytes as they are, at the pace that is set.
    pub(super) async fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let size = self.chunk.unwrap_or(bytes.len()).max(1);
        for piece in bytes.chunks(size) {
            if !self.delay.is_zero() {
                tokio::time::sleep(self.delay).await;
            }
            self.output.write_all(piece).await?;
            self.output.flush().await?;
        }
        Ok(())
    }
}
