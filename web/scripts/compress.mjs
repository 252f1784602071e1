// Writes NAME.br and NAME.gz next to every file of dist that is worth compressing, so that the server never compresses.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = new URL('../dist', import.meta.url).pathname;
const text = /\.(js|css|html|svg|json|webmanifest|txt)$/;
const rows = [];

function walk(dir) {
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) walk(path);
    else if (text.test(name)) compress(path);
  }
}

function compress(path) {
  const raw = readFileSync(path);
  const br = brotliCompressSync(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  });
  const gz = gzipSync(raw, { level: 9 });
  if (br.length < raw.length) writeFileSync(`${path}.br`, br);
  if (gz.length < raw.length) writeFileSync(`${path}.gz`, gz);
  rows.push([relative(root, path), raw.length, gz.length, br.length]);
}

walk(root);
const kb = (n) => (n / 1000).toFixed(1).padStart(8);
console.log(`${'file'.padEnd(44)}      raw       gz       br  (kB)`);
for (const [name, raw, gz, br] of rows.sort((a, b) => b[3] - a[3])) console.log(name.padEnd(44), kb(raw), kb(gz), kb(br));
const total = rows.reduce((sum, row) => sum + row[3], 0);
console.log('all files together'.padEnd(44), ' '.repeat(17), kb(total));
