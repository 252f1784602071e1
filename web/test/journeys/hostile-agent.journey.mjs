// Texts of agents, tools, file names and users must stay text: nothing is executed, nothing is loaded from other
// origins.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CORPUS } from './corpus.mjs';
import { ask, assert, begin, decide, folderWith, says, stageFor, stands, until } from './journey.mjs';

const ALL = CORPUS.join('\n\n');
const NAME = '<img src=x onerror=window.__ran=12>.md';
let folder = '';
const set = stageFor({
  speak: [[{ thinking: ALL }, { text: ALL }]],
  run: () => [[{ tool: 'Bash', input: { command: `cat corpus.txt`, description: '<img src=x onerror=window.__ran=13>' } }], [{ text: 'Shown.' }]],
  write: () => [[{ tool: 'Write', input: { file_path: join(folder, NAME), content: ALL } }], [{ text: 'Written.' }]],
  question: [
    [
      {
        tool: 'AskUserQuestion',
        input: {
          questions: [
            {
              question: CORPUS[1],
              header: '<b>x</b>',
              multiSelect: false,
              options: [
                { label: CORPUS[2], description: CORPUS[0] },
                { label: CORPUS[4], description: CORPUS[11] },
              ],
            },
          ],
        },
      },
    ],
    [{ text: 'Asked.' }],
  ],
  plan: [[{ tool: 'ExitPlanMode', input: { plan: `# ${CORPUS[1]}\n\n${ALL}` } }], [{ text: 'Planned.' }]],
});
const { journey } = set;
/** Nothing was executed, and nothing became an element. */
async function harmless(page) {
  const bad = await page.evaluate(() => ({
    ran: window.__ran ?? null,
    elements: [
      ...document.querySelectorAll(
        'main script, main iframe, main style, main link, main meta, main base, main object, main embed, [onerror], [onload], [onfocus]',
      ),
    ].map((one) => one.outerHTML.slice(0, 80)),
    links: [...document.querySelectorAll('a[href]')].map((one) => one.href).filter((href) => !/^https?:|^mailto:/.test(href)),
    pictures: [...document.querySelectorAll('img')]
      .map((one) => one.src)
      .filter((src) => !src.startsWith(location.origin) && !src.startsWith('data:') && !src.startsWith('blob:')),
    at: location.origin,
  }));
  assert.deepEqual(bad, { ran: null, elements: [], links: [], pictures: [], at: new URL(page.url()).origin });
}

journey('hostile text of the agent and of the user stays text', async ({ guest, page }) => {
  await begin(guest, `speak ${ALL}`);
  await stands(page, 'idle');
  await page.locator('details.think summary').first().click();
  await until('it is shown', () => page.evaluate(() => document.querySelector('.stream').textContent.includes('window.__ran=2')));
  await harmless(page);
});

journey('hostile session titles stay text on every screen', async ({ guest, page }) => {
  await begin(guest, 'hello');
  await stands(page, 'idle');
  for (const title of [CORPUS[0], CORPUS[1], CORPUS[11]]) {
    await page
      .locator('header.head')
      .getByRole('button', { name: /^Menu of/ })
      .click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill(title);
    await page.keyboard.press('Enter');
    await until('renamed', async () => (await page.locator('header.head h1').textContent()) === title);
    await harmless(page);
  }
  const at = page.url().split('#')[1];
  for (const hash of ['#/', '#/usage', '#/settings/devices', `#${at}/overview`, '#/?q=window']) {
    await guest.go(hash);
    await page.locator('h1').first().waitFor();
    await harmless(page);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').waitFor();
  await harmless(page);
});

journey('hostile output of a command stays text', async ({ guest, page, stage }) => {
  folder = folderWith(stage, 'hostile');
  writeFileSync(join(folder, 'corpus.txt'), ALL);
  await begin(guest, 'run it', folder);
  await until('asked or done', async () => (await ask(page).count()) || (await page.getByText('Shown.').count()));
  if (await ask(page).count()) {
    await harmless(page);
    await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  }
  await says(page, 'Shown.');
  await page.locator('details.call summary').first().click();
  await until('it is shown', () => page.evaluate(() => document.querySelector('.call').textContent.includes('__ran=2')));
  await harmless(page);
});

journey('hostile file names and contents stay text before and after they are allowed', async ({ guest, page, stage }) => {
  folder = folderWith(stage, 'hostile-names');
  await begin(guest, 'write it', folder);
  await ask(page).locator('.diff').waitFor();
  await harmless(page);
  await decide(page, ask(page).getByRole('button', { name: /Allow once/ }));
  await says(page, 'Written.');
  await page.locator('details.call summary').first().click();
  await harmless(page);
  await page.getByRole('link', { name: 'Changes', exact: true }).click();
  await page.locator('.fbox').first().waitFor();
  await harmless(page);
  await page.getByRole('link', { name: 'Transcript', exact: true }).click();
  await page.locator('#message').pressSequentially('@img');
  await page.getByRole('option').first().waitFor();
  await harmless(page);
});

journey('hostile questions and plans stay text', async ({ guest, page, stage }) => {
  await begin(guest, 'question me');
  await ask(page).locator('.qopt').first().waitFor();
  await harmless(page);
  await decide(page, ask(page).getByRole('button', { name: /^Skip/ }));
  await guest.go(`#/new?folder=${encodeURIComponent(stage.folder)}`);
  await page.getByLabel('Permission mode').selectOption('plan');
  await page.locator('#message').fill('plan it');
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.getByRole('button', { name: /Approve, accept edits/ }).waitFor();
  await harmless(page);
});

test('another page in the same browser can read no answer, open no connection and embed no frame', { timeout: 60_000 }, async () => {
  const { browser, stage, cookies } = set;
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>'));
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const context = await browser.newContext();
  try {
    await context.addCookies(cookies);
    const page = await context.newPage();
    // The same site, but another origin: a SameSite=Strict cookie is sent from here.
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const before = await stage.ask('devices');
    const code = await stage.pair();
    const found = await page.evaluate(
      async ({ at, code }) => {
        const read = async (path, init) => {
          try {
            const answer = await fetch(at + path, { credentials: 'include', ...init });
            return answer.type === 'opaque' ? 'opaque' : `read ${answer.status}`;
          } catch {
            return 'refused';
          }
        };
        const socket = (path, protocols) =>
          new Promise((resolve) => {
            try {
              const one = new WebSocket(at.replace('http', 'ws') + path, protocols);
              one.onopen = () => resolve('open');
              one.onerror = () => resolve('refused');
            } catch {
              resolve('refused');
            }
          });
        const frame = () =>
          new Promise((resolve) => {
            const one = document.createElement('iframe');
            one.src = `${at}/`;
            one.onload = () => {
              let seen = 'blocked';
              try {
                seen = one.contentDocument === null ? 'blocked' : 'shown';
              } catch {
                seen = 'blocked';
              }
              resolve(seen);
            };
            document.body.append(one);
          });
        return {
          export: await read('/api/sessions/x/export.md'),
          health: await read('/api/health'),
          pairJson: await read('/api/pair', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ code, device: 'evil' }),
          }),
          pairText: await read('/api/pair', {
            method: 'POST',
            mode: 'no-cors',
            headers: { 'content-type': 'text/plain' },
            body: JSON.stringify({ code, device: 'evil' }),
          }),
          upload: await read('/api/upload', { method: 'POST', mode: 'no-cors', body: 'x' }),
          socket: await socket('/ws'),
          frame: await frame(),
        };
      },
      { at: stage.bridge, code },
    );
    assert.deepEqual(found, {
      export: 'refused',
      health: 'refused',
      pairJson: 'refused',
      pairText: 'refused',
      upload: 'refused',
      socket: 'refused',
      frame: 'blocked',
    });
    const names = (text) =>
      text
        .split('\n')
        .map((line) => /evil/.test(line))
        .includes(true);
    assert.ok(!names(before) && !names(await stage.ask('devices')), 'no device was paired by it');
  } finally {
    await context.close();
    server.close();
    server.closeAllConnections();
  }
});
