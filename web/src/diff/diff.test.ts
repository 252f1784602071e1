import { expect, test } from 'vitest';
import { diffOfPatch, diffOfText } from './fromPatch';
import { patchText, rowsOf, splitRows } from './rows';

const none = new Set<string>();
const shape = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => (row.kind === 'line' ? row.line.t + (row.line.parts[0]?.[1] ?? '') : `${row.kind} ${row.lines}`));

test('unchanged lines between hunks are counted', () => {
  const diff = diffOfPatch('a', [
    { oldStart: 11, newStart: 11, lines: [' x', '-y', '+z'] },
    { oldStart: 40, newStart: 40, lines: ['+w'] },
  ]);
  expect(shape(rowsOf(diff, none))).toEqual(['gap 10', ' x', '-y', '+z', 'gap 27', '+w']);
  expect([diff.added, diff.removed]).toEqual([2, 1]);
});

test('a long unchanged range folds and unfolds', () => {
  const same = Array.from({ length: 20 }, (_, i) => ` ${i}`);
  const diff = diffOfPatch('a', [{ oldStart: 1, newStart: 1, lines: ['-a', ...same, '+b'] }]);
  expect(shape(rowsOf(diff, none))).toEqual(['-a', ' 0', ' 1', ' 2', 'fold 14', ' 17', ' 18', ' 19', '+b']);
  expect(rowsOf(diff, new Set(['0:1']))).toHaveLength(22);
});

test('split view pairs removed with added lines', () => {
  const diff = diffOfPatch('a', [{ oldStart: 1, newStart: 1, lines: ['-a', '-b', '+c', ' d', '+e'] }]);
  const pairs = splitRows(rowsOf(diff, none)).map((row) => (row.kind === 'pair' ? [row.left?.parts[0]?.[1], row.right?.parts[0]?.[1]] : row.kind));
  expect(pairs).toEqual([
    ['a', 'c'],
    ['b', undefined],
    ['d', 'd'],
    [undefined, 'e'],
  ]);
});

test('a diff is copied as a patch, a new file as its text', () => {
  const diff = diffOfText('f', 'a\nb\nc\n', 'a\nx\nc\n');
  expect(patchText(diff)).toBe('--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c');
  expect(patchText(diffOfText('f', null, 'one\ntwo\n'))).toBe('one\ntwo');
});

test('the rows of five thousand changed lines are computed quickly', () => {
  const lines = Array.from({ length: 5000 }, (_, i) => (i % 2 ? '+' : '-') + i);
  expect(rowsOf(diffOfPatch('a', [{ oldStart: 1, newStart: 1, lines }]), none)).toHaveLength(5000);
});
