// The state of the gate while no request is open, and what can be done about it.
import { createEffect, createMemo, createSignal, on, type Accessor } from 'solid-js';
import type { SessionState } from '../api/types';
import { lastOf, type Client, type Line, type SessionView } from '../protocol';
import { t } from '../text';
import { clock, duration, money } from '../text/format';
import { createAct, type Act } from './act';
import { latestInfo, listenForSigns, sessionStanding } from './sessionStanding';
import type { Standing } from './standing';

export interface GateActions {
  /** Opens the changes of the session. */
  onChanges?: (() => void) | undefined;
  /** Size of the changes. */
  changed?: { files: number; added: number; removed: number } | undefined;
  /** Opens the rewind dialog. */
  onRewind?: (() => void) | undefined;
  /** Opens another session, after a fork. */
  onSession?: ((sessionId: string) => void) | undefined;
  /** Opens the model menu. */
  onModel?: (() => void) | undefined;
}

export interface GateProps extends GateActions {
  client: Client;
  session: SessionView;
  line: Line;
  now: number;
  /** Messages of this session are queued until the agent runs again. */
  queued?: boolean | undefined;
}

export interface GateState {
  readonly standing: Accessor<Standing | null>;
  readonly state: Accessor<SessionState | null>;
  /** This device may act on the session. */
  readonly may: Accessor<boolean>;
  readonly offline: Accessor<boolean>;
  /** The end of the last turn in words. */
  readonly turn: Accessor<string | null>;
  /** How much of the context is used, from 0 to 1. */
  readonly full: Accessor<number>;
  /** Number of messages that wait for the turn to end. */
  readonly queued: Accessor<number>;
  readonly stop: Act;
  readonly resume: Act;
  /** Interrupts the turn; `hold` keeps the queue from being sent. */
  readonly interrupt: (hold?: boolean) => void;
  readonly stopping: Accessor<boolean>;
  /** When the stop was asked for. */
  readonly since: Accessor<number>;
  /** The person asks to end the process. */
  readonly forcing: Accessor<boolean>;
  readonly setForcing: (on: boolean) => void;
  /** The steps against a stall are shown. */
  readonly showLadder: Accessor<boolean>;
  readonly keepWaiting: () => void;
}

export function createGate(props: GateProps): GateState {
  const sessionId = () => props.session.store.id;
  listenForSigns(props.session, () => props.client.connection.now());
  const standing = createMemo(() => sessionStanding(props));
  const state = () => props.session.state();
  const name = () => standing()?.name ?? 'idle';
  const [hold, setHold] = createSignal(false);
  const stop = createAct(() => props.client.commands.send({ type: 'interrupt', sessionId: sessionId(), hold: hold() }));
  const resume = createAct(() => props.client.commands.send({ type: 'resume_session', sessionId: sessionId() }));
  // Shows "Stopping" immediately; the bridge confirms it a moment later.
  const [asked, setAsked] = createSignal<number | null>(null);
  createEffect(
    on(
      () => state()?.info.standing,
      (now) => {
        if (now !== 'running' && now !== 'retrying' && now !== 'stalled') setAsked(null);
      },
    ),
  );
  const stopping = () => name() === 'stopping' || asked() !== null;
  const [forcing, setForcing] = createSignal(false);
  createEffect(
    on(stopping, (on) => {
      if (!on) setForcing(false);
    }),
  );
  const [patient, setPatient] = createSignal(0);
  const lastSign = () => latestInfo(props.session, props.client)?.lastSign ?? 1;
  return {
    standing,
    state,
    may: () => props.client.may('operate'),
    offline: () => props.line.phase === 'lost' || props.line.phase === 'unpaired',
    turn: createMemo(() => endOfTurn(props.session)),
    full: () => {
      const context = state()?.context;
      return context?.window ? context.tokens / context.window : 0;
    },
    queued: () => props.session.queue.filter((one) => one.state === 'queued').length,
    stop,
    resume,
    interrupt: (keep = false) => {
      setHold(keep);
      setAsked(props.now);
      void stop.run().then((done) => {
        if (!done) setAsked(null);
      });
    },
    stopping,
    since: () => (name() === 'stopping' ? (state()?.info.since ?? props.now) : (asked() ?? props.now)),
    forcing,
    setForcing,
    showLadder: () => name() === 'stalled' && !stopping() && patient() !== lastSign(),
    keepWaiting: () => setPatient(lastSign()),
  };
}

/** "turn 4 ended 14:31 · 2 m 14 s · $0.31" */
function endOfTurn(session: SessionView): string | null {
  const last = lastOf(session.items(), 'turn_end');
  if (!last) return null;
  const { duration: elapsed, cost } = last.body;
  return [
    t('asks.turnEnded', { n: (last.item.turn ?? 0) + 1, time: clock(last.item.at) }),
    elapsed > 0 ? duration(elapsed) : null,
    cost === null ? null : money(cost),
  ]
    .filter(Boolean)
    .join(' · ');
}
