import { expect, test } from 'vitest';
import { modelsOf, noon, partsOf, sumParts, UNTOLD } from './split';

const row = (key: string, cost: number) => ({ key, label: null, model: null, cost, turns: 1, input: 1, output: 1, cacheRead: 1, cacheWrite: 1, duration: 1 });

test('the parts of a row are together what the row says', () => {
  const parts = partsOf({ cost: 1 }, [{ model: 'a', cost: 0.7 }]);
  expect(parts.at(-1)?.model).toBe(UNTOLD);
  expect(parts.reduce((sum, part) => sum + part.cost, 0)).toBeCloseTo(1);
  expect(partsOf({ cost: 0.3 }, [{ model: 'a', cost: 0.1 }, { model: 'b', cost: 0.2 }])).toHaveLength(2);
});

test('a folder is the sum of its sessions, the dearest model first', () => {
  expect(sumParts([[{ model: 'a', cost: 1 }, { model: 'b', cost: 2 }], [{ model: 'a', cost: 3 }]])).toEqual([{ model: 'a', cost: 4 }, { model: 'b', cost: 2 }]);
  expect(modelsOf([row('cheap', 1), row('dear', 5)])).toEqual(['dear', 'cheap']);
});

test('noon of a day is on that day', () => {
  const at = new Date(noon('2026-03-29'));
  expect([at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours()]).toEqual([2026, 3, 29, 12]);
});
