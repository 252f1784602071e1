//! Owns the pipes of one agent and writes down all that passes; outlives whoever listens.
