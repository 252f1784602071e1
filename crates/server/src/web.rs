//! HTTP: what may be asked for, how a body is read, and what every answer carries.

mod answer;
mod api;
mod body;
mod door;
mod files;
mod packed;
mod quiet;
mod route;

pub(crate) use door::{Door, serve_metrics};
pub(crate) use quiet::Quiet;
