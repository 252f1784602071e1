// What the transcript needs from the page. Everything that talks to the server is injected.
import { createContext, createSignal, onCleanup, useContext, type Accessor } from 'solid-js';
import type { Diff, ItemId, JsonValue, PromptItem } from '../api/types';
import type { FilePlace } from '../markdown/filelinks';
import type { Runs } from '../markdown/runs';
import type { MenuEntry } from '../ui';
import type { Cell, Row } from './model';
import type { Observed } from './model/observed';

export interface TranscriptServices {
  sessionId: string;
  /** The session's folder; paths inside it are shown relative to it. */
  cwd?: (() => string | undefined) | undefined;
  /** Highlights code, by language or file name. */
  highlight: (lang: string, text: string) => Promise<Runs>;
  /** The diff of a change, by the id of its call. */
  diffOf: (call: string) => Promise<Diff>;
  /** The address of a file of the session, by path and line. */
  fileHref?: ((place: FilePlace) => string) | undefined;
  /** A body stored on the server, as text. */
  blobText: (hash: string) => Promise<string>;
  /** The address of a body, for pictures and raw links. */
  blobUrl: (hash: string) => string;
  /** The address of an item: `#/s/ID/ITEM`. */
  permalink: (item: ItemId) => string;
  /** The messages of the agent behind an item, as received. */
  rawOf?: ((item: ItemId) => Promise<readonly JsonValue[]>) | undefined;
  /** Opens the output of a background task. */
  openTask?: ((taskId: string) => void) | undefined;
  /** Additional entries for the menu of a message: edit and resend, rewind, fork. */
  promptMenu?: ((prompt: PromptItem, cell: Cell) => readonly MenuEntry[]) | undefined;
  /** Sends the last message again. Undefined unless it is this one, its turn failed and sending is possible. */
  retry?: ((prompt: PromptItem | undefined) => (() => void) | undefined) | undefined;
  /** Text for an empty transcript. */
  empty?: (() => string) | undefined;
  /** The name of a model for its id. */
  modelName?: ((id: string) => string) | undefined;
  /** The id of this device, whose user is shown as "You". */
  device?: (() => string | undefined) | undefined;
}

const Services = createContext<TranscriptServices>();
export const TranscriptServicesProvider = Services.Provider;

export function useServices(): TranscriptServices {
  const services = useContext(Services);
  if (!services) throw new Error('no transcript services');
  return services;
}

/** Observes an item of the model: the accessor notifies whenever the item changes. */
export function observe<T extends Observed>(thing: T): Accessor<T> {
  const [get, set] = createSignal(thing, { equals: false });
  onCleanup(thing.watch(() => set(() => thing)));
  return get;
}

/** The current time, updated every second while a component uses it. */
const [now, setNow] = createSignal(Date.now());
let lookers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(): Accessor<number> {
  lookers += 1;
  if (lookers === 1) {
    setNow(Date.now());
    timer = setInterval(() => setNow(Date.now()), 1000);
  }
  onCleanup(() => {
    lookers -= 1;
    if (lookers === 0) clearInterval(timer);
  });
  return now;
}

/** Open and closed rows by key. Stored outside of the rows, so that a row keeps its state when it scrolls out of view. */
export class Folds {
  private readonly states = new Map<string, boolean>();
  private readonly signal = createSignal(0);

  isOpen(key: string, otherwise: boolean): boolean {
    this.signal[0]();
    return this.states.get(key) ?? otherwise;
  }

  set(key: string, open: boolean): void {
    if (this.states.get(key) === open) return;
    this.states.set(key, open);
    this.signal[1]((n) => n + 1);
  }

  /** Closes all rows, including those that are open by default. */
  closeAll(keys: Iterable<string>): void {
    for (const key of keys) this.states.set(key, false);
    this.signal[1]((n) => n + 1);
  }
}

/** The key of the part of a row that can be opened. */
export function foldOf(row: Row): string | undefined {
  const [cell] = row.cells;
  if (row.kind === 'looked') return `looked:${cell?.id ?? ''}`;
  switch (cell?.item.body.type) {
    case 'tool_call':
      return `call:${cell.id}`;
    case 'thinking':
      return `think:${cell.id}`;
    case 'command':
      return `cmd:${cell.id}`;
    case 'prompt':
      return `said:${cell.id}`;
    default:
      return undefined;
  }
}

const FoldsContext = createContext<Folds>();
export const FoldsProvider = FoldsContext.Provider;
const lone = new Folds();
export const useFolds = (): Folds => useContext(FoldsContext) ?? lone;

/** A path relative to the session's folder. */
export function shortPath(path: string, cwd: string | undefined): string {
  if (!cwd || !path.startsWith(cwd)) return path;
  const rest = path.slice(cwd.length);
  return rest.startsWith('/') ? rest.slice(1) || path : path;
}
