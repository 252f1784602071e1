import { expect, test } from 'vitest';
import { linkFiles, placeOf, placesIn } from './filelinks';

test('code that names a file is recognised, other code is not', () => {
  expect(placeOf('src/pool.rs')).toEqual({ path: 'src/pool.rs', line: null });
  expect(placeOf('src/pool.rs:12')).toEqual({ path: 'src/pool.rs', line: 12 });
  expect(placeOf('pool.rs:12:5')).toEqual({ path: 'pool.rs', line: 12 });
  expect(placeOf('/home/ada/a.test.ts:3')).toEqual({ path: '/home/ada/a.test.ts', line: 3 });
  for (const other of ['pool.rs', 'cargo test', 'a/b', 'x.y()', 'https://a.b/c.d', 'and/or', '1.5:2', 'http://x:80', '-rf/x y.rs'])
    expect(placeOf(other), other).toBeNull();
});

test('a reference to a file and line is found in text', () => {
  const text = 'see src/pool.rs:12, then lib.rs:3:9.';
  const found = placesIn(text).map(({ at, length, place }) => [text.slice(at, at + length), place.path, place.line]);
  expect(found).toEqual([
    ['src/pool.rs:12', 'src/pool.rs', 12],
    ['lib.rs:3:9', 'lib.rs', 3],
  ]);
  expect(placesIn('at 12:30 on http://host.org:80/x')).toEqual([]);
});

test('links do not change the text', () => {
  const root = document.createElement('div');
  root.append('The bug is in src/pool.rs:12 and ');
  const code = document.createElement('code');
  code.textContent = 'src/lib.rs';
  const pre = document.createElement('pre');
  pre.textContent = 'a/b.rs:1';
  root.append(code, pre);
  const before = root.textContent;
  linkFiles(root, ({ path, line }) => `#${path}@${line ?? ''}`);
  expect(root.textContent).toBe(before);
  expect([...root.querySelectorAll('a')].map((one) => [one.getAttribute('href'), one.textContent])).toEqual([
    ['#src/pool.rs@12', 'src/pool.rs:12'],
    ['#src/lib.rs@', 'src/lib.rs'],
  ]);
});
