// Every screen, in both themes, wide and on a phone: axe finds nothing.
import { axeFinds } from './browser.mjs';
import { assert, stageFor } from './journey.mjs';
import { SCENES, screensOf } from './screens.mjs';

const { journey } = stageFor(SCENES);
const SIZES = [
  ['wide', { width: 1440, height: 900 }],
  ['phone', { width: 390, height: 844 }],
];

journey(
  'axe finds nothing on the pairing screen',
  async ({ guest, page }) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      for (const [size, viewport] of SIZES) {
        await page.setViewportSize(viewport);
        await guest.go('#pair=AAAA-BBBB');
        await page.getByRole('button', { name: 'Pair', exact: true }).waitFor();
        assert.deepEqual(await axeFinds(page), [], `pairing, ${size}, ${colorScheme}`);
      }
    }
  },
  { stranger: true },
);

for (const [size, viewport] of SIZES) {
  journey(
    `axe finds nothing on any screen, ${size}, in both themes`,
    async ({ guest, page }) => {
      const found = [];
      for await (const name of screensOf({ guest, page })) {
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          found.push(...(await axeFinds(page)).map((one) => `${name}, ${colorScheme}: ${one}`));
        }
      }
      assert.deepEqual(found, []);
    },
    { viewport, reducedMotion: 'reduce', limit: 240_000 },
  );
}
