// The gate, the asks and the message box, against the fake bridge: what one would need another agent, another clock or a
// broken line for. The page is $SLUICE_DIST or web/dist.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, context, page, errors, fresh, open, settled, log, box } from './dock.mjs';
import { axeFinds, until } from './browser.mjs';

const focused = () => page.evaluate(() => document.activeElement?.getAttribute('role') ?? document.activeElement?.id ?? document.activeElement?.tagName);

test('an ask takes the focus when nobody types, to the dialog and not to a button', async () => {
  await open('s-idle');
  await page.evaluate(() => document.activeElement?.blur());
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'edit' });
  await page.waitForSelector('.askbox');
  await until('dialog focused', async () => (await focused()) === 'dialog');
  for (const key of ['Space', 'Enter', '1', 'y', 'a']) await page.keyboard.press(key);
  await settled();
  for (const key of ['Space', 'Enter', '1', 'y']) await page.keyboard.press(key);
  assert.equal(await page.locator('.askbox').count(), 1);
  // Commands come in order: the one answer is that of the key that is meant.
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

test('it never takes the focus from a field with text; Enter there queues and answers nothing', async () => {
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

test('keys within 350 ms do nothing; Ctrl Enter allows after that, once', async () => {
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

test('no key decides before the form of the ask is there and 350 ms have passed', async () => {
  let letGo;
  const held = new Promise((resolve) => {
    letGo = resolve;
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
  letGo();
  await page.waitForFunction(() => window.__pressed);
  await settled();
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('.askbox', { state: 'detached' });
  assert.deepEqual(
    log('answer_ask').map((one) => one.decision),
    ['allow'],
  );
});

test('a second press before the page is drawn again has no second effect', async () => {
  // Frames wait while they are held: the page cannot show that the ask is answered.
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

test('Escape: text is cleared, then the ask denied, then the turn interrupted; arrow up brings the text back', async () => {
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

test('when it is done the focus is where it was', async () => {
  await open('s-idle');
  await box().focus();
  fake.control({ do: 'ask', sessionId: 's-idle', kind: 'bash' });
  await until('dialog focused', async () => (await focused()) === 'dialog');
  await settled();
  await page.keyboard.press('Control+Enter');
  await until('allowed', () => log('answer_ask').length === 1);
  await until('box focused', async () => (await focused()) === 'message');
});

test('an open menu takes Escape for itself', async () => {
  await open('s-running');
  await page.locator('.comp .sel').first().click();
  await page.waitForSelector('.menu:popover-open');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.menu:popover-open', { state: 'detached' });
  // The next one is for the turn: it is the only one that arrives.
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

test('the whole command is shown, and what hides in it', async () => {
  await open('s-hidden');
  const shown = await page.locator('.cmdbig').innerText();
  assert.match(shown, /\\u202e.*\\u200b.*\\e\[2K \| sh/);
  assert.ok(!/[\u202e\u200b\u001b]/.test(shown));
  assert.equal(await page.locator('.askfoot.sug').count(), 0);
  assert.ok(await page.locator('.askbox .deny.primary').count());
});

test('a suggestion allows with its rule; scope is said in words', async () => {
  await open('s-bash');
  await settled();
  assert.deepEqual(await page.locator('.btn.rule').allInnerTexts(), ['cargo flamegraph:*, this project, only you', 'the folder ~/Desktop, this session']);
  assert.match(await page.locator('.why').innerText(), /writes outside the project[\s\S]*~\/Desktop\/flame.svg[\s\S]*Bisect/);
  await page.locator('.btn.rule').first().click();
  await until('allowed', () => log('answer_ask').length === 1);
  assert.deepEqual(log('answer_ask')[0].suggestions, [0]);
});

test('the change is shown before it is allowed; changed first, the live diff follows and the changed input is sent', async () => {
  await open('s-permission');
  await page.waitForSelector('.askbox .diff');
  await settled();
  await page.locator('.askbox .change').click();
  const area = page.locator('.askbox .codefield');
  await area.fill('            shared.evict_idle(now, self.max_idle);');
  await page.waitForSelector('.chip.run');
  await page.waitForFunction(() => document.querySelector('.askbox .diff')?.textContent?.includes('evict_idle'));
  await page.locator('.askbox .allow').click();
  await until('allowed', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].updatedInput.new_string, '            shared.evict_idle(now, self.max_idle);');
  assert.match(log('answer_ask')[0].updatedInput.file_path, /reaper.rs$/);
});

test('two asks: 1 of 2, and an answer to one leaves the other', async () => {
  await open('s-permission');
  await settled();
  assert.match(await page.locator('.askhead').innerText(), /1 of 2/);
  await page.locator('.askbox .denymsg').fill('not like this');
  await page.getByRole('button', { name: 'Next request' }).click();
  assert.match(await page.locator('.askhead').innerText(), /Permission needed: Bash[\s\S]*2 of 2/);
  await page.getByRole('button', { name: 'Previous request' }).click();
  assert.equal(await page.locator('.askbox .denymsg').inputValue(), 'not like this');
  await settled();
  await page.locator('.askbox .deny').click();
  await until('denied', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].message, 'not like this');
  await page.waitForFunction(() => document.querySelector('.askhead')?.textContent?.includes('Permission needed: Bash'));
});

test('answered elsewhere: said with who, and what was typed goes to the message box', async () => {
  await open('s-bash');
  await settled();
  await page.locator('.askbox .denymsg').fill('write it to target/ instead');
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'allowed', by: 'Phone' });
  await page.waitForSelector('.askbox.frozen');
  assert.match(await page.locator('.askbox.frozen').innerText(), /Answered on Phone[\s\S]*Allow once/);
  assert.equal(await box().inputValue(), 'write it to target/ instead');
  await page.waitForSelector('.gate[data-standing="running"]');
  assert.equal(log('answer_ask').length, 0);
});

test('withdrawn is said too', async () => {
  await open('s-bash');
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'cancelled' });
  await page.waitForSelector('.askbox.frozen');
  assert.match(await page.locator('.askbox.frozen').innerText(), /No longer needed[\s\S]*withdrew/);
});

test('questions are answered by digits; a half-filled form is there after a reload', async () => {
  await open('s-question');
  await settled();
  assert.ok(await page.getByRole('button', { name: 'Send answers' }).isDisabled());
  assert.match(await page.locator('.askfoot').innerText(), /Missing: Clock/);
  await page.locator('.qs').first().locator('input').first().focus();
  await page.keyboard.press('2');
  await page.keyboard.press('1');
  assert.match(await page.locator('.qpreview').innerText(), /tokio::time::Instant/);
  await page.locator('.qs').nth(1).locator('input').first().focus();
  await page.keyboard.press('1');
  await page.keyboard.press('4');
  await page.getByLabel('Your own answer').fill('the doc test');
  await page.reload();
  await page.waitForSelector('.askbox');
  await settled();
  assert.equal(await page.getByLabel('Your own answer').inputValue(), 'the doc test');
  await page.getByLabel('Your own answer').press('Control+Enter');
  await until('answered', () => log('answer_ask').length === 1);
  assert.deepEqual(log('answer_ask')[0].answers, {
    'How should the pool read time?': 'tokio’s clock (Recommended)',
    'Which tests move to the paused clock?': 'tests/reaper.rs, the doc test',
  });
});

const seenCaps = (where) => page.locator(where).locator('.keys').filter({ visible: true }).count();

test('digits choose without focus on an option, question after question', async () => {
  await open('s-question');
  await settled();
  // From the page: nothing has the focus.
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('1');
  await until('first chosen', () => page.locator('.qs').first().locator('input').first().isChecked());
  assert.equal(await focused(), 'dialog');
  // From the dialog: the next question, which takes several.
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  const second = page.locator('.qs').nth(1).locator('input');
  await until('two chosen', async () => (await second.nth(0).isChecked()) && (await second.nth(1).isChecked()));
  await page.keyboard.press('Control+Enter');
  await until('answered', () => log('answer_ask').length === 1);
  assert.deepEqual(Object.values(log('answer_ask')[0].answers), ['tokio’s clock (Recommended)', 'tests/reaper.rs, tests/lease.rs']);
  assert.deepEqual(errors, []);
});

test('caps of a question are shown where digits choose; digits in the message box are text', async () => {
  await open('s-question');
  await settled();
  await page.locator('.askbox').focus();
  await until('caps of the first question', async () => (await seenCaps('.qs >> nth=0')) > 0);
  assert.equal(await seenCaps('.qs >> nth=1'), 0);
  await box().click();
  await until('no caps', async () => (await seenCaps('.askbox .qopt')) + (await seenCaps('.askbox .askfoot')) === 0);
  await page.locator('.askhead .keyway').waitFor();
  await page.keyboard.type('12');
  assert.equal(await box().inputValue(), '12');
  assert.equal(await page.locator('.qs input:checked').count(), 0);
  // The way that is shown leads there.
  await page.keyboard.press('Shift+F6');
  await until('dialog focused', async () => (await focused()) === 'dialog');
});

test('right after typing an ask shows no key that does nothing; Ctrl Enter goes to it and then allows', async () => {
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

test('questions are answered in words', async () => {
  await open('s-question');
  await settled();
  await page.getByRole('button', { name: 'Answer in words' }).click();
  await page.getByLabel('Your answer in words').fill('Use whatever is simplest.');
  await page.locator('.askfoot .primary').click();
  await until('answered', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].message, 'Use whatever is simplest.');
});

test('a plan is approved into a mode, changed, or sent back', async () => {
  await open('s-plan');
  await settled();
  await page.getByRole('button', { name: 'Edit the plan' }).click();
  await page.getByLabel('The plan', { exact: true }).fill('# Only step one');
  await page.getByRole('button', { name: 'Approve, accept edits' }).click();
  await until('approved', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].mode, 'acceptEdits');
  assert.equal(log('answer_ask')[0].updatedInput.plan, '# Only step one');
});

test('a form says what is wrong under the field, and sends typed values', async () => {
  await open('s-elicitation');
  await settled();
  await page.getByLabel('Contact').fill('ops at tidepool');
  await page.getByLabel('Row limit').fill('0');
  await page.getByRole('button', { name: /^Send/ }).click();
  assert.deepEqual(await page.locator('.elerr').allInnerTexts(), ['At least 1.', 'Not an e-mail address.']);
  assert.equal(log('answer_ask').length, 0);
  await page.getByLabel('Contact').fill('ops@tidepool.example');
  await page.getByLabel('Row limit').fill('50');
  await page.getByLabel('risky').check();
  await page.getByRole('switch', { name: 'Dry run' }).click();
  await page.getByRole('button', { name: /^Send/ }).click();
  await until('sent', () => log('answer_ask').length === 1);
  assert.deepEqual(
    [log('answer_ask')[0].decision, log('answer_ask')[0].content],
    ['accept', { database: 'tidepool_dev', limit: 50, dry: false, contact: 'ops@tidepool.example', tags: ['risky'] }],
  );
});

test('a link is shown whole and opened only by a press', async () => {
  await open('s-link');
  assert.equal(await page.locator('.whole').innerText(), 'https://github.example/login/device?code=AB12-CD34');
  const link = page.locator('.linkask a');
  assert.deepEqual([await link.getAttribute('target'), await link.getAttribute('rel')], ['_blank', 'noopener noreferrer']);
  await settled();
  await page.getByRole('button', { name: 'Decline' }).click();
  await until('declined', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].decision, 'decline');
});

test('a device that may only look sees the ask and cannot decide or write', async () => {
  fake.control({ do: 'scope', scope: 'view' });
  await open('s-bash');
  await page.waitForSelector('text=Waiting for an answer');
  assert.equal(await page.locator('.askbox .btn.allow').count(), 0);
  await page.locator('.askbox').focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  assert.ok(await box().isDisabled());
  assert.equal(log('answer_ask').length, 0);
});

test('fold leaves one line; A opens it again', async () => {
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

/** By hand, unless the page was quicker by itself. */
const backOnLine = () =>
  until(
    'on the line again',
    async () => {
      await page
        .getByRole('button', { name: 'Try now' })
        .click({ timeout: 500 })
        .catch(() => {});
      return (await page.locator('.gate[data-standing="offline"]').count()) === 0;
    },
    { seconds: 30 },
  );

test('without a line messages are kept and go out once when it is back, receipts lost or not', async () => {
  await open('s-running');
  fake.control({ do: 'offline', on: true });
  await page.waitForSelector('.gate[data-standing="offline"]');
  await page.locator('.gate', { hasText: /Not connected/ }).waitFor();
  await box().fill('kept for later');
  assert.equal((await page.locator('.sendbtn').innerText()).split('\n')[0], 'Keep');
  await page.locator('.sendbtn').click();
  await page.locator('.queue', { hasText: /Not sent[\s\S]*kept for later/ }).waitFor();
  fake.control({ do: 'lose', receipts: 2 });
  fake.control({ do: 'offline', on: false });
  await backOnLine();
  await until('queued once', () => fake.bridge.sessions.get('s-running').state.queue.filter((one) => one.text === 'kept for later').length === 1);
  await page.waitForFunction(() => document.querySelector('[data-kept]') === null, undefined, { timeout: 15_000 });
  assert.equal(log('input').length, 1);
});

test('what is typed is there after a reload', async () => {
  await open('s-idle');
  await box().fill('half a thought');
  await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('sluice.draft.')));
  await page.reload();
  await page.waitForSelector('#message');
  assert.equal(await box().inputValue(), 'half a thought');
});

test('a line that is silent is noticed and opened anew', async () => {
  fake.control({ do: 'ping', every: 500 });
  await open('s-idle');
  fake.control({ do: 'silence', on: true });
  await page.waitForSelector('.gate[data-standing="offline"]');
  fake.control({ do: 'silence', on: false });
  // A try that hangs is begun anew by hand.
  await backOnLine();
  await page.waitForSelector('.gate[data-standing="idle"], .gate[data-standing="unread"]', { timeout: 20_000 });
});

test('commands are completed with the focus in the box, and unknown ones are caught', async () => {
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

test('files are found by the server', async () => {
  await open('s-idle');
  await box().click();
  await page.keyboard.type('Compare @pooltestreap');
  await page.waitForSelector('[role="option"] mark');
  await page.keyboard.press('Enter');
  assert.equal(await box().inputValue(), 'Compare @crates/pool/tests/reaper.rs ');
});

test('what servers offer is found after the files, with its name, and put in as the agent reads it', async () => {
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

test('a picture is made smaller, said so, and sent by its hash', async () => {
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

/** Drops files on an element, as a person does with a file manager. */
const drop = (where, files) =>
  page.locator(where).evaluate((element, list) => {
    const data = new DataTransfer();
    for (const { name, type, text } of list) data.items.add(new File([text], name, { type }));
    for (const kind of ['dragenter', 'dragover', 'drop']) element.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
  }, files);

test('a file dropped anywhere on the session is attached; a text file becomes part of the message', async () => {
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

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`a notification covers neither the message box nor a permission request (${size})`, async () => {
    await fresh(visitor);
    await open('s-running');
    await page.locator('.queue li').first().getByRole('button', { name: 'Take back' }).click();
    fake.control({ do: 'ask', sessionId: 's-running', kind: 'bash' });
    await page.waitForSelector('.askbox .allow');
    const toast = page.locator('.toast').first();
    await toast.waitFor();
    const covered = await toast.evaluate((one) => {
      const at = one.getBoundingClientRect();
      return ['.comp', '.askbox'].filter((where) => {
        const box = document.querySelector(where).getBoundingClientRect();
        return box.left < at.right && at.left < box.right && box.top < at.bottom && at.top < box.bottom;
      });
    });
    assert.deepEqual(covered, []);
  });
}

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

test('the queue is changed, moved, steered and taken back', async () => {
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

test('Ctrl Enter steers into a running turn', async () => {
  await open('s-running');
  await box().click();
  await page.keyboard.type('use the other clock');
  await page.keyboard.press('Control+Enter');
  await until('steered', () => log('input').length === 1);
  assert.equal(log('input')[0].steer, true);
});

test('bypass needs the typed word, and the gate says it as long as it lasts', async () => {
  await open('s-idle');
  await page.getByRole('button', { name: /^Permission mode/ }).click();
  await page.locator('.menu:popover-open .bad').click();
  const go = page.getByRole('button', { name: 'Bypass permissions' });
  assert.ok(await go.isDisabled());
  await page.getByLabel('Confirmation').fill('bypass');
  await go.click();
  await page.waitForSelector('text=Permissions are bypassed');
  assert.equal(log('set_permission_mode')[0].mode, 'bypassPermissions');
});

test('Stop says Stopping at once; Force comes after ten seconds', async () => {
  fake.bridge.options.neverStops = true;
  await open('s-running');
  await page.getByRole('button', { name: /^Stop/ }).click();
  await page.waitForSelector('.gate[data-standing="stopping"]');
  assert.equal(await page.getByRole('button', { name: 'Force…' }).count(), 0);
  fake.control({ do: 'patch', sessionId: 's-running', state: { info: { since: Date.now() - 11_000 } } });
  await page.getByRole('button', { name: 'Force…' }).click();
  await page.getByRole('button', { name: 'End the agent' }).click();
  await until('ended', () => log('stop_session').length === 1);
});

test('a crash shows its last words and resumes', async () => {
  await open('s-crashed');
  assert.match(await page.locator('.gateslot').innerText(), /killed by signal 9[\s\S]*out of memory[\s\S]*memory allocation of 536870912 bytes failed/);
  await page.getByRole('button', { name: 'Resume where it stopped' }).click();
  await until('resumed', () => log('resume_session').length === 1);
});

test('a message to a session that is not running resumes it first', async () => {
  await open('s-stopped');
  await box().fill('go on');
  await page.keyboard.press('Enter');
  await until('sent', () => log('input').length === 1);
  assert.deepEqual(
    fake.bridge.log.filter((one) => ['resume_session', 'input'].includes(one.type)).map((one) => one.type),
    ['resume_session', 'input'],
  );
});

test('the title counts the sessions that need a person', async () => {
  await open('s-idle');
  await page.waitForFunction(() => /^\(12\) /.test(document.title));
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'allowed', by: 'Phone' });
  await page.waitForFunction(() => /^\(11\) /.test(document.title));
});

test('a session is painted from what was kept, and caught up with one request', async () => {
  await open('s-running');
  await page.waitForFunction(() => document.querySelectorAll('.trow').length > 3);
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await until('kept', () =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open('sluice');
          request.onsuccess = () => {
            const get = request.result.transaction('snapshots').objectStore('snapshots').get('s-running');
            get.onsuccess = () => {
              request.result.close();
              resolve(get.result !== undefined);
            };
          };
        }),
    ),
  );
  const told = [];
  const hear = fake.bridge.receive.bind(fake.bridge);
  fake.bridge.receive = (client, message) => {
    told.push(message);
    hear(client, message);
  };
  fake.control({ do: 'record', sessionId: 's-running', what: { type: 'system', subtype: 'status' } });
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.trow').length > 3);
  fake.bridge.receive = hear;
  const cursor =
    told.find((one) => one.type === 'hello')?.cursors?.['s-running'] ?? told.find((one) => one.type === 'subscribe' && one.sessionId === 's-running')?.cursor;
  assert.ok(cursor?.seq > 10);
});

test('on a phone Enter is a new line and the button sends', async () => {
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

const looks = async (name) => {
  // Colours do not depend on the size, nor places on the theme.
  for (const [size, colorScheme] of [
    [{ width: 1440, height: 900 }, 'light'],
    [{ width: 390, height: 844 }, 'dark'],
  ]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await axeFinds(page, '.dock'), [], `${name}, ${size.width} px, ${colorScheme}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} overflows ${size.width} px by ${wide}`);
  }
};

// Its states at rest are rooms of access.journey.mjs, judged there with all of the page around them.
test('axe finds nothing in the dock while it is used', async () => {
  const uses = {
    's-permission, changed first': ['s-permission', () => page.locator('.askbox .change').click()],
    's-bash, folded': [
      's-bash',
      async () => {
        await page.locator('.askbox').focus();
        await page.keyboard.press('z');
        await page.waitForSelector('.gate.warn');
      },
    ],
    's-idle, commands offered': [
      's-idle',
      async () => {
        await box().pressSequentially('/co');
        await page.waitForSelector('[role="listbox"]');
      },
    ],
    's-idle, no such command': [
      's-idle',
      async () => {
        await box().fill('/nocommand x');
        await page.locator('.sendbtn').click();
        await page.waitForSelector('text=There is no command');
      },
    ],
  };
  for (const [name, [id, act]] of Object.entries(uses)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(id);
    await settled();
    await act();
    await looks(name);
  }
});
