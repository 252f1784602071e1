// Performance limits of the page, measured in Chromium. Exits with 1 if a limit is exceeded.
//
//   node run.mjs [--quick] [--margin N] [--counts] [--only PART,…] [--write FILE]
//
// --margin: factor by which times may be longer, on a busy machine. --counts: checks only limits that do not depend on
// the machine, and measures only parts that have such. Parts: load, long, stream, switch, return, memory. --write: only
// if everything was measured.
import { startFake } from '../fake-bridge.mjs';
import { launch, pair, visit } from '../journeys/browser.mjs';
import { begin, stands } from '../journeys/journey.mjs';
import { startModel } from '../journeys/model.mjs';
import { startStage } from '../journeys/stage.mjs';
import { measureReturn, measureSwitch } from './change.mjs';
import { measureLoad } from './load.mjs';
import { measureLong, writeLong } from './long.mjs';
import { measureMemory } from './memory.mjs';
import { measureStream } from './stream.mjs';
import { Table } from './table.mjs';

const flag = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const counts = process.argv.includes('--counts');
const quick = counts || process.argv.includes('--quick');
const only = counts ? ['load', 'long', 'return'] : flag('only')?.split(',');
const wanted = (part) => !only || only.includes(part);
const table = new Table(counts ? Infinity : Number(flag('margin') ?? 1));
const browser = await launch();
const runs = quick ? 3 : 7;

if (wanted('load') || wanted('long')) {
  const model = await startModel({});
  const stage = await startStage({ model: model.url });
  try {
    const guest = await visit(browser, stage);
    await pair(guest, stage.code);
    const cookies = await guest.context.cookies();
    const session = await begin({ ...guest, stage }, 'hello');
    await stands(guest.page, 'idle');
    const long = writeLong(stage);
    await guest.close();
    if (wanted('load')) await measureLoad(table, { browser, stage, cookies, session, runs });
    if (wanted('long')) await measureLong(table, { browser, stage, cookies, long, runs });
  } finally {
    await model.close();
    await stage.close();
  }
}
const fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
try {
  if (wanted('stream')) await measureStream(table, { browser, fake, seconds: quick ? 4 : 10 });
  if (wanted('switch')) await measureSwitch(table, { browser, fake, runs: quick ? 12 : 30 });
  if (wanted('return')) await measureReturn(table, { browser, fake });
  if (wanted('memory')) await measureMemory(table, { browser, fake, turns: quick ? 60 : 240 });
} finally {
  await fake.close();
}
const version = browser.version();
await browser.close();
if (flag('write') && !only && !quick) table.write(flag('write'), version);
if (table.missed.length) {
  console.error(
    `bench: ${table.missed.length} of ${table.rows.filter((row) => row.limit !== null).length} numbers do not hold: ${table.missed.map((row) => row.what).join('; ')}`,
  );
  process.exitCode = 1;
}
