import type { Text } from '../../api/types';

/** The text, or the beginning of one that is stored on the server. */
export const textOf = (value: Text | null | undefined): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : (value.$blob.head ?? '');
