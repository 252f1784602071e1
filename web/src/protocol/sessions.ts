// The session list from the bridge, grouped by status, with the read state of this device.
import type { ServerMessage, SessionInfo } from '../api/types';
import { isObject, readJson, writeJson, type SyncStorage } from './storage';
import { Topic } from './topic';

const SEEN = 'sluice.seen';
const LIST = 'sluice.sessions';
const MAX_READ_MARKS = 500;
const MAX_CACHED = 60;

export type Group = 'needs' | 'running' | 'idle';
export interface Groups {
  needs: SessionInfo[];
  running: SessionInfo[];
  idle: SessionInfo[];
}

/** The group of a session. Unread sessions stay in their group, but are sorted first. */
export function groupOf(info: SessionInfo): Group {
  if (info.pendingAsks > 0) return 'needs';
  switch (info.standing) {
    case 'waiting':
    case 'crashed':
    case 'lost':
      return 'needs';
    case 'starting':
    case 'running':
    case 'retrying':
    case 'stalled':
    case 'stopping':
      return 'running';
    default:
      return 'idle';
  }
}

const isSeen = (value: unknown): value is { [sessionId: string]: number } => isObject(value) && Object.values(value).every((at) => typeof at === 'number');
const isList = (value: unknown): value is SessionInfo[] =>
  Array.isArray(value) &&
  value.every((one) => isObject(one) && typeof one.sessionId === 'string' && typeof one.standing === 'string' && typeof one.revision === 'number');

export class SessionList {
  readonly changed = new Topic<void>();
  private readonly sessions = new Map<string, SessionInfo>();
  private readonly seen: Map<string, number>;
  /** True if the bridge sent the list on this connection; otherwise it comes from the cache. */
  current = false;

  constructor(private readonly shelf: SyncStorage) {
    this.seen = new Map(Object.entries(readJson(shelf, SEEN, isSeen) ?? {}));
    for (const info of readJson(shelf, LIST, isList) ?? []) this.sessions.set(info.sessionId, info);
  }

  apply(message: ServerMessage): boolean {
    switch (message.type) {
      case 'session_list':
        this.sessions.clear();
        for (const info of message.sessions) this.sessions.set(info.sessionId, info);
        this.current = true;
        this.keep();
        break;
      case 'session': {
        const known = this.sessions.get(message.session.sessionId);
        // Ignores a summary that is older than the known one. The revision is 0 while the bridge has not loaded the session.
        if (known && message.session.revision > 0 && known.revision > message.session.revision) return true;
        this.sessions.set(message.session.sessionId, message.session);
        break;
      }
      case 'session_removed':
        this.sessions.delete(message.sessionId);
        this.keep();
        break;
      default:
        return false;
    }
    this.changed.publish();
    return true;
  }

  /** The connection was lost: the list is outdated. */
  cut(): void {
    this.current = false;
    this.keep();
    this.changed.publish();
  }

  get(sessionId: string): SessionInfo | undefined {
    return this.sessions.get(sessionId);
  }
  all(): SessionInfo[] {
    return [...this.sessions.values()];
  }

  /** True if a turn ended since the session was last viewed on this device. */
  unread(info: SessionInfo): boolean {
    return info.finishedAt !== null && (info.standing === 'idle' || info.standing === 'stopped') && info.finishedAt > (this.seen.get(info.sessionId) ?? 0);
  }

  /** Marks a session as read; `when` schedules the notification of the listeners. */
  look(sessionId: string, when: (tell: () => void) => void = (tell) => tell()): void {
    const info = this.sessions.get(sessionId);
    const at = Math.max(info?.finishedAt ?? 0, this.seen.get(sessionId) ?? 0);
    if (!info || this.seen.get(sessionId) === at) return;
    const news = this.unread(info);
    this.seen.delete(sessionId);
    this.seen.set(sessionId, at);
    while (this.seen.size > MAX_READ_MARKS) {
      const [oldest] = this.seen.keys();
      if (oldest === undefined) break;
      this.seen.delete(oldest);
    }
    writeJson(this.shelf, SEEN, Object.fromEntries(this.seen));
    if (news) when(() => this.changed.publish());
  }

  /** Needs you: oldest first. Running: newest start first. Idle: unread first, then by last use. */
  groups(archived = false): Groups {
    const groups: Groups = { needs: [], running: [], idle: [] };
    for (const info of this.sessions.values()) if (info.archived === archived) groups[groupOf(info)].push(info);
    groups.needs.sort((a, b) => a.since - b.since || compare(a, b));
    groups.running.sort((a, b) => b.startedAt - a.startedAt || compare(a, b));
    groups.idle.sort((a, b) => Number(this.unread(b)) - Number(this.unread(a)) || b.lastActivityAt - a.lastActivityAt || compare(a, b));
    return groups;
  }

  /** The sessions that need the user, for the title and the badge. */
  waiting(): SessionInfo[] {
    return this.groups().needs;
  }

  private keep(): void {
    const newest = this.all()
      .sort((a, b) => b.lastActivityAt - a.lastActivityAt)
      .slice(0, MAX_CACHED)
      .map((info) => ({ ...info, activity: [] }));
    writeJson(this.shelf, LIST, newest);
  }
}

const compare = (a: SessionInfo, b: SessionInfo): number => (a.sessionId < b.sessionId ? -1 : 1);
