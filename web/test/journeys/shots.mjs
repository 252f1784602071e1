// Screenshots of every screen, in both themes and three sizes, of the real binary with a scripted model.   node
// shots.mjs OUT
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, pair, visit } from './browser.mjs';
import { startModel } from './model.mjs';
import { SCENES, screensOf, troublesOf } from './screens.mjs';
import { startStage } from './stage.mjs';

const out = process.argv[2] ?? 'shots';
mkdirSync(out, { recursive: true });
const SIZES = { wide: { width: 1440, height: 900 }, mid: { width: 1024, height: 768 }, phone: { width: 390, height: 844 } };
const browser = await launch();
let count = 0;
const faults = [];
for (const [size, viewport] of Object.entries(SIZES)) {
  // A bridge for each size, so that all show the same session list.
  const model = await startModel(SCENES);
  const stage = await startStage({ model: model.url });
  try {
    const guest = await visit(browser, stage, {
      viewport,
      deviceScaleFactor: size === 'phone' ? 2 : 1,
      reducedMotion: 'reduce',
      ...(size === 'phone' ? { hasTouch: true, isMobile: true } : {}),
    });
    const shoot = async (name) => {
      // The panel is rendered after the transcript.
      await guest.page.locator('.stage > .panel:empty').waitFor({ state: 'detached' });
      for (const theme of ['light', 'dark']) {
        await guest.page.emulateMedia({ colorScheme: theme });
        await guest.page.screenshot({ path: join(out, `${name}--${size}--${theme}.png`), animations: 'disabled' });
        count += 1;
      }
    };
    await guest.go(`#pair=${stage.code}`);
    await guest.page.getByRole('button', { name: 'Pair', exact: true }).waitFor();
    await shoot('pairing');
    await pair(guest, stage.code);
    for await (const name of screensOf({ guest, page: guest.page })) await shoot(name);
    for await (const name of troublesOf({ guest, page: guest.page })) await shoot(name);
    faults.push(...guest.faults);
    await guest.close();
  } finally {
    await model.close();
    await stage.close();
  }
}
await browser.close();
console.log(`${count} pictures in ${out}`);
if (faults.length) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
