// The state of one session: its items by revision, and the folded state. Changes are collected and published once per
// frame.
import type { CaughtUp, Facts, Item, ItemField, ItemId, SessionState } from '../api/types';
import { Topic } from './topic';

/** Maximum number of items in memory. The oldest turns are dropped beyond it; `history` loads them again. */
export const MAX_ITEMS = 6_000;
const KEEP_ITEMS = 5_600;

export type SessionPhase =
  /** Nothing has been loaded. */
  | 'empty'
  /** Loaded from the cache; it may be outdated. */
  | 'kept'
  /** Subscribed; items are arriving. */
  | 'catching'
  | 'live'
  /** The bridge does not know this session. */
  | 'gone';

/** Changes since the last frame. After a reset, read `items` again. */
export interface Change {
  /** All items were replaced. */
  reset: boolean;
  /** Items that are new or were replaced. */
  items: Map<ItemId, Item>;
  /** Items to which only text was appended. */
  grown: Map<ItemId, Item>;
  /** Items that were removed or dropped from memory. */
  removed: Set<ItemId>;
  state: boolean;
  facts: boolean;
  phase: boolean;
}

const nothing = (): Change => ({ reset: false, items: new Map(), grown: new Map(), removed: new Set(), state: false, facts: false, phase: false });

export interface Snapshot {
  revision: number;
  items: Item[];
  more: boolean;
  state: SessionState | null;
  facts: Facts | null;
}

type Missed = Pick<CaughtUp, 'items' | 'removed' | 'revision' | 'reset' | 'more'>;

/** `now`: publishes as soon as possible instead of with the next frame. */
export type Schedule = (flush: () => void, now: boolean) => void;

export class SessionStore {
  readonly changes = new Topic<Change>();
  /** True if the bridge has older items. */
  more = false;
  state: SessionState | null = null;
  facts: Facts | null = null;
  phase: SessionPhase = 'empty';
  /** Number of batches of changes so far; animates the glyph. */
  pulse = 0;
  private readonly byId = new Map<ItemId, Item>();
  /** All items in order; null until it is computed. */
  private sorted: Item[] | null = null;
  private known: number | null = null;
  private first: ItemId = 0;
  private change: Change = nothing();
  private scheduled = false;
  private beaten = 0;
  private reading = false;

  constructor(
    readonly id: string,
    private readonly schedule: Schedule,
  ) {}

  /** All loaded items, in order. */
  get items(): readonly Item[] {
    this.sorted ??= [...this.byId.values()].sort((a, b) => a.id - b.id);
    return this.sorted;
  }
  /** The newest revision that is known. */
  get revision(): number | null {
    return this.known;
  }
  /** The newest revision at the bridge, as far as known. */
  get newest(): number {
    return Math.max(this.known ?? 0, this.state?.info.revision ?? 0);
  }
  item(id: ItemId): Item | undefined {
    return this.byId.get(id);
  }

  /** Restores the session from the cache. */
  restore(kept: Snapshot): void {
    if (this.phase !== 'empty') return;
    this.replace(kept.items, kept.revision, kept.more);
    this.state = kept.state;
    this.facts = kept.facts;
    this.change.state = this.change.facts = true;
    this.setPhase('kept');
  }

  snapshot(keep = 400): Snapshot | null {
    if (this.known === null) return null;
    const { items } = this;
    // Whole turns only.
    let from = Math.max(0, items.length - keep);
    while (from > 0 && from < items.length - 1 && !begins(items, from)) from += 1;
    return { revision: this.known, items: items.slice(from), more: this.more || from > 0, state: this.state, facts: this.facts };
  }

  /** The session was subscribed. */
  asked(): void {
    if (this.phase !== 'gone') this.setPhase('catching');
  }

  /** While the user reads far above, no items are dropped. */
  setReading(reading: boolean): void {
    this.reading = reading;
    if (!reading) this.trim();
  }

  /** What was missing since the revision that was subscribed with, or the newest turns. */
  applyCaughtUp({ items, removed, revision, reset, more }: Missed): void {
    if (reset) this.replace(items, revision, more);
    else this.merge(items, removed, revision);
    this.setPhase('live');
  }

  applyItems(items: readonly Item[], removed: readonly ItemId[], revision: number): void {
    // A change that `caught_up` contains already.
    if (this.known !== null && revision <= this.known) return;
    this.merge(items, removed, revision);
  }

  applyDelta(id: ItemId, field: ItemField, text: string): void {
    const old = this.byId.get(id);
    if (!old) return;
    const item = grow(old, field, text);
    this.byId.set(id, item);
    this.overwrite(item);
    if (this.change.items.has(id)) this.change.items.set(id, item);
    else this.change.grown.set(id, item);
    this.flushSoon();
  }

  /** A page of older items. */
  applyHistory(items: readonly Item[], more: boolean): void {
    for (const item of items) if (!this.byId.has(item.id)) this.put(item);
    this.first = this.items[0]?.id ?? 0;
    this.more = more;
    this.flushSoon();
  }

  applyState(state: SessionState): void {
    this.state = state;
    this.change.state = true;
    this.flushSoon();
  }

  applyFacts(facts: Facts): void {
    this.facts = facts;
    this.change.facts = true;
    this.flushSoon();
  }

  gone(): void {
    this.setPhase('gone');
  }

  /** The connection was lost. Unfinished messages stay as they are; their text is continued after reconnecting. */
  cut(): void {
    if (this.phase === 'live' || this.phase === 'catching') this.setPhase('kept');
  }

  flush(): void {
    this.scheduled = false;
    const { change } = this;
    this.change = nothing();
    if (change.reset || change.items.size || change.grown.size || change.removed.size || change.state || change.facts || change.phase)
      this.changes.publish(change);
  }

  private merge(items: readonly Item[], removed: readonly ItemId[], revision: number): void {
    // Without items of turns that are not loaded.
    for (const item of items) if (!this.more || item.id >= this.first) this.put(item);
    for (const id of removed) this.remove(id);
    this.known = revision;
    this.trim();
    this.flushSoon();
  }

  private put(item: Item): void {
    if (this.byId.has(item.id)) this.overwrite(item);
    else this.sorted = null;
    this.byId.set(item.id, item);
    this.change.items.set(item.id, item);
    this.change.grown.delete(item.id);
    this.change.removed.delete(item.id);
  }

  /** Replaces a known item in the sorted list. */
  private overwrite(item: Item): void {
    const list = this.sorted;
    if (!list) return;
    let low = 0;
    let high = list.length - 1;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((list[mid]?.id ?? 0) < item.id) low = mid + 1;
      else high = mid;
    }
    if (list[low]?.id === item.id) list[low] = item;
  }

  private remove(id: ItemId): void {
    if (!this.byId.delete(id)) return;
    this.sorted = null;
    this.change.items.delete(id);
    this.change.grown.delete(id);
    this.change.removed.add(id);
  }

  private replace(items: readonly Item[], revision: number, more: boolean): void {
    this.byId.clear();
    for (const item of items) this.byId.set(item.id, item);
    this.sorted = null;
    this.known = revision;
    this.more = more;
    this.first = this.items[0]?.id ?? 0;
    this.change = { ...nothing(), reset: true, state: this.change.state, facts: this.change.facts, phase: this.change.phase };
    // The whole session at once, since the user is waiting. Includes what was scheduled for the next frame.
    this.scheduled = false;
    this.flushSoon(true);
  }

  private trim(): void {
    if (this.reading || this.byId.size <= MAX_ITEMS) return;
    const { items } = this;
    let cut = items.length - KEEP_ITEMS;
    while (cut > 0 && !begins(items, cut)) cut -= 1;
    if (cut === 0) return;
    for (const item of items.slice(0, cut)) this.remove(item.id);
    this.first = this.items[0]?.id ?? 0;
    this.more = true;
    this.flushSoon();
  }

  private setPhase(phase: SessionPhase): void {
    if (phase === this.phase) return;
    this.phase = phase;
    this.change.phase = true;
    this.flushSoon();
  }

  /** Steps the animation at most six times per second. */
  private beat(): void {
    const now = Date.now();
    if (now - this.beaten < 160) return;
    this.beaten = now;
    this.pulse += 1;
  }

  private flushSoon(now = false): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.schedule(() => {
      if (this.change.items.size > 0 || this.change.grown.size > 0) this.beat();
      this.flush();
    }, now);
  }
}

/** True for the first item of a turn. Items of subagents belong to no turn, but are between those of one. */
function begins(items: readonly Item[], at: number): boolean {
  const turn = items[at]?.turn ?? null;
  if (turn === null) return false;
  const before = items.slice(0, at).findLast((item) => item.turn !== null);
  return before?.turn !== turn;
}

/** The item with text appended to one of its fields. */
function grow(item: Item, field: ItemField, more: string): Item {
  const { body } = item;
  if (field === 'input') return body.type === 'tool_call' ? { ...item, body: { ...body, written: (body.written ?? '') + more } } : item;
  if (body.type !== field || typeof body.text !== 'string') return item;
  return { ...item, body: { ...body, text: body.text + more } };
}
