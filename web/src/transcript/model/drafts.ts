// Unfinished blocks of messages. A draft is already the item of the transcript: the completed message updates it, so
// that nothing is rendered again.
import { CallItem, TextItem, ThinkingItem, type Item } from './items';
import type { Place, Transcript } from './Transcript';

export interface DraftBlock {
  message: string;
  parent: string | null;
  index: number;
  kind: string;
  id?: string | null;
  name?: string | null;
  /** The complete text so far. */
  text: string;
}

interface Draft {
  message: string;
  parent: string | null;
  index: number;
  item: TextItem | ThinkingItem | CallItem;
}

export class Drafts {
  private readonly open = new Map<string, Draft>();
  private itemCount = 0;

  constructor(private readonly transcript: Transcript) {}

  set(block: DraftBlock): void {
    const key = keyOf(block.message, block.parent, block.index);
    let draft = this.open.get(key);
    if (!draft) {
      const item = this.create(block);
      if (!item) return;
      draft = { message: block.message, parent: block.parent, index: block.index, item };
      this.open.set(key, draft);
    }
    this.write(draft.item, block.text);
  }

  append(message: string, parent: string | null, index: number, text: string): void {
    const draft = this.open.get(keyOf(message, parent, index));
    if (!draft) return;
    this.write(draft.item, (draft.item.kind === 'call' ? draft.item.draft : draft.item.text) + text);
  }

  /** Removes and returns the oldest draft of a message of this kind. */
  take(message: string, parent: string | null, kind: 'text' | 'thinking'): TextItem | ThinkingItem | undefined {
    for (const [key, draft] of this.open) {
      if (draft.message !== message || draft.parent !== parent || draft.item.kind !== kind) continue;
      this.open.delete(key);
      return draft.item as TextItem | ThinkingItem;
    }
    return undefined;
  }

  forget(callId: string): void {
    for (const [key, draft] of this.open) if (draft.item.kind === 'call' && draft.item.id === callId) this.open.delete(key);
  }

  /** The agent process ended: keeps unfinished texts and removes unfinished calls. */
  keepUnfinished(): void {
    for (const [key, { item }] of this.open) {
      if (item.kind === 'call' || item.text === '') continue;
      this.open.delete(key);
      item.streaming = false;
      this.transcript.changes.add(item);
    }
    this.drop();
  }

  /** Removes the drafts of one agent, or of all agents if `parent` is undefined. */
  drop(parent?: string | null): void {
    const removed = new Set<Item>();
    for (const [key, draft] of this.open) {
      if (parent !== undefined && draft.parent !== parent) continue;
      this.open.delete(key);
      removed.add(draft.item);
      if (draft.item.kind === 'call') this.transcript.calls.delete(draft.item.id);
    }
    if (removed.size === 0) return;
    for (const entry of this.transcript.entries) {
      if (entry.kind !== 'turn' || !entry.items.some((item) => removed.has(item))) continue;
      entry.items = entry.items.filter((item) => !removed.has(item));
      this.transcript.changed(entry);
    }
    for (const call of this.transcript.calls.values()) {
      if (!call.children.some((item) => removed.has(item))) continue;
      call.children = call.children.filter((item) => !removed.has(item));
      this.transcript.changes.add(call);
    }
  }

  private create(block: DraftBlock): Draft['item'] | undefined {
    this.itemCount += 1;
    const place: Place = { seq: this.transcript.seq, at: Date.now(), turn: null };
    const key = `d${this.itemCount}`;
    let item: Draft['item'];
    if (block.kind === 'text') item = new TextItem(key, place.seq, place.at);
    else if (block.kind === 'thinking') {
      item = new ThinkingItem(key, place.seq, place.at);
      item.began = place.at;
    } else if (block.kind === 'call' && block.id) {
      if (this.transcript.calls.has(block.id)) return undefined;
      item = new CallItem(key, place.seq, place.at);
      item.id = block.id;
      item.name = block.name ?? '';
      item.began = place.at;
      this.transcript.calls.set(block.id, item);
    } else return undefined;
    item.message = block.message;
    if (item.kind !== 'call') item.streaming = true;
    this.transcript.endRetry();
    this.transcript.add(item, place, block.parent);
    return item;
  }

  private write(item: Draft['item'], text: string): void {
    if (item.kind === 'call') item.draft = text;
    else item.text = text;
    this.transcript.changes.add(item);
  }
}

const keyOf = (message: string, parent: string | null, index: number): string => `${message}\u0000${parent ?? ''}\u0000${index}`;
