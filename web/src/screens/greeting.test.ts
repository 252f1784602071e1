// @vitest-environment node
import { expect, test } from 'vitest';
import type { Agent, Payer } from '../api/types';
import { greets } from './greeting';

const agent = (name: string, pays: Payer, over: Partial<Agent> = {}): Agent => ({
  name,
  command: name,
  version: null,
  available: true,
  pays,
  paysDetail: '',
  default: name === 'sluice',
  ...over,
});

test('the demo starts if no agent is known to be paid for', () => {
  expect(greets([agent('sluice', 'demo')])).toBe(true);
  // Installed, but not known to be signed in.
  expect(greets([agent('sluice', 'demo'), agent('claude', 'unknown')])).toBe(true);
  expect(greets([agent('sluice', 'demo'), agent('claude', 'account', { available: false })])).toBe(true);
});

test('the demo does not start for a user who has a real agent', () => {
  expect(greets([agent('sluice', 'key')])).toBe(false);
  expect(greets([agent('sluice', 'demo'), agent('claude', 'account')])).toBe(false);
  // The operator configured an agent.
  expect(greets([agent('mine', 'unknown', { default: true }), agent('sluice', 'demo', { default: false })])).toBe(false);
  // Nothing is known before the welcome message.
  expect(greets([])).toBe(false);
});
