// The list in a real browser (after `npm run gallery`): how heavy it is, and that the reader's place holds.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../dist-gallery', import.meta.url).pathname;
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const server = createServer((request, response) => {
  const path = join(root, new URL(request.url ?? '/', 'http://x').pathname.replace(/^\/$/, '/gallery.html'));
  if (!path.startsWith(root) || !existsSync(path) || statSync(path).isDirectory()) { response.writeHead(404).end(); return; }
  response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
  createReadStream(path).pipe(response);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let failed = 0;
const check = (name, ok, value) => { if (!ok) failed += 1; console.log(ok ? 'ok  ' : 'FAIL', name, value ?? ''); };
const frames = (page, n = 2) => page.evaluate((count) => new Promise((done) => { let i = 0; const step = () => (++i > count ? done() : requestAnimationFrame(step)); step(); }), n);
const open = async (scene) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.on('pageerror', (error) => check('no error', false, error.message));
  await page.goto(`${base}#${scene}`);
  await page.waitForSelector('.trow');
  await frames(page);
  return page;
};
const rest = (page) => page.evaluate(() => { const box = document.querySelector('.stream'); return box.scrollHeight - box.scrollTop - box.clientHeight; });

{
  const page = await open('long');
  const records = await page.evaluate(() => transcript.seq);
  check('10,000 messages', records >= 10_000, records);
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  console.log('     first paint with making the records, ms', Math.round(paint));
  const took = await page.evaluate(() => Object.fromEntries(performance.getEntriesByType('measure').map((one) => [one.name, Math.round(one.duration)])));
  check('10,000 messages taken in and rendered, ms', took['apply and render'] <= 300, JSON.stringify(took));
  check('nodes in the document', await page.evaluate(() => document.querySelectorAll('*').length) <= 2000, await page.evaluate(() => document.querySelectorAll('*').length));
  check('opens at the end', await rest(page) <= 1, await rest(page));
  // scroll up in steps: nothing blank, nodes stay few, what is in view stays in view
  let worst = 0;
  let most = 0;
  for (let i = 0; i < 40; i += 1) {
    const moved = await page.evaluate(async () => {
      const box = document.querySelector('.stream');
      const edge = box.getBoundingClientRect().top;
      const row = [...document.querySelectorAll('[data-row]')].find((one) => one.getBoundingClientRect().top > edge + 40);
      const key = row.dataset.row;
      const before = row.getBoundingClientRect().top;
      box.scrollTop -= 300;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const after = document.querySelector(`[data-row="${CSS.escape(key)}"]`)?.getBoundingClientRect().top;
      return after === undefined ? 9999 : Math.abs(after - before - 300);
    });
    worst = Math.max(worst, moved);
    most = Math.max(most, await page.evaluate(() => document.querySelectorAll('*').length));
  }
  check('scrolling up moves rows by what was scrolled, px off', worst <= 2, worst);
  check('nodes while scrolling', most <= 2000, most);
  // records at the end do not move a reader who is elsewhere
  const kept = await page.evaluate(async () => {
    const edge = document.querySelector('.stream').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('[data-row]')].find((one) => one.getBoundingClientRect().top > edge + 20);
    const key = row.dataset.row;
    const before = row.getBoundingClientRect().top;
    for (let i = 0; i < 5; i += 1) transcript.apply([{ sessionId: 'g', epoch: 1, seq: transcript.seq + 1, at: Date.now(), turn: null, what: { type: 'sluice_prompt', uuid: `n${i}`, text: 'new', images: [], state: 'delivered', by: '', device: '' } }]);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return Math.abs(document.querySelector(`[data-row="${CSS.escape(key)}"]`).getBoundingClientRect().top - before);
  });
  check('new records do not move the reader, px', kept <= 1, kept);
  check('the pill counts them', /5/.test(await page.textContent('.pill')), await page.textContent('.pill'));
  // history in front
  const held = await page.evaluate(async () => {
    stream().toRow(0);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const row = document.querySelector('[data-row]');
    const key = row.dataset.row;
    const before = row.getBoundingClientRect().top;
    transcript.prepend(Array.from({ length: 30 }, (_, i) => [{ type: 'sluice_prompt', uuid: `o${i}`, text: `older ${i}`, images: [], state: 'delivered', by: '', device: '' }, { type: 'assistant', message: { id: `o${i}`, content: [{ type: 'text', text: 'old answer '.repeat(40 * (1 + i % 3)) }] }, parent_tool_use_id: null }, { type: 'result', subtype: 'success', total_cost_usd: 0, usage: {} }]).flat().map((what, i) => ({ sessionId: 'g', epoch: 1, seq: i - 1000, at: 0, turn: null, what })));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const found = document.querySelector(`[data-row="${CSS.escape(key)}"]`);
    return found ? Math.abs(found.getBoundingClientRect().top - before) : 9999;
  });
  check('older records in front hold the place, px', held <= 2, held);
  await page.click('.pill');
  await frames(page);
  check('the pill goes to the end', await rest(page) <= 1, await rest(page));
  // a body opened at the end keeps its row where it is
  const kept2 = await page.evaluate(async () => {
    const summary = [...document.querySelectorAll('.call > summary')].at(-1);
    const before = summary.getBoundingClientRect().top;
    summary.click();
    await new Promise((done) => setTimeout(done, 200));
    return Math.abs(summary.getBoundingClientRect().top - before);
  });
  check('opening a body at the end does not move its row, px', kept2 <= 1, kept2);
  // find
  await page.focus('.stream');
  await page.keyboard.press('Control+f');
  await page.waitForSelector('.findbar input');
  await page.keyboard.type('step 17.4');
  await page.waitForFunction(() => /1/.test(document.querySelector('.findbar [role=status]')?.textContent ?? ''));
  await frames(page, 4);
  const hit = await page.evaluate(() => ({ marks: CSS.highlights.get('find-current')?.size ?? 0, seen: [...document.querySelectorAll('[data-row]')].some((row) => row.textContent.includes('step 17.4')) }));
  check('find goes to what was not in the document', hit.seen && hit.marks > 0, JSON.stringify(hit));
  await page.keyboard.press('Escape');
  check('Esc closes find', (await page.$('.findbar')) === null);
  await page.close();
}
{
  const page = await open('fast');
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const spent = async () => Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const before = await spent();
  const sample = await page.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 500));
    const gaps = [];
    const long = [];
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.duration > 100) long.push(entry.duration); }).observe({ entryTypes: ['longtask'] });
    let work = 0;
    let count = 0;
    const original = transcript.appendDraft.bind(transcript);
    transcript.appendDraft = (...args) => { const from = performance.now(); original(...args); work += performance.now() - from; count += 1; };
    const end = performance.now() + 4000;
    await new Promise((done) => { let last = performance.now(); const step = (now) => { gaps.push(now - last); last = now; if (now > end) done(); else requestAnimationFrame(step); }; requestAnimationFrame(step); });
    return { deltas: count, each: work / Math.max(1, count), frames: gaps.length, longest: Math.max(...gaps), long: long.length, nodes: document.querySelectorAll('*').length };
  });
  const after = await spent();
  const each = (name) => ((after[name] - before[name]) * 1000) / sample.frames;
  console.log('     streaming at 5,000 messages', JSON.stringify(sample));
  const frame = each('ScriptDuration') + each('LayoutDuration') + each('RecalcStyleDuration');
  check('main thread a frame (script, style, layout), ms', frame <= 2, frame.toFixed(2));
  check('follows while it streams', await rest(page) <= 2, await rest(page));
  check('no task over 100 ms while it streams', sample.long === 0, sample.long);
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -600);
  await page.waitForTimeout(300);
  const top = await page.evaluate(() => document.querySelector('.stream').scrollTop);
  await page.waitForTimeout(500);
  check('a scroll up ends it', Math.abs(await page.evaluate(() => document.querySelector('.stream').scrollTop) - top) <= 1);
  await page.close();
}
await browser.close();
server.close();
process.exitCode = failed > 0 ? 1 : 0;
