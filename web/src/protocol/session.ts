// The state of one session: its records without gaps and duplicates, unfinished messages, and the folded state. Changes
// are collected and published once per frame.
import type { AgentMessage, Block, Cursor, Facts, Own, Record, SessionState } from '../api/types';
import { Topic } from './topic';

/** Maximum number of records in memory. The oldest turns are dropped beyond it; `history` loads them again. */
export const MAX_RECORDS = 6_000;
const KEEP_RECORDS = 5_600;
/** Milliseconds that out-of-order records wait before the session is subscribed again. */
export const GAP_TIMEOUT = 400;
/** Milliseconds after that, until a gap is considered final. */
export const FINAL_GAP_TIMEOUT = 3_000;
const MAX_OUT_OF_ORDER = 2_000;
/** Milliseconds during which missed records are collected before they are shown. */
const CATCH_UP_TIME = 250;

/** A block that is being streamed. `text` grows; the object stays the same. */
export interface Draft {
  readonly key: number;
  readonly message: string;
  readonly parent: string | null;
  readonly index: number;
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  text: string;
}

export type SessionPhase =
  /** Nothing has been loaded. */
  | 'empty'
  /** Loaded from the cache; it may be outdated. */
  | 'kept'
  /** Subscribed; records are arriving. */
  | 'catching'
  | 'live'
  /** The bridge does not know this session. */
  | 'gone';

/** Changes since the last frame. After a reset, read `records` again; `appended` then contains what came after it. */
export interface Change {
  /** All records were replaced. */
  reset: boolean;
  appended: Record[];
  prepended: Record[];
  /** Number of oldest records that were dropped. */
  dropped: number;
  /** Drafts whose text grew. */
  grown: Set<Draft>;
  /** Drafts were added or removed. */
  drafts: boolean;
  state: boolean;
  facts: boolean;
  phase: boolean;
}

const nothing = (): Change => ({
  reset: false,
  appended: [],
  prepended: [],
  dropped: 0,
  grown: new Set(),
  drafts: false,
  state: false,
  facts: false,
  phase: false,
});

export interface Snapshot {
  epoch: number;
  seq: number;
  records: Record[];
  more: boolean;
  state: SessionState | null;
  facts: Facts | null;
}

/** `now`: publishes as soon as possible instead of with the next frame. */
export type Schedule = (flush: () => void, now: boolean) => void;

export class SessionStore {
  readonly changes = new Topic<Change>();
  records: Record[] = [];
  /** True if the bridge has older records. */
  more = false;
  state: SessionState | null = null;
  facts: Facts | null = null;
  phase: SessionPhase = 'empty';
  /** Number of batches of records and deltas so far; animates the glyph. */
  pulse = 0;
  private epoch = -1;
  private seq = 0;
  private held = new Map<number, Record>();
  private written = new Map<number, Draft>();
  private change: Change = nothing();
  private scheduled = false;
  private beaten = 0;
  private gap: ReturnType<typeof setTimeout> | null = null;
  private reading = false;
  /** The last record the bridge announced. */
  private target: number | null = null;
  /** Time of that announcement. */
  private toldAt = 0;
  /** The last sequence number when a gap was requested. */
  private askedAt = -1;

  constructor(
    readonly id: string,
    private readonly schedule: Schedule,
    private readonly lost: (store: SessionStore) => void,
  ) {}

  /** Position of the last record without a gap before it. */
  get cursor(): Cursor | null {
    return this.epoch < 0 ? null : { epoch: this.epoch, seq: this.seq };
  }
  get drafts(): readonly Draft[] {
    return [...this.written.values()];
  }
  /** Number of records at the bridge, as far as known. */
  get newest(): number {
    return Math.max(this.seq, this.state?.info.cursor.epoch === this.epoch ? this.state.info.cursor.seq : 0);
  }

  /** Restores the session from the cache. */
  restore(kept: Snapshot): void {
    if (this.phase !== 'empty') return;
    this.replace(kept.epoch, kept.seq, kept.records, kept.more);
    this.state = kept.state;
    this.facts = kept.facts;
    this.change.state = this.change.facts = true;
    this.setPhase('kept');
  }

  snapshot(keep = 400): Snapshot | null {
    if (this.epoch < 0) return null;
    let from = Math.max(0, this.records.length - keep);
    // Whole turns only: the first record is the first of its turn.
    while (from > 0 && this.records[from]?.turn === this.records[from - 1]?.turn && from < this.records.length - 1) from += 1;
    return { epoch: this.epoch, seq: this.seq, records: this.records.slice(from), more: this.more || from > 0, state: this.state, facts: this.facts };
  }

  /** The session was subscribed. */
  asked(): void {
    this.target = null;
    if (this.phase !== 'gone') this.setPhase('catching');
  }

  /** While the user reads far above, no records are dropped. */
  setReading(reading: boolean): void {
    this.reading = reading;
    if (!reading) this.trim();
  }

  applySnapshot(cursor: Cursor, records: readonly Record[], more: boolean): void {
    this.replace(cursor.epoch, cursor.seq, [...records], more);
    this.forgetDrafts();
    this.setPhase('live');
    this.release(false);
  }

  /** All records up to the cursor have been sent or follow immediately. */
  applyCaughtUp(verdict: 'ok' | 'gap', cursor: Cursor): void {
    // Unfinished messages are sent again after this.
    this.forgetDrafts();
    if (verdict === 'gap') return;
    if (cursor.epoch !== this.epoch) {
      this.lost(this);
      return;
    }
    this.target = cursor.seq;
    this.toldAt = Date.now();
    if (this.seq >= cursor.seq) this.setPhase('live');
    else this.awaitMissing(FINAL_GAP_TIMEOUT);
  }

  applyRecord(record: Record): void {
    if (record.epoch < this.epoch) return;
    if (record.epoch > this.epoch) {
      // The history was rewritten and the snapshot has not arrived yet.
      if (this.epoch >= 0) this.lost(this);
      this.epoch = record.epoch;
      this.seq = record.seq - 1;
      this.replace(record.epoch, record.seq - 1, [], record.seq > 1);
    }
    if (record.seq <= this.seq || this.held.has(record.seq)) return;
    if (record.seq > this.seq + 1) {
      if (this.held.size >= MAX_OUT_OF_ORDER) {
        this.lost(this);
        this.held.clear();
        return;
      }
      this.held.set(record.seq, record);
      this.awaitMissing(GAP_TIMEOUT);
      return;
    }
    this.append(record);
    this.release(true);
  }

  applyHistory(records: readonly Record[], more: boolean): void {
    const first = this.records[0]?.seq ?? this.seq + 1;
    const older = records.filter((record) => record.epoch === this.epoch && record.seq < first);
    this.records = [...older, ...this.records];
    this.change.prepended = [...older, ...this.change.prepended];
    this.more = more;
    this.flushSoon();
  }

  applyBlock(block: Block): void {
    this.written.set(block.b, {
      key: block.b,
      message: block.message,
      parent: block.parent ?? null,
      index: block.index,
      kind: block.kind,
      id: block.id ?? null,
      name: block.name ?? null,
      text: block.text,
    });
    this.change.drafts = true;
    this.flushSoon();
  }

  applyDelta(b: number, text: string): void {
    const draft = this.written.get(b);
    if (!draft) return;
    draft.text += text;
    this.change.grown.add(draft);
    this.flushSoon();
  }

  applyVoid(parent: string | null): void {
    this.dropDrafts((draft) => draft.parent === parent);
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

  /** The connection was lost. Unfinished messages stay as they are; they are sent again after reconnecting. */
  cut(): void {
    if (this.phase === 'live' || this.phase === 'catching') this.setPhase('kept');
  }

  flush(): void {
    this.scheduled = false;
    const change = this.change;
    this.change = nothing();
    if (
      change.reset ||
      change.appended.length ||
      change.prepended.length ||
      change.dropped ||
      change.grown.size ||
      change.drafts ||
      change.state ||
      change.facts ||
      change.phase
    )
      this.changes.publish(change);
  }

  /** Waits for missing records, subscribes again once, and then treats the gap as final. */
  private awaitMissing(ms: number): void {
    this.gap ??= setTimeout(() => {
      this.gap = null;
      if (this.held.size === 0) {
        if (this.phase === 'catching') this.setPhase('live');
        return;
      }
      if (this.askedAt !== this.seq) {
        this.askedAt = this.seq;
        this.lost(this);
        this.awaitMissing(FINAL_GAP_TIMEOUT);
        return;
      }
      for (const seq of [...this.held.keys()].sort((a, b) => a - b)) {
        const record = this.held.get(seq);
        this.held.delete(seq);
        if (record && seq > this.seq) this.append(record);
      }
      this.flushSoon();
    }, ms);
  }

  private append(record: Record): void {
    this.seq = record.seq;
    if (this.phase === 'catching' && this.target !== null && this.seq >= this.target) this.setPhase('live');
    this.records.push(record);
    this.change.appended.push(record);
    this.supersede(record.what);
    this.trim();
    this.flushSoon();
  }

  /** Applies the records that waited for their predecessors. */
  private release(quiet: boolean): void {
    for (let record = this.held.get(this.seq + 1); record; record = this.held.get(this.seq + 1)) {
      this.held.delete(record.seq);
      this.append(record);
    }
    for (const seq of this.held.keys()) if (seq <= this.seq) this.held.delete(seq);
    if (this.held.size === 0 && this.gap !== null && this.phase !== 'catching') {
      clearTimeout(this.gap);
      this.gap = null;
    }
    if (!quiet) this.flushSoon();
  }

  private replace(epoch: number, seq: number, records: Record[], more: boolean): void {
    this.epoch = epoch;
    this.seq = seq;
    this.records = records;
    this.more = more;
    for (const [key, record] of this.held) if (record.epoch !== epoch || key <= seq) this.held.delete(key);
    this.change = { ...nothing(), reset: true, state: this.change.state, facts: this.change.facts, phase: this.change.phase, drafts: true };
    // The whole session at once, since the user is waiting. Includes what was scheduled for the next frame.
    this.scheduled = false;
    this.flushSoon(true);
  }

  /** Removes the drafts that a record replaces, in the same frame. */
  private supersede(what: AgentMessage | Own): void {
    if (this.written.size === 0) return;
    if (what.type === 'result') {
      this.dropDrafts((draft) => draft.parent === null);
      return;
    }
    if (what.type === 'sluice_unfinished') {
      const { message, parent } = what as Extract<Own, { type: 'sluice_unfinished' }>;
      this.dropDrafts((draft) => draft.message === message && draft.parent === parent);
      return;
    }
    if (what.type !== 'assistant') return;
    const assistant = what as AgentMessage;
    const parent: unknown = assistant['parent_tool_use_id'] ?? null;
    const message: unknown = assistant['message']?.id;
    const content: unknown = assistant['message']?.content;
    if (!Array.isArray(content)) return;
    const mine = [...this.written.values()].filter((draft) => draft.message === message && draft.parent === parent).sort((a, b) => a.index - b.index);
    let upTo = -1;
    for (const block of content as { type?: string; id?: string }[]) {
      const kind = kindOf(block.type ?? '');
      const draft =
        mine.find((one) => one.index > upTo && (kind === 'call' && one.id ? one.id === block.id : one.kind === kind)) ??
        mine.find((one) => one.index > upTo && one.kind === block.type);
      if (draft) upTo = draft.index;
    }
    // Blocks are recorded in order: all up to this one are complete.
    this.dropDrafts((draft) => draft.message === message && draft.parent === parent && draft.index <= upTo);
  }

  private dropDrafts(which: (draft: Draft) => boolean): void {
    for (const [key, draft] of this.written) {
      if (!which(draft)) continue;
      this.written.delete(key);
      this.change.grown.delete(draft);
      this.change.drafts = true;
    }
    this.flushSoon();
  }

  private forgetDrafts(): void {
    this.dropDrafts(() => true);
  }

  private trim(): void {
    if (this.reading || this.records.length <= MAX_RECORDS) return;
    let cut = this.records.length - KEEP_RECORDS;
    const turn = this.records[cut]?.turn;
    while (cut > 0 && this.records[cut - 1]?.turn === turn) cut -= 1;
    if (cut === 0) return;
    this.records = this.records.slice(cut);
    this.change.dropped += cut;
    this.more = true;
    this.flushSoon();
  }

  private setPhase(phase: SessionPhase): void {
    if (phase === this.phase) return;
    this.phase = phase;
    this.change.phase = true;
    this.flushSoon();
  }

  /** True while missed records are arriving; they are collected for a moment. */
  private catchingUp(): boolean {
    if (this.phase !== 'catching' || this.target === null || this.seq >= this.target || this.change.reset) return false;
    return Date.now() - this.toldAt < CATCH_UP_TIME;
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
      // Missed records are shown together instead of row by row, but only those that arrive in time.
      if (this.catchingUp()) {
        this.scheduled = false;
        this.flushSoon();
        return;
      }
      if (this.change.appended.length > 0 || this.change.grown.size > 0) this.beat();
      this.flush();
    }, now);
  }
}

/** Maps the type of a content block to the kind of its draft. */
function kindOf(type: string): string {
  if (type.endsWith('tool_use')) return 'call';
  return type === 'redacted_thinking' ? 'thinking' : type;
}
