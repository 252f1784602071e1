import { expect, test } from 'vitest';
import { plainPiece, plainWords } from './plain';

test('Markdown markers are removed from plain text', () => {
  expect(plainWords('One fails: `reaps_once`.')).toBe('One fails: reaps_once.');
  expect(plainWords('ends *while* it is **being** checked')).toBe('ends while it is being checked');
  expect(plainWords('# Title\n\n- a\n- [b](https://x.test/y)')).toBe('Title a b');
});

test('characters that only look like markers are kept', () => {
  expect(plainWords('2 * 3 * 4')).toBe('2 * 3 * 4');
  expect(plainWords('snake_case_name and __init__.py')).toBe('snake_case_name and __init__.py');
  expect(plainWords('**/*.rs')).toBe('**/*.rs');
});

test('spaces at the ends of a piece are kept', () => {
  expect(plainPiece('ends *while* ')).toBe('ends while ');
  expect(plainPiece(' at `idle_since`')).toBe(' at idle_since');
  expect([plainPiece(' '), plainPiece('')]).toEqual([' ', '']);
});
