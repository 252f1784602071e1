//! Turns, processes, and the time in which a turn waits for a person.

use std::time::Duration;

use sluice_wire::control::{RewindFilesResponse, Subtype};
use sluice_wire::origin as wire;
use sluice_wire::stdout::{ResultSubtype, TerminalReason};

use super::Fold;
use crate::conversation::Change;
use crate::conversation::index::place;
use crate::conversation::read::{self, Later, Origin, TurnResult, Word};
use crate::conversation::{End, Exit, Pending, Turn};
use crate::items::list::{Record, Tally};
use crate::items::{
    FilesRewound, HookStatus, ItemBody, ItemId, ItemStatus, ModelChange, ModelChangeReason, OriginKind, ProcessChange,
    TurnEnd, TurnOrigin, TurnOutcome,
};

impl Fold<'_> {
    /// A turn begins: counting starts again.
    pub(in super::super) fn turn_began(&mut self) {
        self.state.items.current.has_origin = false;
        let now = self.state.now;
        let waits = self.state.items.turn.waits_since.map(|_| now);
        self.state.items.turn = Tally {
            waits_since: waits,
            ..Tally::default()
        };
    }

    /// A person is asked, or was.
    pub(in super::super) fn waiting_changed(&mut self) {
        let now = self.state.now;
        let asks = self.state.index.pending.iter();
        let mut asks = asks.filter_map(|at| self.state.asks.get(*at as usize));
        let waits = asks.any(|ask| ask.kind.is_for_a_person());
        let turn = &mut self.state.items.turn;
        match (waits, turn.waits_since) {
            (true, None) => turn.waits_since = Some(now),
            (false, Some(since)) => {
                turn.waits_since = None;
                turn.waited += now.0.saturating_sub(since.0);
            }
            _ => {}
        }
    }

    /// A turn ended. `result` is missing where the agent did not report the end.
    pub(in super::super) fn turn_ended(&mut self, at: usize, is_open: bool, result: Option<&TurnResult<'_>>) {
        if is_open {
            if let Some(origin) = result.and_then(|it| it.origin.0.as_ref()).and_then(origin_of) {
                self.origin(origin);
            }
            self.retry_over();
            self.cut_blocks(None);
            self.state.items.current.thinking_tokens = None;
            if let Some(compaction) = self.state.items.current.compaction.take() {
                self.item_status(compaction, ItemStatus::Interrupted);
            }
        }
        let tally = match is_open {
            true => std::mem::take(&mut self.state.items.turn),
            false => Tally::default(),
        };
        let Some(turn) = self.state.turns.get(at) else { return };
        let outcome = outcome(turn.end.as_ref());
        let waited = Duration::from_millis(tally.waited);
        let total = turn.ended.unwrap_or(self.state.now).since(turn.began);
        let failed = !matches!(outcome, TurnOutcome::Completed | TurnOutcome::Stopped);
        let end = TurnEnd {
            errors: result.filter(|_| failed).map(errors).unwrap_or_default(),
            duration: total.saturating_sub(waited),
            waited,
            api: Duration::from_millis(result.map_or(0, |it| it.duration_api_ms.count())),
            // The turn has it.
            cost: None,
            tokens: turn.usage,
            calls: tally.calls,
            denials: tally.denials,
            files: tally.files.list(),
            outcome,
        };
        let status = match end.outcome {
            TurnOutcome::Completed => ItemStatus::Done,
            TurnOutcome::Stopped => ItemStatus::Cancelled,
            TurnOutcome::Unreported | TurnOutcome::Died { .. } => ItemStatus::Interrupted,
            _ => ItemStatus::Failed,
        };
        let record = Record {
            turn: Some(place(at)),
            ..Record::new(self.state.now, status, ItemBody::TurnEnd(Box::new(end)).into())
        };
        let item = self.state.items.add(record);
        self.change(Change::Item(ItemId(item)));
    }

    /// The process started.
    pub(in super::super) fn process_started(&mut self) {
        let resumed = self.state.epoch > 1;
        self.process_item(ProcessChange::Started { resumed });
    }

    pub(in super::super) fn process_item(&mut self, change: ProcessChange) {
        let at = self.done(ItemBody::Process(change));
        self.state.items.current.process = Some(at);
    }

    /// The open turn began after the end of a task, which no prompt followed.
    pub(in super::super) fn began_by_task(&mut self) {
        let end = self.state.items.current.task_end.take();
        let Some(ItemBody::TaskEnd(end)) = self.item_body(end) else {
            return;
        };
        let origin = TurnOrigin {
            kind: OriginKind::Task,
            text: end.summary.clone(),
            outcome: Some(end.outcome.clone()),
            task: Some(end.task.clone()),
        };
        self.origin(origin);
    }

    /// The origin of the open turn is known.
    pub(in super::super) fn origin(&mut self, origin: TurnOrigin) -> bool {
        let open = self.state.index.open.and_then(|at| self.state.turns.get(at));
        if self.state.items.current.has_origin || open.is_none_or(Turn::is_own) {
            return false;
        }
        self.state.items.current.has_origin = true;
        self.done(ItemBody::TurnOrigin(origin));
        true
    }

    /// The process ended, and with it all that only it could have completed.
    pub(in super::super) fn process_ended(&mut self, exit: Exit) {
        self.cut_all_blocks();
        self.retry_over();
        for (_, hook) in std::mem::take(&mut self.state.items.current.hooks) {
            if let Some(ItemBody::Hook(run)) = self.item_body(Some(hook)) {
                run.outcome = HookStatus::Cancelled;
            }
            self.item_status(hook, ItemStatus::Interrupted);
        }
        if let Some(compaction) = self.state.items.current.compaction.take() {
            self.item_status(compaction, ItemStatus::Interrupted);
        }
        self.process_item(ProcessChange::Exited(exit.into()));
    }

    /// The folder of the session, as `init` says it before each turn.
    pub(in super::super) fn folder(&mut self, folder: Option<&str>) {
        let Some(folder) = folder else { return };
        let at = self.state.items.intern_folder(folder);
        let current = &mut self.state.items.current;
        current.root = current.root.or(at);
        current.folder = at;
    }

    /// A request of this host that leaves something in the transcript succeeded.
    pub(in super::super) fn request_took_effect(
        &mut self,
        pending: &Pending,
        response: Later<'_>,
        before: Option<Box<str>>,
    ) {
        match &pending.subtype {
            Subtype::RewindFiles if pending.about.is_some() => {
                let answer = read::later::<RewindFilesResponse>(response).unwrap_or_default();
                if answer.can_rewind {
                    self.done(ItemBody::FilesRewound(FilesRewound {
                        files: answer.files_changed.unwrap_or_default(),
                        added: answer.insertions.unwrap_or_default(),
                        removed: answer.deletions.unwrap_or_default(),
                    }));
                }
            }
            Subtype::SetModel if self.state.session.model != before => {
                let to = self.state.session.model.clone();
                self.done(ItemBody::ModelChange(ModelChange {
                    from: before,
                    to,
                    reason: ModelChangeReason::Chosen,
                    text: String::new(),
                }));
            }
            _ => {}
        }
    }
}

/// What the `result` says about the origin of its turn.
fn origin_of(origin: &Origin<'_>) -> Option<TurnOrigin> {
    let word = |word: &Word<'_>| word.text().to_owned();
    let (kind, text) = match wire::OriginKind::from(origin.kind.get()?) {
        wire::OriginKind::TaskNotification if origin.subkind.get() == Some("scheduled-trigger") => {
            (OriginKind::Wakeup, word(&origin.fire_reason))
        }
        wire::OriginKind::TaskNotification => (OriginKind::Task, String::new()),
        wire::OriginKind::Peer | wire::OriginKind::Observer | wire::OriginKind::Coordinator => (
            OriginKind::Peer,
            origin.name.get().unwrap_or(origin.from.text()).to_owned(),
        ),
        wire::OriginKind::Channel => (OriginKind::Channel, word(&origin.server)),
        wire::OriginKind::AutoContinuation => (OriginKind::Continuation, String::new()),
        wire::OriginKind::Human | wire::OriginKind::Unclassified => return None,
        _ => (OriginKind::Other, word(&origin.kind)),
    };
    Some(TurnOrigin {
        kind,
        text,
        outcome: None,
        task: None,
    })
}

fn outcome(end: Option<&End>) -> TurnOutcome {
    match end {
        None | Some(End::Unreported) => TurnOutcome::Unreported,
        Some(End::Died(exit)) => TurnOutcome::Died { exit: *exit },
        Some(End::Result {
            reason: Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools),
            ..
        }) => TurnOutcome::Stopped,
        Some(end @ End::Result { subtype, reason, .. }) => match subtype {
            ResultSubtype::ErrorMaxTurns => TurnOutcome::MaxTurns,
            ResultSubtype::ErrorMaxBudgetUsd => TurnOutcome::MaxBudget,
            _ if end.is_error() => TurnOutcome::Failed { reason: reason.clone() },
            _ => TurnOutcome::Completed,
        },
    }
}

fn errors(result: &TurnResult<'_>) -> Vec<String> {
    let errors = result.errors.0.iter().filter_map(Word::get).map(str::to_owned);
    let text = read::later::<String>(result.result);
    errors.chain(text).filter(|text| !text.trim().is_empty()).collect()
}
