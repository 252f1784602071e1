//! The output of the scripted agent: line by line, with faults.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// The output and the active faults.
pub(super) struct Output<W> {
    output: W,
    pub(super) delay: Duration,
    pub(super) chunk: Option<usize>,
    pub(super) duplicate: bool,
    order: Order,
}

enum Order {
    Normal,
    /// The next line will be held back.
    Swapping,
    /// This line is held back until after the next one.
    Held(Vec<u8>),
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(super) fn new(output: W, delay: Duration) -> Self {
        Self {
            output,
            delay,
            chunk: None,
            duplicate: false,
            order: Order::Normal,
        }
    }

    pub(super) fn swap_next(&mut self) {
        if matches!(self.order, Order::Normal) {
            self.order = Order::Swapping;
        }
    }

    /// Writes a line with the active faults.
    pub(super) async fn line(&mut self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        match std::mem::replace(&mut self.order, Order::Normal) {
            Order::Swapping => {
                self.order = Order::Held(line);
                return Ok(());
            }
            Order::Held(earlier) => {
                self.write(&line).await?;
                self.write(&earlier).await?;
            }
            Order::Normal => self.write(&line).await?,
        }
        if std::mem::take(&mut self.duplicate) {
            self.write(&line).await?;
        }
        Ok(())
    }

    /// Writes the line that was held back. Must be called before a wait, because the host may need that line.
    pub(super) async fn flush_held(&mut self) -> io::Result<()> {
        if let Order::Held(line) = std::mem::replace(&mut self.order, Order::Normal) {
            self.write(&line).await?;
        }
        Ok(())
    }

    /// Writes bytes unchanged with the configured delay.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
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
