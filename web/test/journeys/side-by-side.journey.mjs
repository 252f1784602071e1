// Wide screens and Git folders: sessions side by side, a worktree from a checkbox, a timeline.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ask, assert, begin, box, decide, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';

const { journey } = stageFor({
  'left side': [[{ text: 'This is the left one.' }]],
  'right side': [[{ text: 'This is the right one.' }]],
  'middle side': [[{ text: 'This is the middle one.' }]],
  'in a tree': [[{ tool: 'Bash', input: { command: 'pwd > where.txt', description: 'Say where' } }], [{ text: 'Written in the tree.' }]],
  'waits here': [[{ tool: 'Bash', input: { command: 'touch allowed-beside', description: 'Make a file' } }], [{ text: 'Allowed beside.' }]],
});

journey(
  'two sessions side by side have separate message boxes and share the panel',
  async ({ guest, page }) => {
    await begin(guest, 'left side');
    await says(page, 'This is the left one.');
    const left = sessionOf(page);
    await begin(guest, 'right side');
    await says(page, 'This is the right one.');
    await stands(page, 'idle');
    await page
      .locator('header.head')
      .getByRole('button', { name: /^Menu of/ })
      .click();
    await page
      .getByRole('menuitem', { name: 'Open beside: left side' })
      .or(page.getByRole('menuitem', { name: /left side/ }))
      .first()
      .click();
    const [first, second] = [page.locator('.stage > main.main'), page.locator('.stage > .main.beside')];
    await second.getByText('This is the left one.').first().waitFor();
    await first.getByText('This is the right one.').first().waitFor();
    // Both are wide enough to read, and nothing is cut off.
    for (const one of [first, second]) assert.ok((await one.boundingBox()).width >= 560, `${(await one.boundingBox()).width}`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1);
    await second.locator('#message, textarea').first().fill('left side, once more');
    await second.locator('textarea').first().press('Enter');
    await until('answered there alone', async () => (await second.getByText('This is the left one.').count()) >= 2);
    assert.equal(await first.getByText('once more').count(), 0);
    // A link to both opens both.
    await page.reload();
    await page.locator('.stage > .main.beside').getByText('This is the left one.').first().waitFor();
    await page
      .locator('.stage > .main.beside header.head')
      .getByRole('button', { name: /^Menu of/ })
      .click();
    await page.getByRole('menuitem', { name: /Close/ }).click();
    await page.locator('.stage > .main.beside').waitFor({ state: 'detached' });
    assert.notEqual(sessionOf(page), left);
  },
  { viewport: { width: 1920, height: 1000 } },
);

journey(
  'three sessions fit side by side at 1600 pixels, and fewer on a smaller screen',
  async ({ guest, page }) => {
    const ids = [];
    for (const name of ['left', 'middle', 'right']) {
      ids.push(await begin(guest, `${name} side of three`));
      await says(page, `This is the ${name} one.`);
      await stands(page, 'idle');
    }
    const [left, middle, right] = ids;
    const side = (id) => page.locator(`.stage > .main[data-session="${id}"]`);
    for (const name of ['left', 'middle']) {
      await side(right)
        .locator('header.head')
        .getByRole('button', { name: /^Menu of/ })
        .click();
      await page
        .getByRole('menuitem', { name: new RegExp(`Open beside: ${name} side of three`) })
        .first()
        .click();
      await page.locator('.stage > .main.beside').getByText(`This is the ${name} one.`).first().waitFor();
    }
    // All three can be used; nothing is cut off.
    for (const id of ids) {
      const box = await side(id).boundingBox();
      assert.ok(box.width >= 416, `${box.width}`);
      const send = await side(id).locator('.sendbtn').boundingBox();
      assert.ok(send.x + send.width <= box.x + box.width, 'Send is whole');
    }
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1);
    // There is no space for a fourth, and the panel is shown as a drawer.
    await side(right)
      .locator('header.head')
      .getByRole('button', { name: /^Menu of/ })
      .click();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: /^Open beside/ }).count(), 0);
    await page.keyboard.press('Escape');
    await page.locator('.stage > .panel').waitFor({ state: 'detached' });
    // Keys move from box to box; input goes to the one that has the focus.
    await side(right).locator('textarea').first().focus();
    const focused = () => page.evaluate(() => document.activeElement?.closest('.main')?.dataset.session);
    for (const id of [left, middle, right, left]) {
      await page.keyboard.press('Alt+PageDown');
      assert.equal(await focused(), id);
    }
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA');
    await page.keyboard.press('Alt+PageUp');
    await page.keyboard.press('Alt+PageUp');
    assert.equal(await focused(), middle);
    await page.keyboard.type('middle side, by key');
    await page.keyboard.press('Enter');
    await side(middle).locator('.stream').getByText('middle side, by key').first().waitFor();
    for (const id of [left, right]) assert.equal(await side(id).getByText('middle side, by key').count(), 0);
    await until('answered', async () => (await side(middle).getByText('This is the middle one.').count()) >= 2);
    // The panel shows the session that has the focus, above the others.
    await side(middle).locator('.stream').focus();
    await page.keyboard.press('\\');
    await page.locator('.stage > .panel').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.stage > .panel').waitFor({ state: 'detached' });
    // A smaller window shows two, a wider one three again.
    await page.setViewportSize({ width: 1300, height: 900 });
    await until('two', async () => (await page.locator('.stage > .main').count()) === 2);
    await page.setViewportSize({ width: 1600, height: 1000 });
    await until('three', async () => (await page.locator('.stage > .main').count()) === 3);
    // The first is closed: the next one takes its place.
    await side(right)
      .getByRole('button', { name: /^Close this pane/ })
      .click();
    await page.waitForURL((url) => url.hash.startsWith(`#/s/${left}`));
    await until('two are left', async () => (await page.locator('.stage > .main').count()) === 2);
    await side(middle)
      .getByRole('button', { name: /^Close this pane/ })
      .click();
    await until('one is left', async () => (await page.locator('.stage > .main').count()) === 1);
    assert.equal(sessionOf(page), left);
    assert.ok(!page.url().includes('beside'));
  },
  { viewport: { width: 1600, height: 1000 } },
);

journey(
  'a request of the second session is answered in its place',
  async ({ guest, page }) => {
    await begin(guest, 'waits here');
    await ask(page).locator('.cmdbig').waitFor();
    const waits = sessionOf(page);
    await begin(guest, 'left side');
    await says(page, 'This is the left one.');
    await guest.go(`#/s/${sessionOf(page)}?beside=${waits}`);
    const second = page.locator('.stage > .main.beside');
    await second.locator('.askbox .cmdbig').waitFor();
    await decide(page, second.getByRole('button', { name: /Allow once/ }));
    await second.getByText('Allowed beside.').first().waitFor();
  },
  { viewport: { width: 1920, height: 1000 } },
);

journey('a worktree session leaves the folder unchanged', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'with-git', { 'README.md': '# Here\n' });
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], { cwd: folder, env: { ...process.env, HOME: stage.home } });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await page.getByRole('radio', { name: /New worktree/ }).check();
  await box(page).fill('in a tree');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.waitForURL(/#\/s\//);
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'Written in the tree.');
  const trees = String(git('worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice(9));
  assert.equal(trees.length, 2, trees.join());
  assert.ok(existsSync(join(trees[1], 'where.txt')), 'the file is in the tree');
  assert.ok(!existsSync(join(folder, 'where.txt')), 'and not in the folder');
  // The session has the name of the repository; files of its worktrees are not completed after @.
  assert.match(await page.locator('header.head .where .not-phone').innerText(), /^with-git \//);
  await page.locator('.rail-list a', { hasText: 'in a tree' }).getByText('with-git').waitFor();
  await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
  await box(page).pressSequentially('@README');
  await page
    .getByRole('option', { name: /README/ })
    .first()
    .waitFor();
  assert.deepEqual(await page.locator('.choices [role="option"]').allInnerTexts(), ['README.md']);
});

journey('the timeline shows a compaction, is scrubbed, and is replayed at any speed', async ({ guest, page }) => {
  const id = await begin(guest, 'left side');
  await says(page, 'This is the left one.');
  await stands(page, 'idle');
  await box(page).fill('/compact');
  await page.keyboard.press('Escape');
  await box(page).fill('/compact');
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
  await stands(page, 'idle');
  await send(page, 'after that');
  await says(page, 'You said: after that');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  await page.getByRole('img', { name: /^Compacted at/ }).waitFor();
  await page.getByRole('slider', { name: 'Where in the session' }).focus();
  await page.keyboard.press('Home');
  await page.getByRole('button', { name: 'Open at this point' }).waitFor();
  await page.getByRole('button', { name: 'Replay' }).click();
  const speed = page.getByRole('slider', { name: 'Speed' });
  await speed.focus();
  await page.keyboard.press('Home');
  assert.equal(await speed.getAttribute('aria-valuetext'), '0.25 ×');
  await page.keyboard.press('End');
  assert.equal(await speed.getAttribute('aria-valuetext'), '1024 ×');
  await page.locator('.replay-stream').getByText('You said: after that').waitFor();
});
