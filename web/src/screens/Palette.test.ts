import { expect, test } from 'vitest';
import { score } from './Palette';

test('whole words rank before scattered letters', () => {
  expect(score('Fix flaky reaper test', 'xyz')).toBe(null);
  expect(score('Fix flaky reaper test', 'reaper') ?? 0).toBeGreaterThan(score('Read every ape report', 'reaper') ?? 0);
  expect(score('Fix flaky reaper test', 'frt') ?? 0).toBeGreaterThan(score('draft', 'frt') ?? 0);
  expect(score('anything', '')).toBe(0);
});
