import { expect, test } from 'vitest';
import { rulesBySource, shownRules, stillApplied } from './rules';

const RULE = 'Bash(touch a-file *)';
const file = (source: string, allow: string[]) => ({ source, settings: { permissions: { allow } } });
const brief = (rules: ReturnType<typeof shownRules>) => rules.map((one) => [one.source, one.rule, one.effect]);

test('a rule that is saved and applied for now is shown once, under its file', () => {
  const shown = shownRules([{ behavior: 'allow', rule: RULE, source: 'session', editability: 'session' }], [file('localSettings', [RULE])]);
  expect(brief(shown)).toEqual([['localSettings', RULE, 'session']]);
});

test('a saved rule that the agent does not apply is shown as not in effect', () => {
  expect(brief(shownRules([], [file('localSettings', [RULE]), file('projectSettings', ['WebFetch'])]))).toEqual([['localSettings', RULE, 'saved'], ['projectSettings', 'WebFetch', 'saved']]);
});

test('a rule that the agent lists with its file is not repeated', () => {
  expect(brief(shownRules([{ behavior: 'allow', rule: RULE, source: 'localSettings', editability: 'persistent' }], [file('localSettings', [RULE])]))).toEqual([['localSettings', RULE, 'applied']]);
});

test('a deny rule of the session never hides behind a saved one', () => {
  const shown = shownRules([{ behavior: 'deny', rule: RULE, source: 'flagSettings', editability: 'readonly' }], [{ source: 'localSettings', settings: { permissions: { deny: [RULE] } } }]);
  expect(brief(shown)).toEqual([['session', RULE, 'applied'], ['localSettings', RULE, 'saved']]);
  expect(shown.map((one) => one.removable)).toEqual([true, true]);
});

test('broken settings and unknown sources cost nothing else', () => {
  const odd = [{ settings: null }, { source: 'policySettings', settings: { permissions: { allow: ['Read'] } } }, { source: 'localSettings', settings: { permissions: { allow: 'Read', deny: [7, RULE] } } }];
  expect(brief(shownRules([{ behavior: 'ask', rule: 'Read', source: 'policySettings' }], odd))).toEqual([['policySettings', 'Read', 'applied'], ['localSettings', RULE, 'saved']]);
});

test('sources are ordered from the session outwards', () => {
  const listed = ['userSettings', 'policySettings', 'session', 'localSettings'].map((source) => ({ behavior: 'allow', rule: source, source }));
  expect(rulesBySource(shownRules(listed, [])).map(([source]) => source)).toEqual(['session', 'localSettings', 'userSettings', 'policySettings']);
});

test('a removed rule counts as removed only when neither its file nor the session has it', () => {
  const removed = { behavior: 'allow', rule: RULE, source: 'localSettings' };
  expect(stillApplied(shownRules([{ behavior: 'allow', rule: RULE, source: 'session' }], []), removed)?.source).toBe('session');
  expect(stillApplied(shownRules([], [file('localSettings', [RULE])]), removed)?.source).toBe('localSettings');
  expect(stillApplied(shownRules([{ behavior: 'allow', rule: RULE, source: 'userSettings' }], []), removed)).toBeUndefined();
});
