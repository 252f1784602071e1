import { expect, test } from 'vitest';

import { linesRead } from './describe';

test('text after the last newline counts as a line only if there is some', () => {
  expect(linesRead({ content: 'a\nb\n', startLine: 1, numLines: 3, totalLines: 3 })).toEqual({ n: 2, total: 2 });
  expect(linesRead({ content: 'a\nb', startLine: 1, numLines: 2, totalLines: 2 })).toEqual({ n: 2, total: 2 });
  expect(linesRead({ content: '', startLine: 1, numLines: 1, totalLines: 1 })).toEqual({ n: 0, total: 0 });
  expect(linesRead({ content: 'a\nb', startLine: 1, numLines: 2, totalLines: 9 })).toEqual({ n: 2, total: 9 });
  expect(linesRead({ content: 'y\nz\n', startLine: 3, numLines: 3, totalLines: 5 })).toEqual({ n: 2, total: 4 });
});
