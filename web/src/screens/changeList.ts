// The changes that are shown: of the whole folder, or those made by calls of the session.
import { createMemo, createSignal } from 'solid-js';
import type { Diff } from '../api/types';
import { shortPath } from '../transcript/services';
import { createAsked } from './asked';
import { openSession, request } from './link';
import { keep, recall } from './prefs';

/** Fingerprint of a diff: a file that changed again is no longer marked as viewed. */
const mark = (file: Diff): string =>
  `${file.path} ${file.added} ${file.removed} ${file.hunks.map((hunk) => `${hunk.oldStart},${hunk.newStart},${hunk.lines.length}`).join(';')}`;

/** Files that are marked as viewed; kept per session. */
function createSeen(id: string) {
  const [read, setRead] = createSignal<readonly string[]>(JSON.parse(recall(`seen.${id}`) ?? '[]') as string[]);
  const isRead = (file: Diff) => read().includes(mark(file));
  const setFileRead = (file: Diff, on: boolean) => {
    const next = [...read().filter((one) => !one.startsWith(`${file.path} `)), ...(on ? [mark(file)] : [])];
    setRead(next);
    keep(`seen.${id}`, next.length ? JSON.stringify(next.slice(-200)) : null);
  };
  return { isRead, setFileRead };
}

export function createChangeList(id: string) {
  const view = openSession(id);
  const turns = createMemo(() => view.state()?.info.turns ?? 0);
  // The changes in the whole folder, or those made by calls of this session.
  const [source, setSource] = createSignal<'tree' | 'session' | null>(null);
  const [steps, setSteps] = createSignal(0);
  const [tree, { refetch: lookAgain }] = createAsked(
    () => `${steps()} ${view.state()?.info.finishedAt ?? 0}`,
    () => request({ type: 'working_tree', sessionId: id }),
  );
  const shown = () => source() ?? (tree.latest?.git === false || tree.error ? 'session' : 'tree');
  const [range, setRange] = createSignal('all');
  const step = () => shown() === 'session' && `${range()} ${view.state()?.info.finishedAt ?? 0}`;
  const [changes, { refetch }] = createAsked(step, () => request({ type: 'changes', sessionId: id, turn: range() === 'all' ? null : Number(range()) - 1 }));
  // Paths relative to the folder of the session.
  const files = createMemo(() =>
    shown() === 'tree'
      ? (tree.latest?.files ?? []).map((file) => file.diff)
      : changes.error
        ? []
        : (changes.latest?.files ?? []).map((file) => ({ ...file, path: shortPath(file.path, view.state()?.info.projectPath) })),
  );
  const byPath = createMemo(() => new Map(files().map((file) => [file.path, file])));
  // Rows are keyed by path: an update keeps open files and unsaved comments.
  const paths = createMemo(() => [...byPath().keys()]);
  const sum = (field: 'added' | 'removed') => files().reduce((n, file) => n + file[field], 0);
  return {
    id,
    turns,
    setSource,
    step: () => setSteps(steps() + 1),
    tree,
    lookAgain,
    shown,
    range,
    setRange,
    changes,
    refetch,
    files,
    byPath,
    paths,
    sum,
    ...createSeen(id),
  };
}
export type ChangeList = ReturnType<typeof createChangeList>;
