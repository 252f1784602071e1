//! Drives any agent that speaks the wire, and knows the truth about it.
