//! Connecting to an MCP server according to its configuration.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use rmcp::model::{ProtocolVersion, ServerPeerInfo};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, serve_client_with_lifecycle_and_ct, serve_directly_with_ct,
};
use rmcp::transport::Transport;
use rmcp::{RoleClient, transport::IntoTransport};
use tokio_util::sync::CancellationToken;

use super::auth;
use super::config::Reach;
use super::handler::{Handler, ListChanges};
use super::link::{Connection, Link};
use super::transport::WatchedTransport;
use super::transport::http::{self, Address};
use super::transport::sdk::Sdk;
use super::transport::sse::{Sse, SseError};
use super::transport::stdio::{ErrorOutput, Stdio};

/// Why a connection could not be established.
#[derive(Debug)]
pub(super) enum ConnectError {
    /// The server needs authentication.
    NeedsAuth,
    /// Another error, described by this message.
    Failed(String),
}

/// Returns the mode that probes for the newest protocol version and falls back to `initialize`.
fn newest_mode() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

/// Connects to a server by its configuration.
pub(super) async fn connect(link: &Arc<Link>) -> Result<Connection, ConnectError> {
    match &link.config.reach {
        Reach::Stdio { command, args, env } => {
            let env = environment(link, env.iter());
            let start = || Stdio::start(command, args, &link.context.cwd, &env, &link.context.tasks);
            // Some servers exit on a request they do not know. They are restarted and initialized without the probe.
            match stdio(
                link,
                start().map_err(|error| start_error(command, &error))?,
                newest_mode(),
            )
            .await
            {
                Err(_) => {
                    let retry = start().map_err(|error| start_error(command, &error))?;
                    stdio(link, retry, ClientLifecycleMode::Initialize).await
                }
                connected => connected,
            }
        }
        Reach::Http { url, headers } => {
            let address = Address::read(url, headers).map_err(ConnectError::Failed)?;
            match http(link, &address, newest_mode()).await {
                Err(ConnectError::Failed(_)) => http(link, &address, ClientLifecycleMode::Initialize).await,
                connected => connected,
            }
        }
        Reach::Sse { url, headers } => {
            let mut address = Address::read(url, headers).map_err(ConnectError::Failed)?;
            auth::add_token(&link.context, &address.url, &mut address.headers).await;
            let client = link.context.http(address.is_secure()).map_err(ConnectError::Failed)?;
            let transport = match Sse::open(client, address.url, address.headers).await {
                Ok(transport) => transport,
                Err(SseError::Unauthorized) => return Err(ConnectError::NeedsAuth),
                Err(error) => return Err(ConnectError::Failed(causes(&error))),
            };
            serve(link, transport, ClientLifecycleMode::Initialize)
                .await
                .map_err(|error| connect_error(&error, None))
        }
        Reach::Sdk { .. } => sdk(link).await,
    }
}

fn start_error(command: &str, error: &io::Error) -> ConnectError {
    ConnectError::Failed(format!("cannot start {command:?}: {error}"))
}

/// Returns the environment of a server: the session's, its working folder, and the variables of the configuration.
fn environment<'a>(link: &Link, extra: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<(OsString, OsString)> {
    let project = (
        OsString::from("CLAUDE_PROJECT_DIR"),
        link.context.cwd.clone().into_os_string(),
    );
    let extra = extra.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    link.context.env.iter().cloned().chain([project]).chain(extra).collect()
}

async fn stdio(
    link: &Arc<Link>,
    (transport, error_output): (Stdio, ErrorOutput),
    mode: ClientLifecycleMode,
) -> Result<Connection, ConnectError> {
    serve(link, transport, mode)
        .await
        .map_err(|error| connect_error(&error, Some(&error_output)))
}

async fn http(link: &Arc<Link>, address: &Address, mode: ClientLifecycleMode) -> Result<Connection, ConnectError> {
    let client = link.context.http(address.is_secure()).map_err(ConnectError::Failed)?;
    match auth::manager(&link.context, &address.url).await {
        Some(manager) => {
            let transport = http::open_signed_in(client, address, manager);
            serve(link, transport, mode).await
        }
        None => serve(link, http::open(client, address), mode).await,
    }
    .map_err(|error| connect_error(&error, None))
}

/// Connects to a server inside the host. A failed attempt is repeated once.
async fn sdk(link: &Arc<Link>) -> Result<Connection, ConnectError> {
    let transport = || {
        let (transport, mailbox) = Sdk::new(link.context.host.clone(), &link.name, link.contacted.clone());
        link.set_mailbox(mailbox);
        transport
    };
    if let Some(manifest) = &link.manifest {
        return Ok(resume(link, transport(), manifest.info.clone().into()));
    }
    match serve(link, transport(), ClientLifecycleMode::Initialize).await {
        Err(_) => serve(link, transport(), ClientLifecycleMode::Initialize)
            .await
            .map_err(|error| connect_error(&error, None)),
        Ok(connection) => Ok(connection),
    }
}

async fn serve<T, E, A>(
    link: &Arc<Link>,
    transport: T,
    mode: ClientLifecycleMode,
) -> Result<Connection, ClientInitializeError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let (ended, stop) = (CancellationToken::new(), link.context.quit.child_token());
    let (handler, list_changes) = handler(link);
    let calls = handler.calls.clone();
    let watched = WatchedTransport::new(transport.into_transport(), ended.clone());
    let service = serve_client_with_lifecycle_and_ct(handler, watched, mode, stop.clone()).await?;
    Ok(Connection {
        service,
        calls,
        ended,
        stop,
        list_changes,
    })
}

/// Creates a connection to a server whose answer to `initialize` was given by the host in advance.
fn resume<T>(link: &Arc<Link>, transport: T, info: ServerPeerInfo) -> Connection
where
    T: Transport<RoleClient> + 'static,
{
    let (ended, stop) = (CancellationToken::new(), link.context.quit.child_token());
    let (handler, list_changes) = handler(link);
    let calls = handler.calls.clone();
    let watched = WatchedTransport::new(transport, ended.clone());
    Connection {
        service: serve_directly_with_ct(handler, watched, Some(info), stop.clone()),
        calls,
        ended,
        stop,
        list_changes,
    }
}

fn handler(link: &Arc<Link>) -> (Handler, Arc<ListChanges>) {
    let list_changes = Arc::<ListChanges>::default();
    let handler = Handler {
        server: link.name.clone(),
        context: link.context.clone(),
        list_changes: list_changes.clone(),
        calls: Arc::default(),
        warning: link.warning.clone(),
        inside_host: link.config.is_sdk(),
    };
    (handler, list_changes)
}

fn connect_error(error: &ClientInitializeError, error_output: Option<&ErrorOutput>) -> ConnectError {
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        return ConnectError::NeedsAuth;
    }
    let message = match error {
        ClientInitializeError::ConnectionClosed(_) => "Connection closed".to_owned(),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return connect_error(fallback, error_output),
        ClientInitializeError::TransportError { error, .. } => causes(error.error.as_ref()),
        other => other.to_string(),
    };
    // A program that exited has usually written the reason to standard error.
    ConnectError::Failed(match error_output.and_then(ErrorOutput::last) {
        Some(last_line) => format!("{message}: {last_line}"),
        None => message,
    })
}

/// Formats an error with its sources, as the outermost message alone is rarely specific.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut messages: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        // Many errors repeat the message of their source.
        if !messages.iter().any(|known| known.contains(&text)) {
            messages.push(text);
        }
        next = error.source();
    }
    messages.join(": ")
}
