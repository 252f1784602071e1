// The page in case of trouble: axe finds nothing, and nothing is wider than the screen.
import { axeFinds } from './browser.mjs';
import { assert, stageFor } from './journey.mjs';
import { SCENES, troublesOf } from './screens.mjs';

const { journey } = stageFor(SCENES);
for (const [size, viewport, colorScheme] of [
  ['wide', { width: 1440, height: 900 }, 'light'],
  ['phone', { width: 390, height: 844 }, 'dark'],
]) {
  journey(
    `axe finds nothing when an agent is silent, crashed or disconnected, ${size}, ${colorScheme}`,
    async ({ guest, page }) => {
      const found = [];
      for await (const name of troublesOf({ guest, page })) {
        found.push(...(await axeFinds(page)).map((one) => `${name}: ${one}`));
        if ((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) > 1) found.push(`${name} is too wide`);
      }
      assert.deepEqual(found, []);
    },
    { viewport, colorScheme, reducedMotion: 'reduce', limit: 240_000 },
  );
}
