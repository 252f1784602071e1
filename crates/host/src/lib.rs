//! Drives any agent that speaks the wire, and knows the truth about it.

// What is true about an agent.
pub mod conversation;
