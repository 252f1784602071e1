// @vitest-environment node
import { expect, test } from 'vitest';
import { enterStep, escapeStep, Guard, mayTakeFocus, sendWord, type EscapeSituation } from './rules';

const calm: EscapeSituation = { covered: false, elsewhere: false, textInBox: false, ask: null, running: false, shift: false };
const ask = { focused: false, alone: true, folded: false, mayDecide: true };

test('Escape takes only the first step that applies', () => {
  expect(escapeStep({ ...calm, covered: true, textInBox: true, ask, running: true })).toBe('none');
  expect(escapeStep({ ...calm, elsewhere: true, running: true })).toBe('none');
  expect(escapeStep({ ...calm, textInBox: true, ask, running: true })).toBe('clear');
  expect(escapeStep({ ...calm, ask, running: true })).toBe('deny');
  expect(escapeStep({ ...calm, ask, running: true, shift: true })).toBe('deny-stop');
  expect(escapeStep({ ...calm, running: true })).toBe('interrupt');
  expect(escapeStep(calm)).toBe('none');
});

test('Escape denies a request only if it has the focus, or is the only one and unfolded', () => {
  expect(escapeStep({ ...calm, ask: { ...ask, alone: false } })).toBe('none');
  expect(escapeStep({ ...calm, ask: { ...ask, alone: false, focused: true } })).toBe('deny');
  expect(escapeStep({ ...calm, ask: { ...ask, folded: true }, running: true })).toBe('none');
  expect(escapeStep({ ...calm, ask: { ...ask, mayDecide: false }, running: true })).toBe('none');
});

test('keys within 350 ms of a request are ignored, and the rest of their burst', () => {
  const guard = new Guard(1_000);
  expect(guard.accept(1_100)).toBe(false);
  expect(guard.accept(1_400)).toBe(false);
  expect(guard.accept(1_700)).toBe(false);
  expect(guard.accept(2_049)).toBe(false);
  expect(guard.accept(2_399)).toBe(true);
  expect(new Guard(0).accept(350)).toBe(true);
  expect(new Guard(0).open(349)).toBe(false);
});

test('a request does not take the focus from a field in use, nor from another session', () => {
  const free = { active: 'nothing', text: false, typed: null, here: true } as const;
  expect(mayTakeFocus(free)).toBe(true);
  expect(mayTakeFocus({ ...free, here: false })).toBe(false);
  expect(mayTakeFocus({ ...free, active: 'control' })).toBe(true);
  expect(mayTakeFocus({ ...free, active: 'field' })).toBe(true);
  expect(mayTakeFocus({ ...free, active: 'field', text: true })).toBe(false);
  expect(mayTakeFocus({ ...free, active: 'field', typed: 1_999 })).toBe(false);
  expect(mayTakeFocus({ ...free, active: 'field', typed: 2_001 })).toBe(true);
});

test('Enter sends, steers or inserts a line break, and belongs to the input method while composing', () => {
  const key = { phone: false, enterIsLine: false, composing: false, shift: false, ctrl: false, running: false };
  expect(enterStep(key)).toBe('send');
  expect(enterStep({ ...key, shift: true })).toBe('line');
  expect(enterStep({ ...key, phone: true })).toBe('line');
  expect(enterStep({ ...key, enterIsLine: true })).toBe('line');
  expect(enterStep({ ...key, enterIsLine: true, ctrl: true })).toBe('send');
  expect(enterStep({ ...key, ctrl: true, running: true })).toBe('steer');
  expect(enterStep({ ...key, composing: true, ctrl: true })).toBe('none');
});

test('the submit button is labelled with what it does', () => {
  expect(sendWord({ connected: false, started: true, busy: true })).toBe('keep');
  expect(sendWord({ connected: true, started: false, busy: false })).toBe('start');
  expect(sendWord({ connected: true, started: true, busy: true })).toBe('queue');
  expect(sendWord({ connected: true, started: true, busy: false })).toBe('send');
});
