//! The hub: all sessions; they are loaded when somebody wants them and unloaded when nobody does.

mod condition;
mod doors;
mod external;
mod folders;
mod list;
mod once;
mod rebuild;
mod starting;
mod uploads;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sluice_store::{SessionFilter, SessionRow, Store};
use tokio::sync::{mpsc, oneshot};

use crate::agents::Agents;
use crate::api::{Problem, SessionInfo};
use crate::link::runs;
use crate::look::files::Files;
use crate::look::rendering::Renderings;
use crate::session::{Actor, By, Command, DEPTH, Handle, Reply, has_process, info_of_row, now};

use condition::Condition;
pub use condition::Salvage;
pub(crate) use condition::free_space;
use doors::Doors;
pub use doors::{Away, Doorkeeper, Waiting};
use external::External;
pub(crate) use folders::Roots;
pub(crate) use list::{List, Screen};
use once::Once;
pub(crate) use once::Turn;
pub(crate) use rebuild::Note;
pub(crate) use starting::mode;
use uploads::Uploads;

/// How a bridge is set up.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where everything is kept.
    pub state: PathBuf,
    /// The program that is started as a runner: this one.
    pub sluice: PathBuf,
    /// Sessions start below these folders.
    pub roots: Vec<PathBuf>,
    /// The person's home.
    pub home: PathBuf,
    /// How long an idle agent is kept; `None` keeps it.
    pub idle_after: Option<Duration>,
}

impl Config {
    pub(crate) fn runner_dir(&self, session: &str) -> PathBuf {
        self.state.join("runners").join(session)
    }

    pub(crate) fn blob_path(&self, hash: &str) -> PathBuf {
        let first: String = hash.chars().take(2).collect();
        self.state.join("blobs").join(first).join(hash)
    }

    /// The folder of a first visit.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.home.join("sluice-scratch")
    }
}

/// What all sessions share.
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) agents: Agents,
    pub(crate) config: Config,
    pub(crate) list: List,
    pub(crate) roots: Roots,
    pub(crate) external: External,
    pub(crate) doors: Doors,
    pub(crate) uploads: Uploads,
    pub(crate) files: Files,
    pub(crate) renderings: Renderings,
    pub(crate) condition: Condition,
    pub(crate) commands: Once,
    /// When the bridge began.
    pub(crate) began: i64,
    /// The agents, looked for once: every greeting names them.
    offered: std::sync::OnceLock<Vec<crate::api::Agent>>,
    loaded: Mutex<HashMap<String, Handle>>,
    loading: tokio::sync::Mutex<()>,
    numbers: AtomicU32,
    terms: AtomicU64,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

/// All sessions of a bridge. Clones are the same.
#[derive(Debug, Clone)]
pub struct Hub {
    pub(crate) shared: Arc<Shared>,
}

/// How long an ask waits before devices that are away are told: a person who sits there is quicker.
const NOTIFY_AFTER: Duration = Duration::from_secs(5);
/// Connections to runners of one bridge, over all of its life.
const TERMS: u64 = 1 << 24;

impl Shared {
    /// Higher than every term before.
    pub(crate) fn next_term(&self) -> u64 {
        self.terms.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells devices that are away that an ask waits, unless somebody is quick to answer.
    pub(crate) fn notify_later(self: &Arc<Self>, session: &str, ask: &str) {
        let (shared, session, ask) = (Arc::clone(self), session.to_owned(), ask.to_owned());
        tokio::spawn(async move {
            tokio::time::sleep(NOTIFY_AFTER).await;
            let Some(info) = shared.list.get(&session) else { return };
            let Some(waits) = info.ask.filter(|it| it.ask == ask) else {
                return;
            };
            let waiting = Waiting {
                title: info.title.unwrap_or(info.project_path),
                body: crate::body::cut(&format!("{}: {}", waits.tool_name, waits.about), 400).to_owned(),
                session,
                ask,
            };
            let looking = Arc::clone(&shared);
            let away: Away = Box::new(move |device| !looking.list.is_online(device));
            shared.doors.notify(&waiting, away).await;
        });
    }

    /// A session that has nothing to do is let go, unless somebody just wants something of it.
    pub(crate) fn let_go(&self, id: &str, commands: &mpsc::Receiver<Command>) -> bool {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if !commands.is_empty() {
            return false;
        }
        loaded.remove(id);
        true
    }
}

impl Hub {
    /// Takes over the sessions of a store; those whose runners live are connected at once. `salvage`: the store was
    /// damaged, and this is lost.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn open(store: Store, agents: Agents, config: Config, salvage: Option<Salvage>) -> Result<Self, Problem> {
        let term = store.next_term().await?;
        let condition = Condition::open(&store, salvage.as_ref()).await?;
        let incomplete = salvage.map(|salvage| salvage.lost.histories).unwrap_or_default();
        let roots = Roots::new(&config);
        let external = External::new(agents.config_dir.clone());
        let uploads = config.state.join("uploads");
        let shared = Arc::new(Shared {
            store,
            agents,
            config,
            list: List::default(),
            roots,
            external,
            doors: Doors::default(),
            uploads: Uploads::new(uploads),
            files: Files::default(),
            renderings: Renderings::default(),
            condition,
            commands: Once::default(),
            began: now(),
            offered: std::sync::OnceLock::new(),
            loaded: Mutex::default(),
            loading: tokio::sync::Mutex::default(),
            numbers: AtomicU32::new(1),
            terms: AtomicU64::new(term * TERMS),
        });
        let hub = Self { shared };
        hub.rebuild(&incomplete).await?;
        hub.take_up().await?;
        tokio::spawn(hub.clone().watch_external());
        tokio::spawn(hub.clone().watch_storage());
        let listing = hub.clone();
        tokio::spawn(async move { listing.shared.list.run().await });
        Ok(hub)
    }

    /// Every session goes into the list. Those with a process or queued prompts are loaded. A runner counts even where
    /// the row shows no process: the row may not have been stored.
    async fn take_up(&self) -> Result<(), Problem> {
        let rows = self.shared.store.sessions(SessionFilter::default()).await?;
        let mut alive = Vec::new();
        for row in rows {
            self.shared.list.know(info_of_row(&row));
            if has_process(&row) || row.queue_len > 0 || runs(&self.shared.config.runner_dir(&row.id)) {
                alive.push(row);
            }
        }
        for row in alive {
            if let Err(problem) = self.load(row).await {
                tracing::error!(problem = %problem.message, "a session could not be taken up");
            }
        }
        Ok(())
    }

    /// The session, loaded if it was not.
    pub(crate) async fn session(&self, id: &str) -> Result<Handle, Problem> {
        if let Some(handle) = self.loaded(id) {
            return Ok(handle);
        }
        // One at a time: two that want the same session must not load it twice.
        let _one = self.shared.loading.lock().await;
        if let Some(handle) = self.loaded(id) {
            return Ok(handle);
        }
        let row = match self.shared.store.session(id).await? {
            Some(row) => Some(row),
            // The agent's own id will do too.
            None => self.shared.store.session_by_provider(id).await?,
        };
        let row = row.ok_or_else(|| Problem::no_session(id))?;
        if let Some(handle) = self.loaded(&row.id) {
            return Ok(handle);
        }
        self.load(row).await
    }

    /// Sets the access control of the web server.
    pub fn set_doorkeeper(&self, keeper: Arc<dyn Doorkeeper>) {
        self.shared.doors.set(keeper);
    }

    /// The id of a session a client named: ours, by the agent's own id too. One that another program made is taken in.
    pub(crate) async fn known(&self, id: &str, by: &By) -> Result<String, Problem> {
        if let Some(info) = self.shared.list.get(id)
            && !info.external
        {
            return Ok(id.to_owned());
        }
        if let Some(row) = self.shared.store.session(id).await? {
            return Ok(row.id);
        }
        if let Some(row) = self.shared.store.session_by_provider(id).await? {
            return Ok(row.id);
        }
        self.import(id, None, None, by).await
    }

    /// The agents that can be started, as clients are told.
    pub(crate) fn agents_offered(&self) -> Vec<crate::api::Agent> {
        self.shared.offered.get_or_init(|| self.look_for_agents()).clone()
    }

    fn look_for_agents(&self) -> Vec<crate::api::Agent> {
        let agents = self.shared.agents.all.iter().enumerate();
        agents
            .map(|(at, agent)| crate::api::Agent {
                name: agent.name.clone(),
                command: agent.program.to_string_lossy().into_owned(),
                version: None,
                available: self.shared.agents.locate(&agent.program).is_ok(),
                pays: crate::api::Payer::of(&agent.pays),
                pays_detail: agent.pays_detail.clone(),
                default: at == 0,
            })
            .collect()
    }

    pub(crate) fn loaded(&self, id: &str) -> Option<Handle> {
        let loaded = self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.get(id).cloned()
    }

    /// How many sessions are in memory.
    pub(crate) fn loaded_count(&self) -> usize {
        self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    async fn load(&self, row: SessionRow) -> Result<Handle, Problem> {
        let id = row.id.clone();
        let s = self.shared.numbers.fetch_add(1, Ordering::Relaxed);
        let actor = Actor::load(Arc::clone(&self.shared), s, row).await?;
        let (commands, inbox) = mpsc::channel(DEPTH);
        let handle = Handle { s, commands };
        let mut loaded = self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        loaded.insert(id.clone(), handle.clone());
        drop(loaded);
        let shared = Arc::clone(&self.shared);
        tokio::spawn(async move {
            let run = tokio::spawn(actor.run(inbox));
            if let Err(error) = run.await {
                tracing::error!(session = %id, %error, "a session failed; the next command loads it again");
            }
            let mut loaded = shared.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            // A newer one may have taken its place.
            if loaded.get(&id).is_some_and(|handle| handle.s == s) {
                loaded.remove(&id);
            }
        });
        Ok(handle)
    }

    /// Sends a command to a session, and waits for its result.
    pub(crate) async fn ask<T>(&self, id: &str, mut command: impl FnMut(Reply<T>) -> Command) -> Result<T, Problem> {
        for _ in 0..5 {
            let handle = self.session(id).await?;
            let (reply, answer) = oneshot::channel();
            if handle.commands.send(command(reply)).await.is_err() {
                // It was just let go.
                continue;
            }
            match answer.await {
                Ok(answer) => return answer,
                Err(_) => continue,
            }
        }
        Err(Problem::internal("the session does not answer"))
    }

    /// Sends a command to a session without waiting.
    pub(crate) async fn tell(&self, id: &str, command: Command) {
        if let Ok(handle) = self.session(id).await {
            handle.commands.send(command).await.ok();
        }
    }

    /// Reads the state of a session in its task.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        id: &str,
        look: impl FnOnce(&sluice_host::conversation::ConversationState, &SessionRow) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let handle = self.session(id).await?;
        let (reply, seen) = oneshot::channel();
        let look: crate::session::Look = Box::new(move |state, row| {
            reply.send(look(state, row)).ok();
        });
        let gone = || Problem::internal("the session does not answer");
        handle.commands.send(Command::Look(look)).await.map_err(|_| gone())?;
        seen.await.map_err(|_| gone())
    }

    /// Unloads every session: pending records are stored, runners go on.
    pub async fn shut_down(&self) {
        let handles: Vec<Handle> = {
            let loaded = self.shared.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.values().cloned().collect()
        };
        let mut waits = Vec::new();
        for handle in handles {
            let (reply, left) = oneshot::channel();
            if handle.commands.send(Command::Leave { reply }).await.is_ok() {
                waits.push(left);
            }
        }
        for left in waits {
            left.await.ok();
        }
    }

    /// Every session, newest first.
    pub(crate) fn sessions(&self) -> Vec<SessionInfo> {
        self.shared.list.all()
    }
}
