// What each kind of request shows and how it is answered, against the fake bridge.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, page, errors, open, settled, log, box, focused, seenCaps } from './dock.mjs';
import { until } from './browser.mjs';

test('the whole command is shown, including hidden characters', async () => {
  await open('s-hidden');
  const shown = await page.locator('.cmdbig').innerText();
  assert.match(shown, /\\u202e.*\\u200b.*\\e\[2K \| sh/);
  assert.ok(!/[\u202e\u200b\u001b]/.test(shown));
  assert.equal(await page.locator('.askfoot.sug').count(), 0);
  assert.ok(await page.locator('.askbox .deny.primary').count());
});

test('a suggestion allows the call and adds its rule, shown with its scope', async () => {
  await open('s-bash');
  await settled();
  assert.deepEqual(await page.locator('.btn.rule').allInnerTexts(), ['cargo flamegraph:*, this project, only you', 'the folder ~/Desktop, this session']);
  assert.match(await page.locator('.why').innerText(), /writes outside the project[\s\S]*~\/Desktop\/flame.svg[\s\S]*Bisect/);
  await page.locator('.btn.rule').first().click();
  await until('allowed', () => log('answer_ask').length === 1);
  assert.deepEqual(log('answer_ask')[0].suggestions, [0]);
});

test('a change is shown before it is allowed; an edited input updates the diff and is sent', async () => {
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

test('of two requests the second stays open when the first is answered', async () => {
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

test('a request answered elsewhere shows by whom, and typed text moves to the message box', async () => {
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

test('a withdrawn request is shown as such', async () => {
  await open('s-bash');
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'withdrawn' });
  await page.waitForSelector('.askbox.frozen');
  assert.match(await page.locator('.askbox.frozen').innerText(), /No longer needed[\s\S]*withdrew/);
});

test('digits answer questions, and unsent answers survive a reload', async () => {
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

test('digits choose options of one question after another without focus on an option', async () => {
  await open('s-question');
  await settled();
  // Nothing has the focus.
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('1');
  await until('first chosen', () => page.locator('.qs').first().locator('input').first().isChecked());
  assert.equal(await focused(), 'dialog');
  // The dialog has the focus: the next question, with several answers.
  await page.keyboard.press('1');
  await page.keyboard.press('2');
  const second = page.locator('.qs').nth(1).locator('input');
  await until('two chosen', async () => (await second.nth(0).isChecked()) && (await second.nth(1).isChecked()));
  await page.keyboard.press('Control+Enter');
  await until('answered', () => log('answer_ask').length === 1);
  assert.deepEqual(Object.values(log('answer_ask')[0].answers), ['tokio’s clock (Recommended)', 'tests/reaper.rs, tests/lease.rs']);
  assert.deepEqual(errors, []);
});

test('key hints of a question are shown where digits choose; digits in the message box are text', async () => {
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
  // The shortcut that is shown moves the focus there.
  await page.keyboard.press('Shift+F6');
  await until('dialog focused', async () => (await focused()) === 'dialog');
});

test('questions can be answered with free text', async () => {
  await open('s-question');
  await settled();
  await page.getByRole('button', { name: 'Answer in words' }).click();
  await page.getByLabel('Your answer in words').fill('Use whatever is simplest.');
  await page.locator('.askfoot .primary').click();
  await until('answered', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].message, 'Use whatever is simplest.');
});

test('a plan is edited and approved into a mode', async () => {
  await open('s-plan');
  await settled();
  await page.getByRole('button', { name: 'Edit the plan' }).click();
  await page.getByLabel('The plan', { exact: true }).fill('# Only step one');
  await page.getByRole('button', { name: 'Approve, accept edits' }).click();
  await until('approved', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].mode, 'acceptEdits');
  assert.equal(log('answer_ask')[0].updatedInput.plan, '# Only step one');
});

test('a form shows errors under the fields and sends typed values', async () => {
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

test('a link is shown in full and opened only by a click', async () => {
  await open('s-link');
  assert.equal(await page.locator('.whole').innerText(), 'https://github.example/login/device?code=AB12-CD34');
  const link = page.locator('.linkask a');
  assert.deepEqual([await link.getAttribute('target'), await link.getAttribute('rel')], ['_blank', 'noopener noreferrer']);
  await settled();
  await page.getByRole('button', { name: 'Decline' }).click();
  await until('declined', () => log('answer_ask').length === 1);
  assert.equal(log('answer_ask')[0].decision, 'decline');
});

test('a view-only device shows the request but cannot answer it or send messages', async () => {
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
