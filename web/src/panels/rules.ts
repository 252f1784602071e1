// The permission rules of a session: those the agent applies, and those that a settings file contains and that do not apply.
import { isObject } from '../protocol/storage';

export type Destination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings';
export const DESTINATIONS: readonly Destination[] = ['session', 'localSettings', 'projectSettings', 'userSettings'];

/** A rule as the agent lists it. */
export interface ListedRule { behavior: string; rule: string; source?: string; destination?: string; editability?: string; notInEffect?: boolean }
/** A settings file as the agent reads it. */
export interface SettingsFile { source?: string; settings?: unknown }

/** `saved`: only in its file. `session`: saved in its file, which does not apply yet, and applied in this session. */
export type Effect = 'applied' | 'saved' | 'session';
export interface ShownRule { behavior: string; rule: string; source: string; effect: Effect; removable: boolean }

const isDestination = (source: string): source is Destination => DESTINATIONS.some((one) => one === source);
const same = (a: { behavior: string; rule: string }, b: { behavior: string; rule: string }): boolean => a.behavior === b.behavior && a.rule === b.rule;

/** The rules that a settings file contains. */
function rulesIn(file: SettingsFile): { behavior: string; rule: string }[] {
  const permissions = isObject(file.settings) ? file.settings['permissions'] : null;
  if (!isObject(permissions)) return [];
  return ['allow', 'ask', 'deny'].flatMap((behavior) => {
    const list = permissions[behavior];
    return Array.isArray(list) ? list.filter((rule) => typeof rule === 'string').map((rule) => ({ behavior, rule })) : [];
  });
}

/** Joins the list of the agent with its settings files. Each rule is shown once, under the file that contains it. */
export function shownRules(listed: readonly ListedRule[], files: readonly SettingsFile[]): ShownRule[] {
  const shown = listed.map((one): ShownRule => {
    const from = one.source ?? one.destination ?? 'session';
    // Rules of the host last as long as the session.
    const source = from === 'flagSettings' || from === 'cliArg' ? 'session' : from;
    return { behavior: one.behavior, rule: one.rule, source, effect: one.notInEffect === true ? 'saved' : 'applied', removable: isDestination(source) && (from === 'flagSettings' || one.editability !== 'readonly') };
  });
  for (const file of files) {
    const source = file.source ?? '';
    if (source === 'session' || !isDestination(source)) continue;
    for (const rule of rulesIn(file)) {
      if (shown.some((one) => one.source === source && same(one, rule))) continue;
      shown.push({ ...rule, source, effect: 'saved', removable: true });
    }
  }
  for (const saved of shown.filter((one) => one.effect === 'saved' && one.behavior === 'allow')) {
    const twin = shown.findIndex((one) => one.source === 'session' && same(one, saved));
    if (twin < 0) continue;
    shown.splice(twin, 1);
    saved.effect = 'session';
  }
  return shown;
}

/** The rules by source, in the order of the sources. */
export function rulesBySource(rules: readonly ShownRule[]): [string, ShownRule[]][] {
  const rank = (source: string): number => { const at = DESTINATIONS.findIndex((one) => one === source); return at < 0 ? DESTINATIONS.length : at; };
  const by = new Map<string, ShownRule[]>();
  for (const rule of rules) by.set(rule.source, [...(by.get(rule.source) ?? []), rule]);
  return [...by].sort(([a], [b]) => rank(a) - rank(b));
}

/** What became of a removed rule: the agent may still apply it. */
export function stillApplied(rules: readonly ShownRule[], removed: { behavior: string; rule: string; source: string }): ShownRule | undefined {
  return rules.find((one) => same(one, removed) && (one.source === removed.source || one.source === 'session'));
}
