// @vitest-environment node
import { expect, test } from 'vitest';
import { match, pieces, rank } from './fuzzy';
import { fit } from './pictures';
import { commandOf, complete, hintFor, tokenAt, unknownCommand } from './token';

const commands = [
  { name: 'compact', description: null, hint: '[what]' },
  { name: 'commit-message', description: null, hint: null },
  { name: '/context', description: null, hint: null },
];

test('commands are completed at the beginning of a message, files after an @', () => {
  expect(tokenAt('/com', 4)).toEqual({ kind: 'command', query: 'com', from: 0, to: 4 });
  expect(tokenAt('see /com', 8)).toBe(null);
  expect(tokenAt('/compact now', 12)).toBe(null);
  expect(tokenAt('Compare @reap', 13)).toEqual({ kind: 'file', query: 'reap', from: 8, to: 13 });
  expect(tokenAt('@', 1)).toEqual({ kind: 'file', query: '', from: 0, to: 1 });
  expect(tokenAt('mail ada@tide', 13)).toBe(null);
});

test('a completion replaces the token', () => {
  expect(complete('Compare @reap with it', { kind: 'file', query: 'reap', from: 8, to: 13 }, 'src/reaper.rs')).toEqual({
    text: 'Compare @src/reaper.rs with it',
    caret: 23,
  });
  expect(complete('/com', { kind: 'command', query: 'com', from: 0, to: 4 }, 'compact')).toEqual({ text: '/compact ', caret: 9 });
});

test('unknown commands are detected, paths and words are not', () => {
  expect(unknownCommand('/compct', commands)).toBe('compct');
  expect(unknownCommand('/compact the tests', commands)).toBe(null);
  expect(unknownCommand('/context', commands)).toBe(null);
  expect(unknownCommand('/home/ada is full', commands)).toBe(null);
  expect(unknownCommand('/anything', [])).toBe(null);
  expect(commandOf('/mcp:postgres:query x')).toBe('mcp:postgres:query');
  expect([hintFor('/compact ', commands), hintFor('/compact x', commands), hintFor('/nope', commands)]).toEqual(['[what]', null, null]);
});

test('fuzzy search finds letters in order and prefers prefixes', () => {
  expect(rank('com', commands, (one) => one.name, 5).map((one) => one.item.name)).toEqual(['compact', 'commit-message']);
  expect(rank('cm', commands, (one) => one.name, 5).map((one) => one.item.name)).toContain('commit-message');
  expect(match('zz', 'compact')).toBe(null);
  expect(pieces('reaper.rs', [0, 1, 2])).toEqual([
    { text: 'rea', hit: true },
    { text: 'per.rs', hit: false },
  ]);
});

test('pictures are scaled down to 2000 pixels', () => {
  expect(fit(4_000, 2_640)).toEqual({ width: 2_000, height: 1_320 });
  expect(fit(300, 200)).toEqual({ width: 300, height: 200 });
  expect(fit(1, 9_000)).toEqual({ width: 1, height: 2_000 });
});
