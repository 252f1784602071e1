// The items of a session as they were at a moment.
import type { CardBody, Item, ItemId } from '../../api/types';
import { bodyOf } from '../../protocol/items';

/** Returns the same times, each at least one millisecond after the previous one. */
export function apart(times: readonly number[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return times.map((at) => {
    last = Math.max(at, last + 1);
    return last;
  });
}

/** When items appeared and calls ended. */
export interface Moments {
  /** All moments in order. */
  times: readonly number[];
  began: ReadonlyMap<ItemId, number>;
  ended: ReadonlyMap<ItemId, number>;
}

export function momentsOf(items: readonly Item[]): Moments {
  const began = new Map<ItemId, number>();
  const ended = new Map<ItemId, number>();
  const all: { at: number; id: ItemId; of: Map<ItemId, number> }[] = [];
  for (const item of items) {
    all.push({ at: item.at, id: item.id, of: began });
    const end = bodyOf(item, 'tool_call')?.ended ?? null;
    if (end !== null) all.push({ at: end, id: item.id, of: ended });
  }
  all.sort((a, b) => a.at - b.at || a.id - b.id);
  const times = apart(all.map((one) => one.at));
  for (const [index, { id, of }] of all.entries()) of.set(id, times[index] ?? 0);
  return { times, began, ended };
}

const running = new WeakMap<Item, Item>();

/** Returns an item as it was at a moment; undefined if it did not exist. */
export function itemAt(item: Item, { began, ended }: Moments, at: number): Item | undefined {
  if ((began.get(item.id) ?? 0) > at) return undefined;
  if ((ended.get(item.id) ?? 0) <= at) return item;
  const { body } = item;
  if (body.type !== 'tool_call') return item;
  let then = running.get(item);
  if (!then) {
    then = { ...item, status: 'running', body: { ...body, ended: null, result: null, card: { ...body.card, body: withoutResult(body.card.body) } } };
    running.set(item, then);
  }
  return then;
}

/** The details of a call before its result. */
function withoutResult(body: CardBody): CardBody {
  switch (body.type) {
    case 'shell':
      return { ...body, output: null, stderr: null, exitCode: null, task: null };
    case 'file_read':
      return { ...body, content: null };
    case 'file_change':
      return { ...body, hunks: [], created: false };
    case 'search':
      return { ...body, hits: null, files: null, lines: null, names: null };
    case 'web':
      return body.kind === 'fetch' ? { ...body, code: null, bytes: null, answer: null } : { ...body, hits: [], answer: null };
    case 'subagent':
      return { ...body, report: null, duration: null, calls: null };
    case 'question':
      return { ...body, response: null, answers: [] };
    case 'skill':
      return { ...body, text: null };
    case 'generic':
      return { ...body, output: null };
    default:
      return body;
  }
}
