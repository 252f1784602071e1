import { afterEach, expect, test } from 'vitest';
import { de } from './de';
import { all as en } from './all';
import { fill, setLocale, t, type Message } from '.';
import { bytes, clock, duration, moment, money, seconds, tokens, when } from './format';

type Areas = Record<string, Record<string, Message>>;
const params = (message: Message): string[] => {
  const text = typeof message === 'string' ? message : message.one + message.other;
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1] ?? ''))].filter((name) => name !== 'n').sort();
};

afterEach(() => setLocale('en'));

test('German has every message with the same params', () => {
  for (const [area, messages] of Object.entries(en as Areas)) {
    const german = (de as Areas)[area] ?? {};
    expect(Object.keys(german).sort(), area).toEqual(Object.keys(messages).sort());
    for (const [key, message] of Object.entries(messages)) {
      expect(params(german[key] ?? ''), `${area}.${key}`).toEqual(params(message));
    }
  }
});

test('switching the language changes the texts', async () => {
  expect(t('ui.close')).toBe('Close');
  await setLocale('de');
  expect(t('ui.close')).toBe('Schließen');
});

test('unknown params stay visible', () => {
  expect(fill('{a} of {b}', { a: 1 })).toBe('1 of {b}');
});

test('numbers and times are formatted as designed', () => {
  expect([42, 950, 9_300, 41_200, 72_000, 120_000, 3_900_000].map(duration)).toEqual(['42 ms', '1 s', '9.3 s', '41 s', '1 m 12 s', '2 m', '1 h 5 m']);
  expect([950, 121_800, 200_000, 24_000, 1_250_000].map(tokens)).toEqual(['950', '121.8 k', '200 k', '24 k', '1.25 M']);
  expect([1.84, 0.031, 0.0004, 0].map(money)).toEqual(['$1.84', '$0.031', '$0.0004', '$0.00']);
  expect([1234.5, 1_234_567, -2.5, 12].map(money)).toEqual(['$1,234.50', '$1,234,567.00', '$-2.50', '$12.00']);
  const at = new Date(2026, 1, 3, 4, 5, 6).getTime();
  expect([clock(at), seconds(at), moment(at)]).toEqual(['04:05', '04:05:06', '3 Feb 2026, 04:05:06']);
  expect([96_000, 2_048, 5].map(bytes)).toEqual(['96 kB', '2 kB', '5 B']);
  const now = new Date(2026, 10, 15, 15, 0).getTime();
  expect(when(new Date(2026, 10, 15, 14, 31).getTime(), now)).toBe('14:31');
  expect(when(new Date(2026, 10, 12, 14, 31).getTime(), now)).toBe('Thu');
});
