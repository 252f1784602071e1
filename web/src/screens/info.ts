// What a list tells of a session beyond its summary, by bridges that tell it.
import type { SessionInfo } from '../api/types';

export interface Brief { ask: string; kind: string; toolName: string; about: string; at: number; whole: boolean }
interface More { ask?: Brief | null; branch?: string | null; context?: number | null }

export const askOf = (info: SessionInfo): Brief | null => (info as SessionInfo & More).ask ?? null;
/** Its branch; a folder without one is told as HEAD by some programs. */
export const branchOf = (info: SessionInfo): string | null => { const branch = (info as SessionInfo & More).branch; return branch && branch !== 'HEAD' ? branch : null; };
/** How full its context is, from 0 to 1. */
export const contextOf = (info: SessionInfo): number | null => (info as SessionInfo & More).context ?? null;
