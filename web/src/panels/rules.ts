// The permission rules of a session: those the agent applies, and those in settings files that it does not apply.

import type { ListedRule } from '../protocol/answers';

export type Destination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings';
export const DESTINATIONS: readonly Destination[] = ['session', 'localSettings', 'projectSettings', 'userSettings'];

/** `saved`: the rule is in a settings file but not applied. */
export type Effect = 'applied' | 'saved';
export interface ShownRule {
  behavior: string;
  rule: string;
  source: string;
  effect: Effect;
  removable: boolean;
}

const isDestination = (source: string): source is Destination => DESTINATIONS.some((one) => one === source);

/** Converts the agent's list for display. */
export function shownRules(listed: readonly ListedRule[]): ShownRule[] {
  return listed.map((one): ShownRule => {
    const from = one.source ?? one.destination ?? 'session';
    // Rules set by the host apply to the session only.
    const source = from === 'flagSettings' || from === 'cliArg' ? 'session' : from;
    return {
      behavior: one.behavior,
      rule: one.rule,
      source,
      effect: one.notInEffect === true ? 'saved' : 'applied',
      removable: isDestination(source) && (from === 'flagSettings' || one.editability !== 'readonly'),
    };
  });
}

/** Groups the rules by source, in the order of precedence. */
export function rulesBySource(rules: readonly ShownRule[]): [string, ShownRule[]][] {
  const rank = (source: string): number => {
    const at = DESTINATIONS.findIndex((one): boolean => String(one) === source);
    return at < 0 ? DESTINATIONS.length : at;
  };
  const by = new Map<string, ShownRule[]>();
  for (const rule of rules) by.set(rule.source, [...(by.get(rule.source) ?? []), rule]);
  return [...by].sort(([a], [b]) => rank(a) - rank(b));
}

/** True if the agent still lists a rule that was removed. */
export function isListed(rules: readonly ShownRule[], rule: { behavior: string; rule: string; source: string }): boolean {
  return rules.some((one) => one.behavior === rule.behavior && one.rule === rule.rule && one.source === rule.source);
}
