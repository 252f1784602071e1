// The last known state of each session, stored on the device. A session is shown before the bridge answers, and only
// what is new is transferred.
import { isObject, readJson, writeJson, type BlobStorage, type SyncStorage } from './storage';
import type { SessionStore, Snapshot } from './session';

const MAX_SESSIONS = 30;
export const WRITE_DELAY = 3_000;
const FORMAT_VERSION = 3;
/** Index of the cached sessions in local storage, so that a missing session is known without opening the database. */
const INDEX_KEY = 'sluice.kept';

interface Stored extends Snapshot {
  form: number;
  at: number;
}

const isStored = (value: unknown): value is Stored =>
  isObject(value) && value.form === FORMAT_VERSION && typeof value.revision === 'number' && Array.isArray(value.items) && typeof value.more === 'boolean';

const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

export class SnapshotCache {
  private readonly scheduled = new Map<string, { store: SessionStore; timer: ReturnType<typeof setTimeout> }>();

  constructor(
    private readonly chest: BlobStorage,
    private readonly shelf: SyncStorage,
  ) {}

  async load(sessionId: string): Promise<Snapshot | null> {
    if (!this.cachedIds().includes(sessionId)) return null;
    try {
      const value = await this.chest.get('snapshots', sessionId);
      return isStored(value) ? value : null;
    } catch {
      return null;
    }
  }

  /** Schedules a write; many changes cause one write. */
  touch(store: SessionStore): void {
    if (this.scheduled.has(store.id)) return;
    this.scheduled.set(store.id, {
      store,
      timer: setTimeout(() => {
        this.scheduled.delete(store.id);
        void this.write(store);
      }, WRITE_DELAY),
    });
  }

  /** Writes immediately, when the page is closed. */
  async flush(): Promise<void> {
    const due = [...this.scheduled.values()];
    this.scheduled.clear();
    await Promise.all(
      due.map(({ store, timer }) => {
        clearTimeout(timer);
        return this.write(store);
      }),
    );
  }

  async forget(sessionId: string): Promise<void> {
    const cached = this.cachedIds();
    if (cached.includes(sessionId))
      writeJson(
        this.shelf,
        INDEX_KEY,
        cached.filter((one) => one !== sessionId),
      );
    try {
      await this.chest.delete('snapshots', sessionId);
    } catch {
      /* nothing was stored */
    }
  }

  private cachedIds(): string[] {
    return readJson(this.shelf, INDEX_KEY, isNames) ?? [];
  }

  private async write(store: SessionStore): Promise<void> {
    const snapshot = store.snapshot();
    if (!snapshot) return;
    try {
      const stored: Stored = { ...snapshot, form: FORMAT_VERSION, at: Date.now() };
      await this.chest.put('snapshots', store.id, stored);
      await this.limit(store.id);
      writeJson(this.shelf, INDEX_KEY, await this.chest.keys('snapshots'));
    } catch {
      /* storage is full or not available: the bridge has everything */
    }
  }

  private async limit(latest: string): Promise<void> {
    const keys = (await this.chest.keys('snapshots')).filter((key) => key !== latest);
    if (keys.length < MAX_SESSIONS) return;
    const aged = await Promise.all(
      keys.map(async (key) => {
        const value = await this.chest.get('snapshots', key);
        return { key, at: isStored(value) ? value.at : 0 };
      }),
    );
    aged.sort((a, b) => a.at - b.at);
    for (const { key } of aged.slice(0, keys.length - MAX_SESSIONS + 1)) await this.chest.delete('snapshots', key);
  }
}
