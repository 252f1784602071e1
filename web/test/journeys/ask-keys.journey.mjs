// Focus and keys of a permission request, against the fake bridge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, page, errors, open, settled, log, box, focused, seenCaps } from './dock.mjs';
import { until } from './browser.mjs';

test('a request focuses its dialog, not a button, if the user is not typing', async () => {
  await open('s-idle');
  await page.evaluate(() => document.activeElement?.blur());
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'edit' });
  await page.waitForSelector('.askbox');
  await until('dialog focused', async () => (await focused()) === 'dialog');
  for (const key of ['Space', 'Enter', '1', 'y', 'a']) await page.keyboard.press(key);
  await settled();
  for (const key of ['Space', 'Enter', '1', 'y']) await page.keyboard.press(key);
  assert.equal(await page.locator('.askbox').count(), 1);
  // Commands are ordered: the only answer is the one of the intended key.
  await settled();
  await page.keyboard.press('Control+Enter');
  await until('allowed', () => log('answer_ask').length > 0);
  await page.waitForSelector('.askbox', { state: 'detached' });
  assert.deepEqual(
    log('answer_ask').map((one) => one.decision),
    ['allow'],
  );
  assert.deepEqual(errors, []);
});

test('a request does not take the focus from a field with text, and Enter there queues the message', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('half a thou');
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'edit' });
  await page.waitForSelector('.askbox');
  await page.keyboard.type('ght');
  assert.equal(await focused(), 'message');
  assert.equal(await box().inputValue(), 'half a thought');
  await page.keyboard.press('Enter');
  await until('queued', () => log('input').length === 1);
  assert.equal(log('answer_ask').length, 0);
  assert.equal(await page.locator('.askbox').count(), 1);
});

test('after typing a request shows no inactive key hints; Ctrl Enter focuses it and then allows', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('x');
  await page.keyboard.press('Backspace');
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'bash' });
  await page.waitForSelector('.askbox .allow');
  await settled();
  assert.equal(await focused(), 'message');
  assert.equal(await seenCaps('.askbox .askfoot'), 0);
  await page.keyboard.press('Control+Enter');
  await until('dialog focused', async () => (await focused()) === 'dialog');
  await until('caps', async () => (await seenCaps('.askbox .askfoot')) > 0);
  assert.equal(log('answer_ask').length, 0);
  await settled();
  await page.keyboard.press('Control+Enter');
  await until('allowed', () => log('answer_ask').length === 1);
  assert.deepEqual(errors, []);
});

test('keys within 350 ms of a request are ignored, then Ctrl Enter allows once', async () => {
  await open('s-idle');
  await page.evaluate(() => document.activeElement?.blur());
  await page.evaluate(() => {
    new MutationObserver((_, self) => {
      const ask = document.querySelector('.askbox');
      if (!ask) return;
      self.disconnect();
      ask.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }));
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      ask.querySelector('.allow')?.click();
      window.__pressed = true;
    }).observe(document.body, { childList: true, subtree: true });
  });
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'bash' });
  await page.waitForSelector('.askbox');
  await page.waitForFunction(() => window.__pressed);
  await settled();
  await page.locator('.askbox').focus();
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.askbox', { state: 'detached' });
  assert.deepEqual(
    log('answer_ask').map((one) => one.decision),
    ['allow'],
  );
});

test('keys are ignored until 350 ms after the form of the request was loaded', async () => {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(/\/forms-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await open('s-idle');
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'bash' });
  await page.waitForSelector('.askbox [data-form="loading"]');
  await page.evaluate(() => window.__forward(1_000));
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    new MutationObserver((_, self) => {
      if (document.querySelector('.askbox [data-form="loading"]')) return;
      self.disconnect();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
      window.__pressed = true;
    }).observe(document.body, { childList: true, subtree: true });
  });
  release();
  await page.waitForFunction(() => window.__pressed);
  await settled();
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.askbox', { state: 'detached' });
  assert.deepEqual(
    log('answer_ask').map((one) => one.decision),
    ['allow'],
  );
});

test('a second key press before the next frame has no effect', async () => {
  // While frames are held back, the page cannot show that the request was answered.
  await page.addInitScript(() => {
    const draw = window.requestAnimationFrame.bind(window);
    const held = [];
    window.requestAnimationFrame = (frame) => (window.__held ? held.push(frame) : draw(frame));
    window.__letGo = () => {
      window.__held = false;
      for (const frame of held.splice(0)) draw(frame);
    };
  });
  await open('s-bash');
  await settled();
  await page.locator('.askbox').focus();
  await page.evaluate(() => {
    window.__held = true;
  });
  await page.keyboard.press('Control+Enter');
  await until('allowed', () => log('answer_ask').length === 1);
  await settled();
  await page.keyboard.press('Control+Enter');
  await page.evaluate(() => window.__letGo());
  await page.waitForSelector('.askbox', { state: 'detached' });
  assert.equal(log('answer_ask').length, 1);
});

test('Escape clears the text, then denies the request, then interrupts; ↑ restores the text', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('not yet');
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'edit' });
  await page.waitForSelector('.askbox');
  await settled();
  await page.keyboard.press('Escape');
  assert.equal(await box().inputValue(), '');
  assert.equal(log('answer_ask').length, 0);
  await page.keyboard.press('ArrowUp');
  assert.equal(await box().inputValue(), 'not yet');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await until('denied', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].decision, 'deny');
  await page.waitForSelector('.gate[data-standing="running"]');
  await page.keyboard.press('Escape');
  await until('interrupted', () => log('interrupt').length === 1);
});

test('the focus returns after the last request', async () => {
  await open('s-idle');
  await box().focus();
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'bash' });
  await until('dialog focused', async () => (await focused()) === 'dialog');
  await settled();
  await page.keyboard.press('Control+Enter');
  await until('allowed', () => log('answer_ask').length === 1);
  await until('box focused', async () => (await focused()) === 'message');
});

test('an open menu handles Escape', async () => {
  await open('s-running');
  await page.locator('.comp .sel').first().click();
  await page.waitForSelector('.menu:popover-open');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.menu:popover-open', { state: 'detached' });
  // The second Escape is for the turn: it is the only one that has an effect.
  await page.keyboard.press('Escape');
  await until('interrupted', () => log('interrupt').length > 0);
  await page.waitForSelector('.gate[data-standing="stopping"], .gate[data-standing="idle"], .gate[data-standing="unread"]');
  assert.equal(log('interrupt').length, 1);
});

test('Shift Escape denies and stops', async () => {
  await open('s-bash');
  await settled();
  await page.locator('.askbox').focus();
  await page.keyboard.press('Shift+Escape');
  await until('denied', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].interrupt, true);
});

test('a folded request is one line and is unfolded with A', async () => {
  await open('s-bash');
  await settled();
  await page.locator('.askbox').focus();
  await page.keyboard.press('z');
  await page.waitForSelector('.gate.warn');
  assert.match(await page.locator('.gate').innerText(), /Permission needed: Bash[\s\S]*collapsed/);
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.waitForSelector('.askbox');
  assert.equal(log('answer_ask').length, 0);
});
