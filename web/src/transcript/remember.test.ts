import { expect, test } from 'vitest';
import { remember } from './remember';

test('an answer is requested once', async () => {
  let asked = 0;
  const get = remember(
    (n: number) => Promise.resolve((asked += 1) * n),
    (n) => String(n),
    10,
  );
  expect([await get(2), await get(2), await get(3)]).toEqual([2, 2, 6]);
  expect(asked).toBe(2);
});

test('a failed request is retried', async () => {
  let asked = 0;
  const get = remember(
    (_: string) => ((asked += 1) === 1 ? Promise.reject(new Error('no')) : Promise.resolve('yes')),
    (key) => key,
    10,
  );
  await expect(get('a')).rejects.toThrow('no');
  expect(await get('a')).toBe('yes');
});

test('only the most recent answers are cached', async () => {
  const asked: number[] = [];
  const get = remember(
    (n: number) => {
      asked.push(n);
      return Promise.resolve(n);
    },
    (n) => String(n),
    2,
  );
  for (const n of [1, 2, 1, 3, 1, 2]) await get(n);
  expect(asked).toEqual([1, 2, 3, 2]);
});
