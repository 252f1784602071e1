export { Cell } from './cell';
export { Turn, type Break, type Entry } from './entries';
export { Observed } from './observed';
export { Rows, type Row, type RowKind } from './rows';
export { find, textOfItem, type Hit } from './search';
export { textOf } from './text';
export { Transcript } from './Transcript';
