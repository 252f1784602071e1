//! HTTP: routes, request bodies, and headers of all responses.

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
