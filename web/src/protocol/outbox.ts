// Sent messages without a receipt. They are stored on the device before they are sent, so a reload, a crash of the tab
// or an hour offline loses none. The id stays the same, so each is delivered once.
import type { Image, Problem, Receipt } from '../api/types';
import { newId, type Commands } from './commands';
import type { Connection } from './connection';
import { isObject, writeJson, type BlobStorage, type SyncStorage } from './storage';
import { Topic } from './topic';

const PREFIX = 'sluice.outbox.';
/** Milliseconds without a receipt after which a message is shown as unanswered; it is still retried. */
export const RECEIPT_TIMEOUT = 15_000;
const MAX_AGE = 30 * 86_400_000;

export interface StoredMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly uuid: string;
  readonly text: string;
  readonly images: readonly Image[];
  /** Keys of the pictures that are not uploaded yet. */
  readonly pictures: readonly string[];
  readonly steer: boolean;
  readonly at: number;
}
export type KeptState = 'kept' | 'sent' | 'unanswered' | 'failed';
export interface KeptEntry extends StoredMessage {
  readonly state: KeptState;
  readonly problem: Problem | null;
}

interface Live {
  state: KeptState;
  problem: Problem | null;
  timer: ReturnType<typeof setTimeout> | null;
  done: ((problem: Problem | null) => void)[];
}

const isKept = (value: unknown): value is StoredMessage =>
  isObject(value) &&
  ['id', 'sessionId', 'uuid', 'text'].every((key) => typeof value[key] === 'string') &&
  Array.isArray(value.images) &&
  Array.isArray(value.pictures) &&
  typeof value.at === 'number';

export type Upload = (picture: Blob) => Promise<Image>;

export class Outbox {
  readonly changed = new Topic<void>();
  private readonly entries = new Map<string, StoredMessage>();
  private readonly live = new Map<string, Live>();
  private flow: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    commands: Commands,
    private readonly shelf: SyncStorage,
    private readonly chest: BlobStorage,
    private readonly upload: Upload,
  ) {
    this.read();
    commands.claim((receipt) => this.settle(receipt));
    connection.opened.listen(() => this.push());
    connection.line.listen((line) => {
      if (line.phase === 'up') return;
      for (const one of this.live.values()) if (one.state === 'sent' || one.state === 'unanswered') this.mark(one, 'kept');
      this.changed.publish();
    });
  }

  /** Reads the stored messages again: another tab may have sent or added some. */
  read(): void {
    const seen = new Set<string>();
    for (let index = 0; index < this.shelf.length; index += 1) {
      const key = this.shelf.key(index);
      if (!key?.startsWith(PREFIX)) continue;
      try {
        const value: unknown = JSON.parse(this.shelf.getItem(key) ?? 'null');
        if (!isKept(value)) continue;
        // Too old: its session probably does not exist any more.
        if (value.at < Date.now() - MAX_AGE) {
          this.shelf.removeItem(key);
          index -= 1;
          continue;
        }
        seen.add(value.id);
        this.entries.set(value.id, value);
        this.stateOf(value.id);
      } catch {
        /* not an entry of the outbox */
      }
    }
    for (const id of [...this.entries.keys()]) if (!seen.has(id) && this.live.get(id)?.state !== 'failed') this.forget(id);
    this.changed.publish();
  }

  all(): KeptEntry[] {
    return [...this.entries.values()]
      .sort((a, b) => a.at - b.at)
      .map((entry) => {
        const { state, problem } = this.stateOf(entry.id);
        return { ...entry, state, problem };
      });
  }

  of(sessionId: string): KeptEntry[] {
    return this.all().filter((entry) => entry.sessionId === sessionId);
  }

  /** Stores a message and sends it when connected. Resolves with the problem if it was refused, else with null. */
  keep(message: { sessionId: string; text: string; images?: readonly Image[]; pictures?: readonly string[]; steer?: boolean }): Promise<Problem | null> {
    const id = newId();
    const last = Math.max(0, ...[...this.entries.values()].map((entry) => entry.at));
    this.put({
      id,
      uuid: id,
      sessionId: message.sessionId,
      text: message.text,
      images: message.images ?? [],
      pictures: message.pictures ?? [],
      steer: message.steer ?? false,
      at: Math.max(Date.now(), last + 1),
    });
    const done = new Promise<Problem | null>((resolve) => {
      this.stateOf(id).done.push(resolve);
    });
    this.push();
    this.changed.publish();
    return done;
  }

  /** Edits a message that was not sent yet. */
  edit(id: string, text: string): boolean {
    const entry = this.entries.get(id);
    const { state } = this.stateOf(id);
    if (!entry || state === 'sent' || state === 'unanswered') return false;
    if (state === 'failed') {
      this.retry(id, text);
      return true;
    }
    this.put({ ...entry, text });
    this.changed.publish();
    return true;
  }

  /** Removes a message that was not sent yet and returns it. */
  takeBack(id: string): StoredMessage | null {
    const entry = this.entries.get(id);
    const { state } = this.stateOf(id);
    if (!entry || state === 'sent' || state === 'unanswered') return null;
    this.forget(id);
    this.changed.publish();
    return entry;
  }

  /**
   * Sends a refused message again. It gets another command id, since the receipt of the old one is final; the prompt is
   * the same.
   */
  retry(id: string, text?: string): void {
    const entry = this.entries.get(id);
    if (!entry) return;
    const done = this.stateOf(id).done;
    this.forget(id);
    const fresh = { ...entry, id: newId(), text: text ?? entry.text };
    this.put(fresh);
    this.stateOf(fresh.id).done.push(...done);
    this.push();
    this.changed.publish();
  }

  /** Sends the stored messages in order. */
  private push(): void {
    this.flow = this.flow
      .then(async () => {
        for (const entry of this.all()) {
          if (!this.connection.up) return;
          if (entry.state === 'kept') await this.sendOne(entry.id);
        }
      })
      .catch(() => undefined);
  }

  private async sendOne(id: string): Promise<void> {
    let entry = this.entries.get(id);
    if (entry && entry.pictures.length > 0) entry = await this.uploadPictures(entry);
    if (!entry || !this.entries.has(id) || !this.connection.up) return;
    const state = this.stateOf(id);
    if (state.state !== 'kept') return;
    const went = this.connection.send({
      type: 'input',
      id: entry.id,
      uuid: entry.uuid,
      sessionId: entry.sessionId,
      text: entry.text,
      images: [...entry.images],
      steer: entry.steer,
    });
    if (!went) return;
    this.mark(state, 'sent');
    state.timer = setTimeout(() => {
      if (state.state === 'sent') {
        this.mark(state, 'unanswered');
        this.changed.publish();
      }
    }, RECEIPT_TIMEOUT);
    this.changed.publish();
  }

  private async uploadPictures(entry: StoredMessage): Promise<StoredMessage | undefined> {
    const images = [...entry.images];
    for (const [index, key] of entry.pictures.entries()) {
      try {
        const picture = await this.chest.get('pictures', key);
        if (picture instanceof Blob) images.push(await this.upload(picture));
      } catch (error) {
        if (!this.connection.up) return undefined;
        const state = this.stateOf(entry.id);
        state.problem = { code: 'limit', message: error instanceof Error ? error.message : String(error), hint: null, resolved: null };
        this.mark(state, 'failed');
        this.put({ ...entry, images, pictures: entry.pictures.slice(index) });
        this.changed.publish();
        return undefined;
      }
    }
    const whole = { ...entry, images, pictures: [] };
    this.put(whole);
    for (const key of entry.pictures) void this.chest.delete('pictures', key).catch(() => undefined);
    return whole;
  }

  private settle(receipt: Receipt): boolean {
    if (!this.entries.has(receipt.id)) return false;
    const state = this.stateOf(receipt.id);
    if (receipt.ok) {
      this.forget(receipt.id);
      for (const done of state.done) done(null);
    } else {
      state.problem = receipt.error ?? { code: 'internal', message: 'refused without a reason', hint: null, resolved: null };
      this.mark(state, 'failed');
      for (const done of state.done.splice(0)) done(state.problem);
    }
    this.changed.publish();
    return true;
  }

  private stateOf(id: string): Live {
    let one = this.live.get(id);
    if (!one) {
      one = { state: 'kept', problem: null, timer: null, done: [] };
      this.live.set(id, one);
    }
    return one;
  }

  private mark(one: Live, state: KeptState): void {
    if (one.timer !== null) clearTimeout(one.timer);
    one.timer = null;
    one.state = state;
  }

  private put(entry: StoredMessage): void {
    this.entries.set(entry.id, entry);
    writeJson(this.shelf, PREFIX + entry.id, entry);
  }

  private forget(id: string): void {
    const one = this.live.get(id);
    if (one?.timer) clearTimeout(one.timer);
    this.entries.delete(id);
    this.live.delete(id);
    this.shelf.removeItem(PREFIX + id);
  }
}
