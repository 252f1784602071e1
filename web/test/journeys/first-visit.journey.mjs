// The first visit without an API key: the demo model presents the features.
import { ask, assert, decide, says, sessionOf, stageFor, stands, until } from './journey.mjs';

// A reference CLI is installed but not signed in, so it cannot be used.
const { journey } = stageFor(null, { programs: { claude: '#!/bin/sh\nexit 1\n' } });

journey('without an API key the welcome screen starts the demo with a permission request', async ({ guest, page }) => {
  await guest.go('#/');
  await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor();
  await page.getByRole('button', { name: 'Check the key' }).click();
  await page
    .getByText(/Does not work/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.waitForURL(/#\/s\//);
  await page.getByText('Show me around.').first().waitFor();
  const button = () => ask(page).getByRole('button', { name: /Allow once|Send answers/ });
  const seen = { asks: 0 };
  await until(
    'the demo is over',
    async () => {
      if ((await page.locator('.gate[data-standing="idle"] ').count()) && (await page.locator('.end').count())) return true;
      if (!(await ask(page).count())) return false;
      if (await ask(page).locator('.qopt').count())
        for (const set of await ask(page).locator('fieldset').all())
          await set
            .locator('.qopt input')
            .first()
            .check({ timeout: 500 })
            .catch(() => {});
      if ((await button().count()) && (await button().first().isEnabled())) {
        await decide(page, button());
        seen.asks += 1;
      }
      return false;
    },
    { seconds: 60 },
  );
  assert.ok(seen.asks > 0, 'something was asked');
  await page.getByText('First steps').first().waitFor();
  // All steps but pairing a phone are done: tasks, a failure, a decided change, a question.
  const steps = page.locator('.stage > .panel details', { hasText: 'First steps' }).first();
  await steps.getByText('6 of 7').waitFor();
  // In the order of the tour, below the tasks, and only in the session of the tour.
  assert.deepEqual(
    (await steps.locator('li').allInnerTexts()).map((one) => one.split(':')[1].trim().split('\n')[0]),
    ['Send a message', 'Watch it work', 'See its tasks', 'Decide on a change', 'Answer a question', 'See something fail', 'Open it on your phone'],
  );
  assert.equal(await page.locator('.stage > .panel > details h2').first().innerText(), 'Tasks');
  await page
    .locator('.stage > .panel summary', { hasText: /^Tasks/ })
    .getByText('3 of 3')
    .waitFor();
  const stream = page.locator('.stream');
  await stream.focus();
  for (const name of ['Write', 'Edit', 'Ask']) {
    await page.keyboard.press('Home');
    await until(`a row of ${name}`, async () => {
      if (await stream.locator('.trow.r-call .nm', { hasText: new RegExp(`^${name}$`) }).count()) return true;
      await page.keyboard.press('PageDown');
      return false;
    });
  }
  await page.keyboard.press('End');
  await stream.locator('.call.err').last().waitFor();
  for (const way of ['An API key', 'A model on this machine', /claude/]) await page.locator('.stage > .panel').getByText(way).first().waitFor();
});

journey(
  'on a phone the tour works, and its steps are in the overview',
  async ({ guest, page }) => {
    await guest.go('#/welcome');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.waitForURL(/#\/s\//);
    const button = () => ask(page).getByRole('button', { name: /Allow once|Send answers/ });
    await until(
      'the demo is over',
      async () => {
        if ((await page.locator('.gate[data-standing="idle"] ').count()) && (await page.locator('.end').count())) return true;
        if (!(await ask(page).count())) return false;
        if (await ask(page).locator('.qopt').count())
          for (const set of await ask(page).locator('fieldset').all())
            await set
              .locator('.qopt input')
              .first()
              .check({ timeout: 500 })
              .catch(() => {});
        if ((await button().count()) && (await button().first().isEnabled())) await decide(page, button());
        return false;
      },
      { seconds: 60 },
    );
    await guest.go(`#/s/${sessionOf(page)}/overview`);
    const steps = page.locator('#main details.pane', { hasText: 'First steps' }).first();
    await steps.getByText('6 of 7').waitFor();
    await page
      .locator('#main summary', { hasText: /^Tasks/ })
      .getByText('3 of 3')
      .waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1, 'nothing is wider than the screen');
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);

journey('the demo model writes a note after it was allowed', async ({ guest, page, stage }) => {
  await guest.go(`#/new?folder=${encodeURIComponent(stage.folder)}`);
  await page.locator('#message').fill('make a note: water the plants');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await ask(page).locator('.diff').getByText('water the plants').first().waitFor();
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await stands(page, 'idle');
  await says(page, /note|wrote|written/i);
  await page.locator('.stage > .panel h2', { hasText: 'Connect a model' }).waitFor();
  assert.equal(await page.locator('.stage > .panel h2', { hasText: 'First steps' }).count(), 0);
});
