// @vitest-environment node
import { expect, test } from 'vitest';
import { Drafts, MAX_DRAFTS } from './drafts';
import { groupOf, SessionList } from './sessions';
import { MemoryChest, MemoryShelf } from './storage';
import { info } from './testing';

test('a draft survives a reload, an empty one is deleted', () => {
  const shelf = new MemoryShelf();
  new Drafts(shelf, new MemoryChest()).set('s', 'half a thought', []);
  expect(new Drafts(shelf, new MemoryChest()).get('s').text).toBe('half a thought');
  new Drafts(shelf, new MemoryChest()).set('s', '', []);
  expect(shelf.length).toBe(0);
});

test('the oldest drafts are deleted beyond the limit', () => {
  const drafts = new Drafts(new MemoryShelf(), new MemoryChest());
  for (let n = 0; n < MAX_DRAFTS + 5; n += 1) drafts.set(`s${n}`, 'x', [], n + 1);
  expect(drafts.get('s0').text).toBe('');
  expect(drafts.get(`s${MAX_DRAFTS + 4}`).text).toBe('x');
});

test('when storage is full, old drafts make room for the current one', () => {
  const drafts = new Drafts(new MemoryShelf(3_000), new MemoryChest());
  for (let n = 0; n < 6; n += 1) drafts.set(`s${n}`, 'x'.repeat(400), [], n + 1);
  expect(drafts.set('now', 'y'.repeat(900), [], 100)).toBe(true);
  expect(drafts.get('now').text.length).toBe(900);
});

test('the history contains the messages of the session, newest first, without duplicates', () => {
  const drafts = new Drafts(new MemoryShelf(), new MemoryChest());
  for (const text of ['one', 'two', 'one', '  ']) drafts.remember('s', text);
  drafts.remember('other', 'three');
  expect(drafts.history('s')).toEqual(['one', 'two']);
});

test('sessions are grouped by whether they need the user', () => {
  const list = new SessionList(new MemoryShelf());
  list.apply({
    type: 'session_list',
    sessions: [
      info({ sessionId: 'idle', lastActivityAt: 9 }),
      info({ sessionId: 'unread', finishedAt: 5, lastActivityAt: 1 }),
      info({ sessionId: 'asks-new', standing: 'waiting', since: 20, pendingAsks: 1 }),
      info({ sessionId: 'asks-old', standing: 'waiting', since: 10, pendingAsks: 1 }),
      info({ sessionId: 'crashed', standing: 'crashed', since: 15 }),
      info({ sessionId: 'runs', standing: 'running' }),
      info({ sessionId: 'stalled', standing: 'stalled' }),
      info({ sessionId: 'made', standing: 'external', external: true }),
      info({ sessionId: 'away', archived: true }),
    ],
  });
  const ids = (which: 'needs' | 'running' | 'idle') => list.groups()[which].map((one) => one.sessionId);
  expect(ids('needs')).toEqual(['asks-old', 'crashed', 'asks-new']);
  expect(ids('running')).toEqual(['runs', 'stalled']);
  expect(ids('idle')).toEqual(['unread', 'idle', 'made']);
  expect(groupOf(info({ standing: 'stopping' }))).toBe('running');
});

test('a viewed session stays read after a reload', () => {
  const shelf = new MemoryShelf();
  const list = new SessionList(shelf);
  list.apply({ type: 'session_list', sessions: [info({ sessionId: 's', finishedAt: 5 })] });
  expect(list.unread(info({ sessionId: 's', finishedAt: 5 }))).toBe(true);
  list.look('s');
  expect(new SessionList(shelf).unread(info({ sessionId: 's', finishedAt: 5 }))).toBe(false);
  expect(new SessionList(shelf).unread(info({ sessionId: 's', finishedAt: 6 }))).toBe(true);
});

test('an outdated summary is ignored, and the cached list is available before the bridge answers', () => {
  const shelf = new MemoryShelf();
  const list = new SessionList(shelf);
  list.apply({ type: 'session_list', sessions: [info({ revision: 9, standing: 'running' })] });
  list.apply({ type: 'session', session: info({ revision: 4, standing: 'idle' }) });
  expect(list.get('s')?.standing).toBe('running');
  list.apply({ type: 'session', session: info({ revision: 0, standing: 'stopped' }) });
  expect(list.get('s')?.standing).toBe('stopped');
  list.apply({ type: 'session', session: info({ revision: 9, standing: 'running' }) });
  const again = new SessionList(shelf);
  expect([again.get('s')?.standing, again.current]).toEqual(['running', false]);
});
