// Pictures for the README: the page wide and on a phone, and an animated approval.   node film.mjs OUT
import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { moving } from './apng.mjs';
import { launch, pair, until, visit } from './browser.mjs';
import { ask, folderWith, says, stands } from './journey.mjs';
import { startModel } from './model.mjs';
import { startStage } from './stage.mjs';

const out = process.argv[2] ?? 'docs';
mkdirSync(out, { recursive: true });

const REAPER = `use std::time::{Duration, Instant};

use crate::lease::Lease;

/// Removes idle connections from the pool.
pub struct Reaper {
    every: Duration,
    max_idle: Duration,
}

impl Reaper {
    pub async fn run(self, shared: Shared) {
        let mut tick = tokio::time::interval(self.every);
        loop {
            tick.tick().await;
            let now = Instant::now();
            let mut idle = shared.idle.lock();
            idle.retain(|lease: &Lease| now - lease.last_used < self.max_idle);
        }
    }
}
`;
const AFTER = REAPER.replace(
  `            tick.tick().await;
            let now = Instant::now();
            let mut idle = shared.idle.lock();
            idle.retain(|lease: &Lease| now - lease.last_used < self.max_idle);
`,
  `            let now = tick.tick().await;
            let mut idle = shared.idle.lock();
            idle.retain(|lease: &Lease| now.duration_since(lease.last_used) < self.max_idle);
`,
);
const [OLD, NEW] = ['            tick.tick()', '            let now = tick.tick()'].map((begin, i) => {
  const text = i ? AFTER : REAPER;
  return text.slice(text.indexOf(begin), text.indexOf('        }\n    }\n}'));
});
let folder = '';
const task = (subject, activeForm) => ({ tool: 'TaskCreate', input: { subject, description: subject, activeForm } });
const turn = (taskId, status) => ({ tool: 'TaskUpdate', input: { taskId, status } });
const path = () => `${folder}/crates/pool/src/reaper.rs`;

const SCENES = {
  'The reaper test': () => [
    [
      {
        thinking:
          'interval.tick() already returns the instant it fired for; reading the clock again is what makes the test flaky. The two instants differ under load.',
      },
      task('Find every writer of last_used', 'Finding every writer of last_used'),
      task('Use one clock in the reaper', 'Moving the reaper to one clock'),
      task('Run it 200 times', 'Running it 200 times'),
    ],
    [
      turn('1', 'in_progress'),
      { tool: 'Read', input: { file_path: path() } },
      { tool: 'Bash', input: { command: 'grep -rn last_used crates', description: 'Find every writer of last_used' } },
    ],
    [
      turn('1', 'completed'),
      turn('2', 'in_progress'),
      {
        text: 'Two clocks are read: `tick()` returns the instant it was due, and `Instant::now()` is asked a moment later. Under load they differ by more than the test allows. The sweep can use the one it already has.',
      },
      { tool: 'Edit', input: { file_path: path(), old_string: OLD, new_string: NEW } },
    ],
    [turn('2', 'completed'), turn('3', 'in_progress')],
    [{ text: 'Done: the sweep uses the instant the tick was due. Nothing sleeps and nothing asks a second clock.' }],
  ],
  'Move CI': [
    [{ tool: 'Bash', input: { command: 'cargo nextest run --workspace --no-fail-fast', description: 'Run all the tests' } }],
    [{ text: 'All pass.' }],
  ],
  'Explain the lease': [[{ text: 'The table has one row per open lease. A row goes when the connection comes back or the reaper takes it.' }]],
  'Release notes': [[{ text: 'The draft is in `CHANGELOG.md`: three fixes, one new setting.' }]],
  'Port the CLI': [[{ text: 'I begin with the arguments that take a value. ' }, { gate: 'port' }, { text: 'Done.' }]],
};

async function start(guest, text) {
  await guest.go(`#/new?folder=${encodeURIComponent(folder)}`);
  await guest.page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await guest.page.locator('#message').fill(text);
  await guest.page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await guest.page.waitForURL(/#\/s\//);
}

/** Draws a pointer, which screenshots do not contain. */
async function pointer(page) {
  await page.evaluate(() => {
    const space = 'http://www.w3.org/2000/svg';
    const arrow = document.createElementNS(space, 'svg');
    arrow.id = 'pointer';
    arrow.setAttribute('viewBox', '0 0 16 20');
    for (const [name, value] of [
      ['position', 'fixed'],
      ['width', '16px'],
      ['height', '20px'],
      ['left', '0'],
      ['top', '0'],
      ['z-index', '99'],
      ['pointer-events', 'none'],
    ])
      arrow.style.setProperty(name, value);
    const path = document.createElementNS(space, 'path');
    path.setAttribute('d', 'M1 1v15l4-3.4 2.6 6 2.6-1.1-2.6-5.9h5.6z');
    path.style.setProperty('fill', '#111');
    path.style.setProperty('stroke', '#fff');
    arrow.append(path);
    document.body.append(arrow);
  });
  let at = { x: 560, y: 420 };
  const put = (x, y) =>
    page.evaluate(
      ([left, top]) => {
        const one = document.getElementById('pointer');
        one.style.setProperty('left', `${left}px`);
        one.style.setProperty('top', `${top}px`);
      },
      [x, y],
    );
  await put(at.x, at.y);
  return async (target, frame) => {
    const box = await target.boundingBox();
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    for (let i = 1; i <= 8; i += 1) {
      const part = 1 - (1 - i / 8) ** 3;
      await put(Math.round(at.x + (to.x - at.x) * part), Math.round(at.y + (to.y - at.y) * part));
      await frame(45);
    }
    at = to;
    await page.mouse.move(to.x, to.y);
  };
}

const browser = await launch();
const model = await startModel(SCENES);
const stage = await startStage({ model: model.url });
try {
  folder = folderWith(stage, 'tidepool', {
    'crates/pool/src/reaper.rs': REAPER,
    'crates/pool/src/lease.rs': 'use std::time::Instant;\n\npub struct Lease {\n    pub last_used: Instant,\n}\n',
    'README.md': '# Tidepool\n',
  });
  const git = (...words) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], { cwd: folder, env: stage.env });
  git('init', '-q', '-b', 'fix/reaper-flake');
  git('add', '.');
  git('commit', '-qm', 'as it was');
  // A model with a task list.
  const small = () => {
    try {
      localStorage.setItem('sluice.new.model', 'claude-haiku-4-5');
    } catch {
      /* no page yet */
    }
  };
  const first = await visit(browser, stage);
  await first.context.addInitScript(small);
  await pair(first, stage.code);
  const cookies = await first.context.cookies();
  for (const [text, over] of [
    ['Release notes for 0.14', 'three fixes'],
    ['Explain the lease table', 'one row per open lease'],
    ['Move CI to nextest', null],
    ['Port the CLI to clap 5', null],
  ]) {
    await start(first, text);
    if (over) await says(first.page, over);
    else await (text.startsWith('Move') ? ask(first.page).locator('.cmdbig').waitFor() : says(first.page, 'I begin with'));
    if (over) await stands(first.page, 'idle');
  }
  await first.close();

  // An approval, from the message to the end of the turn.
  const film = await visit(browser, stage, { cookies, viewport: { width: 1120, height: 700 }, colorScheme: 'light', reducedMotion: 'reduce' });
  const { page } = film;
  await film.context.addInitScript(small);
  const shots = [];
  const frame = async (ms) => {
    shots.push({ png: await page.screenshot({ animations: 'disabled', caret: 'initial' }), ms });
  };
  await film.go('#/new');
  await page.locator('.rail-foot', { hasText: /Connected/ }).waitFor({ state: 'attached' });
  await page.locator('.folds input:checked').waitFor({ state: 'attached' });
  const to = await pointer(page);
  await frame(700);
  const words = 'The reaper test is flaky. Find out why and mend it.';
  for (let i = 3; i < words.length + 3; i += 3) {
    await page.locator('#message').fill(words.slice(0, i));
    await frame(55);
  }
  await to(page.locator('.comp').getByRole('button', { name: /^Start/ }), frame);
  await page
    .locator('.comp')
    .getByRole('button', { name: /^Start/ })
    .click();
  await page.waitForURL(/#\/s\//);
  await ask(page).locator('.diff .add').first().waitFor();
  await page.locator('.stream').getByText('Two clocks are read').first().waitFor();
  // The picture contains the age of the request: the same in each frame.
  await until('a second passed', async () => /1 s/.test(await ask(page).innerText()));
  await frame(2600);
  await to(ask(page).getByRole('button', { name: /Allow once/ }), frame);
  await frame(500);
  await until('allowed', async () => {
    if (!(await ask(page).count())) return true;
    await ask(page)
      .getByRole('button', { name: /Allow once/ })
      .click({ timeout: 500 })
      .catch(() => {});
    return !(await ask(page).count());
  });
  await says(page, 'Nothing sleeps');
  await stands(page, 'idle');
  await page
    .locator('.gate')
    .getByText(/1 file/)
    .waitFor();
  await frame(3200);
  const moved = join(out, 'page-approval.png');
  writeFileSync(moved, moving(shots));
  film.clean();
  await film.close();

  // The two stills: a request with its diff, wide and light, on a phone and dark.
  const still = async (name, text, options) => {
    const guest = await visit(browser, stage, { cookies, reducedMotion: 'reduce', ...options });
    await guest.context.addInitScript(small);
    git('checkout', '-q', '.');
    await start(guest, text);
    await ask(guest.page).locator('.diff .add').first().waitFor();
    await guest.page.locator('.stream').getByText('Two clocks are read').first().waitFor();
    await guest.page.screenshot({ path: join(out, name), animations: 'disabled' });
    guest.clean();
    await guest.close();
  };
  await still('page-wide-light.png', 'The reaper test fails one time in a hundred', { viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  await still('page-phone-dark.png', 'The reaper test fails now and then', {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  });
  console.log(`${shots.length} frames, ${(statSync(moved).size / 1e6).toFixed(2)} MB in ${moved}`);
} finally {
  await browser.close();
  await model.close();
  await stage.close();
}
