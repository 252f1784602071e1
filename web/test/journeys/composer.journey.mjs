// The message box and the queue, against the fake bridge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, context, page, errors, fresh, open, log, box } from './dock.mjs';
import { axeFinds, until } from './browser.mjs';

test('unsent text survives a reload', async () => {
  await open('s-idle');
  await box().fill('half a thought');
  await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('sluice.draft.')));
  await page.reload();
  await page.waitForSelector('#message');
  assert.equal(await box().inputValue(), 'half a thought');
});

test('commands are completed while the box keeps the focus, and unknown ones are rejected', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('/rev');
  await page.waitForSelector('[role="listbox"]');
  const active = await box().getAttribute('aria-activedescendant');
  assert.match(await page.locator(`[id="${active}"]`).innerText(), /\/review/);
  await page.keyboard.press('Tab');
  assert.equal(await box().inputValue(), '/review ');
  assert.equal(await page.locator('.argument').innerText(), '<number>');
  await box().fill('/reviw 12');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=There is no command /reviw');
  assert.equal(log('input').length, 0);
  await page.getByRole('button', { name: 'Send as text' }).click();
  await until('sent', () => log('input').length === 1);
});

test('files are completed by the server', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('Compare @pooltestreap');
  await page.waitForSelector('[role="option"] mark');
  await page.keyboard.press('Enter');
  assert.equal(await box().inputValue(), 'Compare @crates/pool/tests/reaper.rs ');
});

test('MCP resources are completed after files and inserted in the agent’s notation', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('Look at @leases');
  const option = page.getByRole('option', { name: /schema:\/\/public\/leases/ });
  await option.getByText('Leases · columns and indexes of the table').waitFor();
  await option.click();
  assert.equal(await box().inputValue(), 'Look at @postgres:schema://public/leases ');
  await page.keyboard.press('Enter');
  await until('sent', () => log('input').length === 1);
  assert.equal(log('input')[0].text.trim(), 'Look at @postgres:schema://public/leases');
});

test('a picture is resized, labelled as resized, and sent by its hash', async () => {
  await open('s-idle');
  await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(3000, 1500);
    canvas.getContext('2d')?.fillRect(0, 0, 3000, 1500);
    const blob = await canvas.convertToBlob({ type: 'image/png' });
    const data = new DataTransfer();
    data.items.add(new File([blob], 'flamegraph.png', { type: 'image/png' }));
    document.querySelector('#message').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.att li');
  assert.match(await page.locator('.att').innerText(), /flamegraph\.png[\s\S]*2\s000 × 1\s000, resized/);
  await box().fill('look at this');
  await page.keyboard.press('Enter');
  await until('sent', () => log('input').length === 1);
  assert.match(log('input')[0].images[0].hash, /^[0-9a-f]{64}$/);
});

/** Drops files on an element, as from a file manager. */
const drop = (where, files) =>
  page.locator(where).evaluate((element, list) => {
    const data = new DataTransfer();
    for (const { name, type, text } of list) data.items.add(new File([text], name, { type }));
    for (const kind of ['dragenter', 'dragover', 'drop']) element.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);

test('a file dropped on the session is attached, the content of a text file is inserted', async () => {
  await open('s-idle');
  await page.locator('.stream').waitFor();
  await box().fill('Look at this');
  await drop('.stream', [{ name: 'notes.md', type: '', text: '# Notes\n' }]);
  await until('text is in the message', async () => (await box().inputValue()) === 'Look at this\nnotes.md:\n```md\n# Notes\n```\n');
  await drop('header.head', [{ name: 'data.bin', type: 'application/octet-stream', text: 'a\0b' }]);
  await page.getByText('data.bin is neither an image nor a text file').waitFor();
  assert.equal(await page.locator('.comp.over').count(), 0);
  assert.deepEqual(errors, []);
});

test('on a phone model, mode and effort are three labelled lists', async () => {
  await fresh({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await open('s-idle');
  await page.getByRole('button', { name: 'Model, mode, effort' }).click();
  const sheet = page.getByRole('dialog', { name: 'Model, mode, effort' });
  for (const name of ['Model', 'Permission mode', 'Effort']) assert.equal(await sheet.getByRole('combobox', { name, exact: true }).count(), 1, name);
  await sheet.getByRole('combobox', { name: 'Permission mode' }).selectOption('plan');
  await until('mode sent', () => log('set_permission_mode').some((one) => one.mode === 'plan'));
  await sheet.getByRole('combobox', { name: 'Effort' }).selectOption('high');
  await until('effort sent', () => log('set_effort').some((one) => one.effort === 'high'));
  assert.deepEqual(await axeFinds(page), []);
  assert.deepEqual(errors, []);
});

test('queued messages are edited, moved, steered and taken back', async () => {
  await open('s-running');
  const texts = () => fake.bridge.sessions.get('s-running').state.queue.map((one) => one.text.slice(0, 8));
  assert.deepEqual(texts(), ['Then run', 'And writ']);
  await page.locator('.queue li').nth(1).getByRole('button', { name: 'Edit' }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await until('moved', () => texts()[0] === 'And writ');
  await page.waitForFunction(() => document.querySelector('.queue li')?.textContent?.includes('And write'));
  await page.locator('.queue li').first().getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit the message').fill('Changed words');
  await page.getByLabel('Edit the message').press('Enter');
  await until('changed', () => texts()[0] === 'Changed ');
  await page.locator('.queue li').first().getByRole('button', { name: 'Steer now' }).click();
  await until('steered', () => texts().length === 1);
  await page.locator('.queue li').first().getByRole('button', { name: 'Take back' }).click();
  await until('taken back', () => texts().length === 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await until('there again', () => texts()[0] === 'Then run');
});

test('Ctrl Enter steers a running turn', async () => {
  await open('s-running');
  await box().click();
  await page.keyboard.type('use the other clock');
  await page.keyboard.press('Control+Enter');
  await until('steered', () => log('input').length === 1);
  assert.equal(log('input')[0].steer, true);
});

test('a message to a stopped session resumes it first', async () => {
  await open('s-stopped');
  await box().fill('go on');
  await page.keyboard.press('Enter');
  await until('sent', () => log('input').length === 1);
  assert.deepEqual(
    fake.bridge.log.filter((one) => ['resume_session', 'input'].includes(one.type)).map((one) => one.type),
    ['resume_session', 'input'],
  );
});

test('on a phone Enter inserts a line break and the button sends', async () => {
  await context.close();
  await fresh({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await open('s-idle');
  await box().click();
  await page.keyboard.type('one');
  await page.keyboard.press('Enter');
  await page.keyboard.type('two');
  assert.equal(await box().inputValue(), 'one\ntwo');
  assert.equal(log('input').length, 0);
  await page.locator('.sendbtn').click();
  await until('sent', () => log('input').length === 1);
});
