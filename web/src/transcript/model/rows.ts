// The transcript as one list of rows, so that a turn with a thousand calls can be virtualized as well as a thousand
// turns. A row stays the same object as long as it shows the same thing.
import type { Break, CallItem, Entry, Item, PromptItem, Turn } from './items';
import type { Transcript } from './Transcript';

export type RowKind = 'prompt' | 'origin' | 'item' | 'looked' | 'end' | 'break';

export interface Row {
  readonly key: string;
  readonly kind: RowKind;
  readonly turn: Turn | undefined;
  readonly item: Item | undefined;
  readonly items: readonly CallItem[];
  readonly cut: Break | undefined;
  /** Position in a group of parallel calls. */
  readonly bracket: 'first' | 'middle' | 'last' | undefined;
  /** Without space above: calls and thinking form one table. */
  readonly tight: boolean;
  readonly seq: number;
}

const READ_ONLY_TOOLS = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead', 'LSP']);
const MIN_FOLDED = 6;
const looks = (item: Item | undefined): item is CallItem =>
  item?.kind === 'call' && READ_ONLY_TOOLS.has(item.name) && item.state === 'done' && item.children.length === 0;

export class Rows {
  private readonly turns = new WeakMap<Turn, { items: readonly Item[]; live: boolean; origin: unknown; fold: boolean; rows: readonly Row[] }>();
  private readonly rows = new Map<string, Row>();
  /** Setting: folds consecutive read-only calls into one row. */
  fold = true;

  of(transcript: Transcript): Row[] {
    const out: Row[] = [];
    for (const entry of transcript.entries) for (const row of this.entry(entry, transcript)) out.push(row);
    // Rows reference their turns, so rows of dropped turns must be removed.
    if (this.rows.size > out.length + 200) {
      this.rows.clear();
      for (const row of out) this.rows.set(row.key, row);
    }
    return out;
  }

  private entry(entry: Entry, transcript: Transcript): readonly Row[] {
    if (entry.kind === 'break')
      return [
        this.row({
          key: `b${entry.key}`,
          kind: 'break',
          turn: undefined,
          item: undefined,
          items: [],
          cut: entry,
          bracket: undefined,
          tight: false,
          seq: entry.seq,
        }),
      ];
    const known = this.turns.get(entry);
    if (known && known.items === entry.items && known.live === entry.live && known.origin === entry.origin && known.fold === this.fold) return known.rows;
    const rows = this.turn(entry, transcript.splits.has(entry));
    this.turns.set(entry, { items: entry.items, live: entry.live, origin: entry.origin, fold: this.fold, rows });
    return rows;
  }

  private turn(turn: Turn, split: boolean): Row[] {
    const rows: Row[] = [];
    const base = { turn, item: undefined, items: [], cut: undefined, bracket: undefined, tight: false, seq: turn.seq };
    const unasked = !turn.items.some((item): item is PromptItem => item.kind === 'prompt') && !turn.key.includes('+');
    if (turn.origin && unasked) rows.push(this.row({ ...base, key: `o${turn.key}`, kind: 'origin' }));
    for (let i = 0; i < turn.items.length; i += 1) {
      const item = turn.items[i];
      if (!item) continue;
      if (item.kind === 'prompt') {
        rows.push(this.row({ ...base, key: `p${item.key}`, kind: 'prompt', item, seq: item.seq }));
        continue;
      }
      if (this.fold && !turn.live && looks(item)) {
        let end = i;
        while (looks(turn.items[end])) end += 1;
        if (end - i >= MIN_FOLDED) {
          const items = turn.items.slice(i, end).filter(looks);
          rows.push(this.row({ ...base, key: `l${item.key}`, kind: 'looked', items, tight: tabular(turn.items[i - 1]), seq: item.seq }));
          i = end - 1;
          continue;
        }
      }
      rows.push(
        this.row({
          ...base,
          key: `i${item.key}`,
          kind: 'item',
          item,
          bracket: bracket(turn.items, i),
          tight: tabular(item) && tabular(turn.items[i - 1]),
          seq: item.seq,
        }),
      );
    }
    if (turn.end && !split) rows.push(this.row({ ...base, key: `e${turn.key}`, kind: 'end', seq: turn.end.seq }));
    return rows;
  }

  private row(next: Row): Row {
    const old = this.rows.get(next.key);
    if (
      old &&
      old.item === next.item &&
      old.bracket === next.bracket &&
      old.tight === next.tight &&
      old.turn === next.turn &&
      old.items.length === next.items.length
    )
      return old;
    this.rows.set(next.key, next);
    return next;
  }
}

const tabular = (item: Item | undefined): boolean => item?.kind === 'call' || item?.kind === 'thinking' || item?.kind === 'command' || item?.kind === 'unknown';

function bracket(items: readonly Item[], at: number): Row['bracket'] {
  const item = items[at];
  if (item?.kind !== 'call' || !item.message) return undefined;
  const same = (other: Item | undefined) => other?.kind === 'call' && other.message === item.message;
  const above = same(items[at - 1]);
  const below = same(items[at + 1]);
  return above && below ? 'middle' : above ? 'last' : below ? 'first' : undefined;
}
