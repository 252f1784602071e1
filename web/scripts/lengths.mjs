// Reports functions above 80 lines and files above 500 lines in src, markup included. Part of `npm run check`.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'vite';

const MAX_FUNCTION = 80;
const MAX_FILE = 500;
/** Generated files. */
const GENERATED = ['api/types.ts'];
/** Files that still have longer functions. */
const EXCEPTIONS = ['screens/Overview.tsx', 'screens/Session.tsx', 'transcript/Find.tsx', 'transcript/Stream.tsx'];

const src = fileURLToPath(new URL('../src', import.meta.url));

/** Returns the functions of a file: first line, number of lines. */
function functions(name, source) {
  const starts = [0, ...[...source.matchAll(/\n/g)].map((match) => match.index + 1)];
  const line = (offset) => starts.findLastIndex((start) => start <= offset) + 1;
  const found = [];
  const add = (node) => found.push({ line: line(node.start), lines: line(node.end) - line(node.start) + 1 });
  const visitor = new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add });
  const parsed = parseSync(name, source);
  if (parsed.errors.length > 0) throw new Error(`${name}: ${parsed.errors[0].message}`);
  visitor.visit(parsed.program);
  return found;
}

/** Returns what is too long in a file. */
function faults(name, source) {
  const lines = source.trimEnd().split('\n').length;
  return [
    ...(lines > MAX_FILE ? [`src/${name}: ${lines} lines (at most ${MAX_FILE} in a file)`] : []),
    ...functions(name, source)
      .filter((one) => one.lines > MAX_FUNCTION)
      .map((one) => `src/${name}:${one.line}: ${one.lines} lines (at most ${MAX_FUNCTION} in a function)`),
  ];
}

const names = readdirSync(src, { recursive: true })
  .filter((name) => /\.(ts|tsx|js)$/.test(name) && ![...GENERATED, ...EXCEPTIONS].includes(name))
  .sort();
if (names.length === 0) throw new Error(`no sources in ${src}`);
const found = names.flatMap((name) => faults(name, readFileSync(join(src, name), 'utf8')));
for (const fault of found) console.error(fault);
process.exit(found.length > 0 ? 1 : 0);
