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

test('a press is named the same way however it is made', () => {
  expect(press(event('k', { ctrlKey: true }))).toBe('Ctrl+K');
  expect(press(event('k', { metaKey: true }))).toBe('Ctrl+K');
  expect(press(event('Z', { shiftKey: true }))).toBe('Shift+Z');
  expect(press(event('?', { shiftKey: true }))).toBe('?');
  expect(press(event('F6', { shiftKey: true }))).toBe('Shift+F6');
  expect(press(event('Control', { ctrlKey: true }))).toBe(null);
});

test('no two actions of one place share their keys from the start', () => {
  for (const one of actions) {
    if ('fixed' in one) continue;
    const other = clash(one.id, keysOf(one.id));
    // Single letters have different meanings on different screens; none of them may clash with a global key.
    if (other && !['nextHunk', 'new'].includes(one.id)) expect.fail(`${one.id} clashes with ${other}`);
  }
});

test('a sequence is read press by press and forgotten after a while', () => {
  const read = reader();
  expect(read('G', 0)).toBe('more');
  expect(read('A', 100)).toBe('nextNeed');
  expect(read('A', 200)).toBe('ask');
  expect(read('G', 300)).toBe('more');
  expect(read('A', 5000)).toBe('ask');
  expect(read('Q', 5100)).toBe(null);
});

test('a binding of one’s own is kept and named when it clashes', () => {
  expect(clash('panel', ['N'])).toBe('new');
  rebind('panel', ['P']);
  expect(keysOf('panel')).toEqual(['P']);
  expect(JSON.parse(localStorage.getItem('sluice.keys') ?? '{}')).toEqual({ panel: ['P'] });
  reset('panel');
  expect(keysOf('panel')).toEqual(['\\']);
});

test('caps are what stands on the keys', () => {
  expect(caps(['Ctrl+K'])).toEqual(['Ctrl', 'K']);
  expect(caps(['Shift+Escape'])).toEqual(['Shift', 'Esc']);
  expect(caps(['Ctrl++'])).toEqual(['Ctrl', '+']);
});
