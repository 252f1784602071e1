// The transcript as one list of rows, so that a turn with a thousand calls can be virtualized as well as a thousand
// turns. A row stays the same object as long as it shows the same thing.
import type { ItemId } from '../../api/types';
import type { Cell } from './cell';
import type { Turn } from './entries';
import type { Transcript } from './Transcript';

export type RowKind = 'prompt' | 'origin' | 'item' | 'looked' | 'error' | 'end' | 'break';

export interface Row {
  readonly key: string;
  readonly kind: RowKind;
  /** Undefined for a row between turns. */
  readonly turn: Turn | undefined;
  /** The item, or all items of a group; none for the end of a turn and for its origin. */
  readonly cells: readonly Cell[];
  /** Position in a group of parallel calls. */
  readonly bracket: 'first' | 'middle' | 'last' | undefined;
  /** Without space above: calls and thinking form one table. */
  readonly tight: boolean;
  readonly id: ItemId;
}

const MIN_FOLDED = 6;

/** True for a finished call that only looks at files. */
function looks(cell: Cell | undefined): cell is Cell {
  const verb = cell?.as('tool_call')?.card.verb;
  return (verb === 'read' || verb === 'find') && cell?.item.status === 'done' && cell.children.length === 0;
}

export class Rows {
  private readonly turns = new WeakMap<Turn, { items: readonly Cell[]; live: boolean; end: unknown; origin: unknown; fold: boolean; rows: readonly Row[] }>();
  private readonly rows = new Map<string, Row>();
  /** Setting: folds consecutive read-only calls into one row. */
  fold = true;

  of(transcript: Transcript): Row[] {
    const out: Row[] = [];
    for (const entry of transcript.entries) {
      if (entry.kind === 'turn') for (const row of this.turn(entry)) out.push(row);
      else out.push(this.row({ ...PLAIN, key: `i${entry.cell.id}`, kind: entry.kind === 'break' ? 'break' : 'item', cells: [entry.cell], id: entry.cell.id }));
    }
    // Rows reference their turns, so rows of dropped turns must be removed.
    if (this.rows.size > out.length + 200) {
      this.rows.clear();
      for (const row of out) this.rows.set(row.key, row);
    }
    return out;
  }

  private turn(turn: Turn): readonly Row[] {
    const { items, live, end, origin } = turn;
    const known = this.turns.get(turn);
    if (known && known.items === items && known.live === live && known.end === end && known.origin === origin && known.fold === this.fold) return known.rows;
    const rows = this.rowsOf(turn);
    this.turns.set(turn, { items, live, end, origin, fold: this.fold, rows });
    return rows;
  }

  private rowsOf(turn: Turn): Row[] {
    const rows: Row[] = [];
    const base = { ...PLAIN, turn, id: turn.first.id };
    const { items } = turn;
    if (turn.origin) rows.push(this.row({ ...base, key: `o${turn.key}`, kind: 'origin' }));
    for (let i = 0; i < items.length; i += 1) {
      const cell = items[i];
      if (!cell) continue;
      const one = { ...base, key: `i${cell.id}`, cells: [cell], id: cell.id };
      if (cell.item.body.type === 'prompt') {
        rows.push(this.row({ ...one, kind: 'prompt' }));
        continue;
      }
      const end = this.fold && !turn.live ? endOfLooks(items, i) : i;
      if (end - i >= MIN_FOLDED) {
        rows.push(this.row({ ...one, key: `l${cell.id}`, kind: 'looked', cells: items.slice(i, end), tight: tabular(items[i - 1]) }));
        i = end - 1;
      } else rows.push(this.row({ ...one, kind: 'item', bracket: bracket(items, i), tight: tabular(cell) && tabular(items[i - 1]) }));
    }
    if (hasError(turn)) rows.push(this.row({ ...base, key: `f${turn.end?.id ?? ''}`, kind: 'error', id: turn.end?.id ?? base.id }));
    if (turn.end) rows.push(this.row({ ...base, key: `e${turn.end.id}`, kind: 'end', id: turn.end.id }));
    return rows;
  }

  private row(next: Row): Row {
    const old = this.rows.get(next.key);
    const unchanged =
      old &&
      old.kind === next.kind &&
      old.bracket === next.bracket &&
      old.tight === next.tight &&
      old.turn === next.turn &&
      old.cells[0] === next.cells[0] &&
      old.cells.length === next.cells.length;
    if (unchanged) return old;
    this.rows.set(next.key, next);
    return next;
  }
}

/** True for a turn that failed without an item that says why. */
function hasError({ end, items }: Turn): boolean {
  const outcome = end?.as('turn_end')?.outcome.type;
  return (outcome === 'failed' || outcome === 'max_turns' || outcome === 'max_budget') && !items.some((cell) => cell.item.body.type === 'error');
}

const PLAIN = { turn: undefined, cells: [], bracket: undefined, tight: false } as const;

function endOfLooks(items: readonly Cell[], from: number): number {
  let end = from;
  while (looks(items[end])) end += 1;
  return end;
}

const TABULAR = new Set(['tool_call', 'thinking', 'command', 'unknown']);
const tabular = (cell: Cell | undefined): boolean => cell !== undefined && TABULAR.has(cell.item.body.type);

/** True if the second call began before the first one ended: the model made both in one message. */
function together(first: Cell | undefined, second: Cell | undefined): boolean {
  const [before, after] = [first?.as('tool_call'), second?.as('tool_call')];
  if (!before || !after || first?.item.status === 'background') return false;
  return before.ended === null || (second?.item.at ?? 0) < before.ended;
}

/** Position in a group of parallel calls. */
function bracket(items: readonly Cell[], at: number): Row['bracket'] {
  const above = together(items[at - 1], items[at]);
  const below = together(items[at], items[at + 1]);
  return above && below ? 'middle' : above ? 'last' : below ? 'first' : undefined;
}
