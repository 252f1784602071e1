// Solid signals and stores for a session, the list, the connection and the outbox. They change only where the data
// changed.
import { createSignal, onCleanup, type Accessor } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { AskInfo, Facts, Item, QueuedPrompt, SessionState } from '../api/types';
import type { Client } from './client';
import type { KeptEntry } from './outbox';
import type { Change, SessionPhase, SessionStore } from './session';
import type { Groups } from './sessions';

export interface SessionView {
  readonly store: SessionStore;
  /** The folded state; only fields that changed trigger effects. */
  readonly state: Accessor<SessionState | null>;
  readonly asks: readonly AskInfo[];
  readonly queue: readonly QueuedPrompt[];
  readonly facts: Accessor<Facts | null>;
  readonly phase: Accessor<SessionPhase>;
  readonly more: Accessor<boolean>;
  /** All loaded items, in order; changes when items are added, removed or replaced, but not while text is streamed. */
  readonly items: Accessor<readonly Item[]>;
  /** Increases with each batch of changes; animates the glyph. */
  readonly pulse: Accessor<number>;
  /** Calls the listener with every change, once per frame, for those who maintain their own model. */
  onChange(listener: (change: Change) => void): void;
}

/** Subscribes to a session while the component is mounted. */
export function useSession(client: Client, sessionId: string): SessionView {
  const { store, close } = client.open(sessionId);
  onCleanup(close);
  const [holder, setHolder] = createStore<{ state: SessionState | null }>({ state: plain(store.state) });
  const [asks, setAsks] = createStore<AskInfo[]>([...(store.state?.asks ?? [])]);
  const [queue, setQueue] = createStore<QueuedPrompt[]>([...(store.state?.queue ?? [])]);
  const [facts, setFacts] = createSignal(store.facts);
  const [phase, setPhase] = createSignal(store.phase);
  const [more, setMore] = createSignal(store.more);
  const [items, setItems] = createSignal<readonly Item[]>(store.items, { equals: false });
  const [pulse, setPulse] = createSignal(store.pulse);

  const follow = (change: Change) => {
    if (change.state) {
      setHolder('state', reconcile(plain(store.state), { merge: true, key: null }));
      setAsks(reconcile([...(store.state?.asks ?? [])], { key: 'ask' }));
      setQueue(reconcile([...(store.state?.queue ?? [])], { key: 'uuid' }));
    }
    if (change.facts) setFacts(store.facts);
    if (change.phase) setPhase(store.phase);
    if (change.reset || change.items.size || change.removed.size) setItems(store.items);
    setMore(store.more);
    setPulse(store.pulse);
  };
  onCleanup(store.changes.listen(follow));

  return {
    store,
    state: () => holder.state,
    asks,
    queue,
    facts,
    phase,
    more,
    items,
    pulse,
    onChange: (listener) => {
      onCleanup(store.changes.listen(listener));
    },
  };
}

/** A store modifies its value; the protocol's objects must not change. */
const plain = (state: SessionState | null): SessionState | null => (state ? structuredClone(state) : null);

export interface ListView {
  readonly groups: Accessor<Groups>;
  readonly archived: Accessor<Groups>;
  readonly current: Accessor<boolean>;
}

export function useSessions(client: Client): ListView {
  const [groups, setGroups] = createSignal(client.list.groups());
  const [archived, setArchived] = createSignal(client.list.groups(true));
  const [current, setCurrent] = createSignal(client.list.current);
  let due = false;
  onCleanup(
    client.list.changed.listen(() => {
      if (due) return;
      due = true;
      queueMicrotask(() => {
        due = false;
        setGroups(client.list.groups());
        setArchived(client.list.groups(true));
        setCurrent(client.list.current);
      });
    }),
  );
  return { groups, archived, current };
}

/** Messages sent from this device without a receipt. */
export function useKept(client: Client, sessionId: () => string): Accessor<readonly KeptEntry[]> {
  const [version, setVersion] = createSignal(0);
  onCleanup(client.outbox.changed.listen(() => setVersion((n) => n + 1)));
  return () => {
    version();
    return client.outbox.of(sessionId());
  };
}

/** The time at the bridge, updated every second while a component uses it and the page is visible. */
export function useNow(client: Client, every = 1_000): Accessor<number> {
  const [now, setNow] = createSignal(client.connection.now());
  const timer = setInterval(() => {
    if (!document.hidden) setNow(client.connection.now());
  }, every);
  const wake = () => setNow(client.connection.now());
  document.addEventListener('visibilitychange', wake);
  onCleanup(() => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', wake);
  });
  return now;
}
