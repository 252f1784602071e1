//! `sluice serve`: runs the bridge, or sends requests to a running one.

mod agents;
mod arguments;
mod ask;
mod copies;
mod descriptors;
pub(crate) mod health;
mod logs;
mod reach;
mod report;
mod trial;
mod trust;
mod unit;
mod upgrade;

use std::collections::HashSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sluice_bridge::api::{Code, PairingCode, Problem, Scope};
use sluice_bridge::{Away, Bridge, Config, Doorkeeper, Hub, Salvage, Waiting};
use sluice_server::{
    Access, AccessOptions, Inheritance, Inherited, ListenOptions, Notice, Port, Push, Running, Server, ServerOptions,
    StateFolder, TlsOptions, What, qr_rows, qr_text,
};
use sluice_store::{Opened, Store};
use tokio::signal::unix::{SignalKind, signal};

use crate::environment::Environment;
use crate::flags::{Serve, ServeAsk};
use crate::say;

/// Time for connections and sessions to close when the bridge stops.
const GRACE_PERIOD: Duration = Duration::from_secs(5);
/// Default time after which idle agents are stopped.
const DEFAULT_IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Runs the bridge, or sends a request to a running one.
pub(crate) fn run(serve: &Serve, environment: &Environment) -> i32 {
    let state = state_folder(serve.state.as_deref(), environment);
    if let Some(asked) = &serve.ask {
        return match asked {
            ServeAsk::Unit => {
                say(&unit::text(serve, environment));
                0
            }
            ServeAsk::Backup { file } => copies::write(&state, &environment.cwd.join(file)),
            ServeAsk::Restore { file } => copies::read(&environment.cwd.join(file), &state),
            asked => ask::run(asked, &state),
        };
    }
    logs::begin(serve.log_format.as_deref(), serve.verbose);
    // Two threads suffice for hundreds of sessions; the store and blocking work have separate threads.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return report::failure(&format!("the async runtime cannot be started: {error}")),
    };
    let mut previous = None;
    let ended = runtime.block_on(bridge(serve, environment, state, &mut previous));
    runtime.shutdown_timeout(Duration::from_secs(1));
    match (ended, previous) {
        (Ok(End::Stopped), _) => 0,
        (Ok(End::Upgrade(inheritance)), _) => upgrade::run(&inheritance),
        (Err(problem), Some(previous)) => upgrade::go_back(&problem, &previous),
        (Err(problem), None) => report::failure(&problem),
    }
}

/// Returns the state folder: `--state`, or `$XDG_STATE_HOME/sluice`.
pub(crate) fn state_folder(named: Option<&str>, environment: &Environment) -> PathBuf {
    match (
        named,
        std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty()),
    ) {
        (Some(state), _) => environment.cwd.join(state),
        (None, Some(folder)) => PathBuf::from(folder).join("sluice"),
        (None, None) => environment.home.join(".local/state/sluice"),
    }
}

/// How a bridge ended.
enum End {
    Stopped,
    /// The process is replaced by the program at its path.
    Upgrade(Inheritance),
}

/// Runs the bridge. After an upgrade, `previous` contains the state handed over by the previous version.
async fn bridge(
    serve: &Serve,
    environment: &Environment,
    folder: PathBuf,
    previous: &mut Option<Inheritance>,
) -> Result<End, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let inherited = Inherited::take();
    *previous = inherited.as_ref().and_then(|inherited| inherited.to_go_back().ok());
    let state = StateFolder::take(&folder).map_err(|error| text(&error))?;
    let descriptors = descriptors::raise();
    let (store, salvage) = open_store(&folder).await?;
    let sluice = upgrade::program().map_err(|error| format!("the path of this program cannot be found: {error}"))?;
    let roots = match serve.roots.is_empty() {
        true => vec![environment.home.clone()],
        false => serve.roots.iter().map(|root| environment.cwd.join(root)).collect(),
    };
    let idle_after = serve.idle.unwrap_or(DEFAULT_IDLE_TIMEOUT);
    let config = Config {
        state: folder.clone(),
        sluice: sluice.clone(),
        roots,
        home: environment.home.clone(),
        idle_after: (!idle_after.is_zero()).then_some(idle_after),
    };
    let agents = agents::find(serve, environment, &sluice)?;
    let hub = match Hub::open(store.clone(), agents, config, salvage).await {
        Ok(hub) => hub,
        Err(problem) => {
            // Records damage that was found, so that the next start repairs it.
            store.close().await.ok();
            return Err(problem.message);
        }
    };
    if let Some(days) = serve.retain_days {
        forget_old(&store, days).await;
    }
    let access = Access::open(Arc::new(store.clone()), access_options(serve), told).await;
    let access = access.map_err(|error| text(&error))?;
    let push = open_push(&folder, environment);
    let keeper = Arc::new(Keeper {
        access: access.clone(),
        push: push.clone(),
        addresses: OnceLock::new(),
        fingerprint: OnceLock::new(),
    });
    hub.set_doorkeeper(Arc::clone(&keeper) as Arc<dyn Doorkeeper>);
    let mut options = ServerOptions::new(env!("CARGO_PKG_VERSION"));
    options.listen = listen(serve, environment)?;
    options.limits = options.limits.within_descriptors(descriptors);
    options.push = push;
    let backend = Arc::new(Bridge::new(hub.clone()));
    let taken_over = inherited.is_some();
    let running = Server::start(options, inherited, state, access.clone(), Arc::clone(&backend) as _).await;
    let mut running = running.map_err(|error| text(&error))?;
    *previous = None;
    keeper.addresses.set(running.urls().to_vec()).ok();
    keeper
        .fingerprint
        .set(running.fingerprint().map(ToString::to_string))
        .ok();
    if !taken_over {
        greet(&running, &access, serve);
    }
    let end = wait(&mut running, &sluice, serve, environment).await;
    let inheritance = match end {
        Wish::Stop => None,
        Wish::Upgrade => {
            backend.comes_back();
            let inheritance = running.inheritance();
            Some(inheritance.map_err(|error| format!("the listening sockets cannot be handed over: {error}"))?)
        }
    };
    let state = running.stop(GRACE_PERIOD).await;
    store.close().await.ok();
    // Held until the end; a process that takes over acquires it again.
    drop(state);
    Ok(inheritance.map_or(End::Stopped, End::Upgrade))
}

/// Returns the options for access control, such as the expiry of devices.
fn access_options(serve: &Serve) -> AccessOptions {
    let usual = AccessOptions::default();
    let idle = match serve.expire_days {
        None => usual.idle,
        Some(0) => Duration::MAX,
        Some(days) => Duration::from_secs(days.saturating_mul(24 * 3600)),
    };
    AccessOptions { idle, ..usual }
}

async fn open_store(folder: &std::path::Path) -> Result<(Store, Option<Salvage>), String> {
    let file = folder.join("bridge.db");
    let opened = tokio::task::spawn_blocking(move || Store::open(&file, sluice_store::Options::default())).await;
    let opened = opened.map_err(|error| error.to_string())?;
    let (store, how) = opened.map_err(|error| error.to_string())?;
    match how {
        Opened::Salvaged { damaged, detail, lost } => {
            report::notice(&format!(
                "the database was damaged ({detail}); what could be read was kept, the damaged file was set aside as {}",
                damaged.display()
            ));
            return Ok((store, Some(Salvage { damaged, lost })));
        }
        Opened::Migrated { from, to, copy } => {
            tracing::info!(from, to, copy = %copy.display(), "the database was migrated");
        }
        Opened::Fresh | Opened::Ready { .. } => {}
    }
    Ok((store, None))
}

/// Opens push messages. They are optional, so errors are only logged.
fn open_push(folder: &std::path::Path, environment: &Environment) -> Option<Push> {
    let mut config = sluice_model::Config::new("", sluice_model::Auth::None);
    config.network = environment
        .network()
        .inspect_err(|error| report::notice(&format!("push messages are not available: {error}")))
        .ok()?;
    let connect = move || sluice_model::http_client(&config, true);
    let opened = Push::open(folder, Box::new(connect));
    opened
        .inspect_err(|error| report::notice(&format!("web push is not available: {error}")))
        .ok()
}

async fn forget_old(store: &Store, days: u64) {
    let now = jiff::Timestamp::now().as_millisecond();
    let before = now - i64::try_from(days).unwrap_or(i64::MAX / 100_000_000) * 24 * 3600 * 1000;
    match store.retain(before).await {
        Ok(retained) => tracing::info!(sessions = retained.deleted.len(), "old sessions were deleted"),
        Err(error) => report::notice(&format!("old sessions could not be deleted: {error}")),
    }
}

fn listen(serve: &Serve, environment: &Environment) -> Result<ListenOptions, String> {
    let address = |text: &String| {
        text.parse::<IpAddr>()
            .map_err(|_| format!("--bind {text}: not an IP address\nhint: such as 127.0.0.1 or 0.0.0.0"))
    };
    let unix = |text: &String| text.strip_prefix("unix:").map(|path| environment.cwd.join(path));
    let addresses: Result<Vec<IpAddr>, String> = serve
        .bind
        .iter()
        .filter(|text| unix(text).is_none())
        .map(address)
        .collect();
    let tls = match (&serve.tls_cert, &serve.tls_key, serve.tls) {
        (Some(cert), Some(key), _) => Some(TlsOptions::Given {
            certificate: cert.into(),
            key: key.into(),
        }),
        (None, None, true) => Some(TlsOptions::SelfMade),
        (None, None, false) => None,
        _ => return Err("--tls-cert and --tls-key must be given together".to_owned()),
    };
    let metrics = match &serve.metrics_addr {
        Some(text) => Some(
            text.parse()
                .map_err(|_| format!("--metrics-addr {text}: not an address with a port"))?,
        ),
        None => None,
    };
    Ok(ListenOptions {
        addresses: addresses?,
        unix: serve.bind.iter().find_map(unix),
        port: serve.port.map_or(Port::default(), Port::Exactly),
        tls,
        behind_proxy: serve.behind_proxy,
        hosts: serve.hosts.clone(),
        metrics,
    })
}

/// Prints the URL to open, and notes about the configuration.
fn greet(running: &Running, access: &Access, serve: &Serve) {
    let offer = access.offer(None);
    let with_code = offer.urls.first().cloned().unwrap_or_default();
    let plain = running.urls().first().cloned().unwrap_or_default();
    report::address(&with_code, &plain);
    if let Some(fingerprint) = running.fingerprint() {
        report::notice(&format!("certificate SHA-256: {fingerprint}"));
    }
    if let Some(scan) = offer.url_to_scan().filter(|_| serve.qr) {
        report::code(&qr_text(scan));
    }
}

/// Shows a notice to the user who runs the bridge.
fn told(notice: Notice) {
    match notice {
        Notice::PairingLocked { wait, address } => report::notice(&format!(
            "too many wrong pairing codes from {address}: pairing is locked for {} s",
            wait.as_secs()
        )),
        Notice::Paired { name, scope, address } => report::notice(&format!("paired: {name} ({scope}) from {address}")),
        Notice::Revoked { name } => report::notice(&format!("revoked: {name}")),
    }
}

enum Wish {
    Stop,
    Upgrade,
}

/// Waits for a signal or a request on the control socket. An upgrade to a program that does not start is refused.
async fn wait(running: &mut Running, program: &std::path::Path, serve: &Serve, environment: &Environment) -> Wish {
    let mut terminate = signal(SignalKind::terminate()).ok();
    let mut interrupt = signal(SignalKind::interrupt()).ok();
    let mut hang_up = signal(SignalKind::hangup()).ok();
    loop {
        let wanted = tokio::select! {
            () = heard(&mut terminate) => return Wish::Stop,
            () = heard(&mut interrupt) => return Wish::Stop,
            () = heard(&mut hang_up) => return Wish::Stop,
            wanted = running.wanted() => wanted,
        };
        let pid = serde_json::json!({"pid": std::process::id()});
        match wanted.what {
            What::Stop => {
                wanted.reply.accept(pid);
                return Wish::Stop;
            }
            What::Upgrade => match trial::run(program, serve, &environment.cwd).await {
                Ok(()) => {
                    wanted.reply.accept(pid);
                    return Wish::Upgrade;
                }
                Err(problem) => {
                    tracing::error!(%problem, "the upgrade is refused");
                    wanted.reply.refuse(problem);
                }
            },
        }
    }
}

async fn heard(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Adds and removes devices for requests of clients.
struct Keeper {
    access: Access,
    push: Option<Push>,
    addresses: OnceLock<Vec<String>>,
    /// Fingerprint of the certificate, if there is one.
    fingerprint: OnceLock<Option<String>>,
}

impl Doorkeeper for Keeper {
    fn offer(&self, scope: Scope) -> BoxFuture<'_, Result<PairingCode, Problem>> {
        let scope = scope.as_str().parse().ok();
        let offer = self.access.offer(scope);
        let scan = offer.url_to_scan().unwrap_or_default().to_owned();
        let (urls, fingerprint) = (self.addresses(), self.fingerprint.get().cloned().flatten());
        let args: Vec<String> = std::env::args().collect();
        Box::pin(async move {
            Ok(PairingCode {
                code: offer.code.clone(),
                urls: offer.urls.clone(),
                expires_at: offer.expires_at,
                qr: qr_rows(&scan),
                reach: reach::look(&urls, fingerprint, &args).await,
            })
        })
    }

    fn revoke(&self, device: &str) -> BoxFuture<'_, Result<(), Problem>> {
        let device = device.to_owned();
        Box::pin(async move {
            let revoked = self.access.revoke(&device, None).await;
            revoked.map_err(|error| Problem {
                code: Code::Field,
                message: error.to_string(),
                hint: None,
                resolved: None,
            })
        })
    }

    fn addresses(&self) -> Vec<String> {
        self.addresses.get().cloned().unwrap_or_default()
    }

    fn notify(&self, notice: &Waiting, away: Away) -> BoxFuture<'static, ()> {
        let Some(push) = self.push.clone() else {
            return Box::pin(std::future::ready(()));
        };
        let payload = serde_json::to_vec(notice).unwrap_or_default();
        let topic = notice.ask.clone();
        let known: HashSet<String> = self.access.devices().into_iter().map(|device| device.id).collect();
        Box::pin(async move {
            push.send(|device| known.contains(device) && away(device), &topic, &payload)
                .await;
        })
    }
}
