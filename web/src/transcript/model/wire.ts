// Reads messages of agents without trusting their shape: a missing field or one of another type is `undefined`.
import type { Blob } from '../../api/types';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
export type Fields = { readonly [key: string]: Json | undefined };

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
export const fields = (value: unknown): Fields => (isFields(value) ? value : {});
export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
export const str = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const num = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
export const flag = (value: unknown): boolean => value === true;

/** A large body stored on the server; fetched when it is shown. */
export function blobOf(value: unknown): Blob | undefined {
  const blob = isFields(value) ? value['$blob'] : undefined;
  if (!isFields(blob) || typeof blob['hash'] !== 'string') return undefined;
  return {
    hash: blob['hash'],
    bytes: num(blob['bytes']) ?? 0,
    mime: str(blob['mime']) ?? 'text/plain',
    head: str(blob['head']) ?? null,
    tail: str(blob['tail']) ?? null,
    lines: num(blob['lines']) ?? null,
  };
}

/** A text that may be a blob, which contains only its beginning. */
export type Heavy = string | { readonly $blob: Blob };
export const heavy = (value: unknown): Heavy | undefined => {
  if (typeof value === 'string') return value;
  const blob = blobOf(value);
  return blob ? { $blob: blob } : undefined;
};
export const textOf = (value: Heavy | undefined): string => (value === undefined ? '' : typeof value === 'string' ? value : (value.$blob.head ?? ''));

export interface Picture {
  mime: string;
  data: Heavy;
  width?: number | undefined;
  height?: number | undefined;
  bytes?: number | undefined;
}
export type ResultBlock =
  | { kind: 'text'; text: Heavy }
  | { kind: 'image'; picture: Picture }
  | { kind: 'link'; uri: string; name: string }
  | { kind: 'other'; raw: Json };

/** The content of a tool result as blocks, from any of its forms. */
export function resultBlocks(content: unknown): ResultBlock[] {
  const whole = heavy(content);
  if (whole !== undefined) return whole === '' ? [] : [{ kind: 'text', text: whole }];
  return list(content).map((block): ResultBlock => {
    const one = fields(block);
    const text = heavy(one['text']);
    if (one['type'] === 'text' && text !== undefined) return { kind: 'text', text };
    if (one['type'] === 'image') {
      const source = fields(one['source']);
      const data = heavy(source['data'] ?? one['data']);
      if (data !== undefined) return { kind: 'image', picture: { mime: str(source['media_type'] ?? one['mimeType']) ?? 'image/png', data } };
    }
    if (one['type'] === 'resource_link') return { kind: 'link', uri: str(one['uri']) ?? '', name: str(one['name']) ?? str(one['uri']) ?? '' };
    if (one['type'] === 'resource') {
      const resource = fields(one['resource']);
      const inner = heavy(resource['text']);
      if (inner !== undefined) return { kind: 'text', text: inner };
    }
    return { kind: 'other', raw: block };
  });
}

export const plain = (blocks: readonly ResultBlock[]): string =>
  blocks
    .map((block) => (block.kind === 'text' ? textOf(block.text) : ''))
    .filter(Boolean)
    .join('\n');
