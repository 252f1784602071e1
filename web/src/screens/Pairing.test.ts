import { expect, test } from 'vitest';
import { readCode, written } from './Pairing';

test('a code is accepted however it is typed or pasted', () => {
  for (const text of ['K7QF-2M9X', 'k7qf2m9x', ' k7qf 2m9x ', 'http://127.0.0.1:4747/#pair=K7QF-2M9X', '#pair=k7qf-2m9x'])
    expect(readCode(text)).toBe('K7QF2M9X');
});

test('invalid characters and more than eight are ignored', () => {
  expect(readCode('0O1IK7QF2M9XAB')).toBe('K7QF2M9X');
  expect(written('K7QF2')).toBe('K7QF-2');
  expect(written('K7Q')).toBe('K7Q');
});
