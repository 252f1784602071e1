import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetched } from './part';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const lost = (address: string) => new TypeError(`Failed to fetch dynamically imported module: ${address}`);

test('a failed import is retried, each time with another address', async () => {
  const requests: string[] = [];
  const again = (address: string) => {
    requests.push(address);
    return requests.length < 3 ? Promise.reject(lost(address)) : Promise.resolve('here');
  };
  const part = fetched<string>(() => Promise.reject(lost('http://h:1/assets/panels-x.js')), again);
  await vi.runAllTimersAsync();
  expect(await part).toBe('here');
  expect(requests).toEqual([1, 2, 3].map((n) => `http://h:1/assets/panels-x.js?again=${n}`));
});

test('the same import is retried if the error contains no address', async () => {
  let tries = 0;
  const part = fetched(() => {
    tries += 1;
    return tries < 3 ? Promise.reject(new TypeError('Importing a module script failed.')) : Promise.resolve(7);
  });
  await vi.runAllTimersAsync();
  expect(await part).toBe(7);
});

test('an error in a module is reported at once', async () => {
  await expect(fetched(() => Promise.reject(new ReferenceError('x is not defined')))).rejects.toThrow('x is not defined');
});
