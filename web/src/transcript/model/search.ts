// Text search over the whole model.
import type { Item } from './items';
import type { Row } from './rows';
import { plain, textOf } from './wire';

export interface Hit {
  row: number;
  key: string;
  count: number;
}

/** The complete text of an item. */
export function textOfItem(item: Item): string {
  switch (item.kind) {
    case 'text':
    case 'thinking':
      return item.text;
    case 'prompt':
      return textOf(item.text);
    case 'command':
      return `/${item.name}\n${item.output}`;
    case 'unknown':
      return `${item.type} ${JSON.stringify(item.raw)}`;
    case 'mark':
      return Object.values(item.facts)
        .filter((value) => typeof value === 'string')
        .join(' ');
    case 'call': {
      const input = Object.values(item.input)
        .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
        .join('\n');
      return [item.name, input, item.result ? plain(item.result) : '', ...item.children.map(textOfItem)].join('\n');
    }
  }
}

const lowered = new WeakMap<Item, { of: string; text: string }>();
function lower(item: Item): string {
  const raw = textOfItem(item);
  const known = lowered.get(item);
  if (known?.of === raw) return known.text;
  const text = raw.toLowerCase();
  lowered.set(item, { of: raw, text });
  return text;
}

export function textOfRow(row: Row): string {
  if (row.item) return lower(row.item);
  if (row.items.length > 0) return row.items.map(lower).join('\n');
  if (row.cut) return row.cut.summary.toLowerCase();
  if (row.kind === 'origin') return (row.turn?.origin?.text ?? '').toLowerCase();
  return '';
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
