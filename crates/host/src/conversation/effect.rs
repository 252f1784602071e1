//! Effects: what the driver has to do after a step, such as writing a line, sending a signal or telling of a change.

use sluice_wire::Frame;
use sluice_wire::control::RequestId;

use super::Line;
use crate::items::ItemId;

/// The effects of one step, in order.
pub type Effects = Vec<Effect>;

/// An effect: something the driver has to do. Numbers are places in the lists of [`ConversationState`](super::ConversationState).
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write this line to the agent.
    Send(Line),
    /// The agent asks, and nobody has answered: call whoever answers such things.
    /// While old lines are read this is held back, and then said only of what is still open.
    Asked(usize),
    /// An ask has its outcome. Said once for every ask, whatever comes later.
    Settled(usize),
    /// A request of this side came to its end. Said once for every request.
    Replied {
        /// Which.
        request: RequestId,
        /// How.
        reply: RequestOutcome,
    },
    /// An answer came too late: the ask had an outcome. Nothing is written.
    TooLate(usize),
    /// End the process: the turn was interrupted and does not end.
    Signal(Signal),
    /// Start the process again and let it resume: it was ended to end a turn.
    Respawn,
    /// Something to be seen changed.
    Changed(Change),
}

/// How a request of this side ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestOutcome {
    /// The agent answered: the line with its `control_response`.
    Answered(Frame),
    /// No answer came in time. Old agents are silent about what they do not know.
    Expired,
    /// The process ended first.
    Died,
}

/// The signal that ends the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGTERM`, to its group.
    Terminate,
    /// `SIGKILL`, to its group.
    Kill,
}

/// What changed: enough to know what to look at again, and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// An entry was added.
    Entry(usize),
    /// An item is new or changed; see [`item_changes`](super::ConversationState::item_changes). The growth of a text that is
    /// being streamed is reported as [`Change::Draft`] only.
    Item(ItemId),
    /// A prompt is new or moved on.
    Prompt(usize),
    /// A turn began, learned whose it is, or ended.
    Turn(usize),
    /// A call began or ended.
    Call(usize),
    /// An ask came or has its outcome.
    Ask(usize),
    /// The draft of the main conversation, or of the subagent that this call started, grew or is void.
    Draft(Option<usize>),
    /// A task began, went on or ended.
    Task(usize),
    /// The list of things to do changed.
    Todos,
    /// Model, mode, commands, servers or another fact of the session changed.
    Session,
    /// What the conversation is doing changed.
    Activity,
    /// The process started or ended.
    Process,
    /// The way to the process was found or lost.
    Transport,
    /// More was spent.
    Cost,
    /// The context is more or less full.
    Context,
    /// Something came that this version does not understand; it is kept and counted.
    Drift,
}
