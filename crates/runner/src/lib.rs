//! Owns the pipes of one agent and writes down all that passes; outlives whoever listens.

pub mod frame;
pub mod record;

pub use frame::{AgentStatus, Decoder, Frame, FrameError, FromRunner, Signal, ToRunner};
pub use record::{Kind, Record};
