// Accessibility of every screen: axe finds nothing in both themes and sizes; at 200 %, on a phone and with system
// colours nothing is cut off horizontally; the focus is visible; with reduced motion nothing moves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startFake } from '../fake-bridge.mjs';
import { axeFinds, launch } from './browser.mjs';
import { enter, forwardClock, ROOMS } from './rooms.mjs';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** 1440 × 900 at 200 %. */
const DOUBLE = { width: 720, height: 450 };

let fake;
let browser;
before(async () => {
  fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await fake?.close();
});

/** Visits a screen with a page that has reduced motion. */
async function look(room) {
  const context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', serviceWorkers: 'block', reducedMotion: 'reduce' });
  const wrong = [];
  try {
    await context.addInitScript(forwardClock);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('pageerror', (error) => wrong.push(`thrown: ${error.stack ?? error}`));
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' });
    await enter(page, fake, room);
    await judge(page, (what) => wrong.push(what));
  } finally {
    await context.close();
  }
  assert.deepEqual(wrong, []);
}

/** In the page: how much wider than the window it is, and which element causes it. */
const sideways = () => {
  const over = document.documentElement.scrollWidth - innerWidth;
  if (over <= 1) return null;
  const widest = [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.checkVisibility())
    .slice(0, 3)
    .map((one) => `${one.tagName.toLowerCase()}.${one.className}`);
  return `${over} px wider than the window: ${widest.join(', ')}`;
};

/** In the page: whether the focus indicator is visible. */
const focusSeen = () => {
  const at = document.activeElement;
  // After the last element the focus leaves the page.
  if (!at || at === document.body) return null;
  if (at.matches('[role^="menuitem"], [role="option"]') && !matchMedia('(forced-colors: active)').matches)
    return getComputedStyle(at).backgroundColor === 'rgba(0, 0, 0, 0)' ? `no background at ${at.outerHTML.slice(0, 120)}` : null;
  // A field may show its focus at a surrounding box.
  for (let one = at, depth = 0; one && depth < 4; one = one.parentElement, depth += 1) {
    const style = getComputedStyle(one);
    if (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 1) return null;
    if (style.boxShadow !== 'none' && (depth === 0 || one.matches(':focus-within'))) return null;
  }
  return `the focus is not seen at ${at.outerHTML.slice(0, 120)}`;
};

/** In the page: what is still animated with reduced motion. */
const moving = () =>
  document
    .getAnimations()
    .filter((one) => one.playState === 'running' && Number(one.effect?.getComputedTiming().duration) > 20)
    .map((one) => one.animationName ?? one.transitionProperty ?? 'something');

/** Resizes the window; the page is laid out for it when this returns. */
async function resize(page, size) {
  await page.setViewportSize(size);
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, size);
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
  );
}

/** Visits each room once: first axe, then the checks that use keys. */
async function judge(page, say) {
  const animations = await page.evaluate(moving);
  if (animations.length) say(`moves: ${animations.join(', ')}`);
  for (const one of await axeFinds(page)) say(`wide, light: ${one}`);
  const wide = await page.evaluate(sideways);
  if (wide) say(`wide: ${wide}`);
  await resize(page, DOUBLE);
  const doubled = await page.evaluate(sideways);
  if (doubled) say(`at 200 %: ${doubled}`);
  await resize(page, PHONE);
  const phone = await page.evaluate(sideways);
  if (phone) say(`on a phone: ${phone}`);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  for (const one of await axeFinds(page)) say(`phone, dark: ${one}`);
  await resize(page, WIDE);
  for (const forcedColors of ['none', 'active']) {
    await page.emulateMedia({ forcedColors, reducedMotion: 'reduce' });
    for (let i = 0; i < 3; i += 1) {
      await page.keyboard.press('Tab');
      const lost = await page.evaluate(focusSeen);
      if (lost) say(`${forcedColors === 'active' ? 'colours of the system: ' : ''}${lost}`);
    }
  }
}

for (const room of ROOMS) test(`accessibility of ${room.name}: axe, overflow, reduced motion and visible focus`, { timeout: 120_000 }, () => look(room));
