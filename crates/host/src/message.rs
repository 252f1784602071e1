//! `Message`: one line of an agent, which is parsed on first access.

use std::sync::{Arc, OnceLock};

use sluice_wire::{Frame, Malformed, ToHost};

/// One line of an agent. The text is stored unchanged and parsed on first access; the result is shared.
#[derive(Debug)]
pub struct Message {
    frame: Frame,
    parsed: OnceLock<Result<ToHost, Malformed>>,
}

impl Message {
    /// Creates a message from its frame.
    #[must_use]
    pub fn new(frame: Frame) -> Self {
        Self {
            frame,
            parsed: OnceLock::new(),
        }
    }

    /// Creates a message by serialising `message`.
    ///
    /// # Errors
    /// Returns an error if the message has no `type`, which is possible for an unknown one.
    pub fn of(message: ToHost) -> Result<Self, Malformed> {
        let frame = Frame::parse(&message.to_line())?;
        Ok(Self {
            frame,
            parsed: OnceLock::from(Ok(message)),
        })
    }

    /// Returns the text as received, without its line end.
    #[must_use]
    pub fn text(&self) -> &str {
        self.frame.text()
    }

    /// Returns the text as a shared string.
    #[must_use]
    pub fn shared_text(&self) -> Arc<str> {
        self.frame.shared_text()
    }

    /// Returns the frame: the line with its `type` and `subtype`.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Parses the message.
    ///
    /// # Errors
    /// Returns an error if a message of a known type has an invalid field.
    pub fn read(&self) -> Result<&ToHost, &Malformed> {
        self.parsed.get_or_init(|| self.frame.to_host()).as_ref()
    }

    /// Parses the message. Returns `None` if it is invalid.
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
