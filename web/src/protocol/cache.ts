// The last that was seen of each session, kept on the device: a session is painted before the bridge answers, and after
// an hour away only what is new comes over the line.
import { isObject, readJson, writeJson, type Chest, type Shelf } from './storage';
import type { SessionStore, Snapshot } from './session';

const MOST_SESSIONS = 30;
export const WRITE_DELAY = 3_000;
const FORM = 2;
/** Which sessions are kept, where it can be read at once: nobody waits for the chest to hear that it has nothing. */
const KEPT = 'sluice.kept';

interface Stored extends Snapshot {
  form: number;
  at: number;
}

const isStored = (value: unknown): value is Stored =>
  isObject(value) &&
  value.form === FORM &&
  typeof value.epoch === 'number' &&
  typeof value.seq === 'number' &&
  Array.isArray(value.records) &&
  typeof value.more === 'boolean';

const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

export class SnapshotCache {
  private readonly due = new Map<string, { store: SessionStore; timer: ReturnType<typeof setTimeout> }>();

  constructor(
    private readonly chest: Chest,
    private readonly shelf: Shelf,
  ) {}

  async load(sessionId: string): Promise<Snapshot | null> {
    if (!this.kept().includes(sessionId)) return null;
    try {
      const value = await this.chest.get('snapshots', sessionId);
      return isStored(value) ? value : null;
    } catch {
      return null;
    }
  }

  /** Writes it soon, once for many changes. */
  touch(store: SessionStore): void {
    if (this.due.has(store.id)) return;
    this.due.set(store.id, {
      store,
      timer: setTimeout(() => {
        this.due.delete(store.id);
        void this.write(store);
      }, WRITE_DELAY),
    });
  }

  /** The page goes away: now. */
  async flush(): Promise<void> {
    const due = [...this.due.values()];
    this.due.clear();
    await Promise.all(
      due.map(({ store, timer }) => {
        clearTimeout(timer);
        return this.write(store);
      }),
    );
  }

  async forget(sessionId: string): Promise<void> {
    const kept = this.kept();
    if (kept.includes(sessionId))
      writeJson(
        this.shelf,
        KEPT,
        kept.filter((one) => one !== sessionId),
      );
    try {
      await this.chest.delete('snapshots', sessionId);
    } catch {
      /* nothing was kept */
    }
  }

  private kept(): string[] {
    return readJson(this.shelf, KEPT, isNames) ?? [];
  }

  private async write(store: SessionStore): Promise<void> {
    const snapshot = store.snapshot();
    if (!snapshot) return;
    try {
      const stored: Stored = { ...snapshot, form: FORM, at: Date.now() };
      await this.chest.put('snapshots', store.id, stored);
      await this.limit(store.id);
      writeJson(this.shelf, KEPT, await this.chest.keys('snapshots'));
    } catch {
      /* the device is full or refuses: the bridge still has everything */
    }
  }

  private async limit(latest: string): Promise<void> {
    const keys = (await this.chest.keys('snapshots')).filter((key) => key !== latest);
    if (keys.length < MOST_SESSIONS) return;
    const aged = await Promise.all(
      keys.map(async (key) => {
        const value = await this.chest.get('snapshots', key);
        return { key, at: isStored(value) ? value.at : 0 };
      }),
    );
    aged.sort((a, b) => a.at - b.at);
    for (const { key } of aged.slice(0, keys.length - MOST_SESSIONS + 1)) await this.chest.delete('snapshots', key);
  }
}
