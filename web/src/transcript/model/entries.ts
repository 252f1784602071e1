// Groups the items of a transcript: turns, breaks between them, and items that belong to no turn.
import type { NoticeKind, ProcessEnd, TurnOrigin } from '../../api/types';
import { same, type Cell } from './cell';
import { Observed } from './observed';
import { textOf } from './text';

/** A turn, or the part of one before or after a break. It stays the same object while the turn grows. */
export class Turn extends Observed {
  readonly kind = 'turn';
  /** The number of the turn, counted from 0; null while it is not known. */
  n: number | null = null;
  items: readonly Cell[] = [];
  end: Cell | undefined;
  /** Why it began, if no message asked for it. */
  origin: TurnOrigin | undefined;
  /** True for the last turn while it has no end. */
  live = false;
  constructor(readonly first: Cell) {
    super();
  }
  get key(): string {
    return `t${this.first.id}`;
  }
  get at(): number {
    return this.first.item.at;
  }
}

/** A break across the transcript: compacted, cleared, rewound. */
export interface Break {
  readonly kind: 'break';
  readonly cell: Cell;
}
/** An item between turns. */
export interface Loose {
  readonly kind: 'loose';
  readonly cell: Cell;
}
export type Entry = Turn | Break | Loose;

export const isBreak = ({ item: { body, status } }: Cell): boolean =>
  (body.type === 'compaction' && status === 'done') || body.type === 'files_rewound' || (body.type === 'notice' && body.kind === 'cleared');

/** True for an end of the agent's process that a person should see: in a turn, or with an error. */
const isUnexpected = ({ exit, cause }: ProcessEnd, turn: number | null): boolean =>
  turn !== null || cause === 'crashed' || (cause === 'unknown' && (exit.signal !== null || (exit.code ?? 0) !== 0));

/** True for items without a row. */
const isHidden = ({ item: { body, status, turn } }: Cell): boolean => {
  switch (body.type) {
    case 'prompt':
      return body.source === 'agent';
    case 'text':
      return body.text === '' && status !== 'streaming';
    case 'compaction':
      return status === 'running';
    case 'command':
      // A compaction has its own row.
      return !body.failed && /^Compacted\b/.test(textOf(body.output));
    case 'hook':
      return body.outcome === 'succeeded' || body.outcome === 'running';
    case 'rate_limit':
      return body.status === 'allowed';
    case 'process':
      return body.change === 'started' || !isUnexpected(body, turn);
    case 'suggestion':
      return true;
    case 'notice':
      return HIDDEN_NOTICES.has(body.kind);
    default:
      return false;
  }
};
const HIDDEN_NOTICES = new Set<NoticeKind>(['context', 'answered', 'summary', 'shortened', 'files_stored', 'authentication', 'goal', 'mirror_failed']);

/** A turn that is being put together. */
interface Draft {
  first: Cell;
  n: number | null;
  items: Cell[];
  end: Cell | undefined;
  origin: TurnOrigin | undefined;
  /** A break follows. */
  cut: boolean;
}

/** Groups items that are in order. Turns of `before` stay the same objects. */
export function group(cells: readonly Cell[], before: readonly Entry[]): readonly Entry[] {
  const out: (Draft | Break | Loose)[] = [];
  const byNumber = new Map<number, Draft>();
  // The end of a task that began a turn is shown as the origin of that turn.
  const origins = new Set(cells.map((cell) => cell.as('turn_origin')?.task).filter((task) => task != null));
  let open: Draft | undefined;
  for (const cell of cells) {
    const { turn, body } = cell.item;
    if (isBreak(cell)) {
      if (open && !open.end && turn === open.n) {
        // Before the first item of a turn: the turn continues below the break.
        if (open.items.length === 0) out.splice(out.indexOf(open), 1);
        open.cut = open.items.length > 0;
        out.push({ kind: 'break', cell }, ...(open.cut ? [] : [open]));
      } else out.push({ kind: 'break', cell });
      continue;
    }
    if (isHidden(cell) || (body.type === 'task_end' && origins.has(body.task))) continue;
    const running: Draft | undefined = open && !open.end && (turn === null || open.n === null || open.n === turn) ? open : undefined;
    let to: Draft | undefined = (turn === null ? undefined : byNumber.get(turn)) ?? running;
    if (!to && turn === null && body.type !== 'prompt') {
      out.push({ kind: 'loose', cell });
      continue;
    }
    if (!to || to.cut) {
      to = { first: cell, n: turn, items: [], end: undefined, origin: undefined, cut: false };
      open = to;
      out.push(to);
    }
    if (turn !== null) {
      to.n = turn;
      byNumber.set(turn, to);
    }
    if (body.type === 'turn_end') to.end = cell;
    else if (body.type === 'turn_origin') to.origin = body;
    else to.items.push(cell);
  }
  return publish(out, before);
}

/** Turns the drafts into turns, taking over those that exist, and notifies the observers of those that changed. */
function publish(drafts: readonly (Draft | Break | Loose)[], before: readonly Entry[]): Entry[] {
  const turns = new Map<Cell, Turn>();
  const others = new Map<Cell, Break | Loose>();
  for (const entry of before) {
    if (entry.kind === 'turn') turns.set(entry.first, entry);
    else others.set(entry.cell, entry);
  }
  const last = drafts.findLast((one): one is Draft => !('kind' in one));
  return drafts.map((draft) => {
    if ('kind' in draft) {
      const known = others.get(draft.cell);
      return known?.kind === draft.kind ? known : draft;
    }
    const turn = turns.get(draft.first) ?? new Turn(draft.first);
    const live = draft === last && draft.end === undefined;
    const { n, items, end, origin } = draft;
    const unchanged = same(turn.items, items) && turn.end === end && turn.n === n && turn.live === live && turn.origin === origin;
    if (unchanged) return turn;
    Object.assign(turn, { n, items, end, origin, live });
    turn.notify();
    return turn;
  });
}
