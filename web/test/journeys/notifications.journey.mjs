// How the user is notified: title, badge, notification, sound and push; several requests at once; rebound keys; a
// server that needs authorization.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ask, assert, begin, decide, folderWith, says, sessionOf, stageFor, stands, until } from './journey.mjs';
import { startSignIn } from './oauth-server.mjs';

const { journey } = stageFor({
  'ask soon': [[{ gate: 'soon' }, { tool: 'Bash', input: { command: 'touch asked-soon', description: 'Make a file' } }], [{ text: 'It was allowed.' }]],
  'first ask': [[{ tool: 'Bash', input: { command: 'touch one-of-two', description: 'First file' } }], [{ text: 'First done.' }]],
  'second ask': [[{ tool: 'Bash', input: { command: 'touch two-of-two', description: 'Second file' } }], [{ text: 'Second done.' }]],
  hello: [[{ text: 'Hello.' }]],
});
let guarded;
before(async () => {
  guarded = await startSignIn();
});
after(() => guarded.close());

/** Replaces what a browser shows outside of the page and records its calls. */
const outside = () => {
  window.__outside = { notices: [], badges: [], tones: 0 };
  Object.defineProperty(navigator, 'setAppBadge', {
    configurable: true,
    value: (n) => {
      window.__outside.badges.push(n);
      return Promise.resolve();
    },
  });
  Object.defineProperty(navigator, 'clearAppBadge', {
    configurable: true,
    value: () => {
      window.__outside.badges.push(0);
      return Promise.resolve();
    },
  });
  window.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, options) {
      this.title = title;
      this.body = options?.body;
      window.__outside.notices.push(this);
    }
    close() {
      this.closed = true;
    }
  };
  window.AudioContext = class {
    currentTime = 0;
    destination = {};
    createGain() {
      return { gain: {}, connect() {} };
    }
    createOscillator() {
      return {
        frequency: {},
        connect() {},
        start() {
          window.__outside.tones += 1;
        },
        stop() {},
      };
    }
    close() {
      return Promise.resolve();
    }
  };
  document.hasFocus = () => !window.__away;
};

journey('a request notifies by title, badge, notification and sound, which end when it is answered elsewhere', async ({ guest, page, model, another }) => {
  await guest.context.addInitScript(outside);
  await guest.go('#/settings/notices');
  await page.getByRole('radio', { name: 'With the title' }).click();
  await page.getByRole('switch', { name: 'Sound' }).click();
  await page.getByText('Saved').waitFor();
  const id = await begin(guest, 'ask soon');
  await model.reached('soon');
  await guest.go('#/');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await page.evaluate(() => {
    window.__away = true;
  });
  model.open('soon');
  await until('the title says it', async () => /^\(1\) Permission needed: Bash/.test(await page.title()));
  await until('a notice', () => page.evaluate(() => window.__outside.notices.length === 1));
  const seen = await page.evaluate(() => ({ title: window.__outside.notices[0].title, tones: window.__outside.tones, badge: window.__outside.badges.at(-1) }));
  assert.match(seen.title, /ask soon/);
  assert.ok(seen.tones > 0, 'a tone');
  assert.equal(seen.badge, 1);
  const other = await another();
  await other.go(`#/s/${id}`);
  await decide(other.page, ask(other.page).getByRole('button', { name: /Allow once/ }));
  await until('the title is as before', async () => !(await page.title()).startsWith('('));
  await until('the badge is gone', () => page.evaluate(() => window.__outside.badges.at(-1) === 0));
  await until('the notice is closed', () => page.evaluate(() => window.__outside.notices[0].closed === true));
});

journey('without opting in there is no notification and no sound', async ({ guest, page }) => {
  await guest.context.addInitScript(outside);
  await guest.go('#/');
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
  await begin(guest, 'first ask');
  await page.evaluate(() => {
    window.__away = true;
  });
  await ask(page).locator('.cmdbig').waitFor();
  await until('the title says it', async () => /Permission needed/.test(await page.title()));
  assert.deepEqual(await page.evaluate(() => [window.__outside.notices.length, window.__outside.tones]), [0, 0]);
  await decide(page, ask(page).getByRole('button', { name: /^Deny/ }));
});

journey('requests of two sessions are both counted and answered separately', async ({ guest, page, stage }) => {
  const first = await begin(guest, 'first ask', folderWith(stage, 'asks-a'));
  await ask(page).locator('.cmdbig').waitFor();
  const second = await begin(guest, 'second ask', folderWith(stage, 'asks-b'));
  await ask(page).locator('.cmdbig').waitFor();
  await until('both are in the title', async () => /^\(2\)/.test(await page.title()));
  await guest.go('#/');
  const rows = page.locator('.need');
  await until('two rows', async () => (await rows.filter({ hasText: /asks-[ab]/ }).count()) === 2);
  await rows.filter({ hasText: 'asks-b' }).getByRole('button', { name: 'Allow once' }).click();
  await rows.filter({ hasText: 'asks-b' }).waitFor({ state: 'detached' });
  // The other one is still pending, and G A opens it.
  await rows.filter({ hasText: 'asks-a' }).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await until('at the one that waits', () => sessionOf(page) === first);
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'First done.');
  await guest.go(`#/s/${second}`);
  await says(page, 'Second done.');
});

journey('a shortcut is changed, conflicts are shown, and the old key has no effect', async ({ guest, page }) => {
  await guest.go('#/keys');
  await page.getByRole('button', { name: 'Change: New session' }).click();
  await page.locator('.rec').getByText('Press the new keys').waitFor();
  await page.keyboard.press('?');
  await page
    .locator('.rec')
    .getByRole('alert')
    .getByText(/Keyboard shortcuts/)
    .waitFor();
  await page.keyboard.press('Control+Shift+Y');
  const row = page.getByRole('row', { name: /^New session/ });
  await row.getByText('Y', { exact: true }).waitFor();
  await page.reload();
  await page
    .getByRole('row', { name: /^New session/ })
    .getByText('Y', { exact: true })
    .waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('n');
  assert.match(page.url(), /#\/keys/);
  await page.keyboard.press('Control+Shift+Y');
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  await guest.go('#/keys');
  await page.getByRole('button', { name: 'Reset to defaults' }).click();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'New session' }).waitFor();
});

journey('a server that needs authorization shows its address, and its tools are available afterwards', async ({ guest, page, stage }) => {
  writeFileSync(join(stage.home, '.claude.json'), JSON.stringify({ mcpServers: { guarded: { type: 'http', url: guarded.url } } }));
  const id = await begin(guest, 'hello', folderWith(stage, 'signs-in'));
  await says(page, 'Hello.');
  await stands(page, 'idle');
  await guest.go(`#/s/${id}/overview`);
  const row = page.locator('.mcp > li', { hasText: 'guarded' });
  await row
    .getByText(/sign in/i)
    .first()
    .waitFor();
  await row.getByRole('button', { name: 'Sign in' }).click();
  const link = row.getByRole('link', { name: 'Open the sign-in page' });
  await link.waitFor();
  const address = new URL(await link.getAttribute('href'));
  assert.equal(address.host, new URL(guarded.url).host);
  await row.getByText(address.host).first().waitFor();
  // The user agrees in another tab; the agent is notified.
  const answer = await fetch(address, { redirect: 'follow' });
  assert.ok(answer.ok, `${answer.status}`);
  await row.getByText(/Connected/).waitFor();
  await row.getByText('1 tool').first().waitFor();
  assert.equal(guarded.seen.signedIn, 1);
});

/** A push service that accepts everything, and a service worker. */
const pushing = () => {
  window.__push = { on: false, asked: [], refuses: false };
  const made = {
    endpoint: 'https://push.example/one',
    toJSON: () => ({ endpoint: 'https://push.example/one', keys: { p256dh: 'p', auth: 'a' } }),
    unsubscribe: async () => {
      window.__push.on = false;
      return true;
    },
  };
  const manager = {
    getSubscription: async () => (window.__push.on ? made : null),
    subscribe: async (options) => {
      if (window.__push.refuses) throw new Error('no service');
      window.__push.key = options.applicationServerKey.length;
      window.__push.on = true;
      return made;
    },
  };
  Object.defineProperty(window, 'PushManager', { configurable: true, value: class {} });
  Object.defineProperty(navigator.serviceWorker, 'getRegistration', {
    configurable: true,
    value: async () => ({ pushManager: manager, getNotifications: async () => [] }),
  });
  // biome-ignore lint/complexity/noStaticOnlyClass: the shape of the browser's own class
  window.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
  };
};

journey(
  'web push is switched on and off, and errors are shown',
  async ({ guest, page }) => {
    const asked = [];
    let works = false;
    await guest.context.addInitScript(pushing);
    await page.route('**/api/push/**', async (route) => {
      const request = route.request();
      asked.push([request.method(), new URL(request.url()).pathname, request.postDataJSON()]);
      if (!works) return route.fulfill({ status: 403, contentType: 'application/json', body: '{"message":"not for this device"}' });
      return request.method() === 'GET'
        ? route.fulfill({
            contentType: 'application/json',
            body: JSON.stringify({ key: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM' }),
          })
        : route.fulfill({ status: 204, body: '' });
    });
    await guest.go('#/settings/notices');
    const push = page.getByRole('switch', { name: 'Also while the page is closed' });
    await push.click();
    await page.getByRole('alert').getByText('The bridge refused: not for this device').waitFor();
    assert.equal((await push.getAttribute('aria-checked')) ?? String(await push.isChecked()), 'false');
    works = true;
    await push.click();
    await until('on', () => page.evaluate(() => window.__push.on && window.__push.key === 65));
    await page.locator('.fr').getByRole('alert').waitFor({ state: 'detached' });
    assert.deepEqual(asked.at(-1), ['POST', '/api/push/subscribe', { endpoint: 'https://push.example/one', keys: { p256dh: 'p', auth: 'a' } }]);
    await until('it can be pressed again', () => push.isEnabled());
    await push.click();
    await until('off', () => page.evaluate(() => !window.__push.on));
    await until('told', () => asked.at(-1)[0] === 'DELETE');
    assert.deepEqual(asked.at(-1), ['DELETE', '/api/push/subscribe', { endpoint: 'https://push.example/one' }]);
  },
  { allowed: /403/ },
);

journey('without browser support there is no switch for web push', async ({ guest, page }) => {
  await guest.context.addInitScript(() => {
    delete window.PushManager;
  });
  await guest.go('#/settings/notices');
  await page.getByRole('switch', { name: 'Sound' }).waitFor();
  assert.equal(await page.getByRole('switch', { name: 'Also while the page is closed' }).count(), 0);
});

journey(
  'the service worker shows notifications with the chosen content while the page is hidden',
  async ({ guest, page, context, stage }) => {
    await guest.go('#/settings/notices');
    await page.getByRole('switch', { name: 'Sound' }).waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    const line = await context.newCDPSession(page);
    const known = new Promise((resolve) => {
      line.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        if (registrations[0]) resolve(registrations[0].registrationId);
      });
    });
    await line.send('ServiceWorker.enable');
    const registrationId = await known;
    const worker = () => context.serviceWorkers()[0];
    await until('a worker', worker);
    const push = (data) => line.send('ServiceWorker.deliverPushMessage', { origin: stage.url, registrationId, data: JSON.stringify(data) });
    const rung = () => worker().evaluate(async () => (await self.registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag })));
    // While the page is visible it shows the state itself.
    const leave = async () => {
      await page.goto('about:blank');
      await until('the page is gone', () => worker().evaluate(async () => (await self.clients.matchAll({ includeUncontrolled: true })).length === 0));
    };
    await leave();
    await push({ session: 'one', title: 'The secret plan', body: 'Bash waits for you', ask: 'a' });
    await until('rung', async () => (await rung()).length === 1);
    assert.deepEqual(await rung(), [{ title: 'Sluice', body: 'Bash waits for you', tag: 'sluice-one' }]);
    await guest.go('#/settings/notices');
    await page.evaluate(async () => (await caches.open('notices')).put('/notices', new Response(JSON.stringify({ content: true, words: 'A session' }))));
    await leave();
    await push({ session: 'two', title: 'The secret plan', body: 'Permission needed: Edit', ask: 'b' });
    await until('rung with its title', async () => (await rung()).some((one) => one.title === 'The secret plan' && one.tag === 'sluice-two'));
  },
  { permissions: ['notifications'] },
);
