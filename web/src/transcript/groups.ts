// The rows in the document, grouped by turn. A group stays the same object while rows are added to it, so that its
// section is not rendered again.
import { batch, createMemo, createSignal, type Accessor } from 'solid-js';
import type { Row, Turn } from './model';

export interface Group {
  key: string;
  /** Undefined for a row that belongs to no turn. */
  turn: Turn | undefined;
  rows: Accessor<readonly Row[]>;
  setRows: (rows: readonly Row[]) => void;
}

/** Returns the groups of the rows in `range`. */
export function createGroups(rows: Accessor<readonly Row[]>, range: Accessor<{ from: number; to: number }>): Accessor<readonly Group[]> {
  const groups = new Map<string, Group>();
  return createMemo((): Group[] => {
    const { from, to } = range();
    const shown: Group[] = [];
    const byKey = new Map<string, Row[]>();
    for (const row of rows().slice(from, to)) {
      const key = row.turn?.key ?? row.key;
      let list = byKey.get(key);
      if (!list) {
        list = [];
        byKey.set(key, list);
        shown.push(groups.get(key) ?? createGroup(key, row.turn));
      }
      list.push(row);
    }
    batch(() => {
      for (const group of shown) group.setRows(byKey.get(group.key) ?? []);
    });
    for (const key of groups.keys()) if (!byKey.has(key)) groups.delete(key);
    for (const group of shown) groups.set(group.key, group);
    return shown;
  });
}

function createGroup(key: string, turn: Turn | undefined): Group {
  const [rows, setRows] = createSignal<readonly Row[]>([], { equals: (a, b) => a.length === b.length && a.every((row, i) => row === b[i]) });
  return {
    key,
    turn,
    rows,
    setRows: (next) => {
      setRows(next);
    },
  };
}
