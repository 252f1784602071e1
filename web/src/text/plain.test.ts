import { expect, test } from 'vitest';
import { plainPiece, plainWords } from './plain';

test('marks of markdown are not shown in a row of plain words', () => {
  expect(plainWords('One fails: `reaps_once`.')).toBe('One fails: reaps_once.');
  expect(plainWords('ends *while* it is **being** checked')).toBe('ends while it is being checked');
  expect(plainWords('# Title\n\n- a\n- [b](https://x.test/y)')).toBe('Title a b');
});

test('what only looks like a mark stays', () => {
  expect(plainWords('2 * 3 * 4')).toBe('2 * 3 * 4');
  expect(plainWords('snake_case_name and __init__.py')).toBe('snake_case_name and __init__.py');
  expect(plainWords('**/*.rs')).toBe('**/*.rs');
});

test('a piece of a line keeps the spaces at its ends', () => {
  expect(plainPiece('ends *while* ')).toBe('ends while ');
  expect(plainPiece(' at `idle_since`')).toBe(' at idle_since');
  expect([plainPiece(' '), plainPiece('')]).toEqual([' ', '']);
});
