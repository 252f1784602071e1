// What the transcript needs from the page around it. Everything that talks to the server is injected.
import { createContext, createSignal, onCleanup, useContext, type Accessor } from 'solid-js';
import type { Diff } from '../api/types';
import type { FilePlace } from '../markdown/filelinks';
import type { Runs } from '../markdown/runs';
import type { MenuEntry } from '../ui';
import type { CallItem, PromptItem } from './model';
import type { Observed } from './model/observed';

export interface TranscriptServices {
  sessionId: string;
  /** The session's folder: paths inside it are shown without it. */
  cwd?: (() => string | undefined) | undefined;
  /** Colours of code, by language or file name. */
  highlight: (lang: string, text: string) => Promise<Runs>;
  /** The diff of an edit, by the record of its result (or of the call) and its id. */
  diffOf: (seq: number, toolUseId: string) => Promise<Diff>;
  /** The address of a file of the session, by its path and line. */
  fileHref?: ((place: FilePlace) => string) | undefined;
  /** A body that stayed with the server, as text. */
  blobText: (hash: string) => Promise<string>;
  /** Its address, for pictures and raw links. */
  blobUrl: (hash: string) => string;
  /** The address of a record: `#/session/ID/SEQ`. */
  permalink: (seq: number) => string;
  /** Calls that wait for an answer now. */
  waiting?: (() => ReadonlySet<string>) | undefined;
  /** Shows the output of a background task. */
  openTask?: ((taskId: string) => void) | undefined;
  /** Shows a subagent as a view of its own. */
  openAgent?: ((call: CallItem) => void) | undefined;
  /** More entries for the menu of a message: edit and resend, rewind, fork. */
  promptMenu?: ((prompt: PromptItem) => readonly MenuEntry[]) | undefined;
  /** Sends the last message again, if it is this one and its turn failed; nothing where that is not possible. */
  retry?: ((prompt: PromptItem | undefined) => (() => void) | undefined) | undefined;
  /** What to say where nothing is shown. */
  empty?: (() => string) | undefined;
  /** The name of a model by its id. */
  modelName?: ((id: string) => string) | undefined;
  /** The id of this person's own device, so that "You" can be said. */
  device?: (() => string | undefined) | undefined;
}

const Services = createContext<TranscriptServices>();
export const TranscriptServicesProvider = Services.Provider;

export function useServices(): TranscriptServices {
  const services = useContext(Services);
  if (!services) throw new Error('no transcript services');
  return services;
}

/** Follows a thing of the model: the accessor gives it again whenever it says that it changed. */
export function observe<T extends Observed>(thing: T): Accessor<T> {
  const [get, set] = createSignal(thing, { equals: false });
  onCleanup(thing.watch(() => set(() => thing)));
  return get;
}

/** The time, once a second while anybody looks. */
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

/** What is open, by key. Kept outside the rows: a row that left the screen comes back as it was. */
export class Folds {
  private readonly kept = new Map<string, boolean>();
  private readonly signal = createSignal(0);

  isOpen(key: string, otherwise: boolean): boolean {
    this.signal[0]();
    return this.kept.get(key) ?? otherwise;
  }

  set(key: string, open: boolean): void {
    if (this.kept.get(key) === open) return;
    this.kept.set(key, open);
    this.signal[1]((n) => n + 1);
  }

  /** Closes everything, also what is open by itself. */
  closeAll(keys: Iterable<string>): void {
    for (const key of keys) this.kept.set(key, false);
    this.signal[1]((n) => n + 1);
  }
}

const FoldsContext = createContext<Folds>();
export const FoldsProvider = FoldsContext.Provider;
const lone = new Folds();
export const useFolds = (): Folds => useContext(FoldsContext) ?? lone;

/** A path without the session's folder. */
export function shortPath(path: string, cwd: string | undefined): string {
  if (!cwd || !path.startsWith(cwd)) return path;
  const rest = path.slice(cwd.length);
  return rest.startsWith('/') ? rest.slice(1) || path : path;
}
