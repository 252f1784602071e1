// The protocol client: one connection, its commands, the session list, and a store for each open session.
import type { Image, Scope, ServerMessage, Welcome } from '../api/types';
import { SnapshotCache } from './cache';
import { Commands, Refusal } from './commands';
import { Connection, type ConnectionOptions } from './connection';
import { Drafts } from './drafts';
import { Outbox, type Upload } from './outbox';
import { SessionList } from './sessions';
import { SessionStore, type Schedule } from './session';
import { browserChest, browserShelf, type BlobStorage, type SyncStorage } from './storage';
import { soon } from '../ui/task';
import { Observable, Topic } from './topic';

/** Maximum number of turns in a snapshot and in a page of history. */
export const PAGE_TURNS = 12;
/** Number of sessions that stay subscribed after they were closed, so that reopening them is immediate. */
const MAX_WARM_SESSIONS = 4;

export interface ClientOptions extends Pick<ConnectionOptions, 'open' | 'client' | 'build' | 'paired' | 'reload' | 'random' | 'triesHidden'> {
  shelf?: SyncStorage;
  chest?: BlobStorage;
  schedule?: Schedule;
  upload?: Upload;
}

interface Open {
  store: SessionStore;
  users: number;
  loading: Promise<void>;
  asked: boolean;
}

export class Client {
  readonly connection: Connection;
  readonly commands: Commands;
  readonly outbox: Outbox;
  readonly list: SessionList;
  readonly drafts: Drafts;
  readonly cache: SnapshotCache;
  readonly welcome = new Observable<Welcome | null>(null);
  readonly shelf: SyncStorage;
  /** A session got another id: a session of another program was imported when it was opened. */
  readonly moved = new Topic<{ from: string; to: string }>();
  private readonly stores = new Map<string, Open>();
  /** The sessions by their numbers on this connection. */
  private readonly numbers = new Map<number, string>();
  private readonly schedule: Schedule;

  constructor(options: ClientOptions) {
    this.shelf = options.shelf ?? browserShelf();
    const chest = options.chest ?? browserChest();
    this.schedule = options.schedule ?? frameSchedule;
    this.connection = new Connection({ ...options, revisions: () => this.revisions() });
    this.commands = new Commands(this.connection);
    this.outbox = new Outbox(this.connection, this.commands, this.shelf, chest, options.upload ?? ((picture) => uploadPicture(picture)));
    this.list = new SessionList(this.shelf);
    this.drafts = new Drafts(this.shelf, chest);
    this.cache = new SnapshotCache(chest, this.shelf);
    this.connection.messages.listen((message) => this.onMessage(message));
    this.connection.opened.listen(() => this.subscribeAll());
    this.connection.line.listen((line) => {
      if (line.phase === 'up') return;
      this.numbers.clear();
      this.list.cut();
      for (const open of this.stores.values()) {
        open.asked = false;
        open.store.cut();
      }
    });
  }

  /** True if this device has a scope. */
  may(scope: Scope): boolean {
    return this.welcome.value?.scopes.includes(scope) ?? false;
  }

  /** Opens a session: its store is kept up to date until the returned `close` is called. */
  open(sessionId: string): { store: SessionStore; ready: Promise<void>; close: () => void } {
    let open = this.stores.get(sessionId);
    if (!open) {
      open = this.make(sessionId);
      const { store } = open;
      const made = open;
      made.loading = this.cache.load(sessionId).then((kept) => {
        if (kept && !made.asked) store.restore(kept);
        this.subscribe(made);
      });
    }
    const one = open;
    one.users += 1;
    this.stores.delete(sessionId);
    this.stores.set(sessionId, one);
    this.subscribe(one);
    this.unsubscribeUnused();
    let closed = false;
    return {
      store: one.store,
      ready: one.loading,
      close: () => {
        if (closed) return;
        closed = true;
        one.users -= 1;
        this.unsubscribeUnused();
      },
    };
  }

  /** A session that was subscribed by `boot/first.js`, with the command `id`. */
  begun(sessionId: string, id: string): void {
    const open = this.make(sessionId);
    open.asked = true;
    open.store.asked();
    this.commands.claim((receipt) => {
      if (receipt.id !== id) return false;
      if (receipt.ok) this.onSubscribed(open.store, receipt.data);
      else if (receipt.error?.code === 'session') this.onUnknownSession(sessionId);
      return true;
    });
  }

  /** Publishes pending changes now instead of with the next frame. */
  settle(): void {
    for (const { store } of this.stores.values()) store.flush();
  }

  private make(sessionId: string): Open {
    const store = new SessionStore(sessionId, this.schedule);
    store.changes.listen((change) => {
      if (change.items.size || change.reset || change.state || change.facts) this.cache.touch(store);
    });
    const open: Open = { store, users: 0, asked: false, loading: Promise.resolve() };
    this.stores.set(sessionId, open);
    return open;
  }

  /** Loads a page of older items. */
  async older(store: SessionStore, turns = PAGE_TURNS): Promise<boolean> {
    if (!store.more) return false;
    const before = store.items[0]?.id;
    if (before === undefined) return false;
    const page = await this.commands.send({ type: 'items_before', sessionId: store.id, before, turns });
    store.applyHistory(page.items, page.more);
    return page.items.length > 0;
  }

  private revisions(): { [sessionId: string]: number } {
    const revisions: { [sessionId: string]: number } = {};
    for (const open of this.stores.values()) {
      const { revision } = open.store;
      if (revision === null || open.store.phase === 'gone') continue;
      revisions[open.store.id] = revision;
      open.asked = true;
      open.store.asked();
    }
    return revisions;
  }

  private subscribeAll(): void {
    for (const open of this.stores.values()) this.subscribe(open);
  }

  private subscribe(open: Open): void {
    if (open.asked || !this.connection.up || open.store.phase === 'gone') return;
    // Loads the cached session first, so that only what is new is transferred.
    void open.loading.then(() => {
      if (open.asked || !this.connection.up || !this.stores.has(open.store.id)) return;
      open.asked = true;
      open.store.asked();
      this.ask(open.store);
    });
  }

  private ask(store: SessionStore): void {
    this.commands.send({ type: 'subscribe', sessionId: store.id, revision: store.revision, turns: PAGE_TURNS }).then(
      (answer) => this.onSubscribed(store, answer),
      (error: unknown) => {
        if (error instanceof Refusal && error.code === 'session') this.onUnknownSession(store.id);
      },
    );
  }

  /** Handles the answer to a subscription; it may contain another session id. */
  private onSubscribed(store: SessionStore, answer: unknown): void {
    const to = (answer as { sessionId?: string } | null)?.sessionId;
    if (to && to !== store.id) this.moved.publish({ from: store.id, to });
  }

  private onUnknownSession(sessionId: string): void {
    this.stores.get(sessionId)?.store.gone();
    void this.cache.forget(sessionId);
  }

  /** Unsubscribes from sessions that are no longer shown, least recently used first. */
  private unsubscribeUnused(): void {
    const idle = [...this.stores.values()].filter((open) => open.users === 0);
    for (const open of idle.slice(0, Math.max(0, idle.length - MAX_WARM_SESSIONS))) {
      this.stores.delete(open.store.id);
      if (open.asked && this.connection.up) this.commands.send({ type: 'unsubscribe', sessionId: open.store.id }).catch(() => undefined);
    }
  }

  private at(s: number): SessionStore | undefined {
    const id = this.numbers.get(s);
    return id === undefined ? undefined : this.stores.get(id)?.store;
  }

  private onMessage(message: ServerMessage): void {
    if (this.list.apply(message)) {
      if (message.type === 'session_removed') this.onUnknownSession(message.sessionId);
      return;
    }
    switch (message.type) {
      case 'welcome':
        for (const id of message.unknown) this.onUnknownSession(id);
        this.welcome.set(message);
        break;
      case 'caught_up':
        this.numbers.set(message.s, message.sessionId);
        this.stores.get(message.sessionId)?.store.applyCaughtUp(message);
        break;
      case 'items':
        this.at(message.s)?.applyItems(message.items, message.removed, message.revision);
        break;
      case 'item_delta':
        this.at(message.s)?.applyDelta(message.item, message.field, message.text);
        break;
      case 'state':
        // The session list is updated less often; the state of an open session updates it as well.
        this.list.apply({ type: 'session', session: message.info });
        this.stores.get(message.sessionId)?.store.applyState(message);
        break;
      case 'facts':
        this.stores.get(message.sessionId)?.store.applyFacts(message);
        break;
      default:
        break;
    }
  }
}

/** Publishes once per frame; a hidden page has no frames and uses a timer. */
export const frameSchedule: Schedule = (flush, now) => {
  const seen = typeof requestAnimationFrame === 'function' && (typeof document === 'undefined' || !document.hidden);
  if (seen && now) soon(flush);
  else if (seen) requestAnimationFrame(flush);
  else setTimeout(flush, 50);
};

/** Uploads a picture to the bridge, which re-encodes it; the message refers to it by its hash. */
export async function uploadPicture(picture: Blob): Promise<Image> {
  const answer = await fetch('/api/upload', { method: 'POST', headers: { 'content-type': picture.type }, body: picture, credentials: 'same-origin' });
  const body: unknown = await answer.json().catch(() => null);
  const field = (name: string): string | null => {
    const value = typeof body === 'object' && body !== null ? (body as { [key: string]: unknown })[name] : undefined;
    return typeof value === 'string' ? value : null;
  };
  const hash = field('hash');
  if (!answer.ok || hash === null) throw new Error(field('message') ?? `upload refused (${answer.status})`);
  return { hash, mimeType: field('mimeType') ?? picture.type };
}
