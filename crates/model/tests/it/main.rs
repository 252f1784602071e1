//! The client against a loopback server.
