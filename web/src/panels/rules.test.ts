import { expect, test } from 'vitest';
import { isListed, rulesBySource, shownRules } from './rules';

const RULE = 'Bash(touch a-file *)';
const brief = (rules: ReturnType<typeof shownRules>) => rules.map((one) => [one.source, one.rule, one.effect, one.removable]);

test('a rule is listed with its file, and whether it applies and can be removed', () => {
  const listed = [
    { behavior: 'allow', rule: RULE, source: 'localSettings', editability: 'persistent' },
    { behavior: 'allow', rule: 'WebFetch', source: 'projectSettings', editability: 'persistent', notInEffect: true },
    { behavior: 'deny', rule: RULE, source: 'flagSettings', editability: 'readonly' },
    { behavior: 'ask', rule: 'Read', source: 'policySettings', editability: 'readonly' },
  ];
  expect(brief(shownRules(listed))).toEqual([
    ['localSettings', RULE, 'applied', true],
    ['projectSettings', 'WebFetch', 'saved', true],
    ['session', RULE, 'applied', true],
    ['policySettings', 'Read', 'applied', false],
  ]);
});

test('sources are ordered from the session outwards', () => {
  const listed = ['userSettings', 'policySettings', 'session', 'localSettings'].map((source) => ({ behavior: 'allow', rule: source, source }));
  expect(rulesBySource(shownRules(listed)).map(([source]) => source)).toEqual(['session', 'localSettings', 'userSettings', 'policySettings']);
});

test('a rule counts as removed when its source does not list it any more', () => {
  const removed = { behavior: 'allow', rule: RULE, source: 'localSettings' };
  expect(isListed(shownRules([{ ...removed, notInEffect: true }]), removed)).toBe(true);
  expect(
    isListed(
      shownRules([
        { ...removed, source: 'userSettings' },
        { ...removed, behavior: 'deny' },
      ]),
      removed,
    ),
  ).toBe(false);
});
