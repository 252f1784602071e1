// Groups and sorts sessions by status; the same order in the rail, the list and the title.
import type { SessionInfo } from '../api/types';
import { groupOf } from '../protocol';
import { when } from '../text/format';

/** The branch of a session; some programs report HEAD for a folder without one. */
export const branchOf = (info: SessionInfo): string | null => (info.branch && info.branch !== 'HEAD' ? info.branch : null);

export interface Groups {
  needs: SessionInfo[];
  running: SessionInfo[];
  idle: SessionInfo[];
  elsewhere: SessionInfo[];
  archived: SessionInfo[];
}

const byId = (a: SessionInfo, b: SessionInfo): number => (a.sessionId < b.sessionId ? -1 : 1);
const newest = (a: SessionInfo, b: SessionInfo): number => b.lastActivityAt - a.lastActivityAt || byId(a, b);

export function group(all: readonly SessionInfo[], unread: (info: SessionInfo) => boolean, folder = ''): Groups {
  const groups: Groups = { needs: [], running: [], idle: [], elsewhere: [], archived: [] };
  for (const info of all) {
    if (folder && info.projectPath !== folder) continue;
    const place = info.archived ? 'archived' : groupOf(info);
    groups[place === 'idle' && (info.external || info.standing === 'external') ? 'elsewhere' : place].push(info);
  }
  // Longest waiting first. Running sessions are sorted by start, so that rows do not jump.
  groups.needs.sort((a, b) => a.since - b.since || byId(a, b));
  groups.running.sort((a, b) => b.startedAt - a.startedAt || byId(a, b));
  groups.idle.sort((a, b) => Number(unread(b)) - Number(unread(a)) || newest(a, b));
  groups.elsewhere.sort(newest);
  groups.archived.sort(newest);
  return groups;
}

/** Keeps the sessions of `next` at their positions in `before`; new sessions are at their positions in `next`. */
export function inPlace(before: Groups, next: Groups): Groups {
  const fresh = new Map(
    Object.values(next)
      .flat()
      .map((info: SessionInfo) => [info.sessionId, info]),
  );
  const known = new Set(
    Object.values(before)
      .flat()
      .map((info: SessionInfo) => info.sessionId),
  );
  const at = (place: keyof Groups) => [
    ...before[place].flatMap((info) => fresh.get(info.sessionId) ?? []),
    ...next[place].filter((info) => !known.has(info.sessionId)),
  ];
  return { needs: at('needs'), running: at('running'), idle: at('idle'), elsewhere: at('elsewhere'), archived: at('archived') };
}

/** 42 s, 21 m, 3 h, then the day, to fit into a row. */
export function since(ms: number, at: number, now: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : when(at, now);
}

/** How long a session has been waiting or running, or the time since its last activity. */
export function rowAge(info: SessionInfo, now: number): string {
  const at = groupOf(info) === 'idle' ? info.lastActivityAt : info.since;
  return since(now - at, at, now);
}

export { folderName } from '../text/paths';

/** Folders with their number of sessions, most first. */
export function folders(all: readonly SessionInfo[]): { path: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const info of all) if (!info.archived) counts.set(info.projectPath, (counts.get(info.projectPath) ?? 0) + 1);
  return [...counts].map(([path, count]) => ({ path, count })).sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
}
