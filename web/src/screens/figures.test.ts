import { expect, test } from 'vitest';
import { csv, dayKey, fillDays, quantile, step, sum } from './figures';

const row = (key: string, cost: number) => ({ key, label: null, model: null, cost, turns: 1, input: 1, output: 1, cacheRead: 1, cacheWrite: 1, duration: 1 });

test('days without usage are added, without duplicates', () => {
  const from = new Date(2026, 9, 20).getTime();
  const days = fillDays([row('2026-10-25', 2)], from, 14);
  expect(days).toHaveLength(14);
  expect(new Set(days.map((one) => one.key)).size).toBe(14);
  expect(days[0]?.key).toBe('2026-10-20');
  expect(sum(days, 'cost')).toBe(2);
  expect(dayKey(from)).toBe('2026-10-20');
});

test('median and 95th percentile are computed from the costs', () => {
  expect(quantile([], 0.5)).toBe(0);
  expect(quantile([3, 1, 2], 0.5)).toBe(2);
  expect(quantile([1, 2], 0.5)).toBe(1.5);
});

test('grid lines are at round values', () => {
  expect([0, 0.8, 7.4, 30, 112].map(step)).toEqual([1, 0.2, 2, 10, 50]);
});

test('a table is exported as comma-separated values', () => {
  expect(csv([row('2026-10-25', 2)]).split('\n')[1]).toBe('"2026-10-25",1,1,1,1,1,1,2');
});
