//! A client of the Messages API.
//!
//! This crate sends *single* requests. [`Client::stream`] sends one request and yields its events one by one; an
//! [`Accumulator`] assembles them into complete content blocks. When a request ends in a [`Failure`], the pure function
//! [`retry::next`] decides how to continue. Repeating requests, notifying hosts of retries and handling interrupted
//! streams is the task of the engine.
//!
//! This crate does not read the environment: values of variables and settings are passed in a [`Config`].
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

// Requests.
mod adjustments;
mod body;
mod cache;
mod config;
mod image;
mod limits;
mod message;
mod request;

// The connection.
mod client;
mod helper;

// Responses.
mod accumulate;
mod bounds;
mod event;
pub mod sse;
mod stream;

// Failures and retries.
mod failure;
mod refusal;
pub mod retry;

// Models and prices.
pub mod compaction;
pub mod cost;
pub mod measure;
pub mod models;
mod names;

pub use accumulate::{Accumulator, Finished};
pub use adjustments::Adjustments;
pub use cache::{Cache, can_carry};
pub use client::{Client, Error, Head, http_client};
pub use config::{Auth, Config, DEFAULT_BASE_URL, Helper};
pub use event::{Delta, EventKind, ModelEvent};
pub use failure::{Context, Failure};
pub use image::sanitize;
pub use limits::{Limits, Overage, Window};
pub use message::{Message, MessageBuilder, Role};
pub use names::Names;
pub use request::{Request, Thinking};
pub use retry::RetryDecision;
pub use sluice_net::{CLIENT_CERT, CLIENT_KEY, ClientCertificate, Network, Proxy};
pub use stream::Stream;
