// Builds a plain diff from the agent's data (`structuredPatch`, old and new text), until the server's highlighted diff
// has arrived, and for records without one.
import type { Diff, DiffLine, Hunk } from '../api/types';

export interface WirePatch {
  oldStart: number;
  newStart: number;
  lines: readonly string[];
}

export function diffOfPatch(path: string, patches: readonly WirePatch[], kind: 'new' | 'edit' = 'edit'): Diff {
  let added = 0;
  let removed = 0;
  const hunks: Hunk[] = patches.map((patch) => {
    let old = patch.oldStart;
    let now = patch.newStart;
    const lines: DiffLine[] = [];
    for (const raw of patch.lines) {
      const sign = raw.charAt(0);
      const parts: DiffLine['parts'] = [['', raw.slice(1), false]];
      if (sign === '+') {
        lines.push({ t: '+', old: null, new: now, parts });
        now += 1;
        added += 1;
      } else if (sign === '-') {
        lines.push({ t: '-', old, new: null, parts });
        old += 1;
        removed += 1;
      } else if (sign === ' ') {
        lines.push({ t: ' ', old, new: now, parts });
        old += 1;
        now += 1;
      }
    }
    return { oldStart: patch.oldStart, newStart: patch.newStart, lines };
  });
  return { path, kind, hunks, added, removed, problem: null, lang: '' };
}

export function diffOfText(path: string, before: string | null, after: string): Diff {
  const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
  const old = before === null ? [] : lines(before);
  const now = lines(after);
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < old.length - same && tail < now.length - same && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const patch = [
    ...old.slice(Math.max(0, same - 3), same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - tail).map((line) => `-${line}`),
    ...now.slice(same, now.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + 3).map((line) => ` ${line}`),
  ];
  const start = Math.max(0, same - 3) + 1;
  return diffOfPatch(path, [{ oldStart: start, newStart: start, lines: patch }], before === null ? 'new' : 'edit');
}
