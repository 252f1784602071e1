import { expect, test } from 'vitest';
import type { SessionInfo } from '../api/types';
import { info as anyInfo } from '../protocol/testing';
import { folderName, folders, group, inPlace } from './groups';

const info = (over: Partial<SessionInfo>): SessionInfo => anyInfo({ projectPath: '/src/tidepool', title: null, ...over });

test('sessions that need the user come first, longest waiting first', () => {
  const groups = group(
    [
      info({ sessionId: 'a', standing: 'waiting', pendingAsks: 1, since: 20 }),
      info({ sessionId: 'b', standing: 'crashed', since: 10 }),
      info({ sessionId: 'c', standing: 'running', pendingAsks: 1, since: 30 }),
      info({ sessionId: 'd', standing: 'stalled' }),
      info({ sessionId: 'e', external: true, standing: 'external' }),
      info({ sessionId: 'f', archived: true, standing: 'waiting', pendingAsks: 1 }),
      info({ sessionId: 'g', standing: 'stopped' }),
    ],
    () => false,
  );
  expect(groups.needs.map((one) => one.sessionId)).toEqual(['b', 'a', 'c']);
  expect(groups.running.map((one) => one.sessionId)).toEqual(['d']);
  expect(groups.elsewhere.map((one) => one.sessionId)).toEqual(['e']);
  expect(groups.idle.map((one) => one.sessionId)).toEqual(['g']);
  expect(groups.archived.map((one) => one.sessionId)).toEqual(['f']);
});

test('unread sessions come before other idle ones', () => {
  const groups = group([info({ sessionId: 'old', lastActivityAt: 20 }), info({ sessionId: 'new', lastActivityAt: 10 })], (one) => one.sessionId === 'new');
  expect(groups.idle.map((one) => one.sessionId)).toEqual(['new', 'old']);
});

test('a folder is shown by its last component', () => {
  expect(folderName('/home/a/tidepool/')).toBe('tidepool');
  expect(folderName('/')).toBe('/');
  expect(folders([info({}), info({ projectPath: '/x' }), info({})])).toEqual([
    { path: '/src/tidepool', count: 2 },
    { path: '/x', count: 1 },
  ]);
});

test('rows keep their positions while a menu is open, also when sessions are changed, removed or added', () => {
  const before = group(
    [info({ sessionId: 'a', standing: 'running' }), info({ sessionId: 'b', lastActivityAt: 2 }), info({ sessionId: 'c', lastActivityAt: 1 })],
    () => false,
  );
  const next = group(
    [info({ sessionId: 'a', title: 'done' }), info({ sessionId: 'c', lastActivityAt: 9 }), info({ sessionId: 'd', standing: 'running' })],
    () => false,
  );
  const kept = inPlace(before, next);
  expect([kept.running.map((one) => one.sessionId), kept.idle.map((one) => one.sessionId)]).toEqual([['a', 'd'], ['c']]);
  expect(kept.running[0]?.title).toBe('done');
});
