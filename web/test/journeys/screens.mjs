// Every screen of the page in a useful state, for axe and for screenshots.
import { readFileSync } from 'node:fs';
import { ask, decide, folderWith, says, send, sessionOf, stands } from './journey.mjs';

const todo = (subject) => ({ tool: 'TaskCreate', input: { subject, description: subject, activeForm: subject } });
const ANSWER = `The reaper takes a connection twice when its lease ends *while* it is being checked. Two places look at \`idle_since\`:

1. \`reap()\` reads it under the lock,
2. \`checkout()\` writes it after the lock is gone.

\`\`\`rust
fn reap(&mut self, now: Instant) -> usize {
    let before = self.idle.len();
    self.idle.retain(|one| now - one.idle_since < self.max_idle);
    before - self.idle.len()
}
\`\`\`

| path | lock held | safe |
|---|---|---|
| reap | yes | yes |
| checkout | no | **no** |

> The lock has to be held until the write is done.`;
let folder = '';
const OLD =
  'fn checkout(&mut self) -> Option<Connection> {\n    let one = self.idle.pop()?;\n    drop(self.lock());\n    one.idle_since = Instant::now();\n    Some(one)\n}\n';
const NEW = OLD.replace('    drop(self.lock());\n    one.idle_since = Instant::now();\n', '    one.idle_since = Instant::now();\n    drop(self.lock());\n');

export const SCENES = {
  'Why does the reaper': [
    [{ thinking: 'The lease table and the idle list are written in different places. I should look at both before I say anything.' }, { text: ANSWER }],
  ],
  'Make a list': [
    [todo('Look at the lease table'), todo('Hold the lock longer'), todo('Test it a thousand times')],
    [
      { tool: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
      { tool: 'TaskUpdate', input: { taskId: '2', status: 'in_progress' } },
    ],
    [{ text: 'Three steps; the first is done.' }],
  ],
  'Run the tests': [
    [
      { text: 'I run the tests of the pool.' },
      {
        tool: 'Bash',
        input: {
          command: 'printf "\\033[32mok\\033[0m  reaps_idle\\n\\033[31mFAILED\\033[0m  reaps_once\\n"; exit 101',
          description: 'Run the tests of the pool',
        },
      },
    ],
    [{ text: 'One of two fails: `reaps_once`.' }],
  ],
  'Hold the lock': () => [
    [{ text: 'I read it first.' }, { tool: 'Read', input: { file_path: `${folder}/src/pool.rs` } }],
    [
      { text: 'The write has to come before the lock is let go.' },
      { tool: 'Edit', input: { file_path: `${folder}/src/pool.rs`, old_string: OLD, new_string: NEW } },
    ],
    [{ text: 'Done: the lock is held until the write is done.' }],
  ],
  'Ask me how': [
    [
      {
        tool: 'AskUserQuestion',
        input: {
          questions: [
            {
              question: 'How long may a connection be idle?',
              header: 'Idle time',
              multiSelect: false,
              options: [
                { label: '30 seconds (Recommended)', description: 'As it is now' },
                { label: '5 minutes', description: 'Fewer new connections, more memory' },
              ],
            },
            {
              question: 'Where should it be logged?',
              header: 'Log',
              multiSelect: true,
              options: [
                { label: 'Journal', description: 'Structured' },
                { label: 'Standard error', description: 'As text' },
              ],
            },
          ],
        },
      },
    ],
    [{ text: 'Thank you.' }],
  ],
  'Plan the change': [
    [
      {
        tool: 'ExitPlanMode',
        input: {
          plan: '# Hold the lock until the write is done\n\n1. Move the write of `idle_since` before the lock is let go\n2. Add a test that takes and reaps at once\n3. Run it a thousand times\n\nNothing else changes.',
        },
      },
    ],
    [{ text: 'I begin.' }],
  ],
  'Go on for a while': [[{ text: ANSWER.slice(0, 180) }, { gate: 'a while' }, { text: ANSWER.slice(180) }]],
};

async function start(guest, text, mode) {
  await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
  await guest.page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await guest.page.getByLabel('Model', { exact: true }).fill(mode?.model ?? '');
  await guest.page.getByLabel('Permission mode').selectOption(mode?.mode ?? 'default');
  await guest.page.locator('#message').fill(text);
  await guest.page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await guest.page.waitForURL(/#\/s\//);
}

/** Visits the screens; yields the name of each once it is rendered. */
export async function* screensOf({ guest, page }) {
  folder = folderWith(guest.stage, 'tidepool', { 'src/pool.rs': OLD, 'README.md': '# Tidepool\n' });
  await guest.go('#/new');
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  await page.locator('.folds input').first().waitFor({ state: 'attached' });
  yield 'new';
  await start(guest, 'Why does the reaper take a connection twice?');
  await says(page, 'The lock has to be held');
  await stands(page, 'idle');
  const idle = sessionOf(page);
  yield 'session-idle';
  await start(guest, 'Make a list of what is to be done', { model: 'claude-haiku-4-5' });
  await says(page, 'Three steps');
  await stands(page, 'idle');
  yield 'session-tasks';
  await page
    .getByRole('button', { name: /^Menu of/ })
    .last()
    .waitFor();
  await start(guest, 'Run the tests of the pool');
  await ask(page).locator('.cmdbig').waitFor();
  yield 'session-permission';
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'One of two fails');
  await page.locator('details.call.err[open]').waitFor();
  yield 'session-failure';
  await start(guest, 'Hold the lock until the write is done');
  await ask(page).locator('.diff').waitFor();
  yield 'session-edit';
  await ask(page).getByRole('button', { name: 'Edit first' }).click();
  await ask(page).getByLabel('New text').waitFor();
  yield 'session-edit-changed';
  await decide(page, ask(page).getByRole('button', { name: /Allow once|Allow my version/ }));
  await says(page, 'Done: the lock');
  const edited = sessionOf(page);
  await guest.go(`#/s/${edited}/changes`);
  await page.locator('.fbox .diff').first().waitFor();
  yield 'session-changes';
  await guest.go(`#/s/${edited}/overview`);
  await page.getByText('The session so far').first().waitFor();
  await page.getByText('Loading').first().waitFor({ state: 'detached' });
  yield 'session-overview';
  await start(guest, 'Ask me how long it may be idle');
  await ask(page).getByText('How long may').waitFor();
  yield 'session-question';
  await start(guest, 'Plan the change of the lock', { mode: 'plan' });
  await page.getByRole('button', { name: /Approve, accept edits/ }).waitFor();
  yield 'session-plan';
  await start(guest, 'Go on for a while');
  await says(page, 'The reaper takes');
  await stands(page, 'running');
  yield 'session-streaming';
  await send(page, 'And look at the README after that').catch(() => {});
  for (const [name, hash, heading] of [
    ['sessions', '#/', 'Sessions'],
    ['usage', '#/usage', 'Usage'],
    ['settings', '#/settings', 'Settings'],
    ['settings-appearance', '#/settings/appearance', 'Settings'],
    ['settings-devices', '#/settings/devices', 'Settings'],
    ['settings-agents', '#/settings/agents', 'Settings'],
    ['settings-bridge', '#/settings/bridge', 'Settings'],
    ['help', '#/help', 'Help'],
    ['keys', '#/keys', 'Keyboard shortcuts'],
    ['welcome', '#/welcome', 'Welcome to Sluice'],
  ]) {
    await guest.go(hash);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    if (name === 'settings-devices')
      await page
        .getByRole('row', { name: /Computer/ })
        .first()
        .waitFor();
    if (name === 'usage') await page.locator('.hb [title="claude-opus-5-5"]').first().waitFor();
    yield name;
  }
  await guest.go('#/?q=reaper');
  await page.locator('.hit').first().waitFor();
  yield 'search';
  await guest.go(`#/s/${idle}`);
  await says(page, 'The lock has to be held');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  yield 'palette';
  await page.keyboard.press('Escape');
  await page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .click();
  await page.getByRole('menuitem', { name: 'Export…' }).waitFor();
  yield 'session-menu';
  await page.getByRole('menuitem', { name: 'Export…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).waitFor();
  yield 'export';
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await guest.go('#/s/nothing-of-that-name');
  await page.getByText('Session not found').waitFor();
  yield 'gone';
}

/** States of trouble: a silent agent, a crashed agent, a lost connection. */
export async function* troublesOf({ guest, page }) {
  folder = folderWith(guest.stage, 'tidepool', { 'src/pool.rs': OLD, 'README.md': '# Tidepool\n' });
  // A proxy between bridge and page: a minute of silence is too long for a test, and browsers report broken
  // connections.
  const proxy = { silent: false, held: false, cut: () => {} };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    proxy.cut = () => socket.close({ code: 1012, reason: 'cut' });
    if (proxy.held) return;
    const silent = (info) =>
      info.standing === 'running' && proxy.silent ? { ...info, standing: 'stalled', lastSign: Date.now() - 130_000, since: Date.now() - 70_000 } : info;
    socket.connectToServer().onMessage((text) => {
      const message = JSON.parse(text);
      if (message.type === 'state') message.info = silent(message.info);
      if (message.type === 'session') message.session = silent(message.session);
      socket.send(JSON.stringify(message));
    });
  });
  await start(guest, 'Go on for a while, quietly');
  await says(page, 'The reaper takes');
  await stands(page, 'running');
  const id = sessionOf(page);
  proxy.silent = true;
  await page.reload();
  await page.locator('.ladder').waitFor();
  yield 'session-stalled';
  proxy.silent = false;
  await page.reload();
  await stands(page, 'running');
  await says(page, 'The reaper takes');
  proxy.held = true;
  proxy.cut();
  await page.locator('.gate.off').waitFor();
  await page
    .locator('.gate')
    .getByText(/Not connected/)
    .waitFor();
  yield 'session-offline';
  proxy.held = false;
  await page.reload();
  await stands(page, 'running');
  const agents = guest.stage.rest().filter((pid) => agentOf(pid, id));
  for (const pid of agents) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      /* the process has ended */
    }
  }
  await stands(page, 'crashed');
  await page.locator('.gatebody.crash').getByRole('button').first().waitFor();
  yield 'session-crashed';
}

/** True if a process is the agent of a session: its runner belongs to the session, and it speaks the protocol. */
function agentOf(pid, id) {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    if (!words.includes('stream-json')) return false;
    const parent = /PPid:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '0';
    return readFileSync(`/proc/${parent}/cmdline`, 'latin1').includes(id) || words.includes(id);
  } catch {
    return false;
  }
}
