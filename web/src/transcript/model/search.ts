// Text search over all items.
import type { Item } from '../../api/types';
import type { Cell } from './cell';
import type { Row } from './rows';

export interface Hit {
  row: number;
  key: string;
  count: number;
}

/** Fields that are not shown as text. */
const SKIPPED = new Set([
  'type',
  'id',
  'uuid',
  'tool',
  'message',
  'icon',
  'verb',
  'action',
  'status',
  'source',
  'state',
  'device',
  'hash',
  'mime',
  'tail',
  'written',
]);

/** All texts in a value, one per line. */
function texts(value: unknown, out: string[] = []): string[] {
  if (typeof value === 'string') out.push(value);
  else if (Array.isArray(value)) for (const one of value) texts(one, out);
  else if (typeof value === 'object' && value !== null) for (const [key, one] of Object.entries(value)) if (!SKIPPED.has(key)) texts(one, out);
  return out;
}

/** The complete text of an item. */
export const textOfItem = (item: Item): string => texts(item.body).join('\n');

const lowered = new WeakMap<Item, string>();
function lower(cell: Cell): string {
  let text = lowered.get(cell.item);
  if (text === undefined) {
    text = textOfItem(cell.item).toLowerCase();
    lowered.set(cell.item, text);
  }
  return [text, ...cell.children.map(lower)].join('\n');
}

function textOfRow(row: Row): string {
  if (row.cells.length > 0) return row.cells.map(lower).join('\n');
  return row.kind === 'origin' ? (row.turn?.origin?.text ?? '').toLowerCase() : '';
}

export function find(rows: readonly Row[], query: string): Hit[] {
  const wanted = query.toLowerCase();
  if (!wanted) return [];
  const hits: Hit[] = [];
  rows.forEach((row, index) => {
    const text = textOfRow(row);
    let count = 0;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) count += 1;
    if (count > 0) hits.push({ row: index, key: row.key, count });
  });
  return hits;
}
