// Pictures of the gallery (after `npm run gallery`): node scripts/shoot.mjs OUT [SCENE…]
import { createReadStream, existsSync, mkdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const root = new URL('../dist-gallery', import.meta.url).pathname;
const [out = 'shots', ...wanted] = process.argv.slice(2);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; trusted-types sluice-worker; require-trusted-types-for 'script'";
const server = createServer((request, response) => {
  const path = join(root, new URL(request.url ?? '/', 'http://x').pathname.replace(/^\/$/, '/gallery.html'));
  if (!path.startsWith(root) || !existsSync(path) || statSync(path).isDirectory()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'content-security-policy': csp });
  createReadStream(path).pipe(response);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${server.address().port}/`;
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const scenes = wanted.length > 0 ? wanted : ['cards', 'session', 'streaming', 'parts'];
let problems = 0;
for (const scene of scenes) {
  for (const [size, width, height] of [
    ['wide', 1440, 900],
    ['phone', 390, 844],
  ]) {
    for (const theme of ['light', 'dark']) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' });
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') {
          problems += 1;
          console.log(scene, size, theme, message.text());
        }
      });
      page.on('pageerror', (error) => {
        problems += 1;
        console.log(scene, size, theme, error.message);
      });
      await page.goto(`${base}#${scene}`);
      await page.waitForSelector('main');
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await page.screenshot({ path: join(out, `${scene}--${size}--${theme}.png`), fullPage: scene === 'cards' || scene === 'parts' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
      if (wide) {
        problems += 1;
        console.log(scene, size, theme, 'wider than the window');
      }
      await page.close();
    }
  }
}
await browser.close();
server.close();
if (problems > 0) {
  console.log(`${problems} problems`);
  process.exitCode = 1;
}
