//! Who thinks: a client of the Messages API.
//!
//! This crate makes *single* attempts and holds *pure* policy.
//! [`Client::stream`] sends one request and gives its events one by one; an [`Accumulator`] folds them
//! into finished content blocks. When an attempt ends in a [`Failure`], [`retry::next`] says what to do
//! about it. Sequencing attempts, announcing them and mending broken streams is the turn's business.
//!
//! Nothing here reads the environment: whatever comes from variables or settings arrives in a [`Config`].
//!
//! ```no_run
//! use sluice_model::{Accumulator, Auth, Client, Config, Request};
//! # async fn turn() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(Config::new("http://127.0.0.1:8080", Auth::ApiKey("key".into())))?;
//! let request = Request::new("claude-haiku-5-5", vec![serde_json::json!({"role": "user", "content": "hi"})]);
//! let mut stream = client.stream(&request).await?;
//! let mut message = Accumulator::new();
//! while let Some(event) = stream.next().await? {
//!     if let Some(finished) = message.feed(&event) {
//!         println!("{}", finished.block);
//!     }
//! }
//! # Ok(()) }
//! ```

// What goes out.
mod body;
mod cache;
mod config;
mod image;
mod message;
mod request;

// How it travels.
mod client;
mod helper;

// What comes back.
mod accumulate;
mod bounds;
mod event;
pub mod sse;
mod stream;

// When it does not.
mod failure;
mod refusal;
pub mod retry;

// What it costs.
pub mod cost;
pub mod models;
mod names;

pub use accumulate::{Accumulator, Finished};
pub use cache::{Cache, can_carry};
pub use client::{Client, Error, Head, http_client};
pub use config::{Auth, Config, DEFAULT_BASE_URL, Helper};
pub use event::{Delta, EventKind, ModelEvent};
pub use failure::{Context, Failure};
pub use image::sanitize;
pub use message::{Message, Role, Writing};
pub use names::Names;
pub use request::{Request, Thinking};
pub use retry::RetryDecision;
pub use sluice_way::{Proxy, Way};
pub use stream::Stream;
