// What is known of one session: its records without a hole and none twice, what is being written, the folded state.
// Everything is collected and told once a frame.
import type { AgentMessage, Block, Cursor, Facts, Own, Record, SessionState } from '../api/types';
import { Topic } from './topic';

/** Beyond this many records the oldest turns are let go; `history` brings them back. */
export const MOST_RECORDS = 6_000;
const KEEP_RECORDS = 5_600;
/** Records that came too early are held at most so long before the session is asked for again. */
export const GAP_PATIENCE = 400;
/** Asked for again and still not there for so long: there is none. */
export const HOLE_PATIENCE = 3_000;
const MOST_HELD = 2_000;
/** What was missed is gathered for so long before it is shown in parts. */
const CATCH_UP = 250;

/** A block while it is written. `text` grows; the object stays the same. */
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
  /** Nothing is known yet. */
  | 'empty'
  /** What was kept on the device; it may be old. */
  | 'kept'
  /** Asked for; records come. */
  | 'catching'
  | 'live'
  /** The bridge does not know it. */
  | 'gone';

/** What changed since the last frame. After a reset read `records` anew; `appended` then holds what came after it. */
export interface Change {
  /** All records were replaced. */
  reset: boolean;
  appended: Record[];
  prepended: Record[];
  /** How many of the oldest were let go. */
  dropped: number;
  /** Drafts that grew. */
  grown: Set<Draft>;
  /** Drafts came or went. */
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

/** `now`: somebody waits for it; as soon as can be, not with the next frame. */
export type Schedule = (flush: () => void, now: boolean) => void;

export class SessionStore {
  readonly changes = new Topic<Change>();
  records: Record[] = [];
  /** Whether there are older records at the bridge. */
  more = false;
  state: SessionState | null = null;
  facts: Facts | null = null;
  phase: SessionPhase = 'empty';
  /** Batches of records and deltas so far: the flow in the glyph moves with it. */
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
  /** Up to where the bridge says there are records. */
  private target: number | null = null;
  /** When it said so. */
  private toldAt = 0;
  /** The last number when a hole was asked for. */
  private askedAt = -1;

  constructor(
    readonly id: string,
    private readonly schedule: Schedule,
    private readonly lost: (store: SessionStore) => void,
  ) {}

  /** The last record that is known with all before it. */
  get cursor(): Cursor | null {
    return this.epoch < 0 ? null : { epoch: this.epoch, seq: this.seq };
  }
  get drafts(): readonly Draft[] {
    return [...this.written.values()];
  }
  /** How many records there are at the bridge, as far as was heard. */
  get newest(): number {
    return Math.max(this.seq, this.state?.info.cursor.epoch === this.epoch ? this.state.info.cursor.seq : 0);
  }

  /** What the device kept from the last visit. */
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
    // Whole turns: the first one kept begins with its first record.
    while (from > 0 && this.records[from]?.turn === this.records[from - 1]?.turn && from < this.records.length - 1) from += 1;
    return { epoch: this.epoch, seq: this.seq, records: this.records.slice(from), more: this.more || from > 0, state: this.state, facts: this.facts };
  }

  /** The session was asked for. */
  asked(): void {
    this.target = null;
    if (this.phase !== 'gone') this.setPhase('catching');
  }

  /** Someone reads far above: nothing of it is let go meanwhile. */
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

  /** All records up to the cursor are sent, before this or right after it. */
  applyCaughtUp(verdict: 'ok' | 'gap', cursor: Cursor): void {
    // What was being written is told anew after this.
    this.forgetDrafts();
    if (verdict === 'gap') return;
    if (cursor.epoch !== this.epoch) {
      this.lost(this);
      return;
    }
    this.target = cursor.seq;
    this.toldAt = Date.now();
    if (this.seq >= cursor.seq) this.setPhase('live');
    else this.patience(HOLE_PATIENCE);
  }

  applyRecord(record: Record): void {
    if (record.epoch < this.epoch) return;
    if (record.epoch > this.epoch) {
      // History was rewritten and the snapshot is not here yet.
      if (this.epoch >= 0) this.lost(this);
      this.epoch = record.epoch;
      this.seq = record.seq - 1;
      this.replace(record.epoch, record.seq - 1, [], record.seq > 1);
    }
    if (record.seq <= this.seq || this.held.has(record.seq)) return;
    if (record.seq > this.seq + 1) {
      if (this.held.size >= MOST_HELD) {
        this.lost(this);
        this.held.clear();
        return;
      }
      this.held.set(record.seq, record);
      this.patience(GAP_PATIENCE);
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

  /** The line is away. What was being written stays as it was last seen; it is told anew when the line is back. */
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
      this.changes.tell(change);
  }

  /** Waits for what is missing, asks for it once, and then takes it that the numbers between were never used. */
  private patience(ms: number): void {
    this.gap ??= setTimeout(() => {
      this.gap = null;
      if (this.held.size === 0) {
        if (this.phase === 'catching') this.setPhase('live');
        return;
      }
      if (this.askedAt !== this.seq) {
        this.askedAt = this.seq;
        this.lost(this);
        this.patience(HOLE_PATIENCE);
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

  /** Takes over what waited for its turn. */
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
    // All of a session at once: whoever opened it waits. What was to be told with the next frame is told with it.
    this.scheduled = false;
    this.flushSoon(true);
  }

  /** A record holds what a draft was: the draft goes in the same frame. */
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
    const said = what as AgentMessage;
    const parent: unknown = said['parent_tool_use_id'] ?? null;
    const message: unknown = said['message']?.id;
    const content: unknown = said['message']?.content;
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
    // Blocks come in order: all up to the one that is recorded are over.
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
    if (this.reading || this.records.length <= MOST_RECORDS) return;
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

  /** Records that are on their way: for a moment they are gathered. */
  private catchingUp(): boolean {
    if (this.phase !== 'catching' || this.target === null || this.seq >= this.target || this.change.reset) return false;
    return Date.now() - this.toldAt < CATCH_UP;
  }

  /** At most six steps a second; a still session stands still. */
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
      // What comes after an absence is shown as a whole, not a row at a time; what does not come is not waited for.
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

/** What a draft calls the blocks of a message. */
function kindOf(type: string): string {
  if (type.endsWith('tool_use')) return 'call';
  return type === 'redacted_thinking' ? 'thinking' : type;
}
