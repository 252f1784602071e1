//! `Message`: one line of an agent; it is parsed when someone asks for its content.

use std::sync::{Arc, OnceLock};

use sluice_wire::{Frame, Malformed, ToHost};

/// One line of an agent. The text is kept; it is read when first asked for, once for everybody.
#[derive(Debug)]
pub struct Message {
    frame: Frame,
    read: OnceLock<Result<ToHost, Malformed>>,
}

impl Message {
    /// A message from its frame.
    #[must_use]
    pub fn new(frame: Frame) -> Self {
        Self {
            frame,
            read: OnceLock::new(),
        }
    }

    /// A line that says `message`.
    ///
    /// # Errors
    /// When the message has no `type`, as an unknown one may.
    pub fn of(message: ToHost) -> Result<Self, Malformed> {
        let frame = Frame::parse(&message.to_line())?;
        Ok(Self {
            frame,
            read: OnceLock::from(Ok(message)),
        })
    }

    /// The text as it came, without its line end.
    #[must_use]
    pub fn text(&self) -> &str {
        self.frame.text()
    }

    /// The same text, shared.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        self.frame.shared_text()
    }

    /// The line and its `type` and `subtype`.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// What it says.
    ///
    /// # Errors
    /// When a message of a known kind has a field that cannot be read.
    pub fn read(&self) -> Result<&ToHost, &Malformed> {
        self.read.get_or_init(|| self.frame.to_host()).as_ref()
    }

    /// What it says; `None` when it cannot be read.
    #[must_use]
    pub fn to_host(&self) -> Option<&ToHost> {
        self.read().ok()
    }
}

impl PartialEq for Message {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}
