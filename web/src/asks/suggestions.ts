// The agent's permission suggestions ("allow and stop asking for …") as text: the rule and its scope.
import type { AskInfo } from '../api/types';
import { isObject } from '../protocol/storage';
import { t } from '../text';

export interface Suggestion {
  /** Index in the list of the request; the answer refers to it. */
  index: number;
  /** Text around the rule, which is at `{code}`. */
  before: string;
  code: string | null;
  after: string;
  scope: string;
}

interface Rule {
  toolName: string;
  ruleContent?: string | null;
}
const isRule = (value: unknown): value is Rule => isObject(value) && typeof value.toolName === 'string';

/** The rule in settings notation: the name of the tool, with what it is about in brackets. */
export const ruleText = (rule: Rule): string => (rule.ruleContent ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName);

export function scopeWords(destination: unknown): string {
  switch (destination) {
    case 'localSettings':
      return t('asks.scopeLocal');
    case 'projectSettings':
      return t('asks.scopeProject');
    case 'userSettings':
      return t('asks.scopeUser');
    default:
      return t('asks.scopeSession');
  }
}

/** Returns the suggestions that can be offered. Those that deny or have an unknown form are left out. */
export function suggestionsOf({ request, toolName, card }: Pick<AskInfo, 'request' | 'toolName' | 'card'>): Suggestion[] {
  if (request['suppress_always_allow_rule'] === true || !Array.isArray(request['permission_suggestions'])) return [];
  return request['permission_suggestions'].flatMap((one: unknown, index): Suggestion[] => {
    if (!isObject(one)) return [];
    const scope = scopeWords(one['destination']);
    const plain = (before: string, code: string | null = null, after = ''): Suggestion[] => [{ index, before, code, after, scope }];
    switch (one['type']) {
      case 'addRules':
      case 'replaceRules': {
        const rules = Array.isArray(one['rules']) ? one['rules'].filter(isRule) : [];
        if (one['behavior'] !== 'allow' || rules.length === 0) return [];
        // The tool name is redundant next to a shell command.
        const texts = rules.map((rule) => (rule.toolName === toolName && card?.verb === 'run' && rule.ruleContent ? rule.ruleContent : ruleText(rule)));
        return plain('', texts.join(', '));
      }
      case 'setMode':
        if (one['mode'] === 'acceptEdits') return plain(t('asks.allEdits'));
        if (one['mode'] === 'bypassPermissions') return plain(t('asks.everything'));
        return [];
      case 'addDirectories': {
        const folders = Array.isArray(one['directories']) ? one['directories'].filter((folder) => typeof folder === 'string') : [];
        if (folders.length === 0) return [];
        return plain(t('asks.theFolder', { n: folders.length }), folders.join(', '));
      }
      default:
        return [];
    }
  });
}

/** The rule that "Always deny" adds: the rule the agent suggested, or else this exact call. */
export function denyRule({ request, toolName, card }: Pick<AskInfo, 'request' | 'toolName' | 'card'>): string {
  const suggestions: unknown[] = Array.isArray(request['permission_suggestions']) ? request['permission_suggestions'] : [];
  for (const one of suggestions) {
    if (!isObject(one) || one['type'] !== 'addRules' || !Array.isArray(one['rules'])) continue;
    const rule = one['rules'].find(isRule);
    if (rule) return ruleText(rule);
  }
  const body = card?.body;
  if (body?.type === 'shell') return body.command ? `${toolName}(${body.command})` : toolName;
  if (body?.type === 'file_change' || body?.type === 'notebook' || body?.type === 'file_read') return `${toolName}(/${body.path})`;
  if (body?.type === 'web' && body.kind === 'fetch' && URL.canParse(body.url)) return `${toolName}(domain:${new URL(body.url).host})`;
  return toolName;
}
