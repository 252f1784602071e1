//! Tests of the whole binary from outside, and checks of the whole repository.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod binary;
mod bounded_input;
mod command_line;
mod endless;
mod floods;
mod guard;
mod hosts;
mod invalid_settings;
mod kill;
mod launching;
mod mcp_serve;
mod model_requests;
mod peak;
mod plugin_archives;
mod print_modes;
mod private_files;
mod session_tools;
mod sessions;
mod stranger;
mod terminal;
mod terminal_asks;
mod terminal_breaks;
mod terminal_fuzz;
mod terminal_journeys;
mod terminal_kept;
mod terminal_login;
mod terminal_multiplexers;
mod terminal_plain;
mod terminal_plugins;
mod terminal_screen;
mod terminal_shell;
mod terminal_storms;
mod terminal_trust;
mod terminal_turns;
mod terminal_ways_out;

mod claims;
mod clean;
mod cycles;
mod file_length;
mod forgotten;
mod layers;
mod links;
mod repository;
mod scripts;
