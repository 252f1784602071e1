// Which sessions need a person, which run, which rest, which others made: the same order in the rail, the list and the title.
import type { SessionInfo } from '../api/types';
import { groupOf } from '../protocol';
import { when } from '../text/format';

/** Its branch; a folder without one is HEAD to some programs. */
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
  // Who waits longest is first; what was begun last stays first, so that rows do not jump while they run.
  groups.needs.sort((a, b) => a.since - b.since || byId(a, b));
  groups.running.sort((a, b) => b.startedAt - a.startedAt || byId(a, b));
  groups.idle.sort((a, b) => Number(unread(b)) - Number(unread(a)) || newest(a, b));
  groups.elsewhere.sort(newest);
  groups.archived.sort(newest);
  return groups;
}

/** The sessions of `next` in the places of `before`; sessions that are new are where `next` has them. */
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

/** 42 s, 21 m, 3 h, then the day: as much as a row has room for. */
export function since(ms: number, at: number, now: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : when(at, now);
}

/** How long it waits or runs, or how long ago anything happened. */
export function rowAge(info: SessionInfo, now: number): string {
  const at = groupOf(info) === 'idle' ? info.lastActivityAt : info.since;
  return since(now - at, at, now);
}

export { folderName } from '../text/paths';

/** Folders with how many sessions each holds, most first. */
export function folders(all: readonly SessionInfo[]): { path: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const info of all) if (!info.archived) counts.set(info.projectPath, (counts.get(info.projectPath) ?? 0) + 1);
  return [...counts].map(([path, count]) => ({ path, count })).sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1));
}
