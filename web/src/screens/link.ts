// The protocol client of this page, as the screens read it. Created once at the start, before anything is rendered.
import { createRoot, createSignal, onCleanup, type Accessor } from 'solid-js';
import type { Facts, Item, Scope, SessionInfo, SessionState, Welcome } from '../api/types';
import {
  keepFailed,
  Refusal,
  makeClient,
  useNow,
  useSession,
  type Answer,
  type Client,
  type CommandOf,
  type CommandType,
  type Line,
  type SessionView,
} from '../protocol';
import { noteStorageFull } from './prefs';

let held: Client | undefined;
let read: { now: Accessor<number>; sessions: Accessor<readonly SessionInfo[]> } | undefined;
const [listed, setListed] = createSignal(false);
const [outdated, setOutdated] = createSignal(false);
export { listed };
const [diskFull, setDiskFull] = createSignal(false);
/** The bridge refused something because its disk is full. */
export const bridgeFull = diskFull;
/** The bridge serves a newer page than this one. */
export const newer = outdated;

/** Creates the client and connects, unless the device has to be paired first. */
export function connect(begin = true): Client {
  const made = makeClient({ reload: () => setOutdated(true) });
  held = made;
  createRoot(() => {
    const [sessions, setSessions] = createSignal<readonly SessionInfo[]>(made.list.all());
    let due = false;
    made.list.changed.listen(() => {
      if (due) return;
      due = true;
      queueMicrotask(() => {
        due = false;
        setSessions(made.list.all());
      });
    });
    read = { now: useNow(made), sessions };
  });
  keepFailed.listen(noteStorageFull);
  made.connection.opened.listen(() => void fetchAll());
  // Last, because a connection opened by `boot/first.js` delivers its messages at once.
  if (begin) made.connection.start();
  else made.connection.stop();
  return made;
}

/** Fetches all sessions, including those of other programs. The list that is sent initially contains only live sessions. */
export async function fetchAll(archived = false): Promise<void> {
  try {
    const { sessions } = await client().commands.send({ type: 'list_recent_sessions', limit: 500, archived });
    for (const session of sessions) client().list.apply({ type: 'session', session });
  } catch {
    // The current list stays; the next connection fetches it again.
  }
  if (!archived) setListed(true);
}

const need = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the page is not connected yet');
  return value;
};
export const client = (): Client => need(held);
export const line = (): Line => client().connection.line.value;
export const welcome = (): Welcome | null => client().welcome.value;
export const now = (): number => need(read).now();
export const sessions = (): readonly SessionInfo[] => need(read).sessions();
export const infoOf = (id: string): SessionInfo | undefined => sessions().find((one) => one.sessionId === id);
export const unread = (info: SessionInfo): boolean => {
  sessions();
  return client().list.unread(info);
};
export const may = (scope: Scope): boolean => client().may(scope);
export const up = (): boolean => line().phase === 'up';

const views = new Map<string, { view: SessionView; users: number; dispose: () => void }>();

/** Subscribes to a session while the component is mounted; several views of it share the subscription. */
export function openSession(id: string): SessionView {
  let one = views.get(id);
  if (!one) {
    one = createRoot((dispose) => ({ view: useSession(client(), id), users: 0, dispose }));
    views.set(id, one);
  }
  const made = one;
  made.users += 1;
  onCleanup(() => {
    made.users -= 1;
    // A component that replaces another view of the same session reuses the subscription.
    queueMicrotask(() => {
      if (made.users > 0 || views.get(id) !== made) return;
      views.delete(id);
      made.dispose();
    });
  });
  return made.view;
}

/** Fetches a session when a link to it is pressed, before it is released. */
export function fetchAhead(event: PointerEvent, id: string): void {
  if (event.pointerType !== 'mouse' || event.button !== 0) return;
  const { close } = client().open(id);
  setTimeout(close, 3_000);
}

/** State of a session that a component above has opened. */
export const stateOf = (id: string): SessionState | undefined => views.get(id)?.view.state() ?? undefined;
/** True if the bridge does not know this session. */
export const goneOf = (id: string): boolean => views.get(id)?.view.phase() === 'gone';
export const factsOf = (id: string): Facts | undefined => views.get(id)?.view.facts() ?? undefined;
export const itemsOf = (id: string): readonly Item[] => views.get(id)?.view.items() ?? [];

/** Sends a command and returns the payload of its receipt. Payloads that come from agents must be validated by the caller. */
export function request<T extends CommandType>(command: CommandOf<T> & { type: T }): Promise<Answer<T>> {
  const answer = client().commands.send<T>(command);
  answer.then(
    () => setDiskFull(false),
    (error: unknown) => {
      if (error instanceof Refusal && error.code === 'storage') setDiskFull(true);
    },
  );
  return answer;
}

/** Why a command failed: the message of the bridge and its hint. */
export function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.hint ? `${error.message} (${error.hint})` : error.message;
  return error instanceof Error ? error.message : String(error);
}
