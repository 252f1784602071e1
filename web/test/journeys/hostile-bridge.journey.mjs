// Every text the bridge sends is hostile: titles, names of tools, servers, agents, commands, models, files, folders,
// branches and devices, inputs and outputs, questions and plans, schemas, rules, hooks, errors, snippets. Wherever it
// is shown, nothing is executed, nothing becomes an element, nothing is loaded from other origins. Fields that are
// added later are included automatically.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startFake } from '../fake-bridge.mjs';
import { launch } from './browser.mjs';
import { CORPUS } from './corpus.mjs';
import * as make from '../fake/messages.mjs';
import { enter, forwardClock, ROOMS } from './rooms.mjs';

/** Fields with a fixed set of values or values that are not shown. Everything else is free text. */
const FIXED = new Set([
  'type',
  'subtype',
  'sessionId',
  'session_id',
  'id',
  'ask',
  'uuid',
  'toolUseId',
  'tool_use_id',
  'parent_tool_use_id',
  'kind',
  'standing',
  'status',
  'state',
  'behavior',
  'destination',
  'hash',
  'mime',
  'role',
  'mode',
  'permissionMode',
  'decision_reason_type',
  't',
  'scope',
  'verdict',
  'reason',
  'build',
  'bridge',
  'code',
  'evidence',
  'rung',
  'device',
  'providerSessionId',
  'format',
  'lang',
  'outcome',
  'elicitation_id',
  'dialog_kind',
  'stop_reason',
  'signature',
  'pays',
  'capabilities',
  'scopes',
  'required',
  'property_order',
  'requestId',
  'qr',
  'key',
  'agent_id',
  'unknown',
  'blockedBy',
  'value',
  'effort',
  'roots',
  'home',
  'scratch',
  'url',
  'data',
  'end',
  'task',
  'message_id',
  'rateLimitType',
  'version',
  'prompts',
  'addresses',
  'media_type',
  'mimeType',
  'verb',
  'delivery',
  'source',
  'level',
  'cause',
  'change',
  'edit',
  'action',
  'field',
  'request',
]);
let at = 0;
const attack = () => CORPUS[(at += 1) % CORPUS.length];
const LONG = 'long'.repeat(60);

/** True for the agent whose folders need trust: with another name, the page asks for none. */
const decides = (key, value) => key === 'agent' && value === 'sluice';

/** `names`: also names of tools, which decide which card is shown. */
function poison(value, names, key = '', inside = '', text = attack) {
  if (typeof value === 'string')
    return FIXED.has(key) || decides(key, value) || (!names && /^(name|toolName|tool_name|about)$/.test(key) && inside !== 'shown')
      ? value
      : `${value} ${text()}`;
  if (Array.isArray(value)) return value.map((one) => poison(one, names, key, inside, text));
  if (value === null || typeof value !== 'object') return value;
  // Names of commands, servers, models, devices and agents have no effect on the page: always replaced.
  const where = ['commands', 'servers', 'models', 'agents', 'devices', 'tasks', 'todos'].includes(key) ? 'shown' : inside;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one, names, name, Array.isArray(value) ? inside : where, text)]));
}

let fake;
let browser;
before(async () => {
  fake = await startFake({ port: 0, ...(process.env.SLUICE_DIST ? { dist: process.env.SLUICE_DIST } : {}) });
  browser = await launch();
  const session = fake.bridge.sessions.get('s-idle');
  // Items that no session of the fake bridge contains.
  const notice = { type: 'notice', level: 'warning', call: null };
  for (const body of [
    { type: 'hook', name: 'a hook', event: 'Stop', outcome: 'failed', exitCode: 1, output: 'a complaint' },
    { ...notice, kind: 'notification', text: 'a notification' },
    { ...notice, kind: 'message', text: 'something to know' },
    { ...notice, kind: 'memory', text: 'a/memory.md' },
    { ...notice, kind: 'imported', text: 'a note' },
    { type: 'unknown', rawType: 'system/something_new' },
    { type: 'command', name: 'context', arguments: 'all', output: 'printed', failed: false },
    { type: 'model_change', from: 'one model', to: 'another', reason: 'unavailable', text: 'why' },
    { type: 'retry', error: 'a reason', status: null, attempt: 1, max: 3, next: Date.now() + 1_000 },
    { type: 'error', kind: 'an error', text: 'what went wrong', status: null, retries: 0 },
    { type: 'compaction', manual: true, before: 2, after: 1, duration: null, summary: 'what was kept', error: null },
    { type: 'task_end', task: 't', call: null, outcome: 'failed', subject: 'a task', summary: 'how it ended', output: null },
    { type: 'turn_origin', kind: 'peer', text: 'somebody else', outcome: null, task: null },
    make.end({ outcome: { type: 'failed', reason: null }, errors: ['an error of the turn'] }).body,
  ])
    session.push({ body, turn: session.turns });
  session.patch({ worktree: '/home/ada/trees/a-branch', info: { branch: 'a-branch' } });
});
after(async () => {
  await browser?.close();
  await fake?.close();
});

async function wander(rooms, names, text = attack) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 2400 }, locale: 'en-GB', serviceWorkers: 'block', reducedMotion: 'reduce' });
  const wrong = [];
  let shown = 0;
  const send = fake.bridge.send.bind(fake.bridge);
  fake.bridge.send = (client, message) => send(client, poison(message, names, '', '', text));
  try {
    await context.addInitScript(forwardClock);
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', (event) => {
        (window.__policy ??= []).push(`${event.violatedDirective} ${event.blockedURI}`);
      }),
    );
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (!/^(data|blob|about):/.test(url.protocol) && url.origin !== fake.url) wrong.push(`asked for ${url}`);
    });
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    page.on('pageerror', (error) => wrong.push(`thrown: ${error.stack ?? error}`));
    page.on('dialog', (dialog) => {
      wrong.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    for (const room of rooms) {
      await enter(page, fake, room).catch((error) => wrong.push(`${room.name}: not there: ${String(error.message).split('\n')[0]}`));
      const seen = await page.evaluate(look);
      shown += seen.shown;
      for (const one of seen.bad) wrong.push(`${room.name}: ${one}`);
    }
  } finally {
    fake.bridge.send = send;
    await context.close();
  }
  assert.deepEqual(wrong, []);
  if (text === attack) assert.ok(shown > rooms.length * 5, `the texts were hardly shown: ${shown}`);
}

/** In the page: what became an element, and how often it was shown as text. */
function look() {
  const bad = [];
  if (window.__ran) bad.push(`ran ${window.__ran}`);
  for (const one of window.__policy ?? []) bad.push(`policy ${one}`);
  for (const one of document.querySelectorAll(
    'body script:not([src^="/assets/"]):not([src^="/src/"]), iframe, body style, body link, body meta, base, object, embed, math, form[action], [onerror], [onload], [onfocus], [onclick]',
  ))
    bad.push(`element ${one.outerHTML.slice(0, 100)}`);
  for (const one of document.querySelectorAll('a[href]')) if (!/^(https?|mailto):/.test(one.href)) bad.push(`link ${one.href.slice(0, 80)}`);
  for (const one of document.querySelectorAll('img, image, source, use, video, audio')) {
    const src = one.currentSrc || one.getAttribute('src') || one.getAttribute('href') || '';
    if (src && !src.startsWith('/') && !src.startsWith('#') && !src.startsWith(location.origin) && !/^(data:image|blob:)/.test(src))
      bad.push(`picture ${src.slice(0, 80)}`);
  }
  for (const one of document.querySelectorAll('[style]'))
    if (/url\(/i.test(one.getAttribute('style'))) bad.push(`style ${one.getAttribute('style').slice(0, 80)}`);
  // A long text may be cut off, but a button must stay inside its bar, where it can be pressed.
  for (const button of document.querySelectorAll('.comp button, header.head button, .gate button, .askbox button, dialog[open] button')) {
    const [inner, outer] = [button, button.closest('.comp, header.head, .gate, .askbox, dialog[open]')].map((one) => one.getBoundingClientRect());
    if (inner.width > 0 && (inner.right > outer.right + 1 || inner.left < outer.left - 1))
      bad.push(`button outside: ${(button.getAttribute('aria-label') ?? button.textContent).slice(0, 60)}`);
  }
  return { bad, shown: (document.body.textContent.match(/__ran|evil\.example/g) ?? []).length };
}

test('hostile texts stay text on every screen', { timeout: 420_000 }, () => wander(ROOMS, false));
test('hostile tool names stay text on every screen', { timeout: 420_000 }, () =>
  wander(
    ROOMS.filter((room) => /^#\/s\/s-\w+$/.test(room.at) && (!room.act || /open|first/.test(room.name))),
    true,
  ),
);
test('long words do not break the layout of any screen', { timeout: 420_000 }, () => wander(ROOMS, false, () => LONG));
