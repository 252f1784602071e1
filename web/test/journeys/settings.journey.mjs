// Usage, settings, devices, help and the panels of a session.
import { assert, begin, folderWith, says, stageFor, stands, until } from './journey.mjs';

const { journey } = stageFor({
  'say the word': [[{ text: 'The word is heliotrope.' }]],
});

journey('usage shows the cost by day, folder and model, also as a table', async ({ guest, page }) => {
  await begin(guest, 'say the word');
  await says(page, 'heliotrope');
  await stands(page, 'idle');
  await guest.go('#/usage');
  await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
  // By the name its agent announced; the id is in the tooltip.
  await page.getByText('Opus 5.5', { exact: true }).first().waitFor();
  await page.locator('.hb [title="claude-opus-5-5"]', { hasText: 'Opus 5.5' }).waitFor();
  await page.getByRole('heading', { name: 'Cost per' }).waitFor();
  for (const by of ['Day', 'Turn', 'Session', 'Folder', 'Model']) {
    await page.getByRole('radio', { name: by, exact: true }).click();
    // Every bar is stacked by model and labelled.
    await page.locator('svg.stacks rect').first().waitFor({ state: 'attached' });
    await page.locator('.bars').getByRole('button', { name: /\$/ }).last().waitFor();
    await page.locator('.legend').getByText('Opus 5.5').waitFor();
  }
  await page.getByText('Show as a table').click();
  await page
    .getByRole('row', { name: /Opus 5\.5/ })
    .first()
    .waitFor();
});

journey('fast mode is switched on in the settings and used by the next session', async ({ guest, page, model }) => {
  await guest.go('#/settings');
  await page.getByText('Fast mode', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Use haiku' }).click();
  await until('it stands in the field above', async () => (await page.getByLabel('Model', { exact: true }).inputValue()) === 'haiku');
  await page.reload();
  await until('it is kept', async () => (await page.getByLabel('Model', { exact: true }).inputValue()) === 'haiku');
  await begin(guest, 'say the word quickly');
  await says(page, 'heliotrope');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Model: Haiku/ })
    .waitFor();
  assert.match(model.asked.find((one) => one.main && one.prompt === 'say the word quickly').model, /haiku/);
});

journey('theme and language are stored and apply after a reload', async ({ guest, page }) => {
  await guest.go('#/settings/appearance');
  await page.getByRole('radio', { name: 'Dark' }).click();
  await page.getByRole('radio', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Aussehen' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Aussehen' }).waitFor();
  assert.deepEqual(await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]), ['dark', 'de']);
  await guest.go('#/');
  await page.getByRole('heading', { name: 'Sitzungen', level: 1 }).waitFor();
});

journey('another device is paired with a code, listed, and revoked', async ({ guest, page, another }) => {
  await guest.go('#/settings/devices');
  await page.getByRole('button', { name: 'Pair another device' }).click();
  await page.getByRole('button', { name: 'Show the code for this machine' }).click();
  await page.getByText('View only').click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  const code = (await page.locator('.pairbox .code').innerText()).trim();
  const guestbook = await another({ cookies: null, allowed: /401|WebSocket/ });
  await guestbook.go(`#pair=${code}`);
  await guestbook.page.getByLabel('Name of this device').fill('Borrowed tablet');
  await guestbook.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await guestbook.page.locator('.app').waitFor();
  await page.keyboard.press('Escape');
  const row = page.getByRole('row', { name: /Borrowed tablet/ });
  await row.getByText('View only').waitFor();
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
  await guestbook.page.getByText('Access for this device was revoked').waitFor();
  await row.waitFor({ state: 'detached' });
});

journey('effort, thinking and output style are chosen in the panel and kept after a reload', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  const chosen = page.locator('.chosen').first();
  const unfold = () =>
    until('Settings are open', async () => {
      if (await chosen.isVisible()) return true;
      await page
        .locator('details', { has: page.locator('.chosen') })
        .locator('summary')
        .first()
        .click();
      return chosen.isVisible();
    });
  await unfold();
  await chosen.getByLabel('Thinking').selectOption('10000');
  await chosen.getByLabel('Output style').selectOption('Explanatory');
  await page
    .getByText(/Saved for this folder/)
    .first()
    .waitFor();
  // A field shows the choice once it is saved.
  await until('the style is saved', async () => (await chosen.getByLabel('Output style').inputValue()) === 'Explanatory');
  await chosen.getByLabel('Effort').selectOption('high');
  await until('the effort is set', async () => (await chosen.getByLabel('Effort').inputValue()) === 'high');
  await page.getByRole('link', { name: 'Transcript' }).click();
  await page.locator('.comp .sel.effort', { hasText: 'High' }).waitFor();
  await guest.go(`#/s/${id}/overview`);
  await page.reload();
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor();
  await unfold();
  await until(
    'and again after a reload',
    async () => (await chosen.getByLabel('Effort').inputValue()) === 'high' && (await chosen.getByLabel('Thinking').inputValue()) === '10000',
  );
  await guest.go(`#/s/${id}`);
  await page.locator('.comp .sel.effort', { hasText: 'High' }).waitFor();
  // Also from the message box.
  await page.locator('.comp .sel.effort').click();
  await page
    .getByRole('menuitemradio', { name: /^Low/ })
    .or(page.getByRole('menuitem', { name: /^Low/ }))
    .first()
    .click();
  await page.locator('.comp .sel.effort', { hasText: 'Low' }).waitFor();
});

journey('help lists what the agent announced: commands, tools, agents, skills and plugins', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'with-skill', {
    '.claude/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Puts a drawer in order\n---\nTidy it.\n',
    '.claude/agents/gardener.md': '---\nname: gardener\ndescription: Waters plants\n---\nWater.\n',
  });
  await begin(guest, 'say the word', folder);
  await stands(page, 'idle');
  await guest.go('#/help');
  for (const title of ['Commands', 'Tools', 'Agents', 'Skills', 'Plugins', 'Versions']) await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await page.locator('.help').getByText('Bash', { exact: true }).first().waitFor();
  await page.locator('.help').getByText('general-purpose', { exact: true }).waitFor();
  const skills = page.locator('ul', { has: page.getByText('tidy', { exact: true }) });
  await skills.getByText('Puts a drawer in order').first().waitFor();
  // The search filters all sections.
  await page.getByLabel(/Find/).first().fill('drawer');
  await page.locator('.help').getByText('tidy').first().waitFor();
  assert.equal(await page.locator('.help').getByText('general-purpose', { exact: true }).count(), 0);
});

journey('all panels of a session load: context, cost, rules, settings, hooks, unknown messages', async ({ guest, page }) => {
  const id = await begin(guest, 'say the word');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  for (const title of ['Context', 'Cost', 'Rules', 'Settings', 'MCP servers', 'Unknown messages'])
    await page.getByText(title, { exact: true }).first().waitFor();
  assert.equal(await page.getByText(/Could not be loaded/).count(), 0);
  await page.getByText('No unknown messages from the agent.').waitFor();
});
