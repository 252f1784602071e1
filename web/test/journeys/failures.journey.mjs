// Failures: the page shows what failed, since when, and what it does about it; no typed text is lost.
import { fileURLToPath } from 'node:url';
import { BROKEN_LINE } from './browser.mjs';
import { assert, begin, box, folderWith, says, send, sessionOf, stageFor, stands, until } from './journey.mjs';

const FRAIL = fileURLToPath(new URL('frail-agent.mjs', import.meta.url));
/** Prompts whose next request to the model fails. */
const failing = new Set(['fail once wide', 'fail once phone']);
const { journey } = stageFor(
  {
    'quiet work': [[{ text: 'I look around. ' }, { gate: 'quiet' }, { text: 'There.' }]],
    hello: [[{ text: 'Hello.' }]],
    'fail once': (prompt) => [failing.delete(prompt) ? [{ status: 400, error: 'the wish is too odd' }] : [{ text: `It worked: ${prompt}.` }]],
  },
  { extra: ['--agent', 'sluice', '--agent', `'${FRAIL}'`] },
);

/** A proxy that can change the messages of the bridge: a minute of silence is too long for a test. */
async function between(page, change) {
  const proxy = { change, say: () => {} };
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const bridge = socket.connectToServer();
    proxy.say = (message) => socket.send(JSON.stringify(message));
    bridge.onMessage((text) => {
      const message = JSON.parse(text);
      const next = proxy.change(message);
      if (next) socket.send(JSON.stringify(next));
    });
  });
  return proxy;
}

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `an API error is one message with a Retry button that sends the prompt again (${size})`,
    async ({ guest, page }) => {
      await begin(guest, `fail once ${size}`);
      await page.locator('.end', { hasText: 'ended with an error' }).waitFor();
      assert.equal(
        await page
          .locator('.stream')
          .getByText(/the wish is too odd/)
          .count(),
        1,
      );
      assert.equal(await page.locator('.mark details').count(), 0);
      await page.getByRole('button', { name: 'Retry' }).click();
      await says(page, `It worked: fail once ${size}.`);
      await page.getByRole('button', { name: 'Retry' }).waitFor({ state: 'detached' });
    },
    visitor,
  );
}

journey('a silent agent is shown with the age of its last activity and with actions', async ({ guest, page }) => {
  const silent = (info) => ({ ...info, standing: 'stalled', lastSign: Date.now() - 130_000, since: Date.now() - 70_000 });
  let still = false;
  const proxy = await between(page, (message) => {
    if (!still) return message;
    if (message.type === 'state') return { ...message, info: silent(message.info), activity: { ...message.activity, state: 'stalled' } };
    return message.type === 'session' ? { ...message, session: silent(message.session) } : message;
  });
  const id = await begin(guest, 'quiet work');
  await says(page, 'I look around.');
  await box(page).fill('typed meanwhile');
  still = true;
  await page.reload();
  await stands(page, 'stalled');
  await page
    .locator('.gate')
    .getByText(/No activity for 2 m/)
    .first()
    .waitFor();
  // The age is updated while nothing arrives.
  const first = await page.locator('.gate').innerText();
  await until('the age grows', async () => (await page.locator('.gate').innerText()) !== first);
  for (const rung of ['Interrupt', 'Restart'])
    await page
      .locator('.ladder')
      .getByRole('button', { name: new RegExp(rung) })
      .first()
      .waitFor();
  assert.equal(await box(page).inputValue(), 'typed meanwhile');
  // It does not notify twice: "Keep waiting" folds the actions.
  await page.getByRole('button', { name: 'Keep waiting' }).click();
  await page.locator('.ladder').waitFor({ state: 'detached' });
  // A message arrives: it is running again.
  still = false;
  proxy.change = (message) => message;
  await page.reload();
  await stands(page, 'running');
  assert.equal(sessionOf(page), id);
});

journey('a crashed agent is shown with its error output, and typed text stays', async ({ guest, page, stage }) => {
  const folder = folderWith(stage, 'frail');
  await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await page.getByLabel('Agent', { exact: true }).selectOption('frail-agent.mjs');
  await box(page).fill('light the lamp');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.waitForURL(/#\/s\//);
  await stands(page, 'crashed');
  await page
    .locator('.gateslot')
    .getByText(/code 101/)
    .first()
    .waitFor();
  await page.locator('.gateslot pre').getByText('thread main panicked: out of oil').waitFor();
  await page
    .locator('.gateslot')
    .getByText(/is saved/)
    .first()
    .waitFor();
  // Animations have stopped.
  await page.locator('.streambox.still').waitFor();
  await page
    .getByRole('button', { name: 'Copy a report' })
    .or(page.getByRole('button', { name: /report/i }))
    .first()
    .waitFor();
  await box(page).fill('kept for later');
  await page.reload();
  await stands(page, 'crashed');
  assert.equal(await box(page).inputValue(), 'kept for later');
  await guest.go('#/');
  await page
    .locator('.need.crash')
    .getByText(/Agent exited/)
    .first()
    .waitFor();
  // The other agents can be chosen again for the next session.
  await guest.go('#/new');
  await page.getByLabel('Agent', { exact: true }).selectOption('sluice');
});

journey('a bridge of another version is reported, the user reloads, and no typed text is lost', async ({ guest, page }) => {
  const proxy = await between(page, (message) => message);
  await begin(guest, 'hello');
  await says(page, 'Hello.');
  await box(page).fill('half a sentence');
  proxy.say({ type: 'bye', reason: 'reload', message: 'another build' });
  const notice = page.locator('.notice', { hasText: 'The bridge was updated.' });
  await notice.waitFor();
  // The connection stays open meanwhile.
  await send(page, 'hello again').catch(() => {});
  await box(page).fill('half a sentence');
  await notice.getByRole('button', { name: 'Reload' }).click();
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor();
  assert.equal(await box(page).inputValue(), 'half a sentence');
});

journey('a full browser storage is reported, and the page keeps working', async ({ guest, page }) => {
  await guest.context.addInitScript(() => {
    const keep = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, value) {
      if (window.__full) throw new DOMException('full', 'QuotaExceededError');
      return keep.call(this, key, value);
    };
  });
  await begin(guest, 'hello');
  await says(page, 'Hello.');
  await page.evaluate(() => {
    window.__full = true;
  });
  await box(page).pressSequentially('typed into a full browser');
  await page
    .locator('.notice.bad')
    .getByText(/browser/i)
    .first()
    .waitFor();
  await box(page).fill('hello from a full browser');
  await box(page).press('Enter');
  await page.locator('.stream').getByText('hello from a full browser').first().waitFor();
});

journey('a full disk of the bridge is reported, and typed text stays', async ({ guest, page }) => {
  let full = false;
  const proxy = await between(page, (message) =>
    full && message.type === 'receipt' && message.ok
      ? { ...message, ok: false, data: null, error: { code: 'storage', message: 'no space left on the disk', hint: 'free some', resolved: null } }
      : message,
  );
  await begin(guest, 'hello');
  await says(page, 'Hello.');
  await stands(page, 'idle');
  full = true;
  await page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Title').fill('No room for this');
  await page.keyboard.press('Enter');
  await page
    .locator('.notice.bad')
    .getByText(/disk|room/i)
    .first()
    .waitFor();
  full = false;
  proxy.change = (message) => message;
  await page.keyboard.press('Escape');
  await page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Title').fill('Room again');
  await page.keyboard.press('Enter');
  await page.locator('.notice.bad').waitFor({ state: 'detached' });
});

journey(
  'the page starts offline from the cache with unsent text, and reconnects',
  async ({ guest, page, stage }) => {
    const id = await begin(guest, 'hello');
    await says(page, 'Hello.');
    await stands(page, 'idle');
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    // The service worker does not control the first visit, but the second, whose files it caches.
    await page.reload();
    await until('the worker steers it', () => page.evaluate(() => navigator.serviceWorker.controller !== null));
    await says(page, 'Hello.');
    await box(page).fill('typed before it went');
    // The last known state is stored when the page is closed.
    await until('kept on the device', () =>
      page.evaluate((one) => {
        document.dispatchEvent(new Event('visibilitychange'));
        return (localStorage.getItem('sluice.kept') ?? '').includes(one);
      }, id),
    );
    await guest.context.setOffline(true);
    await page.reload();
    await page.locator('.gate[data-standing="offline"]').waitFor();
    await says(page, 'Hello.');
    assert.equal(await box(page).inputValue(), 'typed before it went');
    await guest.context.setOffline(false);
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ timeout: 30_000 });
    await stands(page, 'idle');
    assert.equal(stage.process.exitCode, null);
  },
  { allowed: BROKEN_LINE },
);

journey(
  'the page can be installed as an app: manifest, icons, offline start',
  async ({ guest, page, stage }) => {
    await guest.go('#/');
    await page.locator('.app').waitFor();
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.reload();
    await until('the worker steers it', () => page.evaluate(() => navigator.serviceWorker.controller?.state === 'activated'));
    const cdp = await guest.context.newCDPSession(page);
    const { url, errors, data } = await cdp.send('Page.getAppManifest');
    assert.equal(url, `${stage.url}/app.webmanifest`);
    assert.deepEqual(errors, []);
    // The only complaint of Chromium: the window of a test is in private mode.
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
    assert.deepEqual(
      installabilityErrors.map((one) => one.errorId).filter((id) => id !== 'in-incognito'),
      [],
    );
    const manifest = JSON.parse(data);
    assert.equal(manifest.display, 'standalone');
    assert.equal(new URL(manifest.start_url, stage.url).href, `${stage.url}/`);
    const icons = await page.evaluate(
      (list) =>
        Promise.all(
          list.map(async ({ src }) => {
            const image = new Image();
            image.src = src;
            await image.decode();
            return [src, image.naturalWidth];
          }),
        ),
      manifest.icons,
    );
    assert.deepEqual(
      icons.filter(([src]) => src.endsWith('.png')),
      [
        ['/icon-192.png', 192],
        ['/icon-512.png', 512],
        ['/icon-maskable-512.png', 512],
      ],
    );
    assert.ok(
      icons.some(([src, width]) => src === '/icon.svg' && width > 0),
      'the drawn one loads too',
    );
    assert.ok(
      manifest.icons.some((one) => one.purpose === 'maskable'),
      'one may be cut to the shape of the system',
    );
    // Started like the installed app: from its start address, offline.
    await guest.context.setOffline(true);
    await page.goto(`${stage.url}${manifest.start_url}`);
    await page.locator('.app').waitFor();
    assert.equal((await page.title()) !== '', true);
    await page.locator('.rail-foot', { hasText: /Not connected|Connecting/ }).waitFor({ state: 'attached' });
    await guest.context.setOffline(false);
    await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached', timeout: 30_000 });
  },
  { allowed: BROKEN_LINE },
);
