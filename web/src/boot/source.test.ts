import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '..');

function sources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

test('no source contains HTML strings or style attributes', () => {
  const forbidden =
    /\.(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b|\binnerHTML=|document\.write|DOMParser|createContextualFragment|\bstyle="|\beval\(|new Function\(/;
  const found = sources(SRC)
    .filter((path) => forbidden.test(readFileSync(path, 'utf8')))
    .map((path) => path.slice(SRC.length));
  expect(found).toEqual([]);
});
