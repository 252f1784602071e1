//! Connecting to an MCP server, by its configuration.

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
use super::handler::{Handler, Stale};
use super::link::{Connection, Link};
use super::transport::Watched;
use super::transport::http::{self, Address};
use super::transport::sdk::Sdk;
use super::transport::sse::{Sse, SseError};
use super::transport::stdio::{Complaints, Stdio};

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The server needs authentication.
    NeedsAuth,
    /// What went wrong.
    Failed(String),
}

/// The protocol is asked for as new as it gets, or the old way.
fn newest() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    }
}

/// Connects to a server by its configuration.
pub(super) async fn connect(link: &Arc<Link>) -> Result<Connection, Refusal> {
    match &link.config.reach {
        Reach::Stdio { command, args, env } => {
            let env = environment(link, env.iter());
            let start = || Stdio::start(command, args, &link.around.cwd, &env, &link.around.tasks);
            // A server that does not survive a question it does not know is started again and not asked it.
            match stdio(link, start().map_err(|error| unstarted(command, &error))?, newest()).await {
                Err(_) => {
                    let again = start().map_err(|error| unstarted(command, &error))?;
                    stdio(link, again, ClientLifecycleMode::Initialize).await
                }
                connected => connected,
            }
        }
        Reach::Http { url, headers } => {
            let address = Address::read(url, headers).map_err(Refusal::Failed)?;
            match http(link, &address, newest()).await {
                Err(Refusal::Failed(_)) => http(link, &address, ClientLifecycleMode::Initialize).await,
                connected => connected,
            }
        }
        Reach::Sse { url, headers } => {
            let mut address = Address::read(url, headers).map_err(Refusal::Failed)?;
            auth::add_token(&link.around, &address.url, &mut address.headers).await;
            let client = link.around.http(address.is_secure()).map_err(Refusal::Failed)?;
            let transport = match Sse::open(client, address.url, address.headers).await {
                Ok(transport) => transport,
                Err(SseError::Unauthorized) => return Err(Refusal::NeedsAuth),
                Err(error) => return Err(Refusal::Failed(causes(&error))),
            };
            serve(link, transport, ClientLifecycleMode::Initialize)
                .await
                .map_err(|error| refusal(&error, None))
        }
        Reach::Sdk { .. } => sdk(link).await,
    }
}

fn unstarted(command: &str, error: &io::Error) -> Refusal {
    Refusal::Failed(format!("cannot start {command:?}: {error}"))
}

/// The environment of a server: ours, where it works, and what its configuration adds.
fn environment<'a>(link: &Link, own: impl Iterator<Item = (&'a String, &'a String)>) -> Vec<(OsString, OsString)> {
    let project = (
        OsString::from("CLAUDE_PROJECT_DIR"),
        link.around.cwd.clone().into_os_string(),
    );
    let own = own.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    link.around.env.iter().cloned().chain([project]).chain(own).collect()
}

async fn stdio(
    link: &Arc<Link>,
    (transport, complaints): (Stdio, Complaints),
    mode: ClientLifecycleMode,
) -> Result<Connection, Refusal> {
    serve(link, transport, mode)
        .await
        .map_err(|error| refusal(&error, Some(&complaints)))
}

async fn http(link: &Arc<Link>, address: &Address, mode: ClientLifecycleMode) -> Result<Connection, Refusal> {
    let client = link.around.http(address.is_secure()).map_err(Refusal::Failed)?;
    match auth::manager(&link.around, &address.url).await {
        Some(manager) => {
            let transport = http::open_signed_in(client, address, manager);
            serve(link, transport, mode).await
        }
        None => serve(link, http::open(client, address), mode).await,
    }
    .map_err(|error| refusal(&error, None))
}

/// A server inside the host. One that refuses is asked once more.
async fn sdk(link: &Arc<Link>) -> Result<Connection, Refusal> {
    let transport = || {
        let (transport, mailbox) = Sdk::new(link.around.host.clone(), &link.name, link.spoke.clone());
        link.set_mailbox(mailbox);
        transport
    };
    if let Some(manifest) = &link.manifest {
        return Ok(resume(link, transport(), manifest.info.clone().into()));
    }
    match serve(link, transport(), ClientLifecycleMode::Initialize).await {
        Err(_) => serve(link, transport(), ClientLifecycleMode::Initialize)
            .await
            .map_err(|error| refusal(&error, None)),
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
    let (ended, stop) = (CancellationToken::new(), link.around.quit.child_token());
    let (handler, stale) = handler(link);
    let calls = handler.calls.clone();
    let watched = Watched::new(transport.into_transport(), ended.clone());
    let service = serve_client_with_lifecycle_and_ct(handler, watched, mode, stop.clone()).await?;
    Ok(Connection {
        service,
        calls,
        ended,
        stop,
        stale,
    })
}

/// A server whose answers to the opening were given beforehand.
fn resume<T>(link: &Arc<Link>, transport: T, info: ServerPeerInfo) -> Connection
where
    T: Transport<RoleClient> + 'static,
{
    let (ended, stop) = (CancellationToken::new(), link.around.quit.child_token());
    let (handler, stale) = handler(link);
    let calls = handler.calls.clone();
    let watched = Watched::new(transport, ended.clone());
    Connection {
        service: serve_directly_with_ct(handler, watched, Some(info), stop.clone()),
        calls,
        ended,
        stop,
        stale,
    }
}

fn handler(link: &Arc<Link>) -> (Handler, Arc<Stale>) {
    let stale = Arc::<Stale>::default();
    let handler = Handler {
        server: link.name.clone(),
        around: link.around.clone(),
        stale: stale.clone(),
        calls: Arc::default(),
        warning: link.warning.clone(),
        bare: link.config.is_sdk(),
    };
    (handler, stale)
}

fn refusal(error: &ClientInitializeError, complaints: Option<&Complaints>) -> Refusal {
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        return Refusal::NeedsAuth;
    }
    let said = match error {
        ClientInitializeError::ConnectionClosed(_) => "Connection closed".to_owned(),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return refusal(fallback, complaints),
        ClientInitializeError::TransportError { error, .. } => causes(error.error.as_ref()),
        other => other.to_string(),
    };
    // A program that ended has usually said why.
    Refusal::Failed(match complaints.and_then(Complaints::last) {
        Some(complaint) => format!("{said}: {complaint}"),
        None => said,
    })
}

/// An error with what lies beneath it, since the top of it says little.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        // Many repeat what lies beneath them.
        if !said.iter().any(|known| known.contains(&text)) {
            said.push(text);
        }
        next = error.source();
    }
    said.join(": ")
}
