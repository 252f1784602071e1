import { afterEach, beforeEach, expect, test } from 'vitest';
import { actions, caps, clash, keysOf, press, reader, rebind, reset } from './keymap';

const event = (key: string, mods: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...mods,
});

beforeEach(() => localStorage.clear());
afterEach(() => reset());

test('a key press has one canonical name', () => {
  expect(press(event('k', { ctrlKey: true }))).toBe('Ctrl+K');
  expect(press(event('k', { metaKey: true }))).toBe('Ctrl+K');
  expect(press(event('Z', { shiftKey: true }))).toBe('Shift+Z');
  expect(press(event('?', { shiftKey: true }))).toBe('?');
  expect(press(event('F6', { shiftKey: true }))).toBe('Shift+F6');
  expect(press(event('Control', { ctrlKey: true }))).toBe(null);
});

test('default shortcuts on the same screen do not conflict', () => {
  for (const one of actions) {
    if ('fixed' in one) continue;
    const other = clash(one.id, keysOf(one.id));
    // Single letters have different meanings on different screens; none of them may clash with a global key.
    if (other && !['nextHunk', 'new'].includes(one.id)) expect.fail(`${one.id} clashes with ${other}`);
  }
});

test('a key sequence is recognised and expires after a while', () => {
  const read = reader();
  expect(read('G', 0)).toBe('more');
  expect(read('A', 100)).toBe('nextNeed');
  expect(read('A', 200)).toBe('ask');
  expect(read('G', 300)).toBe('more');
  expect(read('A', 5000)).toBe('ask');
  expect(read('Q', 5100)).toBe(null);
});

test('a custom shortcut is stored, and conflicts are reported', () => {
  expect(clash('panel', ['N'])).toBe('new');
  rebind('panel', ['P']);
  expect(keysOf('panel')).toEqual(['P']);
  expect(JSON.parse(localStorage.getItem('sluice.keys') ?? '{}')).toEqual({ panel: ['P'] });
  reset('panel');
  expect(keysOf('panel')).toEqual(['\\']);
});

test('key caps match the keys', () => {
  expect(caps(['Ctrl+K'])).toEqual(['Ctrl', 'K']);
  expect(caps(['Shift+Escape'])).toEqual(['Shift', 'Esc']);
  expect(caps(['Ctrl++'])).toEqual(['Ctrl', '+']);
});
