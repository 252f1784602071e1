// Rare states: an agent that crashes, an overloaded model, background tasks, subagents, several requests, forms.
import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, assert, begin, box, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';

let tries = 0;
let book = '';
let outside = '';
const set = stageFor({
  die: [[{ text: 'I am at work. ' }, { gate: 'die' }, { text: 'never said' }]],
  overload: () => {
    tries += 1;
    return tries < 3 ? [[{ status: 529, error: 'Overloaded' }]] : [[{ text: 'At last.' }]];
  },
  background: [
    [{ tool: 'Bash', input: { command: 'sleep 600', description: 'Wait for long', run_in_background: true } }],
    [{ text: 'It runs in the background.' }],
  ],
  helper: [
    [{ tool: 'Task', input: { description: 'Count the files', prompt: 'subtask: count them', subagent_type: 'general-purpose' } }],
    [{ text: 'The helper is back.' }],
  ],
  'subtask:': [[{ text: 'I count.' }, { tool: 'Bash', input: { command: 'ls', description: 'List' } }], [{ text: 'There are three.' }]],
  both: [
    [
      { tool: 'Bash', input: { command: 'touch first-of-two', description: 'First' } },
      { tool: 'Bash', input: { command: 'touch second-of-two', description: 'Second' } },
    ],
    [{ text: 'Both decided.' }],
  ],
  'stop here': [[{ tool: 'Bash', input: { command: 'touch stopped', description: 'Stop me' } }], [{ text: 'not to be said' }]],
  notebook: () => [
    [{ tool: 'Read', input: { file_path: book } }],
    [{ tool: 'NotebookEdit', input: { notebook_path: book, cell_id: 'one', new_source: 'print("after")' } }],
    [{ text: 'The cell is changed.' }],
  ],
  'write outside': () => [
    [{ tool: 'Bash', input: { command: `touch ${outside}`, description: 'Make a note elsewhere' } }],
    [{ tool: 'Write', input: { file_path: `${outside}.md`, content: 'from another folder\n' } }],
    [{ text: 'Both lie outside.' }],
  ],
  steer: [[{ text: 'Begun. ' }, { gate: 'steer' }, { tool: 'Bash', input: { command: 'true', description: 'Nothing' } }], [{ text: 'Done with it.' }]],
  table: [[{ tool: 'mcp__forms__book', input: {} }], [{ text: 'The table is booked.' }]],
});
const { journey } = set;
/** True if a process is an agent that works in a folder. */
const agentIn = (pid, folder) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('stream-json') && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
};
const side = (page) => page.locator('.stage > .panel');

journey('a crashed agent is shown with the reason and can be resumed', async ({ guest, page, model, stage }) => {
  await begin(guest, 'die now', folderWith(stage, 'dies'));
  await model.reached('die');
  await says(page, 'I am at work.');
  const agents = stage.rest().filter((pid) => agentIn(pid, join(stage.home, 'dies')));
  assert.ok(agents.length > 0, 'an agent runs');
  for (const pid of agents) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      /* the process has ended */
    }
  }
  await stands(page, 'crashed');
  await page
    .locator('.gateslot')
    .getByText(/killed by signal 9|Signal 9/)
    .first()
    .waitFor();
  // The unfinished message stays, above the line that reports the crash.
  await page.locator('.stream .mark', { hasText: /signal 9/ }).waitFor();
  const half = page.locator('.stream .saying', { hasText: 'I am at work.' });
  assert.equal(await half.count(), 1);
  await half.getByText('Not finished: the agent ended.').waitFor();
  // It is still there after a reload.
  await page.reload();
  await stands(page, 'crashed');
  await half.getByText('Not finished: the agent ended.').waitFor();
  assert.equal(await half.count(), 1);
  await page
    .getByRole('button', { name: /Resume where it stopped|^Resume/ })
    .first()
    .click();
  await stands(page, 'idle');
  await send(page, 'are you there');
  await says(page, 'You said: are you there');
});

journey('an overloaded model is retried, and the page shows it', async ({ guest, page }) => {
  await begin(guest, 'overload it');
  await page
    .locator('.gate', { hasText: 'Retrying' })
    .or(page.locator('.stream').getByText(/overloaded/i))
    .first()
    .waitFor();
  await says(page, 'At last.');
  await stands(page, 'idle');
});

journey('a background task is listed and stopped', async ({ guest, page }) => {
  await begin(guest, 'background it');
  await says(page, 'It runs in the background.');
  await side(page).getByText('1 running').waitFor();
  await side(page).getByRole('button', { name: 'Stop', exact: true }).first().click();
  await side(page)
    .getByText(/stopped/)
    .first()
    .waitFor();
});

journey('a subagent is nested below its call', async ({ guest, page }) => {
  await begin(guest, 'helper please');
  await until('asked or done', async () => (await ask(page).count()) || (await page.getByText('The helper is back.').count()));
  if (await ask(page).count()) await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'The helper is back.');
  const card = page.locator('details.call', { hasText: 'Count the files' }).first();
  // It folds when it is done, even if the user had opened it.
  await until('it is nested', async () => {
    if (!(await card.evaluate((it) => it.open))) await card.locator('summary').first().click();
    // The reference CLI may run a subagent in the background and shows its result in the task.
    const beside = process.env.SLUICE_AGENT ? side(page).getByText('There are three.') : page.locator('none');
    return card.getByText('There are three.').or(beside).first().isVisible();
  });
});

journey('requests are shown one after the other, and the window title counts them', async ({ guest, page }) => {
  await begin(guest, 'both of them');
  await ask(page).locator('.cmdbig', { hasText: 'first-of-two' }).waitFor();
  const waiting = await page.title();
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await ask(page).locator('.cmdbig', { hasText: 'second-of-two' }).waitFor();
  await decide(page, ask(page).getByRole('button', { name: /^Deny/ }));
  await says(page, 'Both decided.');
  await stands(page, 'idle');
  await until('the title is quiet again', async () => (await page.title()) !== waiting);
});

journey('a denial can stop the turn', async ({ guest, page }) => {
  await begin(guest, 'stop here');
  await ask(page).locator('.cmdbig').waitFor();
  await until('decided', async () => {
    if (!(await ask(page).count())) return true;
    await ask(page)
      .getByRole('button', { name: 'More deny options' })
      .click({ timeout: 500 })
      .catch(() => {});
    await page
      .getByRole('menuitem', { name: /Deny and stop the turn/ })
      .click({ timeout: 500 })
      .catch(() => {});
    return !(await ask(page).count());
  });
  await stands(page, 'idle');
  assert.equal(await page.getByText('not to be said').count(), 0);
});

journey('a notebook cell is shown before and after its change', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'books', {
    'a.ipynb': JSON.stringify({
      cells: [{ cell_type: 'code', id: 'one', metadata: {}, execution_count: null, outputs: [], source: ['print("before")'] }],
      metadata: { language_info: { name: 'python' } },
      nbformat: 4,
      nbformat_minor: 5,
    }),
  });
  book = join(folder, 'a.ipynb');
  await begin(guest, 'notebook please', folder);
  await ask(page).getByText(/after/).first().waitFor();
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'The cell is changed.');
  await page.locator('.call', { hasText: 'a.ipynb' }).last().waitFor();
  assert.match(readFileSync(book, 'utf8'), /after/);
});

journey('a message steers the running turn', async ({ guest, page, model }) => {
  await begin(guest, 'steer it');
  await model.reached('steer');
  await send(page, 'and look left');
  await page.locator('.queue li').getByRole('button', { name: 'Steer now' }).click();
  await page.locator('.queue li', { hasText: 'received by the agent' }).waitFor();
  model.open('steer');
  await until('asked or over', async () => (await ask(page).count()) || (await page.locator('.gate[data-standing="idle"]').count()));
  if (await ask(page).count()) await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await page.locator('.stream .said', { hasText: 'and look left' }).first().waitFor();
  await stands(page, 'idle');
});

journey('a compaction is a line in the transcript', async ({ guest, page }) => {
  await begin(guest, 'hello there');
  await stands(page, 'idle');
  await box(page).fill('/compact');
  await box(page).press('Enter');
  await until('sent', async () => {
    if ((await box(page).inputValue()) === '') return true;
    await box(page).press('Enter');
    return false;
  });
  await page
    .locator('.stream')
    .getByText(/Context compacted/)
    .first()
    .waitFor();
});

journey('a server requests input with a form made from its schema', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'forms');
  writeFileSync(
    join(stage.home, '.claude.json'),
    JSON.stringify({
      mcpServers: { forms: { type: 'stdio', command: process.execPath, args: [fileURLToPath(new URL('forms-server.mjs', import.meta.url))] } },
    }),
  );
  await begin(guest, 'table for tonight', folder);
  await ask(page)
    .getByRole('button', { name: /Allow once/ })
    .or(ask(page).getByText('For whom is the table?'))
    .first()
    .waitFor();
  if (
    await ask(page)
      .getByRole('button', { name: /Allow once/ })
      .count()
  )
    await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await ask(page).getByText('For whom is the table?').waitFor();
  await ask(page).getByLabel(/Name/).fill('Ada');
  await ask(page)
    .getByLabel(/Guests/)
    .fill('4');
  await decide(page, ask(page).getByRole('button', { name: /^Send/ }));
  await says(page, 'The table is booked.');
});

journey('a request for a file outside the folder shows the path and the reason', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'fenced');
  outside = join(folderWith(stage, 'beyond'), 'note.txt');
  await begin(guest, 'write outside', folder);
  // A command: the complete path it touches, and the reason for the request.
  await ask(page).locator('.cmdbig').getByText(`touch ${outside}`).waitFor();
  await ask(page).locator('dl.why').getByText('Path', { exact: true }).waitFor();
  await ask(page).locator('dl.why dd', { hasText: outside }).getByText('outside fenced').waitFor();
  assert.equal(existsSync(outside), false, 'nothing is done before it is allowed');
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  // A file: the title contains its path, the reason is below.
  await ask(page).getByText('from another folder').first().waitFor();
  await ask(page).getByText(`${outside}.md`).first().waitFor();
  await ask(page)
    .locator('[id^="ask-why-"]')
    .getByText(/outside|working director/i)
    .first()
    .waitFor();
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'Both lie outside.');
  assert.deepEqual([existsSync(outside), readFileSync(`${outside}.md`, 'utf8')], [true, 'from another folder\n']);
});

journey('a view-only device shows the request but cannot answer it', async ({ guest, page, another }) => {
  await begin(guest, 'both of them');
  await ask(page).locator('.cmdbig').waitFor();
  const id = sessionOf(page);
  await guest.go('#/settings/devices');
  await page.getByRole('button', { name: 'Pair another device' }).click();
  await page.getByRole('button', { name: 'Show the code for this machine' }).click();
  await page.getByText('View only').click();
  const code = (await page.locator('.pairbox .code').innerText()).trim();
  const looker = await another({ cookies: null });
  await looker.go(`#pair=${code}`);
  await looker.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await looker.page.locator('.app').waitFor();
  await looker.go(`#/s/${id}`);
  await looker.page
    .locator('.askbox')
    .getByText(/can view but not approve/)
    .first()
    .waitFor();
  assert.equal(await looker.page.getByRole('button', { name: /Allow once/ }).count(), 0);
});

journey('a session is replayed', async ({ guest, page }) => {
  const id = await begin(guest, 'hello there');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.locator('.replay-stream').waitFor();
  await page.getByRole('slider', { name: 'Where in the session' }).focus();
  await page.keyboard.press('End');
  await page.locator('.replay-stream').getByText('You said: hello there').waitFor();
  // It may still be playing and continues from there.
  await until('at the beginning', async () => {
    await page.keyboard.press('Home');
    return (await page.locator('.replay-stream').getByText('You said: hello there').count()) === 0;
  });
});
