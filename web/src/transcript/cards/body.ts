import type { ToolCall } from '../../api/types';
import type { Cell } from '../model';

/** What the body of a card is rendered from. */
export interface BodyProps<B> {
  cell: Cell;
  call: ToolCall;
  body: B;
}

/** True for a call whose result says why it did nothing. */
export const isRefused = (cell: Cell): boolean => cell.item.status === 'failed' || cell.item.status === 'denied';
