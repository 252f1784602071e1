// Unsent texts and sent messages per session, stored on this device.
import { isObject, readJson, writeJson, type BlobStorage, type SyncStorage } from './storage';

const DRAFT = 'sluice.draft.';
const HISTORY = 'sluice.prompts';
/** Maximum number of characters that are stored of a draft. */
export const MAX_TEXT = 200_000;
export const MAX_DRAFTS = 60;
export const MAX_HISTORY = 200;

export interface DraftPicture {
  key: string;
  name: string;
  width: number;
  height: number;
  bytes: number;
  mimeType: string;
  smaller: boolean;
  hash: string | null;
}
export interface MessageDraft {
  text: string;
  pictures: DraftPicture[];
  at: number;
}

const isDraft = (value: unknown): value is MessageDraft =>
  isObject(value) && typeof value.text === 'string' && Array.isArray(value.pictures) && typeof value.at === 'number';
const isHistory = (value: unknown): value is { s: string; t: string }[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one.s === 'string' && typeof one.t === 'string');

export class Drafts {
  constructor(
    private readonly shelf: SyncStorage,
    private readonly chest: BlobStorage,
  ) {}

  get(sessionId: string): MessageDraft {
    return readJson(this.shelf, DRAFT + sessionId, isDraft) ?? { text: '', pictures: [], at: 0 };
  }

  /** Stores a draft; an empty one is deleted. Returns false if storage is full or not available. */
  set(sessionId: string, text: string, pictures: readonly DraftPicture[], now = Date.now()): boolean {
    if (text === '' && pictures.length === 0) {
      this.shelf.removeItem(DRAFT + sessionId);
      return true;
    }
    const draft: MessageDraft = { text: text.slice(0, MAX_TEXT), pictures: [...pictures], at: now };
    if (writeJson(this.shelf, DRAFT + sessionId, draft)) {
      this.limit(sessionId);
      return true;
    }
    return this.makeRoom(sessionId) && writeJson(this.shelf, DRAFT + sessionId, draft);
  }

  async putPicture(key: string, picture: Blob): Promise<boolean> {
    try {
      await this.chest.put('pictures', key, picture);
      return true;
    } catch {
      return false;
    }
  }

  async getPicture(key: string): Promise<Blob | null> {
    try {
      const value = await this.chest.get('pictures', key);
      return value instanceof Blob ? value : null;
    } catch {
      return null;
    }
  }

  async dropPicture(key: string): Promise<void> {
    try {
      await this.chest.delete('pictures', key);
    } catch {
      /* it is not stored then */
    }
  }

  /** Earlier messages of this session, newest first. */
  history(sessionId: string): string[] {
    const all = readJson(this.shelf, HISTORY, isHistory) ?? [];
    return all
      .filter((one) => one.s === sessionId)
      .map((one) => one.t)
      .reverse();
  }

  /** Adds a sent or cleared message to the history of ↑. */
  remember(sessionId: string, text: string): void {
    const trimmed = text.slice(0, MAX_TEXT);
    if (trimmed.trim() === '') return;
    const all = (readJson(this.shelf, HISTORY, isHistory) ?? []).filter((one) => one.s !== sessionId || one.t !== trimmed);
    all.push({ s: sessionId, t: trimmed });
    const history = all.slice(-MAX_HISTORY);
    while (history.length > 0 && !writeJson(this.shelf, HISTORY, history)) history.splice(0, Math.ceil(history.length / 2));
  }

  private keys(): string[] {
    const keys: string[] = [];
    for (let index = 0; index < this.shelf.length; index += 1) {
      const key = this.shelf.key(index);
      if (key?.startsWith(DRAFT)) keys.push(key);
    }
    return keys;
  }

  private oldest(except: string): string[] {
    return this.keys()
      .filter((key) => key !== DRAFT + except)
      .map((key) => ({ key, at: readJson(this.shelf, key, isDraft)?.at ?? 0 }))
      .sort((a, b) => a.at - b.at)
      .map((one) => one.key);
  }

  private limit(sessionId: string): void {
    const over = this.keys().length - MAX_DRAFTS;
    for (const key of this.oldest(sessionId).slice(0, Math.max(0, over))) this.shelf.removeItem(key);
  }

  /** Frees storage: first the history, then the oldest half of the other drafts. */
  private makeRoom(sessionId: string): boolean {
    this.shelf.removeItem(HISTORY);
    const oldest = this.oldest(sessionId);
    for (const key of oldest.slice(0, Math.ceil(oldest.length / 2))) this.shelf.removeItem(key);
    return true;
  }
}
