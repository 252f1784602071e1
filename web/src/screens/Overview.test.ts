import { expect, test } from 'vitest';
import { apart } from './Overview';

test('records of the same millisecond get different times, others keep theirs', () => {
  expect(apart([5, 5, 5, 9, 9])).toEqual([5, 6, 7, 9, 10]);
  expect(apart([])).toEqual([]);
});
