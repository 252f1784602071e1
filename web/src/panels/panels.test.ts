import { expect, test } from 'vitest';
import { waited, turnAt } from '../screens/Timeline';
import type { TurnInfo } from '../api/types';
import { allowed, make, Script } from '../gallery/Script';
import { parts } from './Context';
import { steps } from './FirstSteps';

test('context categories are sorted by size, followed by free and reserved space', () => {
  const shown = parts(
    {
      categories: [
        { name: 'System prompt', tokens: 4_000, kind: 'used' },
        { name: 'Messages', tokens: 60_000, kind: 'used' },
        { name: 'Deferred tools', tokens: 9_000, kind: 'deferred' },
        { name: 'Autocompact buffer', tokens: 20_000, kind: 'buffer' },
        { name: 'Free space', tokens: 116_000, kind: 'free' },
      ],
    },
    200_000,
  );
  expect(shown.map((part) => [part.name, part.tokens, part.kept])).toEqual([
    ['Messages', 60_000, false],
    ['System prompt', 4_000, false],
    ['', 116_000, false],
    ['', 20_000, true],
  ]);
  expect(shown.reduce((sum, part) => sum + part.tokens, 0)).toBe(200_000);
});

test('categories of older agents are recognised by name', () => {
  const shown = parts(
    {
      categories: [
        { name: 'Messages', tokens: 50 },
        { name: 'Free space', tokens: 50 },
      ],
    },
    100,
  );
  expect(shown.map((part) => part.tokens)).toEqual([50, 50]);
  expect(parts({}, 100)).toEqual([{ name: '', tokens: 100, colour: 'var(--line)', kept: false }]);
});

test('first steps are completed by events of the session', () => {
  const done = (work: (script: Script) => void, devices = 1) => {
    const script = new Script();
    work(script);
    return steps(script.items, undefined, devices)
      .filter((step) => step.done)
      .map((step) => step.key);
  };
  expect(done(() => undefined)).toEqual([]);
  expect(done((s) => s.prompt('hi').say('hello'))).toEqual(['onboarding.send', 'onboarding.watch']);
  expect(done((s) => s.call({ card: make.shell('x'), over: { permission: allowed } }))).toEqual(['onboarding.watch', 'onboarding.decide']);
  expect(done((s) => s.call({ card: make.question({ a: 'b' }), over: { permission: allowed } }))).toEqual(['onboarding.watch', 'onboarding.answer']);
  expect(done((s) => s.call({ card: make.shell('x'), status: 'failed' }))).toEqual(['onboarding.watch', 'onboarding.failure']);
  expect(done(() => undefined, 2)).toEqual(['onboarding.phone']);
});

test('waiting times are summed over all turns, and a moment belongs to the turn that was running', () => {
  const turn = (n: number, began: number, waits: [number, number][] = []): TurnInfo => ({
    turn: n,
    item: n * 10,
    began,
    ended: began + 5,
    end: 'success',
    cost: 0,
    waits,
    origin: null,
    prompt: null,
  });
  const turns = [
    turn(1, 100, [[101, 103]]),
    turn(2, 200, [
      [201, 202],
      [203, 210],
    ]),
  ];
  expect(waited(turns)).toBe(10);
  expect([50, 150, 200, 900].map((at) => turnAt(turns, at)?.turn)).toEqual([1, 1, 2, 2]);
});
