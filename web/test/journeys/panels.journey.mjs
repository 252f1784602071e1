// Using the panels of a session: rules, servers, background tasks, hooks, changes; and rows of the transcript that only
// long or many calls have.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, assert, begin, box, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';

let at = '';
const file = (name) => join(at, name);
const { journey } = stageFor({
  hello: [[{ text: 'Hello.' }]],
  'touch a file': [[{ tool: 'Bash', input: { command: 'touch a-file', description: 'Touch' } }], [{ text: 'Touched.' }]],
  'against the rule': [[{ tool: 'Bash', input: { command: 'touch never', description: 'Against the rule' } }], [{ text: 'That was refused.' }]],
  'job that ends': [
    // The job ends after the turn: its end would otherwise be part of the turn.
    [
      {
        tool: 'Bash',
        input: { command: 'while [ ! -e go ]; do sleep 0.1; done; echo the job says hello', description: 'A short job', run_in_background: true },
      },
    ],
    [{ text: 'It runs beside.' }],
  ],
  'two changes': () => [
    [{ tool: 'Read', input: { file_path: file('old.rs') } }],
    [{ tool: 'Edit', input: { file_path: file('old.rs'), old_string: 'let now = Instant::now();', new_string: 'let now = Instant::later();' } }],
    [{ tool: 'Write', input: { file_path: file('new.md'), content: '# New\n\nWords.\n' } }],
    [{ text: 'Both are changed.' }],
  ],
  'what does': (_prompt, wish) => [
    [{ text: JSON.stringify(wish.messages).includes('says: seven days') ? 'The paper says seven days.' : 'There is no paper.' }],
  ],
  'look around': () => [
    Array.from({ length: 7 }, (_, n) => ({ tool: 'Read', input: { file_path: file(`part-${n}.txt`) } })),
    [{ text: 'I have looked around.' }],
  ],
  'long output': [[{ tool: 'Bash', input: { command: 'seq -f "row %g of it" 1 400', description: 'Count' } }], [{ text: 'Counted.' }]],
});
const pane = (page, title) => page.locator('details.pane', { has: page.locator('summary', { hasText: title }) }).first();
/** Opens all panels of a session. */
async function overview(guest, page, id) {
  await guest.go(`#/s/${id}/overview`);
  await pane(page, 'Context').waitFor();
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('#main details.pane:not([open]) > summary')) one.click();
  });
}

journey('a rule is added in the panel, applied, removed, and restored with undo', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'ruled');
  const id = await begin(guest, 'hello', folder);
  await stands(page, 'idle');
  await overview(guest, page, id);
  const rules = pane(page, 'Rules');
  await rules.getByRole('button', { name: 'Add a rule' }).click();
  await rules.getByLabel('Effect').selectOption('deny');
  await rules.getByLabel('Rule', { exact: true }).fill('Bash(touch never:*)');
  await rules.getByRole('button', { name: /^Add/ }).first().click();
  const rule = rules.locator('code', { hasText: 'Bash(touch never:*)' });
  await rule.waitFor();
  await rules
    .getByRole('heading', { name: /This session/ })
    .getByText('until it ends')
    .waitFor();
  await rules.getByRole('button', { name: 'Remove Bash(touch never:*)' }).click();
  await rule.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await rule.waitFor();
  // The rule is applied: the call is denied without a request.
  await guest.go(`#/s/${id}`);
  await send(page, 'against the rule');
  await says(page, 'That was refused.');
  await page
    .locator('.trow.r-call', { hasText: 'touch never' })
    .getByText(/denied|refused/i)
    .first()
    .waitFor();
});

journey('rules are stored in the settings file of their scope without changing its other contents', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'scoped');
  mkdirSync(join(folder, '.claude'), { recursive: true });
  const file = join(folder, '.claude', 'settings.local.json');
  writeFileSync(file, JSON.stringify({ env: { KEPT: '1' } }));
  const id = await begin(guest, 'hello', folder);
  await stands(page, 'idle');
  await overview(guest, page, id);
  const rules = pane(page, 'Rules');
  await rules.getByRole('button', { name: 'Add a rule' }).click();
  await rules.getByLabel('Effect').selectOption('deny');
  await rules.getByLabel('Scope').selectOption('localSettings');
  await rules.getByLabel('Rule', { exact: true }).fill('Bash(touch never:*)');
  await rules.getByRole('button', { name: /^Add/ }).first().click();
  const rule = rules.locator('code', { hasText: 'Bash(touch never:*)' });
  await rule.waitFor();
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { env: { KEPT: '1' }, permissions: { deny: ['Bash(touch never:*)'] } });
  await rules.getByRole('button', { name: 'Remove Bash(touch never:*)' }).click();
  await rule.waitFor({ state: 'detached' });
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { env: { KEPT: '1' }, permissions: { deny: [] } });
});

/** A session that was allowed to run `touch a-file`, with a rule saved for the project; all its panels are open. */
async function withSavedRule(guest, page, folder) {
  const id = await begin(guest, 'touch a file', folder);
  await ask(page).waitFor();
  await decide(page, ask(page).getByRole('button', { name: /touch a-file \*, this project, only you/ }));
  await says(page, 'Touched.');
  await stands(page, 'idle');
  assert.deepEqual(JSON.parse(readFileSync(join(folder, '.claude', 'settings.local.json'), 'utf8')).permissions.allow, ['Bash(touch a-file *)']);
  await overview(guest, page, id);
  return id;
}
const REMOVE = { name: 'Remove Bash(touch a-file *)' };

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
]) {
  journey(
    `a saved rule of an untrusted folder is listed with its file and applies until it is removed (${size})`,
    async ({ guest, page, stage }) => {
      const folder = folderWith(stage, `saved-${size}`);
      const id = await withSavedRule({ ...guest, stage }, page, folder);
      const rules = pane(page, 'Rules');
      await rules.getByRole('heading', { name: /This project, only you/ }).waitFor();
      assert.equal(await rules.getByText('not in effect').count(), 0);
      assert.equal(await rules.getByRole('heading', { name: /This session/ }).count(), 0);
      await rules.getByRole('button', REMOVE).click();
      await page.locator('.toast', { hasText: 'Removed: Bash(touch a-file *)' }).waitFor();
      assert.deepEqual(JSON.parse(readFileSync(join(folder, '.claude', 'settings.local.json'), 'utf8')).permissions.allow, []);
      await rules.locator('code', { hasText: 'touch a-file' }).waitFor({ state: 'detached' });
      await guest.go(`#/s/${id}`);
      await stands(page, 'idle');
      await box(page).fill('touch a file');
      await page.locator('.comp').getByRole('button', { name: /^Send/ }).click();
      await ask(page).waitFor();
    },
    visitor,
  );
}

journey('removing a rule from the file of a trusted folder needs trust again', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'trusted-rules');
  mkdirSync(join(stage.home, '.claude'), { recursive: true });
  writeFileSync(join(stage.home, '.claude', 'settings.json'), JSON.stringify({ trustedFolders: [folder] }));
  const id = await withSavedRule({ ...guest, stage }, page, folder);
  const rules = pane(page, 'Rules');
  await rules.getByRole('heading', { name: /This project, only you/ }).waitFor();
  await rules.getByRole('button', REMOVE).click();
  await page.locator('.toast', { hasText: 'Removed: Bash(touch a-file *)' }).waitFor();
  await rules.locator('code', { hasText: 'touch a-file' }).waitFor({ state: 'detached' });
  await guest.go(`#/s/${id}`);
  await send(page, 'touch a file');
  await ask(page).waitFor();
});

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `a server is listed with its tools, disabled and enabled; one that fails shows the reason and is retried (${size})`,
    async ({ guest, page, stage }) => {
      const folder = folderWith(stage, `served-${size}`);
      const server = fileURLToPath(new URL('forms-server.mjs', import.meta.url));
      writeFileSync(
        join(stage.home, '.claude.json'),
        JSON.stringify({
          mcpServers: {
            forms: { type: 'stdio', command: process.execPath, args: [server] },
            broken: { type: 'stdio', command: join(stage.home, 'not-there'), args: [] },
          },
        }),
      );
      const id = await begin(guest, 'hello', folder);
      await stands(page, 'idle');
      await overview(guest, page, id);
      const servers = pane(page, 'MCP servers');
      const row = (name) => servers.locator('li', { has: page.getByText(name, { exact: true }) }).first();
      await row('forms')
        .getByText(/^Connected/)
        .waitFor();
      await row('forms').locator('summary').click();
      await row('forms').getByText('book', { exact: true }).waitFor();
      await row('forms').getByRole('switch').click();
      await row('forms').getByText(/^Off/).waitFor();
      await row('forms').getByRole('switch').click();
      await row('forms')
        .getByText(/^Connected/)
        .waitFor();
      // The server is killed between two turns: the panel shows it without a new turn.
      const own = stage.rest().filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('forms-server.mjs');
        } catch {
          return false;
        }
      });
      assert.equal(own.length, 1);
      process.kill(own[0], 'SIGKILL');
      await row('forms')
        .getByText(/^Connected/)
        .waitFor({ state: 'detached' });
      await row('broken')
        .getByText(/^Failed/)
        .waitFor();
      await row('broken').getByRole('button', { name: 'Reconnect' }).click();
      await page
        .locator('.toast')
        .or(row('broken').getByText(/^Failed/))
        .first()
        .waitFor();
      writeFileSync(join(stage.home, '.claude.json'), '{}');
    },
    visitor,
  );
}

journey('a background task shows its output, and the turn started by its end is marked', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'jobs');
  await begin(guest, 'job that ends', folder);
  await until('allowed or not asked', async () => {
    if (await ask(page).count()) await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
    return (await page.locator('.stream').getByText('It runs beside.').count()) > 0;
  });
  await stands(page, 'idle');
  writeFileSync(join(folder, 'go'), '');
  const job = page.locator('.stage > .panel .jobs li').first();
  await job
    .getByText(/ended|done|completed|finished/i)
    .first()
    .waitFor();
  await job.getByRole('button', { name: 'Output' }).click();
  await job.locator('pre').getByText('the job says hello').waitFor();
  const origin = page.locator('.trow.r-origin').first();
  await origin.getByText('not from you').waitFor();
  await origin.getByText(/Background task finished/).waitFor();
});

journey('configured hooks are listed in the panel', async ({ guest, page, stage }) => {
  mkdirSettings(stage.home, { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true # a hook of the person' }] }] } });
  const id = await begin(guest, 'hello', folderWith(stage, 'hooked'));
  await stands(page, 'idle');
  await overview(guest, page, id);
  await pane(page, 'Hooks').getByText('Stop', { exact: true }).waitFor();
  await pane(page, 'Hooks')
    .getByText(/a hook of the person/)
    .first()
    .waitFor();
  mkdirSettings(stage.home, {});
});
function mkdirSettings(home, settings) {
  folderWith({ home }, '.claude', { 'settings.json': JSON.stringify(settings) });
}

journey('the changes of a session: unified and split, marked words, viewed files, comments, one turn', async ({ guest, page, stage }) => {
  at = folderWith(stage, 'changed', {
    'old.rs': `${Array.from({ length: 40 }, (_, n) => `// line ${n}`).join('\n')}\nfn sweep() {\n    let now = Instant::now();\n}\n${Array.from({ length: 40 }, (_, n) => `// after ${n}`).join('\n')}\n`,
  });
  const id = await begin(guest, 'two changes', at);
  for (let n = 0; n < 2; n += 1) {
    await ask(page).locator('.diff').first().waitFor();
    await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  }
  await says(page, 'Both are changed.');
  await stands(page, 'idle');
  await page.getByRole('link', { name: /^Changes/ }).click();
  const old = page.locator('.fbox[data-path$="old.rs"]');
  await old.locator('.diff').first().waitFor();
  await page.locator('.fbox[data-path$="new.md"]').getByText('new file').waitFor();
  assert.deepEqual([await old.locator('.diff :is(ins, del)').allInnerTexts()].flat(), ['now', 'later']);
  await page.getByRole('radio', { name: 'Split' }).click();
  await until('two sides', () =>
    old
      .locator('.diff')
      .first()
      .evaluate((it) => it.className.includes('split') || it.querySelector('.split') !== null),
  );
  await page.getByRole('radio', { name: 'Unified' }).click();
  await old.getByRole('checkbox', { name: 'Viewed' }).check();
  await page.getByText('1 of 2 viewed').waitFor();
  assert.equal(await old.locator('.diff').count(), 0);
  await page
    .getByRole('button', { name: /Menu of .*new\.md|new\.md/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: 'Comment' }).click();
  await page.getByLabel('Comment', { exact: true }).fill('Why so short?');
  await page.getByRole('button', { name: 'Add to message' }).click();
  await page.getByLabel('Range').selectOption('1');
  await page.locator('.fbox').first().waitFor();
  await page.reload();
  await page.getByText('1 of 2 viewed').waitFor();
  await guest.go(`#/s/${id}`);
  await until('the comment is in the box', async () => /new\.md[\s\S]*Why so short\?/.test(await box(page).inputValue()));
});

journey('read-only calls are grouped, long output is folded, a link opens its message, a turn shows time and cost', async ({ guest, page, stage }) => {
  at = folderWith(stage, 'looked', Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`part-${n}.txt`, `part ${n}\n`])));
  const id = await begin(guest, 'look around', at);
  await says(page, 'I have looked around.');
  await stands(page, 'idle');
  const looked = page.locator('.trow.r-looked').first();
  await looked.getByText(/7 files/).waitFor();
  await looked.locator('summary').first().click();
  await looked.getByText('part-3.txt').waitFor();
  await page
    .locator('.trow.r-end')
    .last()
    .getByText(/Turn 1/)
    .waitFor();
  assert.match(await page.locator('.trow.r-end').last().innerText(), /\d (ms|s)[\s\S]*\$\d/);
  await send(page, 'long output, please');
  await until('counted', async () => {
    if (await ask(page).count()) await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
    return (await page.locator('.stream').getByText('Counted.').count()) > 0;
  });
  await stands(page, 'idle');
  const call = page.locator('.trow.r-call', { hasText: 'seq -f' }).last();
  if (
    !(await call
      .locator('details')
      .first()
      .evaluate((it) => it.open))
  )
    await call.locator('summary').first().click();
  await call.getByText('row 400 of it').waitFor();
  // The beginning and the end; the middle is loaded on request.
  assert.ok(!/row 150 of it/.test(await call.innerText()));
  await call.getByRole('button', { name: 'Show all' }).click();
  await until('all of it', async () => /row 150 of it/.test(await call.innerText()));
  // A link to the first message, from its menu.
  await page.locator('.stream').focus();
  await page.keyboard.press('Home');
  await page.locator('.trow.r-prompt').first().getByRole('button').first().click();
  await page.getByRole('menuitem', { name: 'Link to this' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, new RegExp(`#/s/${id}/\\d+$`));
  await guest.go('#/');
  await page.goto(link);
  await until('it is at its top', () =>
    page.evaluate(() => {
      const row = document.querySelector('.trow.r-prompt');
      const top = row?.getBoundingClientRect().top ?? -1;
      return /look around/.test(row?.textContent ?? '') && top > 0 && top < innerHeight;
    }),
  );
  assert.equal(sessionOf(page), id);
});

journey('MCP resources are completed after @ and read by the agent', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'papers', { 'leases.md': '# Leases\n' });
  writeFileSync(
    join(stage.home, '.claude.json'),
    JSON.stringify({
      mcpServers: { papers: { type: 'stdio', command: process.execPath, args: [fileURLToPath(new URL('papers-server.mjs', import.meta.url))] } },
    }),
  );
  await begin(guest, 'hello', folder);
  await stands(page, 'idle');
  const option = page.getByRole('option', { name: /papers:paper:\/\/lease-rules/ });
  // The server starts in parallel with the agent: the status is polled until it answers.
  await until(
    'the server offers it',
    async () => {
      await box(page).fill('');
      await box(page).pressSequentially('what does @lease');
      return option.waitFor({ timeout: 1500 }).then(
        () => true,
        () => false,
      );
    },
    40,
  );
  await option.getByText('Lease rules · when a lease ends').waitFor();
  // Files are listed first.
  assert.match(await page.getByRole('option').first().innerText(), /leases\.md/);
  await option.click();
  assert.equal(await box(page).inputValue(), 'what does @papers:paper://lease-rules ');
  await box(page).press('Enter');
  await says(page, 'The paper says seven days.');
  writeFileSync(join(stage.home, '.claude.json'), '{}');
});
