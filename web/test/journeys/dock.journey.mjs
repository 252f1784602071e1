// The status bar above the message box and the connection to the bridge, against the fake bridge: states that need another
// agent, another clock or a broken connection.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fake, page, fresh, open, settled, log, box } from './dock.mjs';
import * as make from '../fake/messages.mjs';
import { axeFinds, until } from './browser.mjs';

/** Reconnects with the button, unless the page reconnected automatically. */
const backOnLine = () =>
  until(
    'on the line again',
    async () => {
      await page
        .getByRole('button', { name: 'Try now' })
        .click({ timeout: 500 })
        .catch(() => {});
      return (await page.locator('.gate[data-standing="offline"]').count()) === 0;
    },
    { seconds: 30 },
  );

test('a message sent while offline is delivered once, also if receipts are lost', async () => {
  await open('s-running');
  fake.control({ do: 'offline', on: true });
  await page.waitForSelector('.gate[data-standing="offline"]');
  await page.locator('.gate', { hasText: /Not connected/ }).waitFor();
  await box().fill('kept for later');
  assert.equal((await page.locator('.sendbtn').innerText()).split('\n')[0], 'Keep');
  await page.locator('.sendbtn').click();
  await page.locator('.queue', { hasText: /Not sent[\s\S]*kept for later/ }).waitFor();
  fake.control({ do: 'lose', receipts: 2 });
  fake.control({ do: 'offline', on: false });
  await backOnLine();
  await until('queued once', () => fake.bridge.sessions.get('s-running').state.queue.filter((one) => one.text === 'kept for later').length === 1);
  await page.waitForFunction(() => document.querySelector('[data-kept]') === null, undefined, { timeout: 15_000 });
  assert.equal(log('input').length, 1);
});

test('a silent connection is detected and reopened', async () => {
  fake.control({ do: 'ping', every: 500 });
  await open('s-idle');
  fake.control({ do: 'silence', on: true });
  await page.waitForSelector('.gate[data-standing="offline"]');
  fake.control({ do: 'silence', on: false });
  // Restarts an attempt that hangs.
  await backOnLine();
  await page.waitForSelector('.gate[data-standing="idle"], .gate[data-standing="unread"]', { timeout: 20_000 });
});

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  test(`a notification covers neither the message box nor a permission request (${size})`, async () => {
    await fresh(visitor);
    await open('s-running');
    await page.locator('.queue li').first().getByRole('button', { name: 'Take back' }).click();
    fake.control({ do: 'ask', sessionId: 's-running', kind: 'bash' });
    await page.waitForSelector('.askbox .allow');
    const toast = page.locator('.toast').first();
    await toast.waitFor();
    const covered = await toast.evaluate((one) => {
      const at = one.getBoundingClientRect();
      return ['.comp', '.askbox'].filter((where) => {
        const box = document.querySelector(where).getBoundingClientRect();
        return box.left < at.right && at.left < box.right && box.top < at.bottom && at.top < box.bottom;
      });
    });
    assert.deepEqual(covered, []);
  });
}

test('bypassing permissions must be confirmed with a word, and the gate shows the mode', async () => {
  await open('s-idle');
  await page.getByRole('button', { name: /^Permission mode/ }).click();
  await page.locator('.menu:popover-open .bad').click();
  const go = page.getByRole('button', { name: 'Bypass permissions' });
  assert.ok(await go.isDisabled());
  await page.getByLabel('Confirmation').fill('bypass');
  await go.click();
  await page.waitForSelector('text=Permissions are bypassed');
  assert.equal(log('set_permission_mode')[0].mode, 'bypassPermissions');
});

test('Stop shows "Stopping" at once, and Force is offered after ten seconds', async () => {
  fake.bridge.options.neverStops = true;
  await open('s-running');
  await page.getByRole('button', { name: /^Stop/ }).click();
  await page.waitForSelector('.gate[data-standing="stopping"]');
  assert.equal(await page.getByRole('button', { name: 'Force…' }).count(), 0);
  fake.control({ do: 'patch', sessionId: 's-running', state: { info: { since: Date.now() - 11_000 } } });
  await page.getByRole('button', { name: 'Force…' }).click();
  await page.getByRole('button', { name: 'End the agent' }).click();
  await until('ended', () => log('stop_session').length === 1);
});

test('a crash shows the last error output and can be resumed', async () => {
  await open('s-crashed');
  // The details are loaded on demand.
  await page.locator('.gateslot', { hasText: /killed by signal 9.*out of memory.*memory allocation of 536870912 bytes failed/s }).waitFor();
  await page.getByRole('button', { name: 'Resume where it stopped' }).click();
  await until('resumed', () => log('resume_session').length === 1);
});

test('the title counts the sessions that need the user', async () => {
  await open('s-idle');
  await page.waitForFunction(() => /^\(12\) /.test(document.title));
  fake.control({ do: 'decide', sessionId: 's-bash', outcome: 'allowed', by: 'Phone' });
  await page.waitForFunction(() => /^\(11\) /.test(document.title));
});

test('a cached session is shown at once and updated with one request', async () => {
  await open('s-running');
  await page.waitForFunction(() => document.querySelectorAll('.trow').length > 3);
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await until('kept', () =>
    page.evaluate(
      () =>
        new Promise((resolve) => {
          const request = indexedDB.open('sluice');
          request.onsuccess = () => {
            const get = request.result.transaction('snapshots').objectStore('snapshots').get('s-running');
            get.onsuccess = () => {
              request.result.close();
              // The index is written last; without it the page does not look into the cache.
              resolve(get.result !== undefined && (localStorage.getItem('sluice.kept') ?? '').includes('s-running'));
            };
          };
        }),
    ),
  );
  const messages = [];
  const receive = fake.bridge.receive.bind(fake.bridge);
  fake.bridge.receive = (client, message) => {
    messages.push(message);
    receive(client, message);
  };
  fake.control({ do: 'add', sessionId: 's-running', item: make.text('One more.') });
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.trow').length > 3);
  // The cached items are shown before the session is requested.
  const requested = () =>
    messages.find((one) => one.type === 'hello')?.revisions?.['s-running'] ??
    messages.find((one) => one.type === 'subscribe' && one.sessionId === 's-running')?.revision;
  await until('requested', () => requested() !== undefined);
  fake.bridge.receive = receive;
  assert.ok(requested() > 0);
});

const looks = async (name) => {
  // Colours do not depend on the size, and positions not on the theme.
  for (const [size, colorScheme] of [
    [{ width: 1440, height: 900 }, 'light'],
    [{ width: 390, height: 844 }, 'dark'],
  ]) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await axeFinds(page, '.dock'), [], `${name}, ${size.width} px, ${colorScheme}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${name} overflows ${size.width} px by ${wide}`);
  }
};

// The dock at rest is covered by accessibility.journey.mjs, together with the rest of the page.
test('axe finds nothing in the dock while it is used', async () => {
  const uses = {
    's-permission, changed first': ['s-permission', () => page.locator('.askbox .change').click()],
    's-bash, folded': [
      's-bash',
      async () => {
        await page.locator('.askbox').focus();
        await page.keyboard.press('z');
        await page.waitForSelector('.gate.warn');
      },
    ],
    's-idle, commands offered': [
      's-idle',
      async () => {
        await box().pressSequentially('/co');
        await page.waitForSelector('[role="listbox"]');
      },
    ],
    's-idle, no such command': [
      's-idle',
      async () => {
        await box().fill('/nocommand x');
        await page.locator('.sendbtn').click();
        await page.waitForSelector('text=There is no command');
      },
    ],
  };
  for (const [name, [id, act]] of Object.entries(uses)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await open(id);
    await settled();
    await act();
    await looks(name);
  }
});
