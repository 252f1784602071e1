#![allow(clippy::unwrap_used)]

mod client_certificate;
