import { expect, test } from 'vitest';
import { modelsOf, partsByKey, partsOf, UNKNOWN_MODEL } from './split';

const row = (key: string, cost: number, model: string | null = null) => ({
  key,
  label: null,
  model,
  cost,
  turns: 1,
  input: 1,
  output: 1,
  cacheRead: 1,
  cacheWrite: 1,
  duration: 1,
});

test('the parts of a row add up to its cost', () => {
  const parts = partsOf({ cost: 1 }, [{ model: 'a', cost: 0.7 }]);
  expect(parts.at(-1)?.model).toBe(UNKNOWN_MODEL);
  expect(parts.reduce((sum, part) => sum + part.cost, 0)).toBeCloseTo(1);
  expect(
    partsOf({ cost: 0.3 }, [
      { model: 'a', cost: 0.1 },
      { model: 'b', cost: 0.2 },
    ]),
  ).toHaveLength(2);
});

test('rows are grouped by key, most expensive model first; cost without a model is unknown', () => {
  const by = partsByKey([row('monday', 1, 'a'), row('monday', 2, 'b'), row('tuesday', 3, 'a'), row('tuesday', 0, 'b'), row('tuesday', 0.5)]);
  expect(by.get('monday')).toEqual([
    { model: 'b', cost: 2 },
    { model: 'a', cost: 1 },
  ]);
  expect(by.get('tuesday')).toEqual([
    { model: 'a', cost: 3 },
    { model: UNKNOWN_MODEL, cost: 0.5 },
  ]);
  expect(modelsOf([row('cheap', 1), row('dear', 5)])).toEqual(['dear', 'cheap']);
});
