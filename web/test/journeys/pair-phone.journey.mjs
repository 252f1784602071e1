// From the open dialog to a session on a phone in five steps: run the command, scan the code, accept the certificate,
// press Pair, open the session. The command makes the bridge reachable from another network namespace. Needs root and
// iproute2; otherwise that part is skipped.
import { execFileSync, spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { axeFinds } from './browser.mjs';
import { assert, begin, says, stageFor, stands, until } from './journey.mjs';

const { journey } = stageFor({});
const ip = (...words) => execFileSync('ip', words, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
const NET = {
  name: `slphone${process.pid % 10_000}`,
  here: `slh${process.pid % 10_000}`,
  there: `slt${process.pid % 10_000}`,
  host: '198.51.100.1',
  phone: '198.51.100.2',
};

/** Creates a network namespace with a separate address, like another machine. */
function phoneNetwork() {
  ip('netns', 'add', NET.name);
  ip('link', 'add', NET.here, 'type', 'veth', 'peer', 'name', NET.there, 'netns', NET.name);
  ip('addr', 'add', `${NET.host}/30`, 'dev', NET.here);
  ip('link', 'set', NET.here, 'up');
  ip('-n', NET.name, 'addr', 'add', `${NET.phone}/30`, 'dev', NET.there);
  ip('-n', NET.name, 'link', 'set', NET.there, 'up');
}
const possible = () => {
  try {
    if (userInfo().uid !== 0) return false;
    ip('netns', 'list');
    return true;
  } catch {
    return false;
  }
};
const fromPhone = (url) => {
  try {
    return execFileSync('ip', ['netns', 'exec', NET.name, 'curl', '-ksS', '--max-time', '5', '-o', '/dev/null', '-w', '%{http_code}', url], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return 'unreachable';
  }
};

for (const [size, visitor] of [
  ['wide', {}],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]) {
  journey(
    `a bridge without network access shows how to connect another device (${size})`,
    async ({ guest, page }) => {
      await guest.go('#/settings/devices');
      await page.getByRole('button', { name: 'Pair another device' }).click();
      await page.getByText('Other devices cannot reach the bridge yet').waitFor();
      assert.deepEqual(await axeFinds(page), []);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 1);
      await page.getByRole('button', { name: 'Show the code for this machine' }).click();
      await page.getByRole('img', { name: /QR code/ }).waitFor();
    },
    visitor,
  );
}

journey(
  'the command of the dialog makes the bridge reachable from another network, and the phone pairs',
  async ({ guest, page, stage }) => {
    if (!possible()) {
      console.log('skipped: needs root and ip netns');
      return;
    }
    // The phone reads the page from the program, not from $SLUICE_DIST.
    if (process.env.SLUICE_DIST && (await fetch(stage.bridge)).status === 503) {
      console.log('skipped: the program contains no page');
      return;
    }
    await begin(guest, 'hello there');
    await stands(page, 'idle');
    phoneNetwork();
    let second = null;
    try {
      assert.equal(fromPhone(`http://${NET.host}:${stage.port}/`), 'unreachable');
      await guest.go('#/settings/devices');
      await page.getByRole('button', { name: 'Pair another device' }).click();
      const command = await page.getByRole('group', { name: `Command for ${NET.host}` }).innerText();
      assert.match(command, / serve stop --state .* && .* --bind 127\.0\.0\.1 --bind 198\.51\.100\.1 --tls --qr$/);
      await guest.go('about:blank');
      // As in a terminal: the address with the code and the fingerprint are printed.
      let [out, err] = ['', ''];
      second = spawn('sh', ['-c', command.replace(/--port 0/, `--port ${stage.port}`)], { env: stage.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      second.stdout.on('data', (part) => {
        out += part;
      });
      second.stderr.on('data', (part) => {
        err += part;
      });
      await until('the address is printed', () => /#pair=/.test(out), { told: () => `${command}\n${out}${err}` });
      await until('the fingerprint is printed', () => /certificate SHA-256: ([0-9A-F]{2}:){31}/.test(err));
      const code = /#pair=([A-Z0-9-]+)/.exec(out)[1];
      assert.equal(fromPhone(`https://${NET.host}:${stage.port}/`), '200');
      // A browser at phone size opens the same address and accepts the certificate.
      const context = await page
        .context()
        .browser()
        .newContext({ ignoreHTTPSErrors: true, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
      const phone = await context.newPage();
      await phone.goto(`https://${NET.host}:${stage.port}/#pair=${code}`);
      await phone.getByRole('button', { name: 'Pair', exact: true }).click();
      await phone.locator('a.title', { hasText: 'hello there' }).first().click();
      await says(phone, 'You said: hello there');
      await context.close();
    } finally {
      if (second) {
        try {
          process.kill(-second.pid, 'SIGTERM');
        } catch {
          /* the process has ended */
        }
      }
      ip('netns', 'del', NET.name);
    }
  },
  { allowed: /./, limit: 120_000 },
);
