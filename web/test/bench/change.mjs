// Switching between sessions, and reconnecting after an hour offline.
import { rowsOf } from './stream.mjs';
import { measured } from './probe.mjs';
import { median } from './table.mjs';
import * as make from '../fake/messages.mjs';

export async function measureSwitch(table, { browser, fake, runs }) {
  const names = Array.from({ length: 6 }, (_, n) => `s-switch-${n}`);
  for (const [n, name] of names.entries()) fake.bridge.sessions.set(name, rowsOf(name, 200 + n * 50));
  const one = await measured(browser, { serviceWorkers: 'block' });
  try {
    const { page } = one;
    await page.goto(`${fake.url}/#/s/${names[0]}`);
    await page
      .locator('.trow', { hasText: `of ${names[0]}` })
      .first()
      .waitFor();
    const visit = (name) =>
      page.evaluate(
        ([hash, words]) =>
          new Promise((done) => {
            const from = performance.now();
            const look = () =>
              [...document.querySelectorAll('.trow')].at(-2)?.textContent.includes(words)
                ? requestAnimationFrame(() => {
                    const channel = new MessageChannel();
                    channel.port1.onmessage = () => done(performance.now() - from);
                    channel.port2.postMessage(null);
                  })
                : requestAnimationFrame(look);
            location.hash = hash;
            requestAnimationFrame(look);
          }),
        [`#/s/${name}`, `of ${name}:`],
      );
    const first = [];
    for (const name of names.slice(1)) first.push(await visit(name));
    const again = [];
    for (let n = 0; n < runs; n += 1) again.push(await visit(names[n % names.length]));
    table.time('to a session not opened before', median(first), 'ms', 100, `until its words are painted: ${first.map(Math.round).join(', ')}`);
    table.time('to a session opened before', median(again), 'ms', 100, `longest ${Math.round(Math.max(...again))} of ${runs}`);
  } finally {
    await one.close();
  }
}

const AWAY = 600;
const DELAY = 400;

export async function measureReturn(table, { browser, fake }) {
  const session = rowsOf('s-away', 500);
  fake.bridge.sessions.set('s-away', session);
  const one = await measured(browser, { serviceWorkers: 'block' });
  try {
    const { page } = one;
    await page.goto(`${fake.url}/#/s/s-away`);
    await page.locator('.trow').last().waitFor();
    fake.control({ do: 'offline', on: true });
    await page.locator('.gate[data-standing="offline"]').waitFor();
    for (let n = 0; session.items.length < 500 + AWAY; n += 1) for (const one of make.turn(`Said while away, ${n}`)) session.push(one);
    session.push(make.text('The last words of that hour.'));
    // Every message to the bridge is delayed, so that a second round trip is noticed.
    const messages = [];
    let began = 0;
    const receive = fake.bridge.receive.bind(fake.bridge);
    fake.bridge.receive = (client, message) => {
      messages.push(message.type);
      if (message.type === 'hello') began = Date.now();
      setTimeout(() => receive(client, message), DELAY);
    };
    try {
      fake.control({ do: 'offline', on: false });
      const painted = page.evaluate(
        () =>
          new Promise((done) => {
            const look = () =>
              [...document.querySelectorAll('.trow')].slice(-3).some((row) => row.textContent.includes('The last words of that hour.'))
                ? setTimeout(() => done(Date.now()))
                : requestAnimationFrame(look);
            look();
          }),
      );
      await page.getByRole('button', { name: 'Try now' }).click();
      const duration = (await painted) - began;
      const requests = messages.filter((type) => type === 'subscribe' || type === 'items_before').length;
      table.count(`back after an hour (${AWAY} items): questions after the greeting`, requests, '', 0, `sent by the page: ${messages.join(', ')}`);
      table.time(
        'back after an hour: all of it painted, after the one round trip',
        duration - DELAY,
        'ms',
        250,
        `a message takes ${DELAY} ms to the bridge here, so that a second question would show: it would add as much again`,
      );
    } finally {
      fake.bridge.receive = receive;
    }
  } finally {
    await one.close();
  }
}
