// Rows of a diff: its lines, the unchanged ranges between hunks, and long unchanged ranges inside a hunk folded.
import type { Diff, DiffLine } from '../api/types';

export type Row = { kind: 'line'; line: DiffLine; first: boolean } | { kind: 'gap'; lines: number } | { kind: 'fold'; lines: number; id: string };
export type SplitRow = { kind: 'pair'; left: DiffLine | undefined; right: DiffLine | undefined; first: boolean } | Extract<Row, { kind: 'gap' | 'fold' }>;

/** Number of unchanged lines that stay visible on each side of a change. */
const CONTEXT = 3;
const FOLD = 12;

export function rowsOf(diff: Diff, unfolded: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  let next = 1;
  diff.hunks.forEach((hunk, index) => {
    const gap = hunk.oldStart - next;
    if (gap > 0 && diff.kind !== 'new') rows.push({ kind: 'gap', lines: gap });
    let old = 0;
    let first = true;
    let at = 0;
    while (at < hunk.lines.length) {
      let end = at;
      while (end < hunk.lines.length && hunk.lines[end]?.t === ' ') end += 1;
      const length = end - at;
      const head = at === 0 ? 0 : CONTEXT;
      const tail = end === hunk.lines.length ? 0 : CONTEXT;
      const id = `${index}:${at}`;
      const fold = length >= FOLD && !unfolded.has(id);
      for (let i = at; i < end; i += 1) {
        const line = hunk.lines[i];
        old += 1;
        if (fold && i === at + head) rows.push({ kind: 'fold', lines: length - head - tail, id });
        if (line && !(fold && i >= at + head && i < end - tail)) {
          rows.push({ kind: 'line', line, first });
          first = false;
        }
      }
      at = end;
      const line = hunk.lines[at];
      if (line) {
        rows.push({ kind: 'line', line, first });
        first = false;
        if (line.t !== '+') old += 1;
        at += 1;
      }
    }
    next = hunk.oldStart + old;
  });
  return rows;
}

/** Pairs removed and added lines side by side; a line without a partner is alone in its row. */
export function splitRows(rows: readonly Row[]): SplitRow[] {
  const out: SplitRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  let first = false;
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1) out.push({ kind: 'pair', left: removed[i], right: added[i], first: first && i === 0 });
    removed = [];
    added = [];
    first = false;
  };
  for (const row of rows) {
    if (row.kind !== 'line') {
      flush();
      out.push(row);
      continue;
    }
    if (row.line.t === ' ') {
      flush();
      out.push({ kind: 'pair', left: row.line, right: row.line, first: row.first });
      continue;
    }
    if (row.line.t === '-' && added.length > 0) flush();
    first ||= row.first;
    (row.line.t === '-' ? removed : added).push(row.line);
  }
  flush();
  return out;
}

const textOf = (line: DiffLine): string => line.parts.map((part) => part[1]).join('');

/** The diff as a patch, for the clipboard; a new file as its text. */
export function patchText(diff: Diff): string {
  if (diff.kind === 'new') return diff.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.t !== '-').map(textOf)).join('\n');
  const head = `--- a/${diff.path}\n+++ b/${diff.path}`;
  const hunks = diff.hunks.map((hunk) => {
    const old = hunk.lines.filter((line) => line.t !== '+').length;
    const now = hunk.lines.filter((line) => line.t !== '-').length;
    return [`@@ -${hunk.oldStart},${old} +${hunk.newStart},${now} @@`, ...hunk.lines.map((line) => line.t + textOf(line))].join('\n');
  });
  return [head, ...hunks].join('\n');
}
