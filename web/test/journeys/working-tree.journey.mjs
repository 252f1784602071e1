// Working in the folder of a session: Git, files, the queue of a stopped turn, a failed turn, templates.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFinds } from './browser.mjs';
import { ask, assert, begin, box, decide, folderWith, says, sessionOf, stageFor, stands, until } from './journey.mjs';

const held = (name) => [[{ text: `Working on ${name}. ` }, { gate: name }, { text: `The end of ${name}.` }]];
const deaths = new Set(['die once wide', 'die once phone']);
const GH = '#!/bin/sh\necho "$@" >> "$HOME/gh.log"\necho https://github.example/pull/7\n';
const { journey } = stageFor(
  {
    'hold wide': held('hold wide'),
    'hold phone': held('hold phone'),
    'die once': (prompt) =>
      deaths.delete(prompt)
        ? [[{ text: 'I am at work. ' }, { gate: prompt.replace(' once', '') }, { text: 'never said' }]]
        : [[{ text: 'It worked the second time.' }]],
    'where is the bug': [[{ text: 'It is in `src/pool.rs:3`, and lib.rs:1 calls it. Outside: `/etc/passwd:1`.' }]],
    'in a tree': (prompt) => [
      [{ tool: 'Bash', input: { command: `pwd > ${prompt.split(' ').at(-1)}.txt`, description: 'Make a file' } }],
      [{ text: 'Written in the tree.' }],
    ],
    'run a command': [[{ tool: 'Bash', input: { command: 'echo made > by-command.txt', description: 'Make a file' } }], [{ text: 'It is made.' }]],
  },
  { programs: { gh: GH } },
);
const SIZES = [
  ['wide', { viewport: { width: 1440, height: 900 } }],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
];

const numbered = (edit = {}) => `${Array.from({ length: 30 }, (_, i) => edit[i + 1] ?? `line ${i + 1}`).join('\n')}\n`;
/** A repository with one commit, and a function that runs Git in it. */
function repository(stage, name) {
  const folder = folderWith(stage, name, { 'pool.rs': numbered(), '.gitignore': '*.log\n' });
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], { cwd: folder, env: stage.env, encoding: 'utf8' }).trim();
  writeFileSync(join(stage.home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'First');
  return { folder, git };
}
const confirm = async (page, name = 'Run') => {
  const sheet = page.getByRole('dialog').filter({ has: page.getByRole('button', { name, exact: true }) });
  const commands = await sheet.locator('pre').innerText();
  await sheet.getByRole('button', { name, exact: true }).click();
  await sheet.waitFor({ state: 'hidden' });
  return commands;
};
/** Sends with the button: on a phone Enter inserts a line break. */
const type = async (page, text) => {
  await box(page).fill(text);
  await page.locator('.sendbtn').click();
  await until('the box is empty', async () => (await box(page).inputValue()) === '');
};
/** A Git action on one file: with its button, or in its menu if there is no space for the button. */
const fileStep = async (page, path, name) => {
  const file = page.locator('.fbox', { has: page.getByText(path, { exact: true }) });
  const button = file.getByRole('button', { name, exact: true });
  if (await button.isVisible()) return button.click();
  await file.getByRole('button', { name: `Menu of ${path}` }).click();
  await page.getByRole('menuitem', { name }).click();
};
const wider = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

for (const [size, visitor] of SIZES) {
  journey(
    `changes of commands are shown, discarded by hunk and file, committed, pushed and proposed (${size})`,
    async ({ guest, page, stage }) => {
      const { folder, git } = repository(stage, `git-${size}`);
      execFileSync('git', ['init', '-q', '--bare', `bare-${size}.git`], { cwd: stage.home, env: stage.env });
      git('remote', 'add', 'origin', join(stage.home, `bare-${size}.git`));
      const id = await begin(guest, 'run a command', folder);
      await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
      await stands(page, 'idle');
      writeFileSync(join(folder, 'pool.rs'), numbered({ 2: 'second', 28: '28th' }));
      writeFileSync(join(folder, 'scratch.txt'), 'not needed\n');
      await guest.go(`#/s/${id}/changes`);
      const file = (name) => page.locator('.fbox', { has: page.getByText(name, { exact: true }) });
      await file('by-command.txt').getByText('made').first().waitFor();
      assert.deepEqual(await axeFinds(page), []);
      assert.ok((await wider(page)) <= 1, 'nothing is wider than the screen');
      // One hunk, then one file.
      await file('pool.rs').getByRole('button', { name: 'Discard this change' }).first().click();
      await confirm(page);
      // Git removes the file for a moment while it writes it.
      await until('one hunk is gone', () => existsSync(join(folder, 'pool.rs')) && readFileSync(join(folder, 'pool.rs'), 'utf8') === numbered({ 28: '28th' }));
      await fileStep(page, 'scratch.txt', 'Discard changes of scratch.txt');
      await confirm(page);
      await until('the file is gone', () => !existsSync(join(folder, 'scratch.txt')));
      // A comment goes into the next message; it stays open when the working tree is updated.
      await fileStep(page, 'by-command.txt', 'Comment');
      await page.getByRole('textbox', { name: 'Comment' }).fill('rename it');
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('button', { name: 'Add to message' }).click();
      // The suggested message is used unchanged.
      await page.getByRole('button', { name: 'Commit 2 files' }).click();
      assert.match(await confirm(page), /^git add -A -- .*\ngit commit -q -m 'Update pool\.rs, add by-command\.txt' --only -- /);
      await page.getByText('No changes since the last commit.').waitFor();
      assert.equal(git('log', '-1', '--format=%an %s'), 'Ada Update pool.rs, add by-command.txt');
      // The message of a commit is not suggested again.
      writeFileSync(join(folder, 'pool.rs'), numbered({ 2: 'second', 28: '28th' }));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByLabel('Commit message').fill('Second');
      await page.getByRole('button', { name: 'Commit 1 file' }).click();
      await confirm(page);
      await page.getByText('No changes since the last commit.').waitFor();
      writeFileSync(join(folder, 'pool.rs'), numbered({ 3: 'third' }));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await until('the message is a new suggestion', async () => (await page.getByLabel('Commit message').inputValue()) === 'Update pool.rs');
      await file('pool.rs').getByRole('button', { name: 'Discard this change' }).first().click();
      await confirm(page);
      await page.getByRole('button', { name: 'Push', exact: true }).click();
      await confirm(page);
      await page.getByText('origin/main').waitFor();
      await page.getByRole('button', { name: 'Pull request…' }).click();
      await page.getByLabel('Title', { exact: true }).fill('Fix the pool');
      await page.getByRole('button', { name: 'Open pull request' }).click();
      await confirm(page);
      await page.getByText('https://github.example/pull/7').first().waitFor();
      assert.match(readFileSync(join(stage.home, 'gh.log'), 'utf8'), /pr create --head main --title Fix the pool/);
      // Each action is in the audit log, with its commands.
      await guest.go('#/settings/devices');
      await page
        .getByText(/git commit -q -m/)
        .first()
        .waitFor();
      await page
        .getByText(/git push/)
        .first()
        .waitFor();
      await guest.go(`#/s/${id}`);
      assert.equal(await box(page).inputValue(), 'by-command.txt\nrename it');
    },
    { limit: 120_000, ...visitor },
  );

  journey(
    `the worktree of a session is merged, another one discarded (${size})`,
    async ({ guest, page, stage }) => {
      const { folder, git } = repository(stage, `trees-${size}`);
      const trees = () =>
        git('worktree', 'list', '--porcelain')
          .split('\n')
          .filter((line) => line.startsWith('worktree ')).length;
      const inTree = async (name) => {
        await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
        await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
        await page.getByRole('radio', { name: /New worktree/ }).check();
        await box(page).fill(`in a tree ${name}`);
        await page
          .locator('.comp')
          .getByRole('button', { name: /^Start/ })
          .click();
        await page.waitForURL(/#\/s\//);
        await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
        await says(page, 'Written in the tree.');
        await guest.go(`#/s/${sessionOf(page)}/changes`);
        await page.getByRole('button', { name: 'Commit 1 file' }).waitFor();
      };
      await inTree('first');
      // A merge needs a clean working tree.
      await page
        .getByRole('button', { name: /^Merge/ })
        .and(page.locator(':disabled'))
        .waitFor();
      await page.getByRole('button', { name: 'Commit 1 file' }).click();
      await confirm(page);
      await page.getByRole('button', { name: 'Merge 1 commit into main' }).click();
      assert.match(await confirm(page), /git .*merge/);
      // Git writes the files before it moves the branch.
      await until('the branch has the commit', () => git('log', '-1', '--format=%s') === 'Add first.txt');
      assert.ok(existsSync(join(folder, 'first.txt')));
      // The session is listed with the name of the repository; files of its worktrees are not completed after @.
      await guest.go('#/');
      await page.locator('.lrow', { hasText: 'in a tree first' }).getByText(`trees-${size}`).filter({ visible: true }).first().waitFor();
      await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
      await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
      await box(page).pressSequentially('@pool');
      await page
        .getByRole('option', { name: /pool\.rs/ })
        .first()
        .waitFor();
      assert.deepEqual(await page.locator('.choices [role="option"]').allInnerTexts(), ['pool.rs']);
      await box(page).fill('');
      await inTree('second');
      assert.equal(trees(), 3);
      await page.getByRole('button', { name: 'Discard worktree' }).click();
      await confirm(page);
      await until('the worktree is gone', () => trees() === 2);
      await page.getByText('Worktree removed.').first().waitFor();
      assert.deepEqual(await axeFinds(page), []);
      await guest.go('#/settings/devices');
      await page
        .getByText(/git .*worktree remove/)
        .first()
        .waitFor();
    },
    { limit: 120_000, ...visitor },
  );

  journey(
    `a path in the transcript opens the file at its line, and the tree marks ignored files (${size})`,
    async ({ guest, page, stage }) => {
      const folder = folderWith(stage, `files-${size}`, {
        'src/pool.rs': 'fn pool() {\n    // two\n    reap();\n}\n',
        'lib.rs': 'mod pool;\n',
        'noise.log': 'x\n',
        '.gitignore': '*.log\n',
      });
      symlinkSync('/etc/passwd', join(folder, 'way-out'));
      const id = await begin(guest, 'where is the bug', folder);
      await stands(page, 'idle');
      await page.locator('.stream').getByRole('link', { name: 'src/pool.rs:3' }).click();
      const line = page.locator('.source tr.here');
      await line.getByText('reap').waitFor();
      assert.equal(await line.getAttribute('data-line'), '3');
      await page.locator('.source .code span').first().waitFor();
      assert.deepEqual(await axeFinds(page), []);
      assert.ok((await wider(page)) <= 1, 'nothing is wider than the screen');
      await page.goBack();
      await page.locator('.stream').getByRole('link', { name: '/etc/passwd:1' }).click();
      await page.getByText(/Outside the folder of this session|outside the folder of this session/).waitFor();
      await guest.go(`#/s/${id}/files`);
      const tree = page.getByRole('navigation', { name: 'Files' });
      await tree
        .getByRole('link', { name: /noise\.log/ })
        .getByText('ignored by git')
        .waitFor({ state: 'attached' });
      await tree.getByRole('button', { name: 'src' }).click();
      await tree.getByRole('link', { name: 'pool.rs' }).click();
      await page.locator('.source').getByText('two').waitFor();
    },
    visitor,
  );

  journey(
    `a turn is stopped and its queue held until it is released (${size})`,
    async ({ guest, page, model }) => {
      await begin(guest, `hold ${size}`);
      await model.reached(`hold ${size}`);
      await type(page, 'and then this');
      await page.locator('.queue li', { hasText: 'and then this' }).waitFor();
      await page.getByRole('button', { name: 'More stop options' }).click();
      await page.getByRole('menuitem', { name: 'Stop and hold the queued message' }).click();
      await page
        .locator('.queue')
        .getByText(/1 message is held/)
        .waitFor();
      await stands(page, 'idle');
      model.open(`hold ${size}`);
      // A new message is sent; the held one stays, also after a reload.
      await type(page, 'first do that');
      await says(page, 'You said: first do that');
      await page.reload();
      await page
        .locator('.queue')
        .getByText(/1 message is held/)
        .waitFor();
      assert.equal(await page.locator('.stream').getByText('You said: and then this').count(), 0);
      await page.getByRole('button', { name: 'Release' }).click();
      await says(page, 'You said: and then this');
      await until('nothing waits', async () => (await page.locator('.queue li').count()) === 0);
    },
    visitor,
  );
}

/** True if a process is an agent that works in a folder. */
const agentIn = (pid, folder) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('stream-json') && readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
};

for (const [size, visitor] of SIZES) {
  journey(
    `a turn whose agent crashed is retried with its message (${size})`,
    async ({ guest, page, model, stage }) => {
      const folder = folderWith(stage, `dies-${size}`);
      await begin(guest, `die once ${size}`, folder);
      await model.reached(`die ${size}`);
      await says(page, 'I am at work.');
      for (const pid of stage.rest().filter((one) => agentIn(one, folder))) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          /* the process has ended */
        }
      }
      await stands(page, 'crashed');
      await page.getByRole('button', { name: 'Resume and send the message again' }).click();
      await says(page, 'It worked the second time.');
      await stands(page, 'idle');
    },
    visitor,
  );

  journey(
    `a template is created on the page and completed after a slash at once (${size})`,
    async ({ guest, page, stage }) => {
      await begin(guest, 'hello there');
      await stands(page, 'idle');
      const session = page.url();
      await guest.go('#/settings/templates');
      await page.getByRole('button', { name: 'New template' }).click();
      await page.getByLabel('Name', { exact: true }).fill(`heron-${size}`);
      await page.getByLabel('Text', { exact: true }).fill('Look at the herons.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').first().waitFor();
      assert.equal(readFileSync(join(stage.home, `.claude/commands/heron-${size}.md`), 'utf8'), 'Look at the herons.');
      await page.goto(session);
      await box(page).pressSequentially(`/heron-${size}`);
      await page.getByRole('option', { name: /^\/heron/ }).click();
      await until('the template is in the box', async () => /Look at the herons\.|\/heron/.test(await box(page).inputValue()));
      await guest.go('#/settings/templates');
      await page.getByRole('button', { name: `Delete heron-${size}` }).click();
      await until('the file is gone', () => !existsSync(join(stage.home, `.claude/commands/heron-${size}.md`)));
    },
    visitor,
  );

  journey(
    `the address of a closed port is reported at once (${size})`,
    async ({ guest, page }) => {
      await guest.go('#/settings/agents');
      await page.getByLabel('Address', { exact: false }).first().fill('http://127.0.0.1:9');
      const began = Date.now();
      await page.getByRole('button', { name: 'Check the address' }).click();
      await page
        .getByText(/Does not work/)
        .first()
        .waitFor();
      assert.ok(Date.now() - began < 5_000, `${Date.now() - began} ms`);
    },
    visitor,
  );
}
