// Input of a tool call as a form that the user can edit before allowing it.
import type { Card } from '../api/types';
import { isObject } from '../protocol/storage';

export type Input = { [key: string]: unknown };
export type EditKind = 'edit' | 'write' | 'bash' | 'json';

/** Returns the kind of form for a call. */
export function editKind(card: Card | null, input: Input): EditKind {
  const body = card?.body;
  if (body?.type === 'shell' && typeof input['command'] === 'string') return 'bash';
  if (body?.type !== 'file_change') return 'json';
  if (typeof input['content'] === 'string') return 'write';
  return body.edits.length === 1 && typeof input['new_string'] === 'string' ? 'edit' : 'json';
}

/** True for calls that change a file: the diff is shown before they are allowed. */
export const changesFile = (card: Card | null): boolean => card?.body.type === 'file_change' || card?.body.type === 'notebook';

/** The file that a call reads or changes. */
export function pathOf(card: Card | null): string | null {
  const body = card?.body;
  return body?.type === 'file_change' || body?.type === 'notebook' || body?.type === 'file_read' ? body.path : null;
}

export const inputOf = (request: { [key: string]: unknown }): Input => (isObject(request['input']) ? request['input'] : {});

export const asJson = (input: Input): string => JSON.stringify(input, null, 2);

/** Parses the user's JSON. Returns null if it is not an object. */
export function fromJson(text: string): Input | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export const sameInput = (a: Input, b: Input): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the number of lines that the user changed. */
export function changedLines(before: string, after: string): number {
  const left = before.split('\n');
  const right = after.split('\n');
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let fresh = 0;
  for (const line of right) {
    const have = counts.get(line) ?? 0;
    if (have > 0) counts.set(line, have - 1);
    else fresh += 1;
  }
  const removed = [...counts.values()].reduce((sum, n) => sum + n, 0);
  return Math.max(fresh, removed);
}

/** Returns the main text of an input, to count changed lines. */
export function mainText(kind: EditKind, input: Input): string {
  const key = kind === 'edit' ? 'new_string' : kind === 'write' ? 'content' : kind === 'bash' ? 'command' : null;
  return key === null ? asJson(input) : String(input[key] ?? '');
}

/** Returns a path relative to the project if it is inside. */
export function shortPath(path: string, project: string): string {
  const root = project.endsWith('/') ? project : `${project}/`;
  return path.startsWith(root) ? path.slice(root.length) : path;
}
