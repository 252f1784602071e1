// Rare states of the dock, against the fake bridge: an expired request, a bridge that restarts, a context that is
// nearly full, unknown messages. The page is $SLUICE_DIST or web/dist.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './browser.mjs';
import { fake, page, open, settled, log, box } from './dock.mjs';

test('an expired request shows when it expired, and typed text moves to the message box', async () => {
  await open('s-bash');
  await settled();
  await page.locator('.askbox .denymsg').fill('too late for this');
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'expired' });
  await page.waitForSelector('.askbox.frozen');
  await page.locator('.askbox.frozen', { hasText: /Expired[\s\S]*expired at \d\d:\d\d/ }).waitFor();
  await until('it is in the message box', async () => (await box().inputValue()) === 'too late for this');
  assert.equal(log('answer_ask').length, 0);
});

test('a restarting bridge is announced, and the page reconnects automatically', async () => {
  for (const [place, where] of [
    ['#/', '.notice'],
    ['#/s/s-idle', '.gateslot, .gate'],
  ]) {
    await page.goto(`${fake.url}/${place}`);
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
    if (place !== '#/') await page.locator('.gate[data-standing="idle"]').waitFor();
    // Refuses new connections, then closes the existing ones with a message; closing them at once could lose it.
    fake.bridge.offline = true;
    fake.control({ do: 'bye', reason: 'restarting' });
    await page
      .locator(where, { hasText: /bridge (is restarting|restarts)/i })
      .first()
      .waitFor();
    fake.control({ do: 'offline', on: false });
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached', timeout: 30_000 });
    await page
      .locator(where, { hasText: /bridge (is restarting|restarts)/i })
      .first()
      .waitFor({ state: 'detached' });
  }
});

test('a session that is not cached shows while offline that it cannot be loaded', async () => {
  await page.goto(`${fake.url}/#/`);
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  fake.control({ do: 'offline', on: true });
  await page.locator('.notice', { hasText: 'Not connected' }).waitFor();
  await page.goto(`${fake.url}/#/s/s-idle`);
  await page.locator('.notice', { hasText: 'Not connected' }).waitFor();
  fake.control({ do: 'offline', on: false });
  await page.locator('.gate[data-standing="idle"]').waitFor({ timeout: 30_000 });
  await page.locator('.notice', { hasText: 'Not connected' }).waitFor({ state: 'detached' });
});

test('the context is amber above 80 %, and above 95 % the gate shows what happens next', async () => {
  await open('s-full');
  await page
    .locator('.gateslot, .gatebody', { hasText: /97 %|96 %/ })
    .first()
    .waitFor();
  await page.locator('.comp .figures .context.t-ask').waitFor();
  const context = page.locator('.stage > .panel details', { hasText: 'Context' }).first();
  await context.locator('.t-ask').first().waitFor();
  await context.getByRole('button', { name: 'Compact now' }).waitFor();
  fake.control({ do: 'patch', sessionId: 's-full', state: { context: { tokens: 100_000, window: 200_000 } } });
  await page.locator('.comp .figures .context:not(.t-ask)').waitFor();
});

test('unknown messages are listed with their raw text', async () => {
  fake.control({ do: 'patch', sessionId: 's-idle', state: { drift: { unknown: 1, garbled: 0, repeated: 0, foreign: 0 } } });
  await page.goto(`${fake.url}/#/s/s-idle/overview`);
  const drift = page.locator('details.pane', { has: page.locator('summary', { hasText: 'Unknown messages' }) }).first();
  await drift.waitFor();
  if (!(await drift.evaluate((it) => it.open))) await drift.locator('summary').first().click();
  await drift.getByText('system/telemetry_hint').first().click();
  await drift.locator('pre', { hasText: '{"type":"system","subtype":"telemetry_hint"}' }).waitFor();
});

test('a session is fetched when its link is pressed, before it is released', async () => {
  await open('s-idle');
  const asked = () => [...fake.bridge.clients].some((one) => one.subscribed.has('s-running'));
  const row = page.locator('.rail a.sess[href*="s-running"]');
  await row.hover();
  assert.equal(asked(), false, 'not by being pointed at');
  await page.mouse.down();
  await until('asked for', asked);
  await page.mouse.up();
  await page.locator('.gate[data-standing="running"]').waitFor();
});

test('the menu of a session stays open and in place while the session changes its group', async () => {
  await page.goto(`${fake.url}/#/`);
  const row = page.locator('.lrow', { hasText: 'Port the CLI to clap 5' });
  const heading = () =>
    row.evaluate((one) => {
      const lists = [...document.querySelectorAll('main h2.group, main ul')];
      const at = lists.indexOf(one.closest('ul'));
      return lists.slice(0, at).findLast((two) => two.matches('h2')).textContent;
    });
  await row
    .getByRole('button', { name: /^Menu|Actions|More/ })
    .or(row.locator('.icon-btn'))
    .first()
    .click();
  const menu = page.getByRole('menu').filter({ visible: true });
  await menu.waitFor();
  assert.match(await heading(), /^Running/);
  const info = {
    ...fake.bridge.sessions.get('s-running').state.info,
    standing: 'idle',
    status: 'idle',
    finishedAt: Date.now(),
    title: 'Port the CLI to clap 5, done',
  };
  fake.control({ do: 'frame', message: { type: 'session', session: info } });
  await page.getByText('Port the CLI to clap 5, done').waitFor();
  assert.equal(await menu.count(), 1, 'the menu is open');
  assert.match(await heading(), /^Running/);
  await page.keyboard.press('Escape');
  await until('it stands where it belongs', async () => /^Idle/.test(await heading()));
});
