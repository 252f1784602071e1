//! Known devices: adding, finding and revoking them.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sluice_wire::printable::is_hidden;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::book::{AuditNote, BookError, DeviceBook, KnownDevice};
use super::offer::Offer;
use super::pairing::{self, Attempt, Pairing, PairingLimits};
use super::secret::{self, TokenHash};
use crate::backend::{DeviceKind, Who};
use crate::scope::Scope;

/// A notice for the user at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Too many wrong codes were entered.
    PairingLocked {
        wait: Duration,
        address: String,
    },
    Paired {
        name: String,
        scope: Scope,
        address: String,
    },
    Revoked {
        name: String,
    },
}

/// Options for devices.
#[derive(Debug, Clone)]
pub struct AccessOptions {
    /// Time after which an inactive device is rejected: a browser must pair again, a program needs a new token.
    pub idle: Duration,
    /// Minimum interval between two updates of a device's last visit in the store.
    pub touch_every: Duration,
}

impl Default for AccessOptions {
    fn default() -> Self {
        Self {
            idle: Duration::from_secs(90 * 24 * 3600),
            touch_every: Duration::from_secs(60),
        }
    }
}

/// Why a device could not be added or removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    #[error("the code is wrong, was used or is too old\nhint: `sluice serve pair` makes another")]
    WrongCode,
    #[error("too many wrong codes\nhint: try again in {} s", .wait.as_secs().max(1))]
    Locked { wait: Duration },
    #[error("there is no device {0:?}\nhint: `sluice serve devices` lists them")]
    NoSuchDevice(String),
    #[error("{count} devices are known already\nhint: revoke some; `sluice serve devices` lists them")]
    TooMany { count: usize },
    #[error("the devices could not be written: {0}")]
    Book(#[from] BookError),
}

/// A device in lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeviceInfo {
    pub id: String,
    pub name: String,
    pub kind: DeviceKind,
    pub scope: Scope,
    pub created_at: i64,
    pub last_seen_at: i64,
    pub last_address: Option<String>,
    /// True if it has an open WebSocket.
    pub online: bool,
}

/// A new device and its secret, which is only shown once.
#[derive(Clone)]
pub struct Paired {
    pub device: DeviceInfo,
    pub secret: String,
}

impl fmt::Debug for Paired {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Paired")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

/// Access control for devices. Cheap to clone; the server and the backend share it.
#[derive(Clone)]
pub struct Access {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) book: Arc<dyn DeviceBook>,
    pub(super) options: AccessOptions,
    notice: Box<dyn Fn(Notice) + Send + Sync>,
    start: Instant,
    state: Mutex<State>,
    /// Held while a device is added, so that only one can be the first.
    adding: tokio::sync::Mutex<()>,
    bases: OnceLock<Vec<String>>,
}

pub(super) struct State {
    pairing: Pairing,
    pub(super) devices: Vec<Live>,
}

/// A device with access.
pub(super) struct Live {
    pub(super) known: KnownDevice,
    pub(super) hash: TokenHash,
    pub(super) revoked: CancellationToken,
    pub(super) sockets: usize,
    /// Time of the last visit in the store.
    pub(super) touched_at: i64,
}

const MAX_DEVICES: usize = 1000;

impl Access {
    /// Loads the devices. `notice` is called with messages for the terminal.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open(
        book: Arc<dyn DeviceBook>,
        options: AccessOptions,
        notice: impl Fn(Notice) + Send + Sync + 'static,
    ) -> Result<Self, AccessError> {
        let devices = book.load().await?.into_iter().filter_map(Live::new).collect();
        Ok(Self {
            inner: Arc::new(Inner {
                book,
                options,
                notice: Box::new(notice),
                start: Instant::now(),
                state: Mutex::new(State {
                    pairing: Pairing::new(PairingLimits::default()),
                    devices,
                }),
                adding: tokio::sync::Mutex::new(()),
                bases: OnceLock::new(),
            }),
        })
    }

    /// Sets the URLs for [`Access::offer`], once the server is listening.
    pub(crate) fn set_bases(&self, bases: Vec<String>) {
        // Only the first server sets them; a second one with the same devices keeps them.
        self.inner.bases.set(bases).ok();
    }

    /// Creates a pairing code. Without a scope the device gets admin if no device has it, otherwise approve.
    pub fn offer(&self, scope: Option<Scope>) -> Offer {
        let letters = secret::new_code();
        let lifetime = self.state().pairing.offer(self.now(), letters, scope);
        let bases = self.inner.bases.get().map(Vec::as_slice).unwrap_or_default();
        let expires_at = unix_ms() + i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
        Offer::new(pairing::write(letters), bases, expires_at, scope)
    }

    /// Pairs a device with a code. `before` is the device that this browser was until now: it is replaced, and its
    /// scope is kept.
    ///
    /// # Errors
    /// The code is not valid, pairing is locked, or the device cannot be stored; in the last case the code remains
    /// valid.
    pub async fn pair(
        &self,
        code: &str,
        name: &str,
        address: &str,
        user_agent: Option<&str>,
        before: Option<&Who>,
    ) -> Result<Paired, AccessError> {
        let adding = self.inner.adding.lock().await;
        let attempt = self.state().pairing.attempt(self.now(), code);
        let code = match attempt {
            Attempt::Good(code) => code,
            Attempt::Wrong => {
                self.note(None, "pairing_failed", json!({"address": address})).await;
                return Err(AccessError::WrongCode);
            }
            Attempt::Locked { wait } => return Err(AccessError::Locked { wait }),
            Attempt::Locks { wait } => {
                (self.inner.notice)(Notice::PairingLocked {
                    wait,
                    address: address.to_owned(),
                });
                self.note(None, "pairing_locked", json!({"address": address})).await;
                return Err(AccessError::Locked { wait });
            }
        };
        let scope = code.scope.unwrap_or_else(|| self.scope_of_next());
        let scope = before.map_or(scope, |before| scope.max(before.scope));
        let added = self
            .add(name, DeviceKind::Cookie, scope, Some(address), user_agent)
            .await;
        drop(adding);
        let paired = match added {
            Ok(paired) => paired,
            Err(error) => {
                self.state().pairing.give_back(code);
                return Err(error);
            }
        };
        let device = &paired.device;
        if let Some(before) = before {
            self.replace(before, device).await;
        }
        self.note(
            Some((&device.id, &device.name)),
            "pair",
            json!({"scope": scope, "address": address}),
        )
        .await;
        (self.inner.notice)(Notice::Paired {
            name: device.name.clone(),
            scope,
            address: address.to_owned(),
        });
        Ok(paired)
    }

    /// Creates a bearer token for a program. `by` is the device that requested it; `None` for the terminal.
    ///
    /// # Errors
    /// The device cannot be stored.
    pub async fn token(&self, name: &str, scope: Scope, by: Option<&Who>) -> Result<Paired, AccessError> {
        let adding = self.inner.adding.lock().await;
        let paired = self.add(name, DeviceKind::Token, scope, None, None).await?;
        drop(adding);
        let detail = json!({"for": paired.device.id, "name": paired.device.name, "scope": scope});
        self.note(by.map(who), "token", detail).await;
        Ok(paired)
    }

    /// Returns all devices, oldest first.
    pub fn devices(&self) -> Vec<DeviceInfo> {
        self.state().devices.iter().map(Live::info).collect()
    }

    /// Revokes a device: its WebSockets close and its next request is rejected. `by` is the device that requested it.
    ///
    /// # Errors
    /// There is no such device, or the change cannot be stored and would be lost at the next start.
    pub async fn revoke(&self, id: &str, by: Option<&Who>) -> Result<(), AccessError> {
        let removed = {
            let mut state = self.state();
            let place = state.devices.iter().position(|live| live.known.id == id);
            place.map(|place| state.devices.remove(place))
        };
        let Some(live) = removed else {
            return Err(AccessError::NoSuchDevice(id.to_owned()));
        };
        live.revoked.cancel();
        let written = self.inner.book.revoke(id.to_owned(), unix_ms()).await;
        let action = if by.is_some_and(|by| by.device == id) {
            "logout"
        } else {
            "revoke"
        };
        let detail = json!({"device": id, "name": live.known.name});
        self.note(by.map(who), action, detail).await;
        (self.inner.notice)(Notice::Revoked { name: live.known.name });
        Ok(written?)
    }

    async fn replace(&self, before: &Who, by: &DeviceInfo) {
        let by = Who {
            device: by.id.clone(),
            name: by.name.clone(),
            scope: by.scope,
            ..before.clone()
        };
        match self.revoke(&before.device, Some(&by)).await {
            // It was revoked concurrently.
            Ok(()) | Err(AccessError::NoSuchDevice(_)) => {}
            Err(error) => {
                tracing::error!(device = before.device, %error, "a device that was replaced is still written");
            }
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // The state is consistent between statements, so a panic elsewhere does no harm.
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.inner.start.elapsed()
    }

    fn scope_of_next(&self) -> Scope {
        let has_admin = self.state().devices.iter().any(|live| live.known.scope == Scope::Admin);
        if has_admin { Scope::Approve } else { Scope::Admin }
    }

    async fn add(
        &self,
        name: &str,
        kind: DeviceKind,
        scope: Scope,
        address: Option<&str>,
        user_agent: Option<&str>,
    ) -> Result<Paired, AccessError> {
        let count = self.state().devices.len();
        if count >= MAX_DEVICES {
            return Err(AccessError::TooMany { count });
        }
        let secret = secret::new_token();
        let now = unix_ms();
        let known = KnownDevice {
            id: secret::hex(&secret::random::<8>()),
            name: clean_name(name),
            kind,
            scope,
            token_hash: TokenHash::of(&secret).map(TokenHash::to_hex).unwrap_or_default(),
            created_at: now,
            last_seen_at: now,
            last_address: address.map(str::to_owned),
            user_agent: user_agent.map(|text| shorten(text, 200)),
        };
        self.inner.book.add(known.clone()).await?;
        let live = Live::new(known).ok_or_else(|| BookError("the new secret has no hash".to_owned()))?;
        let device = live.info();
        self.state().devices.push(live);
        Ok(Paired { device, secret })
    }

    /// Records a refused request without waiting for the write.
    pub(crate) fn note_refusal(&self, reason: &'static str, route: &'static str, address: IpAddr, left_out: u64) {
        let access = self.clone();
        tokio::spawn(async move {
            let address = address.to_canonical().to_string();
            let detail = json!({"reason": reason, "route": route, "address": address, "leftOut": left_out});
            access.note(None, "refused", detail).await;
        });
    }

    async fn note(&self, by: Option<(&str, &str)>, action: &'static str, detail: serde_json::Value) {
        let note = AuditNote {
            at: unix_ms(),
            device: by.map(|(id, _)| id.to_owned()),
            device_name: by.map(|(_, name)| name.to_owned()),
            action,
            detail,
        };
        if let Err(error) = self.inner.book.note(note).await {
            tracing::error!(action, %error, "the audit log could not be written");
        }
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Access").finish_non_exhaustive()
    }
}

impl Live {
    fn new(known: KnownDevice) -> Option<Self> {
        Some(Self {
            hash: TokenHash::from_hex(&known.token_hash)?,
            revoked: CancellationToken::new(),
            sockets: 0,
            touched_at: known.last_seen_at,
            known,
        })
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            id: self.known.id.clone(),
            name: self.known.name.clone(),
            kind: self.known.kind,
            scope: self.known.scope,
            created_at: self.known.created_at,
            last_seen_at: self.known.last_seen_at,
            last_address: self.known.last_address.clone(),
            online: self.sockets > 0,
        }
    }
}

fn who(who: &Who) -> (&str, &str) {
    (&who.device, &who.name)
}

pub(crate) fn unix_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Returns a name that is safe to display: a single line without hidden characters, of limited length.
fn clean_name(name: &str) -> String {
    let name: String = name.chars().filter(|letter| !is_hidden(*letter)).collect();
    match name.trim() {
        "" => "unnamed".to_owned(),
        name => shorten(name, 64),
    }
}

fn shorten(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
