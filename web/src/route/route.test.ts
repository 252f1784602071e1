import { expect, test } from 'vitest';
import { format, parse, takePairingCode, type Route } from './route';

test('every route is parsed back as it was written', () => {
  const routes: Route[] = [
    { at: 'sessions', q: '', folder: '' },
    { at: 'sessions', q: 'lease & table', folder: '/home/a b/ü' },
    { at: 'new', folder: '/src/tide pool' },
    { at: 'session', id: 'a/b c', view: 'transcript', item: null, beside: [] },
    { at: 'session', id: 's1', view: 'transcript', item: 4711, beside: ['s2', 's3'] },
    { at: 'session', id: 's1', view: 'changes', item: null, beside: [] },
    { at: 'session', id: 's1', view: 'overview', item: null, beside: [] },
    { at: 'session', id: 's1', view: 'files', item: null, beside: [], path: '', line: null },
    { at: 'session', id: 's1', view: 'files', item: null, beside: [], path: 'src/a b&c.rs', line: 12 },
    { at: 'settings', part: 'devices' },
    { at: 'settings', part: '' },
    { at: 'usage' },
    { at: 'help' },
    { at: 'keys' },
    { at: 'welcome' },
  ];
  for (const route of routes) expect(parse(format(route))).toEqual(route);
});

test('an invalid address leads to the sessions', () => {
  for (const hash of ['', '#', '#/', '#/s', '#/nonsense', '#%', '#/s/%E0%A4%A']) {
    expect(['sessions', 'session']).toContain(parse(hash).at);
  }
  expect(parse('#/s/x/abc')).toMatchObject({ view: 'transcript', item: null });
});

test('reading a pairing code removes it from the address', () => {
  location.hash = '#pair=K7QF-2M9X';
  expect(takePairingCode()).toBe('K7QF-2M9X');
  expect(location.href).not.toContain('K7QF');
  expect(takePairingCode()).toBe(null);
});
