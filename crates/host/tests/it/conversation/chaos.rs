//! Many thousand random lives of a conversation, with everything going wrong that can: lines lost, repeated and
//! out of order, processes that die, ways that are lost, answers that come late, turns nobody asked for.

mod agent;

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use serde_json::Value;
use sluice_host::conversation::{
    Activity, AskAnswer, AskState, ConversationEvent, ConversationState, Effect, End, Exit, Failure, OwnRequest,
    PromptState, Proof, Signal, Snapshot, Submit, What, step,
};
use sluice_wire::stdin::User;

use agent::{Agent, Kind};

/// One life.
struct Life {
    state: ConversationState,
    agent: Agent,
    now: u64,
    log: Vec<ConversationEvent>,
    settled: HashMap<usize, usize>,
    /// Results of which the agent said that they ended a turn, as the machine has them by their uuid.
    lost: bool,
    /// Whether a line of the agent never arrived, so that not everything can be known.
    gaps: bool,
    serial: u32,
}

impl Life {
    fn new(kind: Kind) -> Self {
        let mut life = Self {
            state: ConversationState::default(),
            agent: Agent::new(kind),
            now: 0,
            log: Vec::new(),
            settled: HashMap::new(),
            lost: false,
            gaps: false,
            serial: 0,
        };
        life.happens(What::Starting { resumed: false });
        life.happens(What::Up);
        life
    }

    /// Something happens, and what is to be done because of it is done.
    fn happens(&mut self, what: What) {
        let event = ConversationEvent::new(self.now, what);
        self.log.push(event.clone());
        let effects = step(&mut self.state, event);
        for effect in effects {
            match effect {
                Effect::Send(line) => {
                    assert!(!self.lost, "written to nobody: {line}");
                    self.agent.inbox.push_back(line.to_string());
                }
                Effect::Settled(ask) => *self.settled.entry(ask).or_default() += 1,
                Effect::Signal(Signal::Terminate) => {}
                Effect::Signal(Signal::Kill) => self.crash(true),
                Effect::Respawn => self.respawn(),
                Effect::Asked(_) | Effect::Replied { .. } | Effect::TooLate(_) | Effect::Changed(_) => {}
            }
        }
        self.check();
    }

    /// What holds at every moment.
    fn check(&self) {
        for (at, ask) in self.state.asks().iter().enumerate() {
            let times = self.settled.get(&at).copied().unwrap_or_default();
            assert_eq!(
                times,
                usize::from(ask.state != AskState::Pending),
                "outcomes of {}",
                ask.id
            );
        }
        if let Activity::Running { seen, .. } = self.state.activity() {
            let age = self.state.now().since(seen);
            let patience = self.state.patience();
            let calling = self.state.running_calls().next().is_some() || self.state.pending_asks().next().is_some();
            let most = if calling { patience.call } else { patience.model };
            assert!(
                age <= most,
                "shown running on evidence of {age:?} ago\n{}",
                self.story()
            );
            assert!(
                self.state.deadline().is_some(),
                "nobody would notice it stall\n{}",
                self.story()
            );
        }
    }

    fn crash(&mut self, heard: bool) {
        if !self.agent.alive {
            return;
        }
        self.agent.crash();
        // What is in the pipe can be read to its end, or is lost with it.
        while heard && !self.lost && !self.agent.out.is_empty() {
            self.deliver();
        }
        self.gaps |= !self.agent.out.is_empty();
        self.agent.out.clear();
        self.happens(What::Exited(Exit::default()));
    }

    fn respawn(&mut self) {
        if self.agent.alive {
            return;
        }
        self.agent.alive = true;
        self.happens(What::Starting { resumed: true });
        self.happens(What::Up);
    }

    /// The next line of the agent arrives.
    fn deliver(&mut self) {
        if self.lost {
            return;
        }
        if let Some(line) = self.agent.out.pop_front() {
            let event = ConversationEvent::line(self.now, &line);
            self.happens(event.what);
        }
    }

    fn answer(&mut self, choice: u8) {
        let count = self.state.asks().len();
        if count == 0 {
            return;
        }
        // Old ones too: answers come late.
        let ask = self.state.asks()[count - 1 - usize::from(choice) % count.min(3)]
            .id
            .clone();
        self.happens(What::Answer(if choice.is_multiple_of(2) {
            AskAnswer::allow(ask)
        } else {
            AskAnswer::deny(ask, "no")
        }));
    }

    fn fresh(&mut self, what: &str) -> String {
        self.serial += 1;
        format!("{what}{}", self.serial)
    }

    fn submit(&mut self) {
        let id = self.fresh("p");
        self.happens(What::Submit(Submit::new(id.as_str(), User::new(id.as_str()))));
    }

    fn reconnect(&mut self) {
        self.lost = false;
        self.happens(What::CatchingUp);
        while !self.agent.out.is_empty() {
            self.deliver();
        }
        self.happens(What::Connected);
    }

    fn act(&mut self, action: u8, choice: u8) {
        self.now += u64::from(choice);
        match action % 32 {
            0..=3 => self.submit(),
            4..=9 if self.agent.alive => self.agent.read(),
            10..=15 if self.agent.alive => self.agent.work(choice),
            16..=21 => self.deliver(),
            22 => self.answer(choice),
            23 => {
                let id = self.fresh("r");
                self.happens(What::Request(OwnRequest::interrupt(id)));
            }
            24 => {
                self.crash(choice.is_multiple_of(2));
            }
            25 => self.respawn(),
            26 => {
                self.now += u64::from(choice) * 4_000;
                self.happens(What::Tick);
            }
            27 if self.lost => self.reconnect(),
            27 => {
                self.lost = true;
                self.happens(What::Lost);
            }
            28 if self.agent.kind.new && self.agent.alive => self.agent.wakes += 1,
            28 => {}
            29 if self.agent.kind.new && self.agent.alive => self.agent.strays(choice),
            29 => {}
            30 => self.fault(choice),
            31 => {
                if let Some(prompt) = self.state.prompts().last().map(|it| it.id.clone()) {
                    let request = self.fresh("r").into();
                    self.happens(What::Withdraw { prompt, request });
                }
            }
            _ => {}
        }
    }

    fn fault(&mut self, choice: u8) {
        let out = &mut self.agent.out;
        match choice % 5 {
            0 => self.gaps |= out.pop_front().is_some(),
            1 => {
                if let Some(line) = out.front().cloned() {
                    out.push_front(line);
                }
            }
            2 => {
                // An answer overtakes what was written before it.
                if let Some(at) = out
                    .iter()
                    .position(|it| it.starts_with(r#"{"type":"control_response""#))
                {
                    let line = out.remove(at).unwrap();
                    out.push_front(line);
                }
            }
            3 => {
                out.push_front("{ not json".to_owned());
            }
            _ => {
                // Half-open: what is written arrives nowhere.
                self.gaps |= self.agent.inbox.pop_back().is_some();
            }
        }
    }

    /// Everything still to be done is done, the process ends, and none follows.
    fn end(&mut self) {
        if self.lost {
            self.reconnect();
        }
        self.respawn();
        for round in 0..400 {
            if self.agent.is_done() && self.agent.out.is_empty() {
                break;
            }
            self.agent.read();
            self.agent.work(if round % 2 == 0 { 5 } else { 7 });
            self.deliver();
            self.deliver();
            for ask in self.state.pending_asks().map(|it| it.id.clone()).collect::<Vec<_>>() {
                self.happens(What::Answer(AskAnswer::allow(ask)));
            }
        }
        while !self.agent.out.is_empty() {
            self.deliver();
        }
        self.now += 700_000;
        self.happens(What::Tick);
        if let Activity::Running { evidence, .. } = self.state.activity() {
            panic!("still shown running on {evidence:?}\n{}", self.story());
        }
        if self.agent.alive {
            self.happens(What::Exited(Exit::default()));
        }
        self.happens(What::Closed);
    }

    /// What holds in the end.
    fn verdict(&self) {
        let state = &self.state;
        assert_eq!(state.activity(), Activity::Idle);
        assert!(state.pending_asks().next().is_none());
        assert!(state.queue().next().is_none());
        for prompt in state.prompts() {
            let taken_up = self.agent.taken_up.contains(&*prompt.id);
            match prompt.state {
                // Presumption can be wrong where lines are missing; what the agent named cannot.
                PromptState::Delivered => {
                    assert!(
                        taken_up || prompt.proof == Some(Proof::Presumed),
                        "{} was not read",
                        prompt.id
                    );
                }
                PromptState::Failed(Failure::Withdrawn) => {
                    assert!(!taken_up, "{} was read\n{}", prompt.id, self.story());
                }
                PromptState::Failed(Failure::Closed) => assert!(!taken_up, "{} was read\n{}", prompt.id, self.story()),
                PromptState::Failed(Failure::Lost) => {
                    let quiet = !self.agent.kind.new && !self.agent.kind.echoes;
                    assert!(
                        self.gaps || quiet || !taken_up,
                        "{} was read, and nobody noticed",
                        prompt.id
                    );
                }
                other => panic!("{} ends {other:?}\n{}", prompt.id, self.story()),
            }
        }
        self.own_turns_end_with_own_results();
    }

    /// What happened, for reading after a failure.
    fn story(&self) -> String {
        let lines = self.log.iter().map(|event| match &event.what {
            What::Said(frame) => format!("{} said {}", event.at.0, frame.text()),
            other => format!("{} {other:?}", event.at.0),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn own_turns_end_with_own_results(&self) {
        // Of old agents nothing but the order is known, and with lines missing not even that.
        let told = self.agent.kind.new || !self.gaps;
        for turn in self.state.turns().iter().filter(|_| told) {
            let (Some(End::Result { .. }), Some(entry)) = (&turn.end, turn.entry) else {
                continue;
            };
            let line: Value = serde_json::from_str(&self.state.entries()[entry].line).unwrap();
            let ended: HashSet<&str> = self.agent.results[line["uuid"].as_str().unwrap()]
                .iter()
                .map(String::as_str)
                .collect();
            for prompt in turn.prompts.iter().map(|at| &self.state.prompts()[*at]) {
                if prompt.proof == Some(Proof::Named) {
                    let ours = ended.contains(&*prompt.id);
                    assert!(ours, "{} was ended by another's result\n{}", prompt.id, self.story());
                }
            }
        }
    }

    /// Read again, from the log or from a snapshot in the middle of it, it is the same life.
    fn replays(&self, written: bool) {
        let mut replayed = ConversationState::default();
        let half = self.log.len() / 2;
        for (at, event) in self.log.iter().enumerate() {
            if at == half {
                let mut snapshot = replayed.snapshot();
                if written {
                    let text = serde_json::to_string(&snapshot).unwrap();
                    snapshot = serde_json::from_str::<Snapshot>(&text).unwrap();
                }
                replayed = ConversationState::restore(snapshot).unwrap();
            }
            step(&mut replayed, event.clone());
        }
        assert!(replayed == self.state, "read again it is another life");
    }
}

fn live(kind: Kind, script: &[(u8, u8)]) {
    let mut life = Life::new(kind);
    for (action, choice) in script {
        life.act(*action, *choice);
    }
    life.end();
    life.verdict();
    life.replays(script.len().is_multiple_of(8));
}

// Together fifteen thousand lives; apart, so that they are lived side by side.
proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_goes_wrong_the_truth_about_an_old_agent_is_kept(
        echoes in any::<bool>(),
        script in proptest::collection::vec(any::<(u8, u8)>(), 8..64),
    ) {
        live(Kind { new: false, echoes, plain: false }, &script);
    }

    #[test]
    fn whatever_goes_wrong_the_truth_about_a_new_agent_is_kept(
        echoes in any::<bool>(),
        script in proptest::collection::vec(any::<(u8, u8)>(), 8..64),
    ) {
        live(Kind { new: true, echoes, plain: false }, &script);
    }

    #[test]
    fn whatever_goes_wrong_the_truth_about_an_agent_that_announces_nothing_is_kept(
        script in proptest::collection::vec(any::<(u8, u8)>(), 8..64),
    ) {
        live(Kind { new: false, echoes: false, plain: true }, &script);
    }
}
