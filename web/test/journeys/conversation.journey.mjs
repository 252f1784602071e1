// From the printed address to a change that was reviewed and allowed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, assert, begin, box, decide, folderWith, says, send, stageFor, stands, until } from './journey.mjs';

const write = (file, content) => [{ text: 'I will write it.' }, { tool: 'Write', input: { file_path: file, content } }];
const files = {};
const { journey } = stageFor({
  stream: [[{ text: '- The first `part` of it, ' }, { gate: 'half' }, { text: 'and the second part.' }]],
  think: [[{ thinking: 'It is better to look before one leaps.' }, { text: 'I have thought.' }]],
  write: () => [write(files.new, 'one\ntwo\nthree\n'), [{ text: 'It is written.' }]],
  refuse: () => [write(files.refused, 'never\n'), [{ text: 'I leave it.' }]],
  edit: () => [
    [{ tool: 'Read', input: { file_path: files.old } }],
    [{ tool: 'Edit', input: { file_path: files.old, old_string: 'wrong', new_string: 'right' } }],
    [{ text: 'Edited.' }],
  ],
  questions: [
    [
      {
        tool: 'AskUserQuestion',
        input: {
          questions: [
            {
              question: 'Which colour?',
              header: 'Colour',
              multiSelect: false,
              options: [
                { label: 'Red', description: 'as a rose' },
                { label: 'Blue', description: 'as the sea' },
              ],
            },
            {
              question: 'Which sides?',
              header: 'Sides',
              multiSelect: true,
              options: [
                { label: 'Left', description: 'west' },
                { label: 'Right', description: 'east' },
              ],
            },
            {
              question: 'Which name?',
              header: 'Name',
              multiSelect: false,
              options: [
                { label: 'Ada', description: 'short' },
                { label: 'Grace', description: 'longer' },
              ],
            },
          ],
        },
      },
    ],
    [{ text: 'Thank you for the answers.' }],
  ],
  // A plan in the file that the agent named: only such a plan can be edited by the user.
  'written plan': (_, wish) => {
    const file = /[^\s"'`\\]+\/plans\/[^\s"'`\\]+\.md/.exec(JSON.stringify(wish))?.[0] ?? 'no-plan-file';
    return [
      [{ tool: 'Write', input: { file_path: file, content: '# A plan for the gate\n\n1. Look at it\n2. Mend it\n' } }],
      [{ tool: 'ExitPlanMode', input: {} }],
      [{ text: 'I begin.' }],
    ];
  },
  plan: [[{ tool: 'ExitPlanMode', input: { plan: '# A plan for the gate\n\n1. Look at it\n2. Mend it' } }], [{ text: 'I begin.' }]],
  tasks: [
    [
      { tool: 'TaskCreate', input: { subject: 'Look at the gate', description: 'closely', activeForm: 'Looking at the gate' } },
      { tool: 'TaskCreate', input: { subject: 'Mend the gate', description: 'well', activeForm: 'Mending the gate' } },
    ],
    [
      { tool: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
      { tool: 'TaskUpdate', input: { taskId: '2', status: 'in_progress' } },
    ],
    [{ text: 'Two tasks.' }],
  ],
  fail: [[{ tool: 'Bash', input: { command: 'echo some words; exit 3', description: 'Fail on purpose' } }], [{ text: 'That failed.' }]],
  refused: [[{ status: 400, error: 'the request is not liked' }]],
  list: [[{ tool: 'Bash', input: { command: 'ls', description: 'List the folder' } }], [{ text: 'Listed.' }]],
});

journey(
  'the printed address pairs the browser, removes the code and sets an HttpOnly cookie',
  async ({ guest, page, context, stage }) => {
    const code = await stage.pair();
    await guest.go(`#pair=${code}`);
    await page.getByRole('heading', { name: 'Enter the code from your terminal' }).waitFor();
    assert.ok(!page.url().includes(code));
    assert.equal(await page.getByLabel('Pairing code').inputValue(), code);
    await page.getByLabel('Name of this device').fill('Kitchen');
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.locator('.app').waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    assert.equal(await page.evaluate(() => document.cookie), '');
    assert.ok(!(await page.evaluate((text) => JSON.stringify({ ...localStorage, ...sessionStorage }).includes(text), code)));
    await page.goBack().catch(() => {});
    assert.ok(!page.url().includes(code));
  },
  { stranger: true },
);

journey(
  'a wrong code is refused with a message, and nothing else is shown',
  async ({ guest, page }) => {
    await guest.go('#pair=AAAA-BBBB');
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText('The code is wrong').waitFor();
    assert.equal(await page.locator('.app').count(), 0);
  },
  { stranger: true, allowed: /40[13]/ },
);

journey('a session is started in a folder, and its answer is streamed', async ({ guest, page, model }) => {
  await begin(guest, 'stream something');
  await says(page, 'of it,');
  await model.reached('half');
  assert.deepEqual(await page.locator('.stream .caret').evaluate((it) => [it.parentElement.tagName, it.nextSibling]), ['LI', null]);
  assert.equal(await page.getByText('and the second part').count(), 0);
  await stands(page, 'running');
  model.open('half');
  await says(page, 'and the second part.');
  await stands(page, 'idle');
  await page.locator('.end').first().waitFor();
});

journey('thinking is folded and can be opened', async ({ guest, page }) => {
  await begin(guest, 'think first');
  await says(page, 'I have thought.');
  const fold = page.locator('details.think').first();
  assert.equal(await fold.evaluate((it) => it.open), false);
  await fold.locator('summary').click();
  await fold.locator('.body').getByText('before one leaps').waitFor();
});

journey('a Write is shown as a diff before it is allowed, and then executed', async ({ guest, page, stage }) => {
  files.new = join(folderWith(stage, 'writes'), 'new.txt');
  await begin(guest, 'write a file', join(stage.home, 'writes'));
  await ask(page).locator('.diff').getByText('three').waitFor();
  await ask(page)
    .getByRole('heading', { name: /Write\s*new\.txt/ })
    .waitFor();
  assert.ok(!existsSync(files.new));
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'It is written.');
  assert.equal(readFileSync(files.new, 'utf8'), 'one\ntwo\nthree\n');
  await page.locator('.call', { hasText: 'new.txt' }).first().waitFor();
});

journey('a denial sends its message to the agent', async ({ guest, page, stage }) => {
  files.refused = join(folderWith(stage, 'refuses'), 'refused.txt');
  await begin(guest, 'refuse this', join(stage.home, 'refuses'));
  await ask(page).getByLabel('Message with the denial').fill('write it elsewhere');
  await decide(page, ask(page).getByRole('button', { name: /^Deny/ }));
  await says(page, 'I leave it.');
  await page.locator('.call', { hasText: 'write it elsewhere' }).first().waitFor();
  assert.ok(!existsSync(files.refused));
});

journey('an Edit that the user changes is executed as changed', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'edits', { 'old.txt': 'this is wrong\n' });
  files.old = join(folder, 'old.txt');
  await begin(guest, 'edit it', folder);
  await ask(page).locator('.diff').getByText('right').first().waitFor();
  await ask(page).getByRole('button', { name: 'Edit first' }).click();
  await ask(page).getByLabel('New text').fill('better');
  await ask(page).locator('.diff').getByText('better').first().waitFor();
  await decide(page, ask(page).getByRole('button', { name: /Allow my version/ }));
  await says(page, 'Edited.');
  assert.equal(readFileSync(files.old, 'utf8'), 'this is better\n');
  await page.getByRole('link', { name: 'Changes', exact: true }).click();
  await page.locator('.fbox', { hasText: 'old.txt' }).getByText('better').first().waitFor();
});

journey('a rule from a suggestion allows the next such call without a request', async ({ guest, page }) => {
  await begin(guest, 'fail now');
  await ask(page).getByText('echo some words; exit 3').waitFor();
  const rule = ask(page).locator('.btn.rule').first();
  assert.match(await rule.innerText(), /this session|this project|everywhere/);
  await decide(page, rule);
  await says(page, 'That failed.');
  await stands(page, 'idle');
  await send(page, 'fail again');
  await until('two answers', async () => (await page.locator('.stream').getByText('That failed.').count()) === 2);
  assert.equal(await ask(page).count(), 0);
});

journey('questions: single choice, multiple choice and custom text', async ({ guest, page }) => {
  await begin(guest, 'questions please');
  const answer = ask(page).getByRole('button', { name: /Send answers/ });
  await ask(page).getByText('Which colour?').waitFor();
  assert.ok(await answer.isDisabled());
  await ask(page).getByText('as the sea').click();
  await ask(page).getByText('west').click();
  await ask(page).getByText('east').click();
  await ask(page).getByText('Something else').last().click();
  await ask(page).getByLabel('Your own answer').fill('Hedy');
  await decide(page, answer);
  await says(page, 'Thank you for the answers.');
  const card = page.locator('details.call', { hasText: '3 questions' });
  await card.locator('summary').click();
  for (const said of ['Which colour?', 'Blue', 'Left', 'Hedy']) await card.getByText(said).first().waitFor();
});

journey('a plan is shown as a document and approved into a mode', async ({ guest, page, stage }) => {
  await guest.go(`#/new?folder=${encodeURIComponent(stage.folder)}`);
  await page.getByLabel('Permission mode').selectOption('plan');
  await box(page).fill('plan it');
  await box(page).press('Enter');
  await page.getByRole('heading', { name: 'A plan for the gate' }).waitFor();
  await decide(page, page.getByRole('button', { name: /Approve, accept edits/ }));
  await says(page, 'I begin.');
  await page.getByRole('button', { name: /Permission mode: Accept edits/ }).waitFor();
});

journey('a plan that the user edits is sent to the agent as edited', async ({ guest, page, stage }) => {
  await guest.go(`#/new?folder=${encodeURIComponent(stage.folder)}`);
  await page.getByLabel('Permission mode').selectOption('plan');
  await box(page).fill('written plan, please');
  await box(page).press('Enter');
  await page.getByRole('heading', { name: 'A plan for the gate' }).waitFor();
  const edit = page.getByRole('button', { name: 'Edit the plan' });
  await until('the plan is open', async () => {
    await edit.click({ timeout: 500 }).catch(() => {});
    return (await page.getByLabel('The plan', { exact: true }).count()) > 0;
  });
  const field = page.getByLabel('The plan', { exact: true });
  assert.match(await field.inputValue(), /2\. Mend it/);
  await field.fill('# A plan for the gate\n\n1. Look at it\n2. Paint it');
  // An unfinished plan is still there after a reload.
  await page.reload();
  assert.match(await page.getByLabel('The plan', { exact: true }).inputValue(), /Paint it/);
  await decide(page, page.getByRole('button', { name: /Approve, ask before each edit/ }));
  await says(page, 'I begin.');
  const row = page.locator('.call', { hasText: 'Plan' }).last();
  if (!(await row.evaluate((it) => it.open))) await row.locator('summary').click();
  await row.getByText('Paint it').first().waitFor();
});

journey('tasks and their states are listed in the side panel', async ({ guest, page, stage }) => {
  // Some models have no task list.
  await guest.go(`#/new?folder=${encodeURIComponent(stage.folder)}`);
  await page.getByLabel('Model', { exact: true }).fill('claude-haiku-4-5');
  await box(page).fill('tasks please');
  await box(page).press('Enter');
  await says(page, 'Two tasks.');
  const panel = page.locator('.stage > .panel');
  await panel.getByText('Mending the gate').or(panel.getByText('Mend the gate')).first().waitFor();
  await panel.getByText('1 of 2').waitFor();
});

journey('a failed command is shown with its output', async ({ guest, page, stage }) => {
  await begin(guest, 'fail loudly', folderWith(stage, 'fails'));
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'That failed.');
  const card = page.locator('.call.err').first();
  await card.getByText('exit 3').first().waitFor();
  if (!(await card.evaluate((it) => it.open))) await card.locator('summary').click();
  await card.getByText('some words').last().waitFor();
});

journey('an error of the model server ends the turn with a message', async ({ guest, page }) => {
  await begin(guest, 'refused by the server');
  await page
    .locator('.stream')
    .getByText(/refused as invalid|is not liked/)
    .first()
    .waitFor();
  await stands(page, 'idle');
});
