// The first visit, and the time until the user can type: the real binary, a cold browser, a new context each time.
import { measured, watchNetwork } from './probe.mjs';
import { median } from './table.mjs';

export async function measureLoad(table, { browser, stage, cookies, session, runs }) {
  const home = new URL(stage.url).host;
  const visits = async (hash) => {
    const ready = [];
    const all = [];
    for (let i = 0; i < runs; i += 1) {
      const one = await measured(browser, { cookies });
      try {
        const network = await watchNetwork(one.cdp, home);
        await one.page.goto(`${stage.url}/${hash}`, { waitUntil: 'commit' });
        ready.push((await one.there).ready);
        all.push(await network.quiet(i === 0 ? 1500 : 100));
      } finally {
        await one.close();
      }
    }
    return { ready, first: all[0] };
  };
  // The browser's initial page is not measured.
  await visits('#/new');
  const fresh = await visits('#/new');
  const known = await visits(`#/s/${session}`);
  for (const [name, { first }] of [
    ['new session', fresh],
    ['existing session', known],
  ]) {
    table.count(
      `first load, ${name}: bytes over the line`,
      first.bytes / 1000,
      'kB',
      150,
      first.list.map((one) => `${new URL(one.url).pathname.replace(/^\/assets\//, '')} ${(one.wire / 1000).toFixed(1)}`).join(', '),
    );
    table.count(`first load, ${name}: requests`, first.list.length, '', 6);
    table.count(`first load, ${name}: other parties`, first.third.length, '', 0);
  }
  const times = ({ ready }) => `median of ${runs}: ${ready.map(Math.round).join(', ')}`;
  table.time('one can type, new session', median(fresh.ready), 'ms', 300, times(fresh));
  table.time('one can type, existing session', median(known.ready), 'ms', 500, times(known));
}
