// Storage of a device: small values in local storage (synchronous), large ones in IndexedDB. If one is full or not
// available, this is reported and the page continues in memory.
import { Topic } from './topic';

/** The part of `Storage` that is used. */
export interface SyncStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
  key(index: number): string | null;
  readonly length: number;
}

export class MemoryShelf implements SyncStorage {
  private readonly entries = new Map<string, string>();
  /** `room`: maximum number of characters, for tests of a full storage. */
  constructor(private readonly room = Number.POSITIVE_INFINITY) {}
  get length(): number {
    return this.entries.size;
  }
  key(index: number): string | null {
    return [...this.entries.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.entries.get(key) ?? null;
  }
  removeItem(key: string): void {
    this.entries.delete(key);
  }
  setItem(key: string, value: string): void {
    let size = key.length + value.length;
    for (const [k, v] of this.entries) if (k !== key) size += k.length + v.length;
    if (size > this.room) throw new Error('full');
    this.entries.set(key, value);
  }
}

export function browserShelf(): SyncStorage {
  try {
    const shelf = globalThis.localStorage;
    shelf.getItem('sluice');
    return shelf;
  } catch {
    return new MemoryShelf();
  }
}

/** Storing failed. Published once until storing succeeds again. */
export const storeFailed = new Topic<unknown>();

export function readJson<T>(shelf: SyncStorage, key: string, check: (value: unknown) => value is T): T | null {
  try {
    const text = shelf.getItem(key);
    if (text === null) return null;
    const value: unknown = JSON.parse(text);
    return check(value) ? value : null;
  } catch {
    return null;
  }
}

export function writeJson(shelf: SyncStorage, key: string, value: unknown): boolean {
  try {
    shelf.setItem(key, JSON.stringify(value));
    return true;
  } catch (error) {
    storeFailed.publish(error);
    return false;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Key-value storage for large values. */
export interface BlobStorage {
  get(store: StoreName, key: string): Promise<unknown>;
  put(store: StoreName, key: string, value: unknown): Promise<void>;
  delete(store: StoreName, key: string): Promise<void>;
  keys(store: StoreName): Promise<string[]>;
}
export type StoreName = 'snapshots' | 'pictures';

export class MemoryChest implements BlobStorage {
  private readonly stores: Record<StoreName, Map<string, unknown>> = { snapshots: new Map(), pictures: new Map() };
  async get(store: StoreName, key: string): Promise<unknown> {
    return this.stores[store].get(key);
  }
  async put(store: StoreName, key: string, value: unknown): Promise<void> {
    this.stores[store].set(key, structuredClone(value));
  }
  async delete(store: StoreName, key: string): Promise<void> {
    this.stores[store].delete(key);
  }
  async keys(store: StoreName): Promise<string[]> {
    return [...this.stores[store].keys()];
  }
}

const DATABASE = 'sluice';
const SCHEMA = 1;

export class BrowserChest implements BlobStorage {
  private database: Promise<IDBDatabase> | null = null;

  private async open(): Promise<IDBDatabase> {
    this.database ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(DATABASE, SCHEMA);
      request.onupgradeneeded = () => {
        for (const name of ['snapshots', 'pictures']) if (!request.result.objectStoreNames.contains(name)) request.result.createObjectStore(name);
      };
      request.onsuccess = () => {
        request.result.onversionchange = () => {
          request.result.close();
          this.database = null;
        };
        resolve(request.result);
      };
      request.onerror = () => reject(request.error ?? new Error('no database'));
      request.onblocked = () => reject(new Error('blocked'));
    });
    this.database.catch(() => {
      this.database = null;
    });
    return this.database;
  }

  private async run<T>(store: StoreName, mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    const database = await this.open();
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode);
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
    });
  }

  get(store: StoreName, key: string): Promise<unknown> {
    return this.run<unknown>(store, 'readonly', (one) => one.get(key));
  }
  async put(store: StoreName, key: string, value: unknown): Promise<void> {
    await this.run(store, 'readwrite', (one) => one.put(value, key));
  }
  async delete(store: StoreName, key: string): Promise<void> {
    await this.run(store, 'readwrite', (one) => one.delete(key));
  }
  async keys(store: StoreName): Promise<string[]> {
    return (await this.run(store, 'readonly', (one) => one.getAllKeys())).map(String);
  }
}

export const browserChest = (): BlobStorage => (typeof indexedDB === 'undefined' ? new MemoryChest() : new BrowserChest());
