import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const LATER = ['settings', 'panels', 'keys', 'places', 'onboarding', 'forms', 'pairing'];

function found(from: string, name: string): string | null {
  if (!name.startsWith('.')) return null;
  const path = normalize(join(dirname(from), name));
  return [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((one) => existsSync(one) && statSync(one).isFile() && /\.tsx?$/.test(one)) ?? null;
}

/** The modules of the initial load: those that are imported statically. */
function firstLoad(start: string): Map<string, string> {
  const sources = new Map<string, string>();
  const next = [start];
  for (let path = next.pop(); path !== undefined; path = next.pop()) {
    if (sources.has(path)) continue;
    const text = readFileSync(path, 'utf8');
    sources.set(path, text);
    for (const match of text.matchAll(/^\s*(?:import|export)\s+(?!type\b)(?:[^'"]*?from\s+)?['"]([^'"]+)['"]/gm)) {
      const one = found(path, match[1] ?? '');
      if (one) next.push(one);
    }
  }
  return sources;
}

test('the initial load uses no texts that are loaded on demand', () => {
  const sources = firstLoad(join(process.cwd(), 'src/main.ts'));
  expect(sources.size).toBeGreaterThan(80);
  const wrong = [...sources]
    .flatMap(([path, text]) => [...text.matchAll(new RegExp(`['"\`](${LATER.join('|')})\\.\\w`, 'g'))].map((match) => `${path}: ${match[0]}`))
    .filter((one) => !one.includes('localStorage'));
  expect(wrong).toEqual([]);
});

test('a module that uses texts loaded on demand imports them', () => {
  const files = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((one) =>
      one.isDirectory() ? files(join(folder, one.name)) : /\.tsx?$/.test(one.name) && !one.name.includes('.test.') ? [join(folder, one.name)] : [],
    );
  // Sections of the panel are in a `Pane`, which imports the texts.
  const brought = [
    ['settings|keys', 'text/rooms'],
    ['places', 'text/places'],
    ['onboarding', 'text/onboarding'],
    ['panels', 'text/later|/Pane'],
  ] as const;
  const lacking = files(join(process.cwd(), 'src'))
    .filter((path) => !path.includes('/text/'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return brought
        .filter(
          ([areas, from]) =>
            new RegExp(`\\bt\\(\\s*['"\`](${areas})\\.\\w|['"\`](${areas})\\.\\w+['"\`] as Key|\`(${areas})\\.`).test(text) &&
            !new RegExp(`import [^;]*(?:${from})';`).test(text),
        )
        .map(([areas]) => `${path}: ${areas}`);
    });
  expect(lacking).toEqual([]);
});
