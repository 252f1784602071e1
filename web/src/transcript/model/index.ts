export type { DraftBlock } from './drafts';
export * from './items';
export { Changes, Observed } from './observed';
export { Rows, type Row, type RowKind } from './rows';
export { find, textOfItem, type Hit } from './search';
export { Transcript, type Place } from './Transcript';
export * from './wire';
