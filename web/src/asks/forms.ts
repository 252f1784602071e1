// Unsent form values, stored per request: they survive another request, folding, reloading and other tabs.
import { isObject, readJson, writeJson, type SyncStorage } from '../protocol/storage';

const PREFIX = 'sluice.ask.';
const MAX_FORMS = 40;

interface Stored<T> {
  at: number;
  form: T;
}

export class AskForms {
  constructor(private readonly shelf: SyncStorage) {}

  get<T extends object>(ask: string, empty: T): T {
    const stored = readJson(this.shelf, PREFIX + ask, (value): value is Stored<Partial<T>> => isObject(value) && isObject(value['form']));
    return stored ? { ...empty, ...stored.form } : empty;
  }

  set(ask: string, form: object): void {
    writeJson(this.shelf, PREFIX + ask, { at: Date.now(), form });
    this.limit();
  }

  forget(ask: string): void {
    this.shelf.removeItem(PREFIX + ask);
  }

  private limit(): void {
    const keys: string[] = [];
    for (let index = 0; index < this.shelf.length; index += 1) {
      const key = this.shelf.key(index);
      if (key?.startsWith(PREFIX)) keys.push(key);
    }
    if (keys.length <= MAX_FORMS) return;
    const aged = keys
      .map((key) => ({ key, at: readJson(this.shelf, key, (value): value is Stored<object> => isObject(value) && typeof value['at'] === 'number')?.at ?? 0 }))
      .sort((a, b) => a.at - b.at);
    for (const { key } of aged.slice(0, keys.length - MAX_FORMS)) this.shelf.removeItem(key);
  }
}
