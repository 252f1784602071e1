// Every screen, panel, dialog, menu and list of the page at the fake bridge, and how to open it.
import { until } from './browser.mjs';

/** A session in every state. */
export const STATES = [
  's-permission',
  's-bash',
  's-hidden',
  's-write',
  's-mcp',
  's-question',
  's-plan',
  's-elicitation',
  's-link',
  's-dialog',
  's-crashed',
  's-running',
  's-agents',
  's-retrying',
  's-limited',
  's-stalled',
  's-stopping',
  's-starting',
  's-unread',
  's-idle',
  's-bypass',
  's-full',
  's-external',
  's-lost',
  's-stopped',
];

const menu = (page) =>
  page
    .locator('header.head')
    .getByRole('button', { name: /^Menu of/ })
    .first();
const item = (name) => async (page) => {
  await menu(page).click();
  await page.getByRole('menuitem', { name }).first().click();
  await page.getByRole('dialog').first().waitFor();
};
const box = (page) => page.locator('#message');
const press = (key) => async (page) => {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press(key);
};

/** `ready`: selector that shows that the room is open. `act`: opens it. */
export const ROOMS = [
  { name: 'sessions', at: '#/' },
  { name: 'search', at: '#/?q=reaper', ready: '.hit' },
  { name: 'new session', at: '#/new', ready: '.folds input' },
  { name: 'welcome', at: '#/welcome' },
  { name: 'usage', at: '#/usage', ready: 'svg' },
  { name: 'help', at: '#/help' },
  { name: 'keys', at: '#/keys' },
  ...['', '/appearance', '/writing', '/templates', '/notices', '/devices', '/agents', '/bridge'].map((part) => ({
    name: `settings${part}`,
    at: `#/settings${part}`,
  })),
  ...STATES.map((id) => ({ name: id, at: `#/s/${id}`, ready: '.dockbox [data-standing], .dockbox .askbox' })),
  {
    name: 'calls and thoughts open',
    at: '#/s/s-idle',
    ready: '.trow',
    act: (page) =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll('.stream details:not([open]) > summary')) one.click();
      }),
  },
  { name: 'working tree', at: '#/s/s-idle/changes', ready: '.gitbox' },
  {
    name: 'changes of a session',
    at: '#/s/s-idle/changes',
    ready: '.gitbox',
    act: async (page) => {
      await page
        .getByRole('radio', { name: 'This session' })
        .or(page.getByRole('button', { name: 'This session' }))
        .first()
        .click();
      await page.getByText('0 of 2 viewed').waitFor();
    },
  },
  {
    name: 'commit',
    at: '#/s/s-idle/changes',
    ready: '.gitbox',
    act: async (page) => {
      await page.getByRole('button', { name: /^Commit \d/ }).click();
      await page.getByRole('dialog').locator('pre').waitFor();
    },
  },
  {
    name: 'discard a worktree',
    at: '#/s/s-idle/changes',
    ready: '.gitbox',
    act: async (page) => {
      await page.getByRole('button', { name: 'Discard worktree' }).click();
      await page.getByRole('dialog').locator('pre').waitFor();
    },
  },
  { name: 'files', at: '#/s/s-idle/files', ready: '.entry' },
  { name: 'a file', at: '#/s/s-idle/files?path=crates/pool/reaper.rs&line=40', ready: '.source' },
  { name: 'a new template', at: '#/settings/templates', act: (page) => page.getByRole('button', { name: 'New template' }).click() },
  {
    name: 'trust a folder',
    at: '#/s/s-idle',
    act: async (page) => {
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'overview',
    at: '#/s/s-agents/overview',
    act: (page) =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll('#main details:not([open]) > summary, #main [aria-expanded="false"]:not([aria-haspopup])')) one.click();
      }),
  },
  {
    name: 'side panel, all of it open',
    at: '#/s/s-running',
    ready: '.stage > .panel',
    act: (page) =>
      page.evaluate(() => {
        for (const one of document.querySelectorAll('.panel details:not([open]) > summary, .panel [aria-expanded="false"]:not([aria-haspopup])')) one.click();
      }),
  },
  { name: 'side by side', at: '#/s/s-idle?beside=s-question,s-running', ready: '.main.beside .askbox' },
  {
    name: 'replay',
    at: '#/s/s-idle/overview',
    act: async (page) => {
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.locator('.replay-stream').waitFor();
    },
  },
  {
    name: 'menu of a session',
    at: '#/s/s-idle',
    act: async (page) => {
      await menu(page).click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'menu of a message',
    at: '#/s/s-idle',
    ready: '.trow.r-prompt button',
    act: async (page) => {
      await page.locator('.trow.r-prompt button').last().click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'menu of modes',
    at: '#/s/s-idle',
    act: async (page) => {
      await page.getByRole('button', { name: /^Permission mode/ }).click();
      await page.locator('.menu:popover-open').waitFor();
    },
  },
  {
    name: 'menu of models',
    at: '#/s/s-idle',
    act: async (page) => {
      await page.locator('.comp .sel').first().click();
      await page.locator('.menu:popover-open').waitFor();
    },
  },
  {
    name: 'ways to deny',
    at: '#/s/s-bash',
    act: async (page) => {
      await page.getByRole('button', { name: 'More deny options' }).click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  { name: 'change it first', at: '#/s/s-permission', act: (page) => page.locator('.askbox .change').click() },
  { name: 'rename', at: '#/s/s-idle', act: item('Rename') },
  { name: 'delete', at: '#/s/s-idle', act: item('Delete…') },
  { name: 'export', at: '#/s/s-idle', act: item('Export…') },
  { name: 'rewind', at: '#/s/s-idle', act: item('Rewind…') },
  {
    name: 'bypass',
    at: '#/s/s-idle',
    act: async (page) => {
      await page.getByRole('button', { name: /^Permission mode/ }).click();
      await page.locator('.menu:popover-open .bad').click();
      await page.getByLabel('Confirmation').waitFor();
    },
  },
  {
    name: 'reach the bridge from a phone',
    at: '#/settings/devices',
    act: async (page) => {
      await page.getByRole('button', { name: 'Pair another device' }).click();
      await page.locator('.reach').waitFor();
    },
  },
  {
    name: 'pair another device',
    at: '#/settings/devices',
    act: async (page) => {
      await page.getByRole('button', { name: 'Pair another device' }).click();
      await page.getByRole('button', { name: 'Show the code for this machine' }).click();
      await page.getByRole('img', { name: /QR code/ }).waitFor();
    },
  },
  {
    name: 'revoke a device',
    at: '#/settings/devices',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Revoke/ })
        .last()
        .click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'palette',
    at: '#/s/s-idle',
    act: async (page) => {
      await press('Control+k')(page);
      await page.getByRole('dialog').getByRole('combobox').fill('re');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'keys of a screen',
    at: '#/',
    act: async (page) => {
      await press('?')(page);
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'find',
    at: '#/s/s-idle',
    ready: '.trow',
    act: async (page) => {
      await page.locator('.stream').focus();
      await page.keyboard.press('Control+f');
      await page.locator('.findbar input').fill('reaper');
    },
  },
  {
    name: 'commands offered',
    at: '#/s/s-idle',
    act: async (page) => {
      await box(page).fill('');
      await box(page).pressSequentially('/');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'files offered',
    at: '#/s/s-idle',
    act: async (page) => {
      await box(page).fill('');
      await box(page).pressSequentially('@po');
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'no such command',
    at: '#/s/s-idle',
    act: async (page) => {
      await box(page).fill('/nothing at all');
      await box(page).press('Enter');
      await page.getByRole('button', { name: 'Send as text' }).waitFor();
    },
  },
  { name: 'a session that is not there', at: '#/s/nobody', act: (page) => page.getByText('Session not found').waitFor() },
];

const opened = new WeakSet();

/** Opens a room; reloads the page if an earlier room changed it. */
export async function enter(page, fake, room) {
  if (opened.has(page)) await page.goto('about:blank');
  opened.delete(page);
  if (room.act) opened.add(page);
  await page.goto(`${fake.url}/${room.at}`);
  await page.locator('h1').first().waitFor();
  // Browsers delay the connection of a page after many pages that were closed while connecting.
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached', timeout: 30_000 });
  if (room.ready) await page.locator(room.ready).first().waitFor({ state: 'attached' });
  // Keys are ignored until the form of a request is rendered and in the first moments after that.
  await page.waitForFunction(() => document.querySelector('[data-form="loading"]') === null);
  await page.evaluate(() => window.__forward?.(1_000));
  await room.act?.(page);
  await until(`${room.name}: nothing is being fetched`, () => page.evaluate(() => document.querySelectorAll('[aria-busy="true"], .loading').length === 0));
}

/** Lets tests advance the clock of requests instead of waiting. */
export function forwardClock() {
  const now = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => now() + ahead;
  window.__forward = (ms) => {
    ahead += ms;
  };
}
