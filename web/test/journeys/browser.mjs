// The browser, a visitor in it, and the faults no visitor may see: console errors, CSP reports, requests to other
// origins.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Messages of the browser itself when a connection breaks or a code is refused; tests that break connections allow them. */
export const BROKEN_LINE = /ERR_CONNECTION|ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|WebSocket connection to|Failed to load resource/;

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });

/** A new browser context with one page. `allowed`: pattern of accepted console messages. */
export async function visit(browser, stage, { allowed = null, cookies = null, ...options } = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  if (cookies) await context.addCookies(cookies);
  await context.addInitScript(() =>
    addEventListener('securitypolicyviolation', (event) => console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)),
  );
  const faults = [];
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => faults.push(`thrown: ${error.stack ?? error}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !allowed?.test(message.text())) faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  const home = new URL(stage.url).host;
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (!/^(data|blob|about):/.test(url.protocol) && url.host !== home) faults.push(`left the origin: ${url}`);
  });
  const guest = {
    context,
    page,
    faults,
    stage,
    go: (hash = '') => page.goto(`${stage.url}/${hash}`),
    /** Fails if there were any faults so far. */
    clean: () => assert.deepEqual(faults, []),
    close: async () => {
      await context.close();
    },
  };
  return guest;
}

/** Pairs with the printed address, as a user does. */
export async function pair(guest, code) {
  await guest.go(`#pair=${code}`);
  await guest.page.getByRole('button', { name: 'Pair', exact: true }).click();
  await guest.page.locator('.app').waitFor();
}

/** `within`: selector of the part to check. */
export async function axeFinds(page, within = null) {
  // A dialog that is opening is transparent for a moment; colours are checked after the transition.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => undefined)),
    ),
  );
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // Without preload: axe would fetch media for rules that do not apply here.
  const found = await page.evaluate(
    (where) => window.axe.run(where ?? document, { resultTypes: ['violations'], preload: document.querySelector('audio, video') !== null }),
    within,
  );
  return found.violations.flatMap((one) =>
    one.nodes.map((node) => `${one.id}: ${node.target.join(' ')} · ${node.failureSummary?.split('\n').slice(1, 3).join(' ').trim()}`),
  );
}

/** Waits for a condition that no locator can express. `told` returns details for the error message. */
export async function until(what, check, { seconds = 15, told = () => '' } = {}) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) assert.fail(`not within ${seconds} s: ${what} ${told()}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 25);
    });
  }
}

/** Saves a screenshot of a failed test if the environment asks for it. */
export async function keepPicture(page, name) {
  const folder = process.env.SLUICE_FAILURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name.replace(/\W+/g, '-').slice(0, 80)}.png`) }).catch(() => {});
}
